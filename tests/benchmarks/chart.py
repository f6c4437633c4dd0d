"""A picture of how far each ratio is from its goal: an SVG that reads well on light and on dark ground.

Every bar is as long as its ratio is beside its goal, so one line is the goal of all. What is beyond is said in words,
not in colour alone, and the whole picture is there as text for those who do not see it.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from xml.sax.saxutils import escape

from tests.benchmarks.measure import Result, shown
from tests.benchmarks.saved import run
from tests.benchmarks.targets import Met, met

WIDTH, ROW, TOP, LEFT, GOAL, MOST = 860, 26, 46, 380, 200, 1.5
"""Pixels: the picture, a row, what is above the rows, the labels, a bar that reaches its goal; and the longest bar, in
goals."""
STYLE = """
text { font: 13px Helvetica, Arial, 'DejaVu Sans', sans-serif; fill: #1f2328 } .small { font-size: 12px; fill: #59636e }
.within { fill: #2a7f62 } .beyond { fill: #bc4c00 } .goal { stroke: #59636e; stroke-dasharray: 4 3 }
@media (prefers-color-scheme: dark) {
  text { fill: #e6edf3 } .small { fill: #9198a1 }
  .within { fill: #3fb68b } .beyond { fill: #f0883e } .goal { stroke: #9198a1 }
}
"""


def drawn(goals: Sequence[Met], about: str) -> str:
    """The picture; `about` is a line on what was measured on."""
    height = TOP + ROW * len(goals) + 34
    within = sum(one.reached for one in goals)
    title = f"{within} of {len(goals)} goals reached"
    told = "; ".join(f"{one.target.label}: {_times(one)}" for one in goals)
    bars = [_bar(one, TOP + ROW * place) for place, one in enumerate(goals)]
    goal = LEFT + GOAL
    return "\n".join(
        [
            (
                f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}"'
                ' role="img" aria-labelledby="title desc">'
            ),
            f'<title id="title">{escape(title)}</title>',
            f'<desc id="desc">{escape(told)}.</desc>',
            f"<style>{STYLE}</style>",
            f'<text x="10" y="20">{escape(title)}, shorter is better</text>',
            f'<text class="small" x="{goal}" y="38" text-anchor="middle">goal</text>',
            *bars,
            f'<line class="goal" x1="{goal}" x2="{goal}" y1="{TOP - 2}" y2="{TOP + ROW * len(goals)}"/>',
            f'<text class="small" x="10" y="{height - 10}">{escape(about)}</text>',
            "</svg>\n",
        ]
    )


def _bar(one: Met, top: int) -> str:
    length = min(one.value / one.target.limit, MOST) * GOAL
    kind = "within" if one.reached else "beyond"
    base = top + 17
    return (
        f'<text x="{LEFT - 10}" y="{base}" text-anchor="end">{escape(one.target.label)}</text>'
        f'<rect class="{kind}" x="{LEFT}" y="{top + 4}" width="{max(length, 1):.1f}" height="{ROW - 9}" rx="2"/>'
        f'<text x="{LEFT + GOAL * MOST + 12:.0f}" y="{base}">{escape(_times(one))}</text>'
    )


def _times(one: Met) -> str:
    beyond = "" if one.reached else ", beyond"
    return f"{shown(one.value)} (goal {one.target.limit:g}{beyond})"


def about(commit: str, machine: dict[str, object]) -> str:
    """A line on what was measured, and on what."""
    facts = [
        f"{name} {machine[name]}" for name in ("system", "processor", "cpus", "python", "sqlite") if name in machine
    ]
    return f"commit {commit or 'unknown'}; {', '.join(facts)}"


def main(words: Sequence[str]) -> int:
    """The `chart` sub-command; 2 when the results cannot be read or hold nothing that has a goal."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks chart", description="Ratios beside their goals.")
    parser.add_argument(
        "results", type=Path, nargs="+", help="saved files, or a folder of which the newest commit counts"
    )
    parser.add_argument("picture", type=Path, help="the SVG file to write")
    asked = parser.parse_args(words)
    try:
        found = [run(path) for path in asked.results]
    except (OSError, ValueError) as error:
        print(error, file=sys.stderr)
        return 2
    merged: dict[tuple[str, ...], Result] = {one.key: one for each in found for one in each.results}
    goals = list(met(list(merged.values())))
    if not goals:
        print("Nothing that was measured has a goal.", file=sys.stderr)
        return 2
    asked.picture.write_text(drawn(goals, about(found[-1].commit, dict(found[-1].machine))), encoding="utf-8")
    for one in goals:
        worst = f", the worst of {one.count}: {one.name}" if one.count > 1 else f": {one.name}"
        print(f"{'reached' if one.reached else 'BEYOND '}  {one.target.label}: {_times(one)}{worst}")
    return 0
