"""Invented text in the mix that agents produce: prose, code, paths, logs, JSON, Chinese.

Nothing here begins a word with z, and no needle of `needles` can come about by chance.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from itertools import accumulate, product

_PLAIN = (
    "the of and to in that is was for it with as on be at by this had not are but from or have an they which one you "
    "were all her she there would their we him been has when who will no more if out so up said what its about than "
    "into them can only other time new some could these two may first then do any like my now over such our man me "
    "even most made after also did many off before must well back through years where much your way down should "
    "because long each just state those people too mister how little good world make very year still see own work men "
    "day get here old life both between being under three never know same last another while us might great go come "
    "since against right came take used himself few house use during without again place around however small found "
    "file error test build server value table query result check change module class return default path config"
)
_SYLLABLES = "ba be bo da de do fa fe ga go ha he ka ke la le li lo ma me mi na ne no pa pe ra re ri ro sa se ta te ti"
INVENTED = ["".join(parts) + end for parts in product(_SYLLABLES.split(), repeat=2) for end in ("n", "st", "ring")]
_CHINESE = (
    "我们 今天 需要 修改 配置 文件 然后 重新 运行 测试 结果 显示 服务 已经 启动 但是 日志 里面 还有 "
    "错误 请 检查 网络 连接 数据 库 查询 很 慢 可以 加 索引 明天 早上 提醒 我 开会 旅行 计划 北京 天气 "
    "不错 谢谢 好的 没有 问题 完成 任务 列表"
)
TOOLS = ("terminal", "read_file", "write_file", "search_files", "browser_navigate", "patch")

_WORDS = _PLAIN.split() + INVENTED
CHINESE = _CHINESE.split()
# Zipf's law, but milder: the most common word of real text would drown everything else.
_WEIGHTS = list(accumulate(1 / (rank + 6) for rank in range(len(_WORDS))))


class Writer:
    """Writes text of any kind from one source of chance, so that the same seed writes the same store."""

    def __init__(self, chance: random.Random) -> None:
        self.chance = chance

    def words(self, count: int) -> list[str]:
        """So many words, common ones more often."""
        return self.chance.choices(_WORDS, cum_weights=_WEIGHTS, k=count)

    def prose(self, count: int) -> str:
        """Sentences of about `count` words."""
        words = self.words(count)
        for start in range(0, count, 13):
            words[start] = words[start].capitalize()
            last = min(start + 12, count - 1)
            words[last] += "." if start % 3 else ".\n\n"
        return " ".join(words)

    def chinese(self, count: int) -> str:
        """Sentences of so many Chinese words, without spaces."""
        words = self.chance.choices(CHINESE, k=count)
        return "".join(word + ("，" if place % 7 == 6 else "") for place, word in enumerate(words)) + "。"

    def path(self) -> str:
        """`src/banest/kolin.py`"""
        folder, name = self.chance.choices(INVENTED, k=2)
        return f"src/{folder}/{name}.{self.chance.choice(('py', 'py', 'toml', 'md', 'rs'))}"

    def code(self, lines: int) -> str:
        """A fenced block of Python that means nothing."""
        names = self.words(lines * 3)
        body = [
            f"    {names[3 * line]}_{names[3 * line + 1]} = {names[3 * line + 2]}({line}, key='{names[3 * line]}')"
            for line in range(lines)
        ]
        return "\n".join([f"```python\ndef {names[0]}(self, {names[1]}: int) -> None:", *body, "```"])

    def log(self, lines: int) -> str:
        """Output of a program, some of it in terminal colours."""
        words = self.words(lines * 5)
        rows = []
        for line in range(lines):
            level = "\x1b[31mERROR\x1b[0m" if line % 17 == 3 else "INFO"
            stamp = f"12:{line % 60:02d}:{(line * 7) % 60:02d}.{self.chance.randrange(1000):03d}"
            rows.append(f"{stamp} {level} {' '.join(words[5 * line : 5 * line + 5])}")
        return "\n".join(rows)

    def listing(self, lines: int) -> str:
        """What a search through files prints."""
        rows = (f"{self.path()}:{self.chance.randrange(1, 900)}: {' '.join(self.words(6))}" for _ in range(lines))
        return "\n".join(rows)

    def said(self) -> str:
        """What a person or the model says."""
        size = min(900, int(self.chance.lognormvariate(3.6, 0.9)) + 3)
        draw = self.chance.random()
        if draw < 0.06:
            return self.chinese(size)
        if draw < 0.12:
            return f"{self.prose(size)}\n\n{self.code(3 + size // 12)}"
        if draw < 0.2:
            return f"{self.prose(size)} See {self.path()} and {self.path()}."
        return self.prose(size)

    def printed(self) -> str:
        """What a tool prints; one in a hundred is longer than the newest word index holds."""
        lines = 260 if self.chance.random() < 0.01 else min(160, int(self.chance.lognormvariate(2.7, 1.0)) + 1)
        kind: Callable[[int], str] = self.chance.choice((self.log, self.listing, self.code))
        return kind(lines)


def wrapped(text: str, *, exit_code: int, escaped: bool) -> str:
    """Output as tools answer it: JSON, its letters outside ASCII escaped or not."""
    return json.dumps({"output": text, "exit_code": exit_code, "error": None}, ensure_ascii=escaped)
