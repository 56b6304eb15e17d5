"""Six of thirty tables of a ninth contact: those that taught most, after what they taught was learnt.

`docs/init.md` has the figures of all thirty, before. The lines of `ninth_contact.txt` are as those of the eighth.
"""

from __future__ import annotations

from support.eighth_contact import tables_of

NINTH = tables_of("ninth_contact.txt")
