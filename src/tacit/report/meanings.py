"""What each measure of utility.json means: one table for the report, the comparison and the docs."""

from __future__ import annotations

from typing import NamedTuple


class Measure(NamedTuple):
    """A measure in words, its range, and which end of it is good ("" where neither is)."""

    meaning: str
    range: str = ""
    better: str = ""
    of: str = ", "
    """What stands between the meaning and the name of a part, where a measure is several numbers."""
    parts: tuple[tuple[str, str], ...] = ()
    """How names of parts begin, and how that is said; what follows may be the data's and stays as it is."""
    short: str = ""
    """A heading for a column of such numbers."""
    of_papers: bool = False
    """Whether it is for who compares with a paper or another tool, and not for who wants to know what is lost."""

    def named(self, part: str) -> str:
        """The meaning of one of several numbers.

        >>> Measure("share", parts=(("tree_", "a tree about "),)).named("tree_sex_at_birth")
        'share, a tree about sex_at_birth'
        """
        begins, said = next((pair for pair in self.parts if part.startswith(pair[0])), ("", ""))
        return f"{self.meaning}{self.of}{said}{part.removeprefix(begins)}"

    def in_words(self) -> str:
        """The meaning with range and direction, such as `loss; 0 to 1; lower is better`."""
        return "; ".join(filter(None, (self.meaning, self.range, self.better and f"{self.better} is better")))


