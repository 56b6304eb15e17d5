"""Small damage to files and command lines, drawn from a generator that is passed in."""

from __future__ import annotations

import re
from random import Random

WORDS = (
    "", "0", "-1", "1e999", "nan", "inf", "1,5", "9" * 400, "*", "[1:2]", "(a,b)", "=1+1", "'", '"', '""', "\n", "\r\n",
    "\r", "\0", "\ufeff", "\u2028", "é", "a" * 3000, "null", "true", "[]", "{}", "[[]]", "2024-02-30", "01.02.2003",
    ",", ";", "\t", "|", "=", ".", "#", "[", "]", "items", "quasi", "csv", "dat", "parquet", "km", "rating", "\\ud800",
)  # fmt: skip
_BYTES = (b"\xff", b"\xed\xa0\x80", b"\xef\xbb\xbf", b"\xff\xfe", b"\x1f\x8b", b"PAR1", b"ARROW1", b"\x00\x00\x00\x00")
_NUMBERS = (0, 1, -1, 127, 255, 2**31 - 1, -(2**31), 2**32, 2**62, 2**63 - 1, -(2**63))
_TOKEN = re.compile(rb'"[^"\n]*"|[A-Za-z_]+|-?\d+(?:\.\d+)?|[^\w\s]')


def damaged(content: bytes, draw: Random) -> bytes:
    """The content with one to four things wrong."""
    for _ in range(draw.choice((1, 1, 1, 2, 4))):
        content = draw.choice((_bits, _number, _without, _again, _with_word, _cut, _token, _token, _lines))(
            content, draw
        )
    return content


def other_words(words: list[str], draw: Random) -> list[str]:
    """A command line with one or two words gone, doubled, moved or changed."""
    words = list(words)
    for _ in range(draw.choice((1, 1, 2))):
        place = draw.randrange(len(words))
        match draw.randrange(4):
            case 0:
                del words[place]
            case 1:
                words.insert(draw.randrange(len(words) + 1), words[place])
            case 2:
                words[place] = draw.choice(WORDS).replace("\0", "") or "-"
            case _:
                words[place] = (
                    damaged(words[place].encode("utf-8", "surrogateescape"), draw)
                    .decode("utf-8", "surrogateescape")
                    .replace("\0", "")
                )
        words = words or ["--help"]
    return words


def _place(content: bytes, draw: Random) -> int:
    return draw.randrange(len(content) + 1)


def _bits(content: bytes, draw: Random) -> bytes:
    place = _place(content, draw)
    return (
        content[:place]
        + bytes(each ^ (1 << draw.randrange(8)) for each in content[place : place + 1])
        + content[place + 1 :]
    )


def _number(content: bytes, draw: Random) -> bytes:
    """A whole number of four or eight bytes, as formats of machines have for lengths and places."""
    size = draw.choice((4, 8))
    place = _place(content, draw) // size * size
    number = draw.choice(_NUMBERS) % 2 ** (8 * size)
    return content[:place] + number.to_bytes(size, "little") + content[place + size :]


def _without(content: bytes, draw: Random) -> bytes:
    place = _place(content, draw)
    return content[:place] + content[place + draw.randrange(1, 30) :]


def _again(content: bytes, draw: Random) -> bytes:
    start, place = _place(content, draw), _place(content, draw)
    return content[:place] + content[start : start + draw.randrange(1, 60)] + content[place:]


def _with_word(content: bytes, draw: Random) -> bytes:
    place = _place(content, draw)
    word = draw.choice(WORDS).encode() if draw.random() < 0.7 else draw.choice(_BYTES)
    return content[:place] + word + content[place:]


def _cut(content: bytes, draw: Random) -> bytes:
    return content[: _place(content, draw)]


def _token(content: bytes, draw: Random) -> bytes:
    """A word, a text in quotes, a number or a sign becomes another one, of the same file or of those above."""
    tokens = list(_TOKEN.finditer(content))
    if not tokens:
        return content
    chosen, other = draw.choice(tokens), draw.choice(tokens)[0]
    new = other if draw.random() < 0.4 else draw.choice(WORDS).encode()
    if draw.random() < 0.3:
        new = b'"' + new.strip(b'"') + b'"'
    return content[: chosen.start()] + new + content[chosen.end() :]


def _lines(content: bytes, draw: Random) -> bytes:
    """A line less, or two in each other's place."""
    lines = content.splitlines(keepends=True) or [b""]
    one, other = draw.randrange(len(lines)), draw.randrange(len(lines))
    if draw.random() < 0.5:
        del lines[one]
    else:
        lines[one], lines[other] = lines[other], lines[one]
    return b"".join(lines)
