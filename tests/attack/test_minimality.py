"""The attack by minimality, played: it sees through the papers' choice of groups, and learns nothing from ours."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from fractions import Fraction
from itertools import combinations, islice, permutations
from math import factorial, prod, sqrt
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pytest

import tacit
from support.grouping_cases import as_attributes
from support.keys import key_of, shuffle_of
from support.seeds import first_fast
from tacit import Cahd, LDiversity
from tacit.arrays.attributes import Attribute
from tacit.arrays.sparse import take_rows
from tacit.attack.minimality import Shown, World, chance_of, posterior, share_of_draws, told_by, worlds
from tacit.baskets.solvers.cahd import Sets, blind_band, cahd, deal, leaves
from tacit.baskets.solvers.cahd_literal import cahd_literal
from tacit.records.solvers.guarded import Halving, guarded, in_order_of_quasi, set_aside
from tacit.records.solvers.mondrian import mondrian

MOST_WORLDS = 150


class File(NamedTuple):
    """Different baskets of known items, their band, what each person has of sensitive ones, and p."""

    known: Sets
    band: np.ndarray
    sensitive: World
    p: int


def as_sets(baskets: Sequence[Any]) -> Sets:
    indptr = np.cumsum([0, *map(len, baskets)]).astype(np.int64)
    return Sets(indptr, np.array([item for basket in baskets for item in sorted(basket)], np.int32))


def random_files(p_of: Sequence[int], items: int = 3) -> Iterator[File]:
    """Files of up to twelve different baskets, with one or several sensitive items, each of which is rare enough."""
    for seed in range(10**6):
        rng = np.random.default_rng(seed)
        p, rows = int(rng.choice(p_of)), int(rng.integers(max(p_of), 13))
        baskets = sorted({tuple(np.flatnonzero(rng.random(7) < 0.4).tolist()) for _ in range(rows)})
        sensitive: list[set[int]] = [set() for _ in baskets]
        for item in range(int(rng.integers(1, items + 1))):
            most = len(baskets) // p
            for row in rng.choice(len(baskets), int(rng.integers(0, most + 1)), replace=False).tolist():
                sensitive[row].add(item)
        if any(sensitive):
            known = as_sets(baskets)
            band = blind_band(known, shuffle_of(0))  # the same in all worlds, and for all keys
            yield File(known, band, tuple(frozenset(held) for held in sensitive), p)


def bounds_of(file: File, world: World) -> np.ndarray:
    return leaves(Sets(*take_rows(*as_sets(world), file.band)), file.p)


def blind_groups(file: File, world: World, seed: int) -> list[int]:
    return deal(file.band, bounds_of(file, world), as_sets(world), file.p, shuffle_of(seed)).tolist()


def literal_groups(file: File, world: World) -> list[int]:
    return cahd_literal(file.known, as_sets(world), file.p).tolist()


def leaf_of(file: File, world: World) -> list[int]:
    bounds = bounds_of(file, world)
    return np.repeat(np.arange(bounds.size - 1), np.diff(bounds))[np.argsort(file.band)].tolist()


def blind_likelihood(file: File, shown: Shown, world: World) -> Fraction:
    """How likely these groups come out: chance decides nothing but who of those with equal sets, in a leaf, is who."""
    leaf = leaf_of(file, world)
    one = told_by(blind_groups(file, world, seed=1), world)
    if any(len({leaf[person] for person in people}) > 1 for people, _ in shown):
        return Fraction(0)
    if _content(one, leaf) != _content(shown, leaf):
        return Fraction(0)
    ways = prod(factorial(count) for _, counts in shown for _, count in counts)
    ways *= prod(factorial(count) for count in _content(shown, leaf).values())
    return Fraction(ways, prod(factorial(n) for n in Counter(zip(leaf, world, strict=True)).values()))


def _content(shown: Shown, leaf: Sequence[int]) -> Counter[Any]:
    """How many groups of each leaf hold what."""
    return Counter((leaf[min(people)], counts) for people, counts in shown)


def few_worlds(shown: Shown) -> bool:
    return len(list(islice(worlds(shown), MOST_WORLDS))) < MOST_WORLDS


def best_chances(shown: Shown, chances: list[Any]) -> Iterator[tuple[Fraction, int]]:
    """For each sensitive item of each group how likely the best guess at its owner is right, and the best guess."""
    for people, counts in sorted(shown, key=str):
        for item in sorted(set().union(*(held for held, _ in counts))):
            yield max((chance_of(item, chances[person]), -person) for person in sorted(people))


@pytest.mark.parametrize("files", first_fast([30, 120]))
def test_nobody_is_linked_to_an_item_with_more_than_1_in_p_by_who_knows_the_method(files: int) -> None:
    """The posterior over all worlds, exactly; the best chance is just how frequent the item is in its group."""
    played = several = 0
    for file in random_files((2, 3, 4)):
        shown = told_by(blind_groups(file, file.sensitive, seed=2), file.sensitive)
        if not few_worlds(shown):
            continue
        chances = posterior(shown, lambda world, file=file, shown=shown: blind_likelihood(file, shown, world))
        for people, counts in shown:
            for item in set().union(*(held for held, _ in counts)):
                share = Fraction(sum(count for held, count in counts if item in held), len(people))
                assert share <= Fraction(1, file.p)
                assert {chance_of(item, chances[person]) for person in people} == {share}
        played += 1
        several += len(shown) > 1
        if played == files:
            break
    assert several > files / 4, "often there was something to choose"


@pytest.mark.parametrize("files", first_fast([5, 20]))
def test_how_likely_groups_come_out_is_known_rightly(files: int) -> None:
    """By trying: what the attacker takes for the likelihood is how often groups come out, four standard errors wide."""
    keys, tried = range(150), 0
    for file in random_files((2, 3), items=2):
        shown = told_by(blind_groups(file, file.sensitive, seed=2), file.sensitive)
        known = blind_likelihood(file, shown, file.sensitive)
        if not 0.02 < known < 1:
            continue
        found = share_of_draws(lambda world, key, file=file: blind_groups(file, world, key), shown, keys)
        off = abs(found(file.sensitive) - known)
        assert off <= 4 * sqrt(known * (1 - known) / len(keys)) + 1 / len(keys)
        tried += 1
        if tried == files:
            break


def test_the_paper_s_choice_is_seen_through() -> None:
    """The best guess at the owner of an item is right far more often than in one of three cases."""
    right: list[bool] = []
    certain = played = 0
    for file in random_files((3,), items=1):
        shown = told_by(literal_groups(file, file.sensitive), file.sensitive)
        if len(shown) < 2 or not few_worlds(shown):
            continue

        def is_published(world: World, file: File = file, shown: Shown = shown) -> Fraction:
            return Fraction(told_by(literal_groups(file, world), world) == shown)

        guesses = list(best_chances(shown, posterior(shown, is_published)))
        right += [0 in file.sensitive[-person] for _, person in guesses]
        certain += any(chance == 1 for chance, _ in guesses)
        played += 1
        if played == 60:
            break
    assert np.mean(right) > 0.6
    assert certain > 10


def released(sensitive: World, key: int, **options: Any) -> list[int]:
    """The groups of people with these known items, by the whole of tacit."""
    known = ("b d", "a b d", "a d")
    baskets = [[*items.split(), *held] for items, held in zip(known, sensitive, strict=True)]
    made = tacit.anonymize(
        pa.table({"basket": baskets}), Cahd(2), items="basket", sensitive_items=["c"], key=key_of(key), **options
    ).data.to_pydict()
    shown = [" ".join(sorted(set(basket) - {"c"})) for basket in made["basket"]]
    return [made["group"][shown.index(items)] for items in known]


@pytest.mark.parametrize(("options", "expected"), [({"literal": True}, 1), ({}, Fraction(1, 3))])
def test_three_baskets(options: dict[str, Any], expected: Fraction) -> None:
    """{b, d}, {a, b, d} and {a, c, d}, where c is sensitive."""
    world: World = (frozenset(), frozenset(), frozenset("c"))
    shown = told_by(released(world, 0, **options), world)
    tried = share_of_draws(lambda world, key: released(world, key, **options), shown, range(3))
    chances = posterior(shown, tried)
    assert max(chance_of("c", of_person) for of_person in chances) == expected


def test_people_with_equal_baskets_are_grouped_by_chance_alone() -> None:
    """The one with the sensitive item comes first, as in the order of content, and has everybody as company."""
    known, sensitive = as_sets([{0}] * 8), as_sets([{0}, *[set()] * 7])
    company = [
        np.flatnonzero(group == group[0])[1] for group in (cahd(known, sensitive, 2, shuffle_of(s)) for s in range(700))
    ]
    counts = np.bincount(company, minlength=8)
    assert counts[0] == 0
    assert abs(counts[1:] - 100).max() < 45


def test_equal_baskets_by_the_whole_of_tacit() -> None:
    frame = pa.table({"basket": [["a", "s"], *[["a"]] * 3], "who": list("0123")})
    met = set()
    for seed in range(24):
        made = tacit.anonymize(
            frame, Cahd(2), items="basket", sensitive_items=["s"], plain="who", key=key_of(seed)
        ).data.to_pydict()
        groups = dict(zip(made["who"], made["group"], strict=True))
        met |= {who for who in "123" if groups[who] == groups["0"]}
    assert met == set("123")


def people(seed: int, rows: int) -> tuple[list[Attribute], World]:
    """People of whom no two have the same age, with one of three illnesses, none of which half of them have."""
    rng = np.random.default_rng(seed)
    ages, zips = rng.choice(60, rows, replace=False), rng.integers(0, 9, rows)
    columns = [([str(number) for number in numbers], "number") for numbers in (ages, zips)]
    return as_attributes(columns), tuple(rng.permutation(np.arange(rows) * 3 // rows).tolist())


def halved(attributes: list[Attribute], promise: LDiversity, world: World, aside: Sequence[int]) -> list[int]:
    """The groups, if these records are set aside."""
    records = in_order_of_quasi(attributes, shuffle_of(0))
    halving = Halving(attributes, promise, np.array([world], np.int32))
    main = records[~np.isin(records, aside)]
    group = np.full(records.size, -1)
    group[main] = halving.parts(main)[0]
    return group.tolist()


def keeps(promise: LDiversity, world: World, some: Sequence[int]) -> bool:
    counts = Counter(world[person] for person in some)
    return len(some) >= promise.k and max(counts.values()) * promise.l <= len(some)


def halved_likelihood(attributes: list[Attribute], promise: LDiversity, shown: Shown, world: World) -> Fraction:
    """Over all ways to set records aside, which are as likely as each other; there are 64 draws."""
    rows = range(len(world))
    n_aside = set_aside(len(world), promise.k)
    ways = list(combinations(rows, n_aside))
    good = [aside for aside in ways if not aside or all(
        keeps(promise, world, some) for some in (aside, [person for person in rows if person not in aside])
    )]  # fmt: skip
    matching = sum(told_by(halved(attributes, promise, world, aside), world) == shown for aside in good)
    missed = (1 - Fraction(len(good), len(ways))) ** 64
    whole = told_by([0] * len(world), world) == shown
    return (Fraction(matching, len(good)) * (1 - missed) if good else 0) + missed * whole


@pytest.mark.parametrize(("rows", "tables"), [(6, 20), (8, 20), (7, 6)])
def test_guarded_halves_tell_no_more_than_their_groups(rows: int, tables: int) -> None:
    """Everybody has a value with the probability of its share in the group, exactly, and that is at most 1/2."""
    promise, several, played, paired = LDiversity(2, 2), 0, 0, 0
    for seed in range(10**6):
        attributes, world = people(seed, rows)
        shown = told_by(guarded(attributes, promise, [np.array(world, np.int32)], shuffle_of(seed)).tolist(), world)
        if not few_worlds(shown):
            continue
        chances = posterior(
            shown,
            lambda world, shown=shown, attributes=attributes: halved_likelihood(attributes, promise, shown, world),
        )
        for some, counts in shown:
            for value, count in counts:
                assert {chances[person].get(value, 0) for person in some} == {Fraction(count, len(some))}
                assert 2 * count <= len(some)
        several += len(shown) > 1
        paired += any(is_amid(attributes[0], one, other) for (one, _), (other, _) in permutations(shown, 2))
        played += 1
        if played == tables:
            break
    assert several > 0
    assert paired > 0 or rows != 8, "no half was paired with the other"


def is_amid(ages: Attribute, some: Collection[int], others: Collection[int]) -> bool:
    """Whether somebody of the one group is older than somebody of the other, and younger than somebody else of it."""
    first, last = min(ages.codes[list(others)]), max(ages.codes[list(others)])
    return any(first < ages.codes[person] < last for person in some)


def mondrian_s(attributes: list[Attribute], promise: LDiversity, world: World) -> list[int]:
    sensitive = [np.array(world, np.int32)]
    return mondrian(attributes, promise.k, l=promise.l, kind=promise.kind, sensitive=sensitive).tolist()


def mondrian_posterior(attributes: list[Attribute], promise: LDiversity, world: World) -> list[dict[Any, Any]]:
    """What the attacker knows from a release by Mondrian, whose seed is no secret."""
    shown = told_by(mondrian_s(attributes, promise, world), world)

    def is_published(other: World) -> Fraction:
        return Fraction(told_by(mondrian_s(attributes, promise, other), other) == shown)

    return posterior(shown, is_published)


def test_mondrian_s_groups_tell_more() -> None:
    """The groups of the same six people keep frequencies of 1/2."""
    tables = (people(seed, 6) for seed in range(20))
    found = (mondrian_posterior(attributes, LDiversity(2, 2), world) for attributes, world in tables)
    sure = [max(max(of_person.values()) for of_person in chances) for chances in found]
    assert sum(chance > Fraction(1, 2) for chance in sure) >= 4


def test_six_ages_of_which_two_values_are_asked() -> None:
    """The four youngest are a group, with one value three times. So the fourth has the other one, for certain."""
    attributes = as_attributes([(["1", "2", "3", "10", "11", "12"], "number")])
    promise, world = LDiversity(2, 2, "distinct"), (0, 0, 0, 1, 1, 2)
    assert mondrian_s(attributes, promise, world) == [0, 0, 0, 0, 1, 1]
    assert mondrian_posterior(attributes, promise, world)[3] == {1: 1, 0: 0}


def test_what_is_never_published_has_no_posterior() -> None:
    with pytest.raises(ValueError, match="never publishes"):
        posterior(told_by([0, 0], "xy"), lambda world: Fraction(0))


def test_in_larger_files_small_groups_are_looked_at_one_by_one() -> None:
    """A method that pairs a `x` with the next `y`, and leaves those at the end together: order gives values away."""
    import numpy as np

    from tacit.attack.attackers.minimality import play
    from tacit.attack.minimality import told_by

    class Greedy:
        values = ("x", "y") * 15
        draws = 1

        def groups(self, world: tuple[str, ...], draw: int = 0) -> list[int]:
            """Neighbours are together if the first of them has x; else all are one group."""
            ok = all(world[i] == "x" for i in range(0, 30, 2))
            return [i // 2 if ok else 0 for i in range(30)]

        def likelihood(self, shown: object) -> object:
            return lambda world: int(told_by(self.groups(world), world) == shown)

    class Fair(Greedy):
        def groups(self, world: tuple[str, ...], draw: int = 0) -> list[int]:
            return [i // 2 for i in range(30)]

    class Stage:
        people, original, promise = np.arange(30), range(30), None

        def __init__(self, rerun: Greedy) -> None:
            self.rerun = rerun

        def rng(self, *what: str) -> np.random.Generator:
            return np.random.default_rng(1)

    (seen,) = play(Stage(Greedy()))  # type: ignore[arg-type]
    (unseen,) = play(Stage(Fair()))  # type: ignore[arg-type]
    assert seen.success is not None and seen.success.value == 1 and seen.baseline == 0.5
    assert unseen.success is not None and unseen.success.value == 0.5 and unseen.success.tried == 30


def test_groups_that_a_key_draws_tell_nothing_that_could_be_measured() -> None:
    """Run again by the very key that made the file, only the truth would give it again: that key nobody knows."""
    rng = np.random.default_rng(5)
    baskets = [[f"i{i}" for i in rng.choice(8, 3, replace=False)] + ["s"] * (row % 9 == 0) for row in range(60)]
    table, roles = pa.table({"basket": baskets}), {"items": "basket", "sensitive_items": ["s"]}
    made = tacit.anonymize(table, tacit.Cahd(3), seed=1, **roles)
    found = tacit.attack(
        table, made.data, tacit.Cahd(3), rows=made.original, method="cahd", attackers="minimality", **roles
    )
    assert found["attacks"][0]["success"] is None and "a key that nobody knows" in found["attacks"][0]["why"]
