"""What attackers say, in German: names, what they know, why one was not played, and the report.

Attackers speak English. A pattern here is a sentence of theirs; `{name}`, `{number}` and the like stand for what is
filled in and stays as it is, `{phrase}` for words that are translated themselves, `{part}` for either.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache

from tacit.report.attack_stories import GERMAN_STORIES, RULES

_NAMES = {
    "classifier": "Lernverfahren", "composition": "mehrere Veröffentlichungen", "definetti": "deFinetti",
    "downcoded-cuts": "widerlegte feinere Schnitte", "downcoding": "widerlegte feinere Werte",
    "exact-basket": "genauer Korb", "false-values": "falsche Werte", "file-order": "Reihenfolge der Datei",
    "homogeneity": "Einheitlichkeit", "joined-slices": "verbundene Teile", "known-items": "bekannte Posten",
    "known-ratings": "bekannte Bewertungen", "known-values": "bekannte Werte", "leftovers": "vergessene Kennungen",
    "linkability": "Verknüpfung", "membership": "Zugehörigkeit", "minimality": "Minimalität",
    "nearest-row": "nächste Zeile", "posterior": "häufigster Wert", "predicates": "Bedingungen aus der Datei",
    "rated-pattern": "Muster des Bewerteten", "relational-and-items": "Werte und Posten",
    "scoreboard": "Punktetafel", "uniques": "Einzige über alle Spalten",
}  # fmt: skip
_KNOWN = {
    "what the promise is about, and another release of the same people":
        "wovon das Versprechen handelt, und eine andere Veröffentlichung über dieselben Menschen",
    "what the promise is about, and the release {name}":
        "wovon das Versprechen handelt, und die Veröffentlichung {name}",
    "what the promise is about, and all {number} other releases":
        "wovon das Versprechen handelt, und alle {number} anderen Veröffentlichungen",
    "the exact basket": "den genauen Korb",
    "{number} items at random, and {number2} common ones that the person does not have":
        "{number} zufällige Posten und {number2} häufige, die die Person nicht hat",
    "{number} item, the rarest": "{number} Posten, den seltensten",
    "{number} item, at random": "{number} zufälligen Posten",
    "{number} items, the rarest": "{number} Posten, die seltensten",
    "{number} items, at random": "{number} zufällige Posten",
    "all quasi-identifiers and {phrase}": "alle Quasi-Identifikatoren und {phrase}",
    "{number} rating exactly, the rarest": "{number} Bewertung genau, die seltenste",
    "{number} rating exactly, at random": "{number} zufällige Bewertung genau",
    "{number} ratings exactly, the rarest": "{number} Bewertungen genau, die seltensten",
    "{number} ratings exactly, at random": "{number} zufällige Bewertungen genau",
    "{number} ratings, each off by up to a tenth of the scale":
        "{number} Bewertungen, jede um bis zu ein Zehntel der Skala ungenau",
    "which {number} issues a person rated": "welche {number} Fragen eine Person bewertet hat",
    "all issues that a person rated": "alle Fragen, die eine Person bewertet hat",
    "ratings, each roughly": "Bewertungen, jede ungefähr",
    "all ratings, each roughly": "alle Bewertungen, jede ungefähr",
    "{number} ratings, each roughly": "{number} Bewertungen, jede ungefähr",
    "all ratings, exactly": "alle Bewertungen, genau",
    "{number} ratings, exactly": "{number} Bewertungen, genau",
    "{number} columns: {names} and {more} more": "{number} Spalten: {names} und {more} weitere",
    "{number} columns: {names}": "{number} Spalten: {names}",
    "the quasi-identifiers": "die Quasi-Identifikatoren",
    "the quasi-identifiers, roughly": "die Quasi-Identifikatoren, ungefähr",
    "the quasi-identifiers, numbers to within 5 % of their range":
        "die Quasi-Identifikatoren, Zahlen auf 5 % ihrer Spanne genau",
    "{phrase}; takes the closest record": "{phrase}; nimmt den nächsten Datensatz",
    "the quasi-identifiers of everybody; links one-to-one":
        "die Quasi-Identifikatoren aller; ordnet eins zu eins zu",
    "the ratings of everybody; links one-to-one": "die Bewertungen aller; ordnet eins zu eins zu",
    "the baskets of everybody; links one-to-one": "die Körbe aller; ordnet eins zu eins zu",
    "the basket": "den Korb",
    "the baskets": "die Körbe",
    "the basket, roughly": "den Korb, ungefähr",
    "the basket, of five items one forgotten and one made up":
        "den Korb, von fünf Posten einen vergessen und einen erfunden",
    "{phrase}; takes the closest basket": "{phrase}; nimmt den nächsten Korb",
    "the quasi-identifiers; takes the bucket that matches best":
        "die Quasi-Identifikatoren; nimmt den am besten passenden Behälter",
    "{names} and {more} more in one hand, {names2} and {more2} more in the other":
        "{names} und {more} weitere in einer Hand, {names2} und {more2} weitere in der anderen",
    "{names} and {more} more in one hand, {names2} in the other":
        "{names} und {more} weitere in einer Hand, {names2} in der anderen",
    "{names} in one hand, {names2} and {more2} more in the other":
        "{names} in einer Hand, {names2} und {more2} weitere in der anderen",
    "{names} in one hand, {names2} in the other": "{names} in einer Hand, {names2} in der anderen",
    "the quasi-identifiers in one hand, the basket in the other":
        "die Quasi-Identifikatoren in einer Hand, den Korb in der anderen",
    "all that is published of a person: {names} and {more} more":
        "alles, was über eine Person veröffentlicht ist: {names} und {more} weitere",
    "all that is published of a person: {names}": "alles, was über eine Person veröffentlicht ist: {names}",
    "{names} and {more} more of the first slice; joins the others":
        "{names} und {more} weitere des ersten Teils; verbindet die anderen",
    "{names} of the first slice; joins the others": "{names} des ersten Teils; verbindet die anderen",
    "{name}, one level up": "{name}, eine Ebene höher",
    "the quasi-identifiers; guesses {part}": "die Quasi-Identifikatoren; rät {part}",
    "the quasi-identifiers; is certain of {part}": "die Quasi-Identifikatoren; ist sicher über {part}",
    "the quasi-identifiers, which tell nothing; guesses {part}":
        "die Quasi-Identifikatoren, die nichts verraten; rät {part}",
    "the quasi-identifiers; a decision tree guesses {part}":
        "die Quasi-Identifikatoren; ein Entscheidungsbaum rät {part}",
    "the quasi-identifiers; naive Bayes guesses {part}":
        "die Quasi-Identifikatoren; ein naiver Bayes-Klassifikator rät {part}",
    "the quasi-identifiers; logistic regression guesses {part}":
        "die Quasi-Identifikatoren; eine logistische Regression rät {part}",
    "the quasi-identifiers and {phrase}; guesses a sensitive item":
        "die Quasi-Identifikatoren und {phrase}; rät einen vertraulichen Posten",
    "{phrase}; guesses a sensitive item": "{phrase}; rät einen vertraulichen Posten",
    "{phrase}; a decision tree guesses a sensitive item":
        "{phrase}; ein Entscheidungsbaum rät einen vertraulichen Posten",
    "{phrase}; naive Bayes guesses a sensitive item":
        "{phrase}; ein naiver Bayes-Klassifikator rät einen vertraulichen Posten",
    "{phrase}; logistic regression guesses a sensitive item":
        "{phrase}; eine logistische Regression rät einen vertraulichen Posten",
    "the quasi-identifiers and all other items": "die Quasi-Identifikatoren und alle anderen Posten",
    "all other items": "alle anderen Posten",
    "up to {number} other items": "bis zu {number} andere Posten",
    "the rows of each bucket, or group; guesses {part}": "die Zeilen jedes Behälters oder jeder Gruppe; rät {part}",
    "a sensitive item, {number} of {number2}": "einen vertraulichen Posten, Nr. {number} von {number2}",
    "{phrase}; guesses who of a pair is in the file": "{phrase}; rät, wer von zweien in der Datei ist",
    "the group and the method, which makes labels no wider than people need":
        "die Gruppe und das Verfahren, das Werte nicht gröber macht, als nötig ist",
    "the group and the method, which makes labels no wider than people need: {phrase}; guesses a finer value":
        "die Gruppe und das Verfahren, das Werte nicht gröber macht, als nötig ist: {phrase}; rät einen feineren Wert",
    "the same, and the values of all others in the group: {phrase}; guesses a finer value":
        "dasselbe und die Werte aller anderen der Gruppe: {phrase}; rät einen feineren Wert",
    "ranges": "Bereiche",
    "sets": "Mengen",
    "nodes of a hierarchy": "Knoten einer Hierarchie",
    "all baskets but for one item of a person, and the method, which cuts no higher than it must; guesses the item":
        "alle Körbe bis auf einen Posten einer Person und das Verfahren, das nicht höher schneidet, als es muss; "
        "rät den Posten",
    "all that is not sensitive, the method and its parameters; runs it again on every way to deal the values":
        "alles nicht Vertrauliche, das Verfahren und seine Parameter; führt es für jede Verteilung der Werte neu aus",
    "all but the sensitive values of one group, the method and its parameters; runs it again on every way to deal "
    "these":
        "alles bis auf die vertraulichen Werte einer Gruppe, das Verfahren und seine Parameter; führt es für jede "
        "Verteilung dieser Werte erneut aus",
    "{phrase}; whose own record says something else": "{phrase}; wessen eigener Datensatz etwas anderes sagt",
    "the ratings": "die Bewertungen",
    "the ids of people; they follow the original's order": "die Nummern der Personen; sie folgen der des Originals",
    "the order of the original": "die Reihenfolge des Originals",
    "the order of the original; takes the file's for the same":
        "die Reihenfolge des Originals; hält die der Datei für dieselbe",
    "the order of the original, and that a generator with a seed below {number} shuffled it":
        "die Reihenfolge des Originals, und dass ein Generator mit einem Startwert unter {number} sie gemischt hat",
    "the numbers of groups or buckets; they follow the original's order":
        "die Nummern von Gruppen oder Behältern; sie folgen der Reihenfolge des Originals",
    "that a search begins groups at the edge; takes the first row of a group for its outermost person":
        "dass eine Suche Gruppen am Rand beginnt; hält die erste Zeile einer Gruppe für deren äußerste Person",
    "nothing: conditions of up to {number} published values that hold for one record":
        "nichts: Bedingungen aus bis zu {number} veröffentlichten Werten, die für einen Datensatz gelten",
    "names or numbers of people": "Namen oder Nummern von Menschen",
}  # fmt: skip
_WHY = {
    "records are counted, not people: it is not known which row is whose":
        "gezählt sind Datensätze, nicht Personen: es ist nicht bekannt, welche Zeile wessen ist",
    "it is not known which row is whose: give private/rows.csv of the release (--rows FILE)":
        "es ist nicht bekannt, welche Zeile wessen ist: private/rows.csv der Veröffentlichung angeben (--rows DATEI)",
    "the file has fewer records than the original, and it is not known whose they are: give private/rows.csv of the "
    "release (--rows FILE)":
        "die Datei hat weniger Datensätze als das Original, und es ist nicht bekannt, wessen sie sind: "
        "private/rows.csv der Veröffentlichung angeben (--rows DATEI)",
    "it takes people who are not in the release (--control FILE)":
        "dazu braucht es Menschen, die nicht in der Veröffentlichung sind (--control DATEI)",
    "it takes longer: `tacit attack` plays it": "es dauert länger: `tacit attack` führt es durch",
    "no other release of the same people was given (--earlier DIR)":
        "keine andere Veröffentlichung über dieselben Menschen wurde angegeben (--earlier VERZEICHNIS)",
    "nobody is in both releases": "niemand ist in beiden Veröffentlichungen",
    "the other release was made from other data, and no column of role person or identifier says who is in both":
        "die andere Veröffentlichung stammt aus anderen Daten, und keine Spalte mit der Rolle person oder identifier "
        "sagt, wer in beiden ist",
    "the file has no record": "die Datei hat keinen Datensatz",
    "a bucket has more rows than can be dealt anew in minutes: --exact tries it":
        "ein Behälter hat mehr Zeilen, als in Minuten neu verteilt werden können: --exact versucht es",
    "it is about one record a person, and a promise": "es geht um einen Datensatz je Person und um ein Versprechen",
    "no name of the file is a node with others below it that could have been published":
        "kein Name der Datei ist ein Knoten mit anderen darunter, die hätten veröffentlicht werden können",
    "the file is so long that no finer one was audited":
        "die Datei ist so lang, dass keine feinere geprüft wurde",
    "no value is published as a range, a set or a node of a hierarchy":
        "kein Wert ist als Bereich, als Menge oder als Knoten einer Hierarchie veröffentlicht",
    "the method that made the file is not known": "das Verfahren, das die Datei gemacht hat, ist nicht bekannt",
    "the file has more than {number} records: to run the method again takes too long":
        "die Datei hat mehr als {number} Datensätze: das Verfahren erneut auszuführen dauert zu lange",
    "the method draws by a key that nobody knows, and how likely it draws just these groups of many is not known":
        "das Verfahren lost mit einem Schlüssel aus, den niemand kennt, und wie wahrscheinlich es unter vielen gerade "
        "diese Gruppen auslost, ist nicht bekannt",
    "the method never publishes such groups": "das Verfahren veröffentlicht solche Gruppen nie",
    "every group has one value, or more than {number} ways to deal its values":
        "jede Gruppe hat einen einzigen Wert oder mehr als {number} Möglichkeiten, ihre Werte zu verteilen",
    "no control: people who are not in the release were not given (--control FILE)":
        "keine Kontrolle: Menschen, die nicht in der Veröffentlichung sind, wurden nicht angegeben (--control DATEI)",
    "no control: nobody of the people given has enough to be known":
        "keine Kontrolle: von niemandem der angegebenen Menschen kann genug bekannt sein",
    "no control: it is about people who are in both releases":
        "keine Kontrolle: es geht um Menschen, die in beiden Veröffentlichungen sind",
    "no control: it is about who is in a group, and others are in none":
        "keine Kontrolle: es geht darum, wer in einer Gruppe ist, und andere sind in keiner",
    "no control: it is about people whose basket is in the file":
        "keine Kontrolle: es geht um Menschen, deren Korb in der Datei ist",
    "no control: it is about the record that is published of a person":
        "keine Kontrolle: es geht um den Datensatz, der über eine Person veröffentlicht ist",
    "no control: the guess itself is between people inside and outside":
        "keine Kontrolle: geraten wird selbst zwischen Menschen innerhalb und außerhalb",
    "no control: some row is the closest to anybody; the scoreboard of ratings takes it only if it stands out":
        "keine Kontrolle: irgendeine Zeile ist jedem die nächste; die Punktetafel für Bewertungen nimmt sie nur, wenn "
        "sie heraussticht",
}  # fmt: skip
_SECTION = {
    "No attacker whom the promise is about is right more often than it allows, but for chance (95 %).":
        "Kein Angreifer, von dem das Versprechen handelt, hat häufiger recht, als es erlaubt, vom Zufall abgesehen "
        "(95 %).",
    "More often right than promised, beyond chance (95 %), and what to change:":
        "Häufiger richtig als versprochen, über den Zufall hinaus (95 %), und was zu ändern ist:",
    "{phrase} ({phrase2}): {phrase3}": "{phrase} ({phrase2}): {phrase3}",
    "Risk is that of somebody who knows all that may be known of a person, be it more than the promise is about; the "
    "rows below say what each attacker knows.":
        "Das Risiko gilt für jemanden, der alles weiß, was über eine Person bekannt sein kann, sei es mehr, als wovon "
        "das Versprechen handelt; die Zeilen darunter sagen, was jeder Angreifer weiß.",
    "Singling out:": "Herausgreifen:",
    "Linkability:": "Verknüpfbarkeit:",
    "Inference:": "Inferenz:",
    "Several releases over time, for somebody who has them all:":
        "Mehrere Veröffentlichungen im Lauf der Zeit, für jemanden, der sie alle hat:",
    "Several releases over time, for somebody who has them all: not tried ({phrase}).":
        "Mehrere Veröffentlichungen im Lauf der Zeit, für jemanden, der sie alle hat: nicht geprüft ({phrase}).",
    "What these attackers know and guess": "Was diese Angreifer wissen und raten",
    "What was not tried, and why": "Was nicht geprüft wurde, und warum",
    "{phrase} Guess: {phrase2}.": "{phrase} Geraten wird: {phrase2}.",
    "records that are alone": "Datensätze, die einzig sind",
    "different records": "verschiedene Datensätze",
    "highest risk": "höchstes Risiko",
    "average risk": "mittleres Risiko",
    "records with a risk above {number}": "Datensätze mit einem Risiko über {number}",
    "alone over all published columns": "einzig über alle veröffentlichten Spalten",
    "{number}%\u00a0to\u00a0{number2}%": "{number}\u00a0%\u00a0bis\u00a0{number2}\u00a0%",
    "More of the same attackers, who gain less there: {number}":
        "Mehr von denselben Angreifern, die dort weniger gewinnen: {number}",
}  # fmt: skip
"""What the report says around the figures."""
GERMAN: Mapping[str, str] = {**_NAMES, **_KNOWN, **_WHY, **_SECTION, **RULES}


def said(text: str, language: str) -> str:
    """What attackers say, in a language; what nobody translated stays English.

    >>> said("2 items, the rarest", "de"), said("2 items, the rarest", "en")
    ('2 Posten, die seltensten', '2 items, the rarest')
    """
    return text if language == "en" else in_german(text) or text


def in_german(text: str) -> str | None:
    """The German words; None if there are none.

    >>> in_german("records with a risk above 0.09")
    'Datensätze mit einem Risiko über 0,09'
    """
    known = GERMAN.get(text) or _stories().get(text)
    if known is not None:
        return known
    for pattern, german in _patterns():
        found = pattern.fullmatch(text)
        if found:
            filled = {key: _filled(key, value) for key, value in found.groupdict().items()}
            if None not in filled.values():
                return german.format(**filled)
    return None


def _filled(key: str, value: str) -> str | None:
    match key.rstrip("23"):
        case "phrase":
            return in_german(value)
        case "part":
            return in_german(value) or value
        case "number":
            return value.translate(_SWAPPED)
        case _:
            return value


@cache
def _stories() -> dict[str, str]:
    """What attackers tell of themselves, by their English words."""
    from tacit.attack.runner import declared

    found: dict[str, str] = {}
    for name, attacker in declared().items():
        told = GERMAN_STORIES[name]
        found |= {attacker.story: told.story, attacker.advice: told.advice}
    return found


@cache
def _patterns() -> list[tuple[re.Pattern[str], str]]:
    """The sentences with something to fill in, those that say most first."""
    made = []
    for english, german in GERMAN.items():
        pieces = re.split(r"\{(\w+)\}", english)
        if len(pieces) > 1:
            words = "".join(re.escape(each) if i % 2 == 0 else f"(?P<{each}>{_SHAPE.get(each.rstrip('23'), '.+')})"
                            for i, each in enumerate(pieces))  # fmt: skip
            made.append((sum(map(len, pieces[::2])), re.compile(words, re.DOTALL), german))
    return [(pattern, german) for _, pattern, german in sorted(made, key=lambda each: -each[0])]


_SHAPE = {"number": r"[0-9][0-9,.]*", "more": "[0-9]+"}
_SWAPPED = str.maketrans(",.", ".,")
"""German writes thousands and decimals the other way round."""
