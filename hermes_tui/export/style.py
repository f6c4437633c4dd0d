"""How an exported page looks: light or dark as the reader's system is, and fit for paper."""

from __future__ import annotations

STYLE = """
:root { color-scheme: light dark; --text: #1d1f24; --dim: #5d636e; --back: #ffffff; --card: #f3f4f6; --line: #d4d7dd;
  --you: #0b57a4; --mark: #b25b00; --red: #b3261e; --green: #1a6e2e; --blue: #0b57a4; --violet: #6b3fa0;
  --brown: #7a4b00; }
@media (prefers-color-scheme: dark) { :root { --text: #e3e5e9; --dim: #9aa1ac; --back: #16181c; --card: #1f2228;
  --line: #383d46; --you: #7db7f5; --mark: #f0a55a; --red: #f2918b; --green: #86cf95; --blue: #7db7f5;
  --violet: #c3a3ee; --brown: #dcb377; } }
* { box-sizing: border-box; }
body { margin: 0; color: var(--text); background: var(--back); font: 16px/1.5 system-ui, sans-serif; }
main, footer { max-width: 56rem; margin: 0 auto; padding: 1rem; }
header { border-bottom: 1px solid var(--line); margin-bottom: 1rem; }
header + header, article + header { margin-top: 3rem; }
h1 { font-size: 1.5rem; overflow-wrap: anywhere; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 0 1rem; color: var(--dim); font-size: .875rem; }
dt, dd { margin: 0; overflow-wrap: anywhere; }
article { padding: .5rem 0 .5rem .75rem; border-left: 3px solid transparent; }
article.user { border-left-color: var(--you); }
article.compacted, article.rewound, article.hidden { border-left-style: dashed; border-left-color: var(--line); }
article.rewound .text { text-decoration: line-through; text-decoration-color: var(--dim); }
article.marked, article:target { border-left: 3px solid var(--mark); background: var(--card); }
.about { margin: 0 0 .25rem; color: var(--dim); font-size: .8125rem; }
.about b { color: var(--text); }
.user .about b { color: var(--you); }
.about a { color: inherit; }
.text { white-space: pre-wrap; overflow-wrap: anywhere; }
.code { white-space: pre; overflow-x: auto; margin: .25rem 0; padding: .5rem .75rem; background: var(--card);
  border-radius: .25rem; font: .8125rem/1.45 ui-monospace, monospace; }
details { margin: .25rem 0; }
summary { cursor: pointer; color: var(--dim); font: .8125rem/1.45 ui-monospace, monospace; overflow-wrap: anywhere; }
img { display: block; max-width: 100%; margin: .5rem 0; }
.gap { color: var(--dim); font-style: italic; text-align: center; }
.border { color: var(--mark); border-top: 2px dashed var(--mark); padding-top: .25rem; text-align: center; }
footer { color: var(--dim); font-size: .8125rem; border-top: 1px solid var(--line); }
.fence, .comment, .hunk { color: var(--dim); }
.keyword { color: var(--violet); }
.string, .added { color: var(--green); }
.number { color: var(--brown); }
.name, .key { color: var(--blue); }
.failed, .removed { color: var(--red); }
@media print { body { font-size: 10pt; } main, footer { max-width: none; padding: 0; } .code { white-space: pre-wrap; }
  article { break-inside: auto; } .about { break-after: avoid; } }
"""
