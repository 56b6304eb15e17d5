"""`python -m studies [NAME ...] [--small | --pages | --resume | --anew WORD]`: measure, and write the pages."""

from __future__ import annotations

import argparse
import sys
from importlib import import_module

from studies.cells import full_run, small_run, without
from studies.common import DATA, load_points, save_points, write_page

STUDIES = ("baskets", "records", "slices", "ratings")


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m studies", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"which ones: {', '.join(STUDIES)}; all if none")
    parser.add_argument("--small", action="store_true", help="a quick version on small data; writes nothing")
    parser.add_argument("--pages", action="store_true", help="only draw the pages anew from the points kept")
    parser.add_argument("--resume", action="store_true", help="measure only what the points kept lack")
    parser.add_argument("--anew", action="append", default=[], metavar="WORD",
                        help="like --resume, but measure anew the cells whose name has this word, such as 'best' or "
                        "'retail'; may be given several times")  # fmt: skip
    asked = parser.parse_args(arguments)
    unknown = [name for name in asked.names if name not in STUDIES]
    if unknown:
        parser.error(f"there is no study {unknown[0]!r}")
    for name in asked.names or STUDIES:
        study = import_module(f"studies.{name}")
        if asked.small:
            for claim in study.claims(small_run(study)):
                print(f"{name}: {claim.verdict}: {claim.paper} ({claim.here})")
        elif asked.pages:
            print(write_page(name, study, load_points(name)))
        elif not DATA.is_dir():
            print(f"{name}: skipped, because the data sets are not beside the project", file=sys.stderr)
        else:
            known = without(load_points(name), asked.anew) if asked.resume or asked.anew else []
            points = full_run(name, study, known)
            save_points(name, points)
            print(write_page(name, study, points))


if __name__ == "__main__":
    main()
