"""Records as units with a box each, and the loss of boxes: what kernels work on, made from attributes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from tacit.arrays.attributes import Attribute, common_ancestors, published_codes, spans
from tacit.arrays.blocks import side_by_side, threads_for
from tacit.arrays.order import joint_codes
from tacit.records.solvers._box_kernels import FLAT, NUMBER, TABLE, TREE, Measure, Units
from tacit.taxonomy import Taxonomy

_LARGEST_TABLE = 256


@dataclass(frozen=True, eq=False)
class Scale:
    """An attribute as places in order."""

    form: int
    place_of_code: np.ndarray  # int32
    border: np.ndarray  # float: behind each place but the last, how much a cut there is wanted
    value: np.ndarray  # float: see Measure
    ceiling: float

    @classmethod
    def of(cls, attribute: Attribute, weight: float) -> Scale:
        n_places = len(attribute.texts)
        if attribute.tree is not None and attribute.leaf_of_code is not None:
            return cls._of_leaves(attribute.tree, attribute.leaf_of_code, weight)
        place = np.arange(n_places, dtype=np.int32)
        border = np.full(max(n_places - 1, 0), weight)
        if attribute.numbers is None:
            return cls(FLAT, place, border, np.full(1, weight / max(n_places, 1)), weight)
        value = (attribute.numbers - np.append(attribute.numbers, 0)[0]) / (attribute.domain_length or 1.0) * weight
        if attribute.missing >= 0:
            value[attribute.missing] = 2 * weight
            border[attribute.missing - 1 :] = 2 * weight
        if n_places <= _LARGEST_TABLE:
            return cls(TABLE, place, border, weight * _lost_between(attribute).ravel(), weight)
        return cls(NUMBER, place, border, value, weight)

    @classmethod
    def _of_leaves(cls, tree: Taxonomy, leaf_of_code: np.ndarray, weight: float) -> Scale:
        """Neighbouring leaves have a lowest common ancestor; that of a range is the highest of those in it."""
        leaves, n_places = np.sort(leaf_of_code), leaf_of_code.size
        place = np.searchsorted(leaves, leaf_of_code).astype(np.int32)
        above = common_ancestors(tree, leaves[:-1], leaves[1:])
        border = tree.leaf_count[above] / tree.leaf_count[0] * weight
        if n_places <= _LARGEST_TABLE:
            table = np.zeros((n_places, n_places))
            for low in range(n_places - 1):
                table[low, low + 1 :] = np.maximum.accumulate(border[low:])
            return cls(TABLE, place, border, table.ravel(), weight)
        rows, reach = [np.append(border, 0.0)], 1
        while 2 * reach < n_places:
            last = rows[-1]
            rows.append(np.maximum(last, np.append(last[reach:], np.zeros(reach))))
            reach *= 2
        return cls(TREE, place, border, np.concatenate(rows), weight)


def _lost_between(attribute: Attribute) -> np.ndarray:
    """What ranges of numbers from code to code lose as they are published: their ends are moved outward, or open."""
    assert attribute.numbers is not None
    n_codes = len(attribute.texts)
    low, high = np.triu_indices(n_codes, 1)
    first, last = low.copy(), high.copy()
    reach = np.stack((attribute.numbers,) * 2)
    if attribute.grid is not None:
        attribute.grid.widen(first, last)
        reach = attribute.grid.reach
    lost = (reach[1, last] - reach[0, first]) / (attribute.domain_length or 1.0)
    lost[(first < 0) | (high == attribute.missing)] = 1.0
    table = np.zeros((n_codes, n_codes))
    table[low, high] = table[high, low] = np.minimum(lost, 1.0)
    return table


def exact_measure_of(attributes: Sequence[Attribute]) -> Measure:
    """The loss of boxes in full precision, for what is proved."""
    return measure_of(attributes, np.float64)[0]


def measure_of(attributes: Sequence[Attribute], precision: type = np.float32) -> tuple[Measure, list[Scale]]:
    """The loss of boxes, with weights that sum to 1."""
    given = np.array([attribute.weight for attribute in attributes])
    weights = given / given.sum() if given.sum() > 0 else np.full(given.size, 1 / max(given.size, 1))
    scales = [Scale.of(attribute, weight) for attribute, weight in zip(attributes, weights.tolist(), strict=True)]
    places = np.array([scale.place_of_code.size for scale in scales], np.int64)

    def laid_out(parts: list[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
        starts = np.cumsum([0, *(part.size for part in parts)])[:-1]
        return np.concatenate([*parts, [0.0]]).astype(precision), starts.astype(np.int64)

    value, start = laid_out([scale.value for scale in scales])
    border, edge = laid_out([np.append(scale.border, scale.ceiling) for scale in scales])
    forms = [scale.form for scale in scales]
    shape = np.stack([forms, start, places, edge], axis=1).astype(np.int64).reshape(-1, 4)
    measure = Measure(shape, value, border)
    return measure, scales


@dataclass(frozen=True, eq=False)
class Table:
    """Records merged to units: those with equal values, and with equal sensitive values if diversity is asked for."""

    attributes: Sequence[Attribute]
    units: Units
    measure: Measure
    unit_of_record: np.ndarray

    @classmethod
    def of(
        cls,
        attributes: Sequence[Attribute],
        sensitive: Sequence[np.ndarray] = (),
        persons: np.ndarray | None = None,
        *,
        as_published: bool = True,
    ) -> Table:
        """`persons` says whose each record is, if somebody has several: the records of a unit are one person's then.

        Ranges lose what they do `as_published`, or their own length: groups that have to grow first need to know who
        is near, where all of them would be published alike.
        """
        rows = len(attributes[0]) if attributes else 0
        shown = attributes if as_published else [replace(each, grid=None) for each in attributes]
        measure, scales = measure_of(shown)
        columns = [attribute.codes for attribute in attributes]
        sizes = [len(attribute.texts) for attribute in attributes]
        hidden = [*sensitive, *(() if persons is None else (persons,))]
        n_values = [int(codes.max(initial=0)) + 1 for codes in hidden]
        unit_of_record, n_units = joint_codes([*columns, *hidden], [*sizes, *n_values], rows)
        record = np.empty(n_units, np.int64)
        record[unit_of_record[::-1]] = np.arange(rows)[::-1]
        box = np.empty((n_units, len(attributes), 2), np.int32)
        for index, (attribute, scale) in enumerate(zip(attributes, scales, strict=True)):
            codes = attribute.codes[record]
            box[:, index, :] = scale.place_of_code[codes, None]
            if scale.form == FLAT:
                box[:, index, :] = _bits(codes, attribute)
        sensitive_codes = np.empty((n_units, len(sensitive)), np.int32)
        for index, codes in enumerate(sensitive):
            sensitive_codes[:, index] = codes[record]
        weight = np.bincount(unit_of_record, minlength=n_units).astype(np.int64)
        whose = persons_of_units(sensitive_codes, None if persons is None else persons[record])
        return cls(attributes, Units(box, weight, sensitive_codes, *whose), measure, unit_of_record)

    def in_order(self, order: np.ndarray) -> Table:
        """The same with the units in another order."""
        place = np.empty(order.size, self.unit_of_record.dtype)
        place[order] = np.arange(order.size)
        return Table(self.attributes, units_at(self.units, order), self.measure, place[self.unit_of_record])

    def record_by_record(self) -> Table:
        """The same with a unit for each record."""
        n, of = self.unit_of_record.size, self.unit_of_record
        units = units_at(self.units, of)._replace(weight=np.ones(n, np.int64))
        return Table(self.attributes, units, self.measure, np.arange(n))

    def in_pieces(self, least: int, alike: int) -> Table:
        """The same with heavy units cut into pieces of at least so many records, as equal as can be.

        Records with equal values, sensitive ones too, need not stay together: where they are too many to be diverse,
        they can go to several groups. But who is near to pieces of one place alone meets nobody else, so of records
        with equal values there are about so many pieces at most. Somebody's several records stay as they are.
        """
        of, weight = self.unit_of_record, self.units.weight
        if self.units.person.size:
            return self
        columns, sizes = [each.codes for each in self.attributes], [len(each.texts) for each in self.attributes]
        place, n_places = joint_codes(columns, sizes, of.size)
        beside = np.empty(weight.size, np.int64)
        beside[of] = np.bincount(place, minlength=n_places)[place]
        pieces = np.maximum(np.minimum(weight // least, alike * weight // np.maximum(beside, 1)), 1)
        rank = np.empty(of.size, np.int64)
        rank[np.argsort(of, kind="stable")] = np.arange(of.size) - np.repeat(np.cumsum(weight) - weight, weight)
        piece = (np.cumsum(pieces) - pieces)[of] + rank * pieces[of] // weight[of]
        units = units_at(self.units, np.repeat(np.arange(weight.size), pieces))
        return Table(self.attributes, units._replace(weight=np.bincount(piece)), self.measure, piece)

    def groups_of_records(self, group_of_unit: np.ndarray) -> np.ndarray:
        """The group of each record; groups that are published with equal values are one."""
        return merged_equal(self.attributes, group_of_unit[self.unit_of_record])


def persons_of_units(sensitive: np.ndarray, persons: np.ndarray | None) -> tuple[np.ndarray, np.ndarray]:
    """Whose each unit is, and for each sensitive attribute a code for that person with the unit's value."""
    if persons is None:
        return np.zeros(0, np.int32), np.zeros((0, sensitive.shape[1]), np.int32)
    held = np.empty(sensitive.shape, np.int32)
    n_persons = int(persons.max(initial=0)) + 1
    for index, codes in enumerate(sensitive.T):
        held[:, index], _ = joint_codes([persons, codes], [n_persons, int(codes.max(initial=0)) + 1], persons.size)
    return persons.astype(np.int32), held


