"""The words of the page to sign, in English and German."""

from __future__ import annotations

from collections.abc import Mapping

WORDS: Mapping[str, Mapping[str, str]] = {
    "en": {
        "language": "en", "point": ".",
        "cited": "EMA/HC: templates of the anonymisation report of the European Medicines Agency and Health Canada. "
        "ISO 27559: ISO/IEC 27559:2022. WP 216: Opinion 05/2014 of the Article 29 Working Party. "
        "In brackets: the 95 % interval.",
        "title": "Release of anonymized data", "untitled": "without a title", "operator": "Operator",
        "recipient": "Recipient", "purpose": "Purpose", "legal_basis": "Legal basis", "date": "Date",
        "review": "Next review", "not_said": "not stated", "promise": "Promise and level reached", "asked": "Promised",
        "reached": "Reached, by the audit", "unknown_level": "not known: this is no release of tacit's",
        "audit": "Audit of the public file", "holds": "the promise holds", "fails": "the promise does not hold",
        "risk": "Risk of re-identification", "figure": "figure", "before": "before", "after": "after",
        "answers": "answers", "highest": "Maximum risk", "average": "Average risk",
        "above": "Records with a risk above",
        "uniques": "Records that are alone by what may be known",
        "uniques_all": "Records that are alone over all published columns",
        "population": "Share of the population that is alone in it (estimated)", "headings": "Attacks that were played",
        "heading": "heading", "worst": "attack that gains most", "baseline": "without the file",
        "bound": "promised at most",
        "singling-out": "Singling out", "linkability": "Linkability", "inference": "Inference",
        "not_played": "no such attack was played", "verdict": "More often right than promised",
        "none_above": "none (corrected for the number of attacks)", "composition": "Together with other releases",
        "alone": "this release alone",
        "no_other": "not tested: no other release was given", "not_tested": "What was not tested, and why",
        "everything": "All attackers that fit these data were played", "files": "Files",
        "public_hash": "SHA-256 of the public file",
        "original_hmac": "HMAC-SHA-256 of the original, with the release's key",
        "sign_operator": "Place, date, signature: operator",
        "sign_officer": "Place, date, signature: data protection officer",
    },
    "de": {
        "language": "de", "point": ",",
        "cited": "EMA/HC: Vorlagen des Anonymisierungsberichts der Europäischen Arzneimittel-Agentur und von Health "
        "Canada. ISO 27559: ISO/IEC 27559:2022. WP 216: Stellungnahme 05/2014 der Artikel-29-Datenschutzgruppe. "
        "In Klammern: das 95-%-Intervall.",
        "title": "Freigabe anonymisierter Daten", "untitled": "ohne Titel", "operator": "Verantwortliche Stelle",
        "recipient": "Empfänger", "purpose": "Zweck", "legal_basis": "Rechtsgrundlage", "date": "Datum",
        "review": "Nächste Überprüfung", "not_said": "keine Angabe", "promise": "Versprechen und erreichtes Niveau",
        "asked": "Versprochen", "reached": "Erreicht, laut Prüfung",
        "unknown_level": "nicht bekannt: dies ist keine Veröffentlichung von tacit",
        "audit": "Prüfung der öffentlichen Datei",
        "holds": "das Versprechen ist eingehalten", "fails": "das Versprechen ist nicht eingehalten",
        "risk": "Risiko der Re-Identifizierung", "figure": "Kennzahl", "before": "vorher", "after": "nachher",
        "answers": "beantwortet", "highest": "Höchstes Risiko", "average": "Mittleres Risiko",
        "above": "Datensätze mit einem Risiko über",
        "uniques": "Datensätze, die nach dem, was bekannt sein kann, einzig sind",
        "uniques_all": "Datensätze, die über alle veröffentlichten Spalten einzig sind",
        "population": "Anteil der Grundgesamtheit, der darin einzig ist (geschätzt)",
        "headings": "Durchgeführte Angriffe",
        "heading": "Kriterium", "worst": "Angriff mit dem größten Gewinn", "baseline": "ohne die Datei",
        "bound": "höchstens versprochen",
        "singling-out": "Herausgreifen", "linkability": "Verknüpfbarkeit", "inference": "Inferenz",
        "not_played": "kein solcher Angriff wurde durchgeführt", "verdict": "Häufiger richtig als versprochen",
        "none_above": "keiner (korrigiert um die Zahl der Angriffe)",
        "composition": "Zusammen mit anderen Veröffentlichungen",
        "alone": "diese Veröffentlichung allein",
        "no_other": "nicht geprüft: keine andere Veröffentlichung wurde angegeben",
        "not_tested": "Was nicht geprüft wurde, und warum",
        "everything": "Alle Angriffe, die zu diesen Daten passen, wurden durchgeführt", "files": "Dateien",
        "public_hash": "SHA-256 der öffentlichen Datei",
        "original_hmac": "HMAC-SHA-256 des Originals, mit dem Schlüssel der Veröffentlichung",
        "sign_operator": "Ort, Datum, Unterschrift: verantwortliche Stelle",
        "sign_officer": "Ort, Datum, Unterschrift: Datenschutzbeauftragte/r",
    },
}  # fmt: skip
