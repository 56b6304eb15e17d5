"""The engine that draws charts, in a process of its own.

It takes longer to start than to draw ten charts, and Python stands still while it works. In a process of its own it
starts while the data are read, and draws while the release is written and audited. Should it break down over a chart,
the release does not.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import replace
from subprocess import DEVNULL, PIPE, Popen
from typing import BinaryIO

from tacit.process import child
from tacit.report.blocks import Block, Chart, Folded, Section

_NOTHING = {"data": {"values": []}, "mark": "bar"}


class Engine:
    """Takes charts to draw, one after the other, and does not keep whoever asks waiting."""

    def __init__(self, process: Popen[bytes]) -> None:
        self._process, self._turn = process, ThreadPoolExecutor(1)

    def draw_ahead(self, sections: Sequence[Section]) -> list[Section]:
        """The same sections, whose charts are drawn from now on."""
        return [replace(section, blocks=self._all(section.blocks)) for section in sections]

    def close(self) -> None:
        """Ends the process, whatever it does."""
        self._process.kill()
        self._turn.shutdown()
        with suppress(BrokenPipeError), self._process:  # closes what connects both, and waits for its end
            pass

    def _all(self, blocks: Sequence[Block]) -> list[Block]:
        return [self._one(block) for block in blocks]

    def _one(self, block: Block) -> Block:
        match block:
            case Chart():
                from tacit.report.charts import specification

                return replace(block, svg=self._turn.submit(self._draw, json.dumps(specification(block))).result)
            case Folded(_, blocks):
                return replace(block, blocks=self._all(blocks))
            case _:
                return block

    def _draw(self, specification: str) -> str:
        """The engine's drawing; what it cannot draw, or does not survive, is a `ValueError`."""
        assert self._process.stdin is not None and self._process.stdout is not None
        try:
            self._process.stdin.write(specification.encode() + b"\n")
            self._process.stdin.flush()
            answer = self._process.stdout.readline()
        except OSError:
            answer = b""
        svg = json.loads(answer or b"null")
        if svg is None:
            raise ValueError("the engine did not draw this chart")
        return str(svg)


@contextmanager
def started_engine() -> Iterator[Engine | None]:
    """An engine that starts at once and ends with the block; None where no process can be started."""
    engine = None
    with suppress(OSError):
        engine = Engine(Popen(child.command("tacit.report.engine"), stdin=PIPE, stdout=PIPE, stderr=DEVNULL))
    try:
        yield engine
    finally:
        if engine is not None:
            engine.close()


def serve(requests: BinaryIO, answers: BinaryIO) -> None:
    """A specification a line, and for each a line with its drawing; null if it cannot be drawn."""
    import vl_convert

    vl_convert.vegalite_to_svg(_NOTHING, allowed_base_urls=[])
    for line in requests:
        svg = None
        with suppress(ValueError):
            svg = vl_convert.vegalite_to_svg(line.decode(), allowed_base_urls=[])
        answers.write(json.dumps(svg).encode() + b"\n")
        answers.flush()


if __name__ == "__main__":
    serve(sys.stdin.buffer, sys.stdout.buffer)
