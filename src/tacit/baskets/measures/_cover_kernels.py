"""Inner loop of answering queries about baskets by the names that they show; arrays to work in are passed in."""

from __future__ import annotations

from numba import njit


@njit(cache=True)
def count_covered(
    queries, bits, name_start, names_of_item, indptr, names, weight, none,
    start, records, asked, seen, held, chance, expected,
):  # fmt: skip
    """For each query the expected number of records whose names cover all of its items, in each way to estimate.

    A query is a row of items, then −1 where it has fewer. Of the records that show a name of its rarest item, each
    counts with the chance that none of the items is missing. By inclusion and exclusion that is 1 less the chances that
    one item is missing, plus those that two are, and so on; that some are missing is the product, over the names of the
    record, of `none[way, name, of how many of them]`. `bits[i]` is how many bits of i are set.

    To work in: `start` and `records` for the records of each name, `asked` for the items of the query that each name
    may stand for, as bits, `seen` for the query that last met each record, two rows of `held` for names of a record.
    """
    _list_records(indptr, names, start, records)
    for q in range(queries.shape[0]):
        everything, rarest, fewest, n_known = 0, -1, 0, 0
        for i in range(queries.shape[1]):
            item = queries[q, i]
            if item < 0:
                break
            everything |= 1 << i
            shown = 0
            for p in range(name_start[item], name_start[item + 1]):
                name = names_of_item[p]
                asked[name] |= 1 << i
                shown += start[name + 1] - start[name]
            if shown < fewest or rarest < 0:
                rarest, fewest = item, shown
        of_rarest = names_of_item[name_start[rarest] : name_start[rarest + 1]]
        is_plain = everything == 1 and _are_apart(of_rarest, start, records, seen, -2 - q)
        for name in of_rarest:
            if is_plain:
                for way in range(none.shape[0]):
                    for j in range(start[name], start[name + 1]):
                        expected[way, q] += (1.0 - none[way, name, 1]) * weight[records[j]]
                continue
            for j in range(start[name], start[name + 1]):
                r = records[j]
                if seen[r] == q:
                    continue
                seen[r] = q
                n_held, covered = 0, 0
                for n in range(indptr[r], indptr[r + 1]):
                    held[0, n_held] = names[n]
                    n_held += asked[names[n]] != 0
                    covered |= asked[names[n]]
                if covered != everything:
                    continue
                is_known = n_held == n_known  # the same names as of the record before, so the same chance
                for h in range(n_held):
                    is_known &= held[0, h] == held[1, h]
                    held[1, h] = held[0, h]
                n_known = n_held
                for way in range(none.shape[0]):
                    if not is_known:
                        chance[way] = 1.0
                        for subset in range(1, everything + 1):
                            missing = 1.0 - 2.0 * (bits[subset] & 1)
                            for h in range(n_held):
                                missing *= none[way, held[0, h], bits[asked[held[0, h]] & subset]]
                            chance[way] += missing
                    expected[way, q] += chance[way] * weight[r]
        for i in range(queries.shape[1]):
            if queries[q, i] >= 0:
                for p in range(name_start[queries[q, i]], name_start[queries[q, i] + 1]):
                    asked[names_of_item[p]] = 0


@njit
def _list_records(indptr, names, start, records):
    """Fills in that name n is shown by the records records[start[n]:start[n + 1]]; all starts are 0, and one more."""
    for name in names:  # a place ahead until the records are filled in
        start[name + 2] += 1
    for n in range(2, start.size):
        start[n] += start[n - 1]
    for r in range(indptr.size - 1):
        for name in names[indptr[r] : indptr[r + 1]]:
            records[start[name + 1]] = r
            start[name + 1] += 1


@njit
def _are_apart(some, start, records, seen, mark):
    """Whether no record shows two of some names; marks the records that show one."""
    for name in some:
        for j in range(start[name], start[name + 1]):
            if seen[records[j]] == mark:
                return False
            seen[records[j]] = mark
    return True
