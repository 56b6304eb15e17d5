"""`python -m studies [NAME ...] [--small | --pages | --resume]`: measure and write the pages of the studies."""

from __future__ import annotations

import argparse
import sys
from importlib import import_module

from studies.common import DATA, load_points, save_points, write_page

STUDIES = ("baskets", "records", "slices", "ratings")


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m studies", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"which ones: {', '.join(STUDIES)}; all if none")
    parser.add_argument("--small", action="store_true", help="a quick version on small data; writes nothing")
    parser.add_argument("--pages", action="store_true", help="only draw the pages anew from the points kept")
    parser.add_argument("--resume", action="store_true", help="baskets: measure only what the points kept lack")
    asked = parser.parse_args()
    unknown = [name for name in asked.names if name not in STUDIES]
    if unknown:
        parser.error(f"there is no study {unknown[0]!r}")
    for name in asked.names or STUDIES:
        study = import_module(f"studies.{name}")
        if asked.small:
            for claim in study.claims(study.run("small")):
                print(f"{name}: {claim.verdict}: {claim.paper} ({claim.here})")
        elif asked.pages:
            print(write_page(name, study, load_points(name)))
        elif not DATA.is_dir():
            print(f"{name}: skipped, because the data sets are not beside the project", file=sys.stderr)
        else:
            points = study.run("full", load_points(name)) if asked.resume else study.run("full")
            save_points(name, points)
            print(write_page(name, study, points))


if __name__ == "__main__":
    main()
