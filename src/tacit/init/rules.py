"""What a column means, by its header and its values: rules in order, of which the first that fits decides.

First comes what must not be published: values that name somebody whatever the header, then headers that speak of
names, addresses and numbers, then values that look like names or free text. What cannot be told is not published,
either: the job file asks.
"""

from __future__ import annotations

from tacit.init import attributes, looks, naming, speaking
from tacit.init.evidence import Evidence
from tacit.init.finding import PUBLISHED, Finding, Rule
from tacit.init.warrants import is_warranted, unwarranted

_RULES: tuple[Rule, ...] = (
    attributes.nothing,
    looks.sure_shape,
    looks.nested,
    naming.named_name,
    naming.named_contact,
    naming.named_address,
    naming.coordinate,
    naming.weight,
    naming.named_number,
    naming.household,
    naming.named_person,
    naming.named_text,
    looks.names_by_value,
    looks.initials,
    looks.logins,
    looks.streets,
    looks.phones,
    looks.free_text,
    looks.own_values,
    looks.numbering,
    attributes.diagnoses,
    attributes.written,
    speaking.by_words,
    attributes.by_header,
    attributes.by_value,
)


def judge(column: Evidence) -> Finding:
    """What a column is: what the first rule says that fits; published only where something vouches for it."""
    found = next((found for rule in _RULES if (found := rule(column)) is not None), None) or attributes.text(column)
    return found if found.role not in PUBLISHED or is_warranted(column) else unwarranted(column)
