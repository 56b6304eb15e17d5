"""The constraints file of COAT and PCTA: what it may say, and what it is told when it says something wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

from tacit.baskets.solvers.constraints import Constraints, read_constraints
from tacit.errors import InputError

LABELS = ("beer", "wine", "bread", "rolls", "12")


@pytest.fixture
def read(tmp_path: Path):
    def from_text(text: str) -> Constraints:
        path = tmp_path / "constraints.toml"
        path.write_text(text, encoding="utf-8")
        return read_constraints(path, LABELS)

    return from_text


def test_a_full_file(read) -> None:
    found = read(
        'privacy = [["beer", "wine"], ["bread"]]\n'
        'utility = [["beer", "wine"], ["rolls", "bread", 12]]\n'
        "max_suppressed = 0.25\n"
        "[weights]\n"
        "beer = 2.5\n"
    )
    assert found.privacy == (frozenset({"beer", "wine"}), frozenset({"bread"}))
    members, ends = found.privacy_items()
    assert (members.tolist(), ends.tolist()) == ([0, 1, 2], [2, 3])
    assert found.permit().tolist() == [0, 0, 1, 1, 1], "a number names the item that is written so"
    assert found.importance().tolist() == [5, 2, 2, 2, 2]
    assert found.may_suppress(4) == 1


def test_an_empty_file_asks_for_nothing_and_allows_everything(read) -> None:
    found = read("")
    assert (found.privacy, found.utility, found.max_suppressed) == (None, None, 1.0)
    assert found.privacy_items()[1].size == 0
    assert found.permit().tolist() == [0] * 5
    assert found.importance().tolist() == [1] * 5


def test_without_any_utility_constraint_nothing_may_be_merged(read) -> None:
    assert read("utility = []").permit().tolist() == [-1] * 5


def test_a_share_that_is_met_exactly_is_allowed() -> None:
    assert Constraints(LABELS, max_suppressed=0.29).may_suppress(100) == 29


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            'privacy = [["beer"],\n ["vine"]]',
            "line 2: privacy constraint 2 names item 'vine', which is not in",
        ),
        ('utility = [["beer", "gin"]]', "line 1: utility constraint 1 names item 'gin'"),
        ('utility = [["beer", "wine"],\n["beer"]]', "item 'beer' is in utility constraints 1 and 2"),
        ('privacy = [["beer"], []]', "privacy constraint 2 is empty"),
        ("utility = [[]]", "utility constraint 1 is empty"),
        ('privacy = ["beer"]', "privacy is not a list of lists"),
        ('\nutility = "beer"', "line 2: utility is not a list of lists"),
        ("privacy = [[1.5]]", "privacy holds 1.5"),
        ("privacy = [[true]]", "privacy holds True"),
        ("max_suppressed = 15", "max_suppressed is 15"),
        ("max_suppressed = -0.1", "max_suppressed is -0.1"),
        ("max_suppressed = nan", "max_suppressed is nan"),
        ('max_suppressed = "all"', "max_suppressed is 'all'"),
        ("weights = 3", "weights is not a table"),
        ("[weights]\nbeer = 0", "line 2: item 'beer' weighs 0"),
        ("[weights]\nbeer = 1e9", "item 'beer' weighs 1000000000"),
        ("[weights]\ngin = 2", r"line 2: \[weights\] names item 'gin'"),
        ("[weights]\nbeer = true", "beer is True"),
        ("utilities = []", "line 1: unknown key 'utilities'"),
        ("privacy = [", "cannot read the constraints file"),
    ],
)
def test_mistakes_are_named(read, text: str, message: str) -> None:
    with pytest.raises(InputError, match=message) as caught:
        read(text)
    assert "constraints.toml" in str(caught.value)
    assert caught.value.hint


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="No such file"):
        read_constraints(tmp_path / "none.toml", LABELS)


def test_mistakes_in_python_have_no_file() -> None:
    with pytest.raises(InputError, match=r"^utility constraint 1 is empty"):
        Constraints(LABELS, utility=(frozenset(),))
