"""The grammar of published values: written by `tacit.values.writing` and nowhere else, read back by
`tacit.values.reading`. (The audits read by code of their own, so that a fault here is found there.)

A cell of a column with one value a person:

    value      = label | range | open | set | node | suppressed
    label      = the exact text of the original, not a character changed, but for equal numbers: they have one text
    range      = "[" end ":" end "]"
    open       = "[≤" end "]" | "[≥" end "]"
    end        = a number, or a date as 2024-03-05; neither holds a colon or a bracket, nor does one in the style of
                 its column (`1,5`, `5.3.2024`: see `tacit.job.styles`)
    set        = "(" member "," member { "," member } ")"
    member     = bare | quoted
    bare       = a label without , ( ) " CR LF and without white space at either end; nothing at all is a missing value
    quoted     = '"' { any character but '"' | '""' } '"'
    node       = the name of a node of the column's hierarchy
    suppressed = "*"

The person has exactly one value of a range, of which both ends are part (`tacit.arrays.grid` says where ranges end);
of an open one, up to or from its end, which is part of it; of a set, whose members stand in the order of
their texts; of the leaves below a node; or any value, also a missing one, where it is suppressed.

An item of a basket:

    item       = label | node | items
    items      = "(" name joiner name { joiner name } ")"
    name       = label | node
    joiner     = "," | ";" | "|" | "+" | "&" | "/" | "~" | "^"

The person has at least one item of those below a node, or in such a set, and perhaps several. No two names of a set
have an item in common. A column has one joiner: the first that no such name holds and that makes no name which is taken
or holds the column's separator. So no item needs quotes, and the audits read a set back with the names at hand. Where a
basket is one text, the name of a node has `_` for the separator and, in a .dat file, for all white space. A suppressed
item is absent.

What the grammar does not tell apart: a label that looks like a range, a set, a node or `*` keeps its characters, too,
and is read as what it looks like. Owners are warned of `*`; whoever knows the labels is in no doubt about the others.

How a file holds such values (quotes of CSV, an apostrophe before what looks like a formula) is not part of this: see
`tacit.io`.
"""