def units_at(units: Units, places: np.ndarray) -> Units:
    """The units at these places."""
    whose = (units.person, units.held) if not units.person.size else (units.person[places], units.held[places])
    return Units(units.box[places], units.weight[places], units.sensitive[places], *whose)


def _bits(codes: np.ndarray, attribute: Attribute) -> np.ndarray:
    """Sets of one value: a bit of 62 each. With more values some share a bit, and sets look a little smaller."""
    bits = np.zeros((codes.size, 2), np.int32)
    bits[np.arange(codes.size), codes % 62 // 31] = np.int32(1) << (codes % 31)
    if attribute.suppress_missing:
        bits[codes == attribute.missing] = 2**31 - 1
    return bits


def merged_equal(attributes: Sequence[Attribute], group: np.ndarray) -> np.ndarray:
    """Groups that are published with equal values are one; codes in order of first appearance."""
    code, n_groups = joint_codes([group], [int(group.max(initial=-1)) + 1], group.size)

    def shown(attribute: Attribute) -> tuple[np.ndarray, int]:
        return published_codes(attribute, spans(attribute, code, n_groups))

    found = side_by_side([partial(shown, each) for each in attributes], threads=threads_for(group.size))
    alike, n_alike = joint_codes([value for value, _ in found], [count for _, count in found], n_groups)
    group = alike[code]
    first = np.empty(n_alike, np.int64)
    first[group[::-1]] = np.arange(group.size)[::-1]
    rank = np.empty(n_alike, np.int32)
    rank[np.argsort(first)] = np.arange(n_alike, dtype=np.int32)
    return rank[group]