MEASURES: dict[str, Measure] = {
    "risk": Measure(
        "risk that is left",
        "0 to 1",
        "lower",
        ": ",
        (
            ("attack_upper", "the most successful attack, upper end of its interval"),
            ("attack", "the most successful attack that the promise is about, or else of any that singles out"),
            ("average", "average over records, for somebody who knows them as they look now"),
            ("highest", "the most exposed record, for somebody who knows it as it looks now"),
        ),
        short="risk",
    ),
    "ncp": Measure("loss (NCP): share of what the values said that is lost, each by itself", "0 to 1", "lower"),
    "ncp_lower_bound": Measure(
        "no cut and suppression loses less than this (NCP); where sets of items are looked at, no groups of items do; "
        "of records no grouping does",
        "0 to 1",
        of_papers=True,
    ),
    "ncp_leaf_share": Measure("loss as other tools count it (leaves ÷ all leaves)", "0 to 1", "lower", of_papers=True),
    "suppressed": Measure("values taken out or, of an attribute, shown as all there are", "0 to 1", "lower"),
    "generalized": Measure("values shown as a group, set or range", "0 to 1", "lower"),
    "unchanged": Measure("values shown as they were", "0 to 1", "higher"),
    "nothing_told": Measure("items that tell nothing: taken out, or shown as all there are", "0 to 1", "lower"),
    "ncp_by_attribute": Measure("loss (NCP) of an attribute", "0 to 1", "lower", ": ", short="loss (NCP)"),
    "suppressed_by_attribute": Measure(
        "values of an attribute that tell nothing", "0 to 1", "lower", ": ", short="tell nothing"
    ),
    "unchanged_by_attribute": Measure(
        "values of an attribute shown as they were", "0 to 1", "higher", ": ", short="as they were"
    ),
    "item_frequency_error": Measure("error of the items' frequencies, estimated from the release", "0 to 2", "lower"),
    "rank_correlation": Measure("rank correlation of the items' frequencies, before and after", "-1 to 1", "higher"),
    "frequent_itemsets_kept": Measure("frequent itemsets that are still found", "0 to 1", "higher", ", support "),
    "frequent_itemsets_generalized": Measure(
        "frequent itemsets that are still found if a group may stand for an item", "0 to 1", "higher", ", support "
    ),
    "records_sampled": Measure("records that itemsets and queries were counted on", "from 0 up"),
    "ncp_items": Measure("loss in the baskets (NCP), of occurrences that are not sensitive", "0 to 1", "lower"),
    "ncp_items_leaf_share": Measure(
        "loss in the baskets as other tools count it (leaves ÷ all leaves)", "0 to 1", "lower", of_papers=True
    ),
    "suppressed_items": Measure("occurrences of items taken out", "0 to 1", "lower"),
    "nothing_told_items": Measure(
        "occurrences of items that tell nothing: taken out, or shown as all there are", "0 to 1", "lower"
    ),
    "unchanged_items": Measure("occurrences of items shown as they were", "0 to 1", "higher"),
    "ul": Measure(
        "utility loss (UL): how many sets a shown set of items may stand for; compare it with the original's",
        "0 to 1",
        "lower",
        of_papers=True,
    ),
    "ul_original": Measure("UL of the original, which is not 0", "0 to 1", of_papers=True),
    "frontier": Measure(
        "points between loss in values and loss in items that one run found: NCP of both, groups, the balance that "
        "leads to each, and which one was taken",
        "0 to 1",
    ),
    "frontier_six": Measure("what the six configurations of Poulis et al. (2013) would lose, to compare", "0 to 1"),
    "count_error": Measure("error of counts by two values: all errors together ÷ all counts", "from 0 up", "lower"),
    "are": Measure(
        "mean of the relative errors of counts (ARE); small counts, often far off, weigh as much as others",
        "from 0 up",
        "lower",
    ),
    "are_even": Measure(
        "ARE if a name stands for one of its items, each as likely", "from 0 up", "lower", of_papers=True
    ),
    "are_sensitive": Measure("ARE of counts of a sensitive item with one or two others", "from 0 up", "lower"),
    "are_values": Measure("ARE of counts of two values alone", "from 0 up", "lower"),
    "are_items": Measure(
        "ARE of counts of two items alone, if a name stands for any set of its items, each as likely (the paper's "
        "reading): far off where names have many items",
        "from 0 up",
        "lower",
    ),
    "are_items_even": Measure(
        "ARE of counts of two items alone, if a name stands for one of its items, each as likely", "from 0 up", "lower"
    ),
    "groups": Measure("groups of records with equal quasi-identifiers", "from 1 up", "higher"),
    "group_sizes": Measure("records of such a group", "from 1 up"),
    "discernability": Measure(
        "how many records look like each one, summed up (discernability: squared sizes of groups)",
        "from 1 up",
        "lower",
        of_papers=True,
    ),
    "average_class_size": Measure("mean size of the groups ÷ k", "from 1 up", "lower", of_papers=True),
    "moved": Measure("occurrences shown in another record of their group", "0 to 1", "lower"),
    "emptied_baskets": Measure("records that lost all their items", "from 0 up", "lower"),
    "items_before": Measure("different items in the original", "from 0 up"),
    "items_after": Measure("different names in the release", "from 0 up", "higher"),
    "columns": Measure("slices of the table", "from 1 up"),
    "buckets": Measure("buckets of the table", "from 1 up", "higher"),
    "bucket_sizes": Measure("records of a bucket", "from 1 up", "lower"),
    "correlation_kept": Measure("correlation of all pairs of attributes that is left", "0 to 1", "higher"),
    "correlations_before": Measure("correlation of each pair in the original", "0 to 1", short="original"),
    "correlations_after": Measure(
        "correlation of each pair in records drawn from the release", "0 to 1", short="release"
    ),
    "accuracy": Measure(
        "right predictions",
        "0 to 1",
        "higher",
        ": ",
        (
            ("naive_bayes_original_", "Naive Bayes, learning from the original, of "),
            ("naive_bayes_release_", "Naive Bayes, learning from the release, of "),
            ("tree_original_", "a decision tree, learning from the original, of "),
            ("tree_release_", "a decision tree, learning from the release, of "),
            ("majority_", "always the most frequent value of "),
        ),
    ),
    "fake_tuples": Measure(
        "records drawn from the release whose known values are nobody's", "0 to 1", "higher", of_papers=True
    ),
    "possible_tuples_log10": Measure(
        "known values that a bucket allows for each record (power of ten; below 0: fewer than it has records)",
        "any number",
        "higher",
        of_papers=True,
    ),
    "matching_buckets": Measure(
        "buckets that known values fit, mean over a sample of 500",
        "from 0 up",
        of=", of ",
        parts=(("fake_tuples", "fake tuples"),),
        of_papers=True,
    ),
    "distortion": Measure(
        "sum of all changes of ratings; no rating counts as one step below the scale", "from 0 up", "lower"
    ),
    "distortion_per_rating": Measure(
        "changes of ratings, per original rating that is not sensitive", "from 0 up", "lower"
    ),
    "kept": Measure("ratings that are still there, moved, as a range or as they were", "0 to 1", "higher"),
    "moved_ratings": Measure("ratings moved into an interval", "0 to 1", "lower"),
    "as_ranges": Measure("ratings shown as ranges of their scale", "0 to 1", "lower"),
    "as_rated": Measure("ratings shown as the whole scale: that there is one", "0 to 1", "lower"),
    "mean_width": Measure("how much of its scale a rating that is shown covers, on average", "0 to 1", "lower"),
    "blanked": Measure("ratings taken out, by the name that this has for ratings", "0 to 1", "lower", of_papers=True),
    "filled": Measure("ratings invented", "from 0 up", "lower"),
    "people_left_alone": Measure("people shown exactly as they were", "from 0 up", "higher"),
    "emptied_people": Measure("people who lost all their ratings that are not sensitive", "from 0 up", "lower"),
    "issues_before": Measure("issues that somebody rated", "from 0 up"),
    "issues_after": Measure("issues that somebody is shown to have rated", "from 0 up", "higher"),
    "issue_mean_error": Measure("how far the mean of an issue is off, on average", "from 0 up", "lower"),
    "issue_rank_correlation": Measure("rank correlation of the issues' means, before and after", "-1 to 1", "higher"),
    "naive_bayes_before": Measure(
        "how often Naive Bayes is right about a rating, learning from the original", "0 to 1"
    ),
    "naive_bayes_after": Measure(
        "how often Naive Bayes is right about a rating, learning from the release", "0 to 1", "higher"
    ),
    "recommender_error_before": Measure("error of a simple recommender that learned from the original", "from 0 up"),
    "recommender_error_after": Measure(
        "error of a simple recommender that learned from the release", "from 0 up", "lower"
    ),
    "correlation_error": Measure(
        "how far the correlation of two issues is off, on average over those shown most", "0 to 2", "lower"
    ),
    "item_based_rmse_before": Measure("error of an item-based recommender that learned from the original", "from 0 up"),
    "item_based_rmse_after": Measure(
        "error of an item-based recommender that learned from the release", "from 0 up", "lower"
    ),
    "item_based_ndcg_before": Measure(
        "how well an item-based recommender that learned from the original ranks hidden ratings (NDCG of ten)", "0 to 1"
    ),
    "item_based_ndcg_after": Measure(
        "how well an item-based recommender that learned from the release ranks hidden ratings (NDCG of ten)",
        "0 to 1",
        "higher",
    ),
    "verbatim_unique": Measure("rows shown word for word and unlike any other row", "from 0 up", "lower"),
    "found_by_nearest_row": Measure(
        "people whom somebody finds who knows all their ratings roughly and takes the closest row", "0 to 1", "lower"
    ),
    "records": Measure("records, before and after", "from 1 up"),
}
