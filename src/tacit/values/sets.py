"""The reader of sets of items by the name that the audits know it by, until they have one of their own."""

from tacit.values.reading import item_set_members as members

__all__ = ["members"]
