"""What attackers tell of themselves, in German: the story of each, and what to change if it is right too often."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple


class Told(NamedTuple):
    """An attacker's two sentences, and its advice."""

    story: str
    advice: str


RULES: Mapping[str, str] = {
    "uniform among candidates": "gleich verteilt unter allen, die in Frage kommen",
    "best guess": "das Wahrscheinlichste",
}
GERMAN_STORIES: Mapping[str, Told] = {
    "composition": Told(
        "Der Angreifer besitzt eine andere Veröffentlichung über dieselben Menschen, mit einem anderen Verfahren, "
        "einem anderen k oder aus einem anderen Monat, und weiß, wovon das Versprechen handelt. Wer zu beiden passt, "
        "ist einer von wenigen, von denen einer genommen wird.",
        "Nur einmal veröffentlichen oder neue Lieferungen wie die erste umschlüsseln (`tacit apply --union`).",
    ),
    "exact-basket": Told(
        "Der Angreifer kennt alle nicht vertraulichen Posten einer Person und damit auch, welche ihr fehlen, oder "
        "einige von beiden. Von den Körben, die der Person gehören können, wird einer genommen.",
        "transactional-k versprechen, das von ganzen Körben handelt, oder m erhöhen.",
    ),
    "file-order": Told(
        "Der Angreifer kennt die Reihenfolge des Originals, etwa nach Datum oder Namen, und weiß, dass kleine "
        "Startwerte beliebt sind. Die Reihenfolge der Datei, ihre Nummern von Behältern oder Gruppen, oder was ein "
        "Startwert aus ihnen macht, gelten ihm als dieselbe Reihenfolge.",
        "Mit einem geheimen Schlüssel mischen, wie `tacit anonymize` es tut, nie mit einem Startwert, den jemand "
        "erraten kann.",
    ),
    "known-items": Told(
        "Der Angreifer kennt einige nicht vertrauliche Posten einer Person, die in der Datei ist. Von den Körben, die "
        "für alle einen Namen haben, gilt ihm einer als der der Person.",
        "k erhöhen, oder m auf so viele Posten, wie jemand kennen kann.",
    ),
    "known-ratings": Told(
        "Der Angreifer kennt einige Bewertungen einer Person, die in der Datei ist: welche Fragen, und genau wie hoch. "
        "Von den Zeilen, deren veröffentlichte Bewertungen sie alle abdecken oder die dort leer sind, gilt ihm eine "
        "als die der Person.",
        "k erhöhen, oder m auf so viele Bewertungen, wie jemand kennen kann.",
    ),
    "known-values": Told(
        "Der Angreifer kennt die Quasi-Identifikatoren einer Person, die in der Datei ist. Von den Datensätzen, deren "
        "veröffentlichte Werte sie alle abdecken, gilt ihm einer als der der Person.",
        "k erhöhen, oder die Spalten vergröbern oder weglassen, die am meisten verraten (Risiko nach Zahl der "
        "bekannten Spalten).",
    ),
    "leftovers": Told(
        "Der Angreifer kennt Namen oder Nummern von Menschen. Wo die Datei sie enthält, in welcher Spalte auch immer, "
        "ist der Datensatz gefunden.",
        "Die Spalte herausnehmen: Kennungen und Spalten, die fast alle unterscheiden, werden nie veröffentlicht.",
    ),
    "nearest-row": Told(
        "Der Angreifer kennt Werte einer Person, genau oder nur ungefähr, und wie weit jede veröffentlichte Zeile von "
        "ihnen entfernt ist. Die nächste Zeile gilt ihm als die der Person; in kleinen Dateien werden alle Zeilen "
        "allen Menschen mit dem geringsten Abstand zugeordnet.",
        "Bei Bewertungen eps = 0 oder weniger Fragen; bei Datensätzen k erhöhen.",
    ),
    "predicates": Told(
        "Der Angreifer kennt nichts als die Datei und nimmt Werte, die in einem Datensatz nebeneinander stehen, bis "
        "kein anderer Datensatz sie alle hat. Geraten wird, dass genau ein Mensch so ist.",
        "Spalten weglassen oder vergröbern, die so veröffentlicht werden, wie sie sind, auch vertrauliche; k erhöhen.",
    ),
    "rated-pattern": Told(
        "Der Angreifer weiß, welche Fragen eine Person bewertet hat, und nichts davon, wie. Genommen wird die Zeile, "
        "die am meisten davon mit der Person gemeinsam hat.",
        "Fragen weglassen, die wenige bewertet haben, oder eps = 0 mit einem höheren k versprechen.",
    ),
    "relational-and-items": Told(
        "Der Angreifer kennt alle Quasi-Identifikatoren einer Person, die in der Datei ist, und einige Posten des "
        "Korbs. Von den Datensätzen, die zu beidem passen, gilt ihm einer als der der Person.",
        "k erhöhen, oder m auf so viele Posten, wie jemand kennen kann; (k, k^m)-Anonymität handelt von genau dem.",
    ),
    "scoreboard": Told(
        "Der Angreifer kennt einige Bewertungen einer Person, jede mit einem Fehler, und gibt jeder Zeile Punkte "
        "dafür, wie nah ihre Bewertungen dieser Fragen sind; seltene Fragen zählen mehr. Sticht eine Zeile heraus, "
        "gilt sie ihm als die der Person.",
        "k erhöhen, oder Fragen weglassen, die wenige bewertet haben.",
    ),
    "uniques": Told(
        "Der Angreifer kennt alle veröffentlichten Spalten einer Person, wie sie veröffentlicht sind, auch "
        "vertrauliche und solche, von denen kein Versprechen handelt. Von den Datensätzen, die so sind, gilt ihm einer "
        "als der der Person.",
        "Die Spalten der kleinsten Mengen weglassen oder vergröbern, die Menschen herausgreifen (Risiko: all_columns).",
    ),
    "joined-slices": Told(
        "Der Angreifer kennt die Quasi-Identifikatoren einer Person, die im ersten Teil stehen, und verbindet die "
        "Zeilen der anderen Teile im Behälter, die in gemeinsamen Merkmalen übereinstimmen. Irgendeine Verbindung "
        "gilt ihm als der ganze Datensatz der Person.",
        "l erhöhen, was Behälter größer macht, oder Teile ohne Überlappung veröffentlichen.",
    ),
    "linkability": Told(
        "Zwei Menschen besitzen verschiedene Spalten derselben Personen, ohne Namen. Jeder sucht Datensätze, die "
        "passen, und sie halten zwei Hälften für eine Person, wenn beide denselben Datensatz raten, oder Zeilen "
        "desselben Behälters.",
        "k oder l erhöhen, oder Spalten weglassen, die auch eine andere Datei hat.",
    ),
    "classifier": Told(
        "Der Angreifer kennt die Quasi-Identifikatoren einer Person, oder alle Posten, die nicht vertraulich sind, und "
        "trainiert Lernverfahren an der veröffentlichten Datei. Was sie vorhersagen, gilt ihm als der vertrauliche "
        "Wert oder Posten der Person.",
        "Mit der Kontrolle vergleichen: was auch von Menschen außerhalb gilt, ist Wissen über alle; der Rest betrifft "
        "Menschen in der Datei, und t-Nähe oder ein höheres l senkt ihn.",
    ),
    "definetti": Told(
        "Der Angreifer weiß, wessen Zeilen in welchem Behälter sind, und teilt die vertraulichen Werte des Behälters "
        "den Menschen zu. Ein naiver Bayes-Klassifikator lernt aus der Zuteilung aller Behälter und teilt neu zu; "
        "geglaubt wird der Runde, die die Behälter am besten erklärt.",
        "l oder p erhöhen; ist es dann noch zu viel, statt Behältern vergröberte Datensätze mit t-Nähe "
        "veröffentlichen.",
    ),
    "downcoded-cuts": Told(
        "Der Angreifer kennt alle Körbe der Datei bis auf einen Posten einer Person und weiß, dass das Verfahren in "
        "der Hierarchie nicht höher steigt, als das Versprechen es braucht. Posten, mit denen auch ein feinerer "
        "Schnitt das Versprechen gehalten hätte, sind widerlegt, und vom Rest gilt ihm der häufigste als der der "
        "Person.",
        "k erhöhen, damit kein Einzelner entscheidet, wie hoch der Schnitt sein muss, oder den Schnitt vorher "
        "festlegen (`tacit apply`, mit der Umschlüsselung einer anderen Datei).",
    ),
    "downcoding": Told(
        "Der Angreifer weiß, wie häufig Werte sind, wer in welcher Gruppe ist, vielleicht die Werte aller anderen "
        "darin, und dass das Verfahren die engsten Bereiche und Mengen und die niedrigsten Knoten veröffentlicht, die "
        "das Versprechen erlaubt. Was einen feineren Wert möglich gemacht hätte, ist widerlegt, und vom Rest gilt ihm "
        "das Wahrscheinlichste als der Wert der Person: ein Ende des Bereichs, ein Wert der Menge, ein Kind des "
        "Knotens.",
        "`round` der Spalte breiter wählen als den Abstand ihrer Werte, damit Enden von Bereichen niemandem gehören; "
        "k erhöhen; eine Hierarchie statt Mengen verwenden.",
    ),
    "false-values": Told(
        "Der Angreifer weiß, was eine Person hat, die in der Datei ist, und glaubt, was sie sagt. "
        "Geraten wird falsch, wo der eigene Datensatz der Person in etwas Unwahres geändert wurde.",
        "Vergröbern statt vertauschen oder verrauschen, oder im öffentlichen Hinweis sagen, was geändert wurde.",
    ),
    "homogeneity": Told(
        "Der Angreifer kennt die Quasi-Identifikatoren einer Person. Nur wo alle passenden Datensätze denselben "
        "vertraulichen Wert haben, gilt er ihm als der der Person, und das ist sicher.",
        "ℓ-Diversität dieser Spalte versprechen: dann ist kein Wert sicher.",
    ),
    "membership": Told(
        "Der Angreifer kennt die Quasi-Identifikatoren oder die Körbe zweier Menschen, von denen einer in der Datei "
        "ist. Der, zu dem Datensätze oder Behälter besser passen, gilt ihm als dieser.",
        "Quasi-Identifikatoren oder Posten vergröbern, oder eine Stichprobe veröffentlichen.",
    ),
    "minimality": Told(
        "Der Angreifer weiß, wer in welcher Gruppe ist, das Verfahren und seine Parameter (in Dateien mit mehr als "
        "zwölf auch die Werte außerhalb einer Gruppe) und führt es für jede Verteilung der vertraulichen Werte erneut "
        "aus. Verteilungen, bei denen es andere Gruppen gewählt hätte, scheiden aus; der wahrscheinlichste Wert wird "
        "genommen.",
        "Ein Verfahren verwenden, das Gruppen nicht nach vertraulichen Werten wählt: `guarded`, oder `cahd` ohne "
        "`literal`.",
    ),
    "posterior": Told(
        "Der Angreifer kennt die Quasi-Identifikatoren einer Person oder Posten, die nicht vertraulich sind. Unter "
        "allen passenden Datensätzen gilt ihm der häufigste vertrauliche Wert oder Posten als der der Person.",
        "ℓ-Diversität oder t-Nähe dieser Spalte versprechen oder l erhöhen; die Spalte weglassen, wenn niemand sie "
        "braucht.",
    ),
}
