"""Risk figures of any table, before and after: who is alone, how likely a right guess is, and in which population.

They need no attacker: a class is the records that an attacker cannot tell apart by what is known.
"""

from __future__ import annotations
