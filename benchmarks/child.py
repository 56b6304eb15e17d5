"""Runs one command and says how long it took and how much memory it needed: `python -m benchmarks.child COMMAND ...`.

A process of its own, and a small one: what a child reports as its peak is never less than what its parent had in
use when it was started.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time


def main() -> None:
    start = time.perf_counter()
    child = subprocess.Popen(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    assert child.stderr is not None
    said = child.stderr.read().decode(errors="replace")
    _, status, used = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    peak = used.ru_maxrss / (1024 if sys.platform != "darwin" else 1024**2)
    print(
        json.dumps(
            {
                "seconds": time.perf_counter() - start,
                "cpu_seconds": used.ru_utime + used.ru_stime,
                "peak_mib": peak,
                "exit_code": child.returncode,
                "said": said[-2000:],
            }
        )
    )


if __name__ == "__main__":
    main()
