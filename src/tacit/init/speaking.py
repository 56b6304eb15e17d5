"""What values say by themselves: states of a family, trades, opinions and decisions, in words that a list has."""

from __future__ import annotations

from tacit.init.evidence import Evidence
from tacit.init.finding import BY_TOPIC, Finding
from tacit.init.meanings import is_no_answer
from tacit.init.vocabulary import told_by_values, words_of

_MOST, _NEARLY_ALL = 0.6, 0.75
_SOME = 2
_AS = {"housing": "thing"}
"""Topics of values that headers call otherwise."""
_VAGUE = frozenset(["category", "thing", "named_thing", "conduct", "count", "date", "number"])
"""What a header says that says little: what the values say is more."""

_OF_WHOM = frozenset(["name", "somebody", "person", "id", "number", "text", "question", "rating"])


def by_words(column: Evidence) -> Finding | None:
    """A header that says little above values that say what they are."""
    if column.magnitudes is not None or not column.is_few or column.topics & _OF_WHOM:
        return None
    values = [" ".join(words_of(text)) for text in column.sample if not is_no_answer(text)]
    if len(values) < _SOME:
        return None
    shares = {topic: _share(values, said) for topic, said in told_by_values().items() if topic != "other"}
    topic = max(shares, key=lambda each: shares[each])
    is_opinion = topic == "result" and len(values) > _SOME and shares[topic] >= _NEARLY_ALL  # `gov_approval`
    if shares[topic] < _MOST or (column.topics - _VAGUE and not is_opinion):
        return None
    told = _AS.get(topic, topic)
    return Finding(*BY_TOPIC[told], told)


def _share(values: list[str], said: frozenset[str]) -> float:
    return sum(value in said for value in values) / len(values)
