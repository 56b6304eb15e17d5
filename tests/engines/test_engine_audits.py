"""Audits on an engine say what they say on one machine, of files by clumsy and hostile hands; or they refuse."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

import pytest

from support.commands import tacit as tacit_command
from tacit.engines import frames, verdicts
from tacit.engines.audits import baskets, people, ratings, records, slices
from tacit.engines.forms import check_form
from tacit.engines.session import Session
from tacit.errors import InputError
from tacit.job import read_job
from tacit.promises import MODELS
from tacit.steps.judging import audit_file

_RECORDS = '[columns.id]\nrole = "identifier"\n[columns.age]\nrole = "quasi"\n[columns.sex]\nrole = "quasi"\n'
_ILL = '[columns.ill]\nrole = "sensitive"\n'
_ITEMS = '[columns.items]\nrole = "items"\n'
_WHO = '[columns.who]\nrole = "person"\n'
_FILM = f'{_WHO}[columns.film]\nrole = "items"\n[columns.q]\nrole = "rating"\nscale = [1, 5]\nstep = 1\n'
_SURVEY = f'{_WHO}[columns.q]\nrole = "rating"\nscale = [1, 5]\nstep = 1\n'
_SLICED = f'[columns.age]\nrole = "quasi"\n[columns.sex]\nrole = "quasi"\n{_ILL}'
_HIV = f'{_ITEMS}sensitive = ["hiv"]\n'
_LONG = 'layout = "long"\n'

_K = (_RECORDS, 'model = "k"\nk = 3')
_L = (_RECORDS + _ILL, 'model = "l"\nk = 2\nl = 2\nkind = "distinct"')
_CAHD = (_HIV, 'model = "cahd"\np = 2')
_SLICES = (_SLICED, 'model = "sliced-l"\nl = 2')
_KM3 = (_LONG + _FILM, 'model = "rating-km"\nk = 2\nm = 3')

Case = tuple[tuple[str, str], str, list[str]]
_CASES: dict[str, Case] = {
    "k: foreign numbers of people": (_K, "ssn,age,sex", [f"{i},30,f" for i in range(60)]),
    "k: an identifier in another case": (_K, "ID,age,sex", ["1,30,f"] * 3),
    "k: blanks are told apart": (_K, "age,sex", ["30,f", "30,f", "30,f "]),
    "k: marks of nothing are one": (
        ('missing = ["", "NA", "?"]\n' + _RECORDS, _K[1]), "age,sex", ["30,NA", "30,?", "30,", "4,m", "4,m", "4,m"]),
    "k: persons are not in the file": (
        (_RECORDS.replace("identifier", "person"), _K[1]), "age,sex", ["30,f"] * 3),
    "k: a mark before the heading": (_K, "\ufeffage,sex", ["30,f"] * 3),
    "l: spellings are one value": (_L, "age,sex,ill", ["30,f,flu", "30,f,Flu ", "30,f,f\u200blu"]),
    "l: spellings are told apart": (
        (_L[0] + "fold = false\n", _L[1]), "age,sex,ill", ["30,f,flu", "30,f,Flu ", "30,f,f\u200blu"]),
    "l: equal numbers are one value": (_L, "age,sex,ill", ["30,f,1.5", "30,f,1.50"]),
    "l: among words they are texts": (_L, "age,sex,ill", ["30,f,1.5", "30,f,1.50", "40,f,1.5", "40,f,x"]),
    "l: names of a hierarchy are no numbers": (
        (_L[0] + 'hierarchy = "none.csv"\n', _L[1]), "age,sex,ill", ["30,f,1.5", "30,f,1.50"]),
    "t": ((_L[0], 'model = "t"\nk = 2\nt = 0.3'), "age,sex,ill",
          ["30,f,a", "30,f,b", "40,f,a", "40,f,B", "50,m,a", "50,m,a"]),
    "t: days have an order": (
        (_L[0], 'model = "t"\nk = 2\nt = 0.3'), "age,sex,ill",
        [*(f"30,f,2024-01-0{day}" for day in (1, 1, 1, 2)), *(f"40,f,2024-01-0{day}" for day in (2, 3, 4))]),
    "t: a day that is none": (
        (_L[0], 'model = "t"\nk = 2\nt = 0.3'), "age,sex,ill",
        [*(f"30,f,2024-02-2{day}" for day in (1, 1, 1, 2)), *(f"40,f,2024-02-3{day}" for day in (0, 1, 1))]),
    "l: a width, and a group of words alone": (
        (_L[0] + "width = 2\n", _L[1]), "age,sex,ill", ["30,f,1", "30,f,3", "40,f,high", "40,f,low"]),
    "l: a width of words": (
        (_L[0] + "width = 2\n", _L[1]), "age,sex,ill", ["30,f,b", "30,f,a", "40,f,high", "40,f,low"]),
    "l: a width of days that are called numbers": (
        (_L[0] + 'width = 2\ntype = "number"\n', _L[1]), "age,sex,ill", ["30,f,2024-02-21", "30,f,2024-02-24"]),
    "l: a width, and nothing else": (
        (_L[0] + "width = 2\n", _L[1]), "age,sex,ill", ["30,f,", "30,f,a", "40,f,high", "40,f,low"]),
    "l: dots and ticks in names": (
        ("".join(f'[columns."{name}"]\nrole = "{role}"\n' for name, role in
                 (("marital.status", "quasi"), ("capital`gain", "quasi"), ("ill.now", "sensitive"))), _L[1]),
        "marital.status,capital`gain,ill.now", ["30,f,a", "30,f,b", "40,f,a", "40,f,a"]),
    "k-km: items twice": ((_RECORDS + _ITEMS, 'model = "k-km"\nk = 3\nm = 1'), "age,sex,items",
                          ["30,f,a a", "30,f,a", "30,f,a b"]),
    "k-lm: spellings of an item": ((_RECORDS + _HIV, 'model = "k-lm"\nk = 2\nl = 2\nm = 1'), "age,sex,items",
                                   ["30,f,a hiv", "30,f,a HIV", "30,f,a"]),
    "km: a person's rows are one": ((_LONG + _WHO + _ITEMS, 'model = "km"\nk = 3\nm = 2'), "who,items", ["1,a"] * 3),
    "km: people with an item each": ((_LONG + _WHO + _ITEMS, 'model = "km"\nk = 3\nm = 2'), "who,items",
                                     [f"{i},{item}" for i in range(3) for item in "ab"]),
    "km: nobody's rows": ((_LONG + _WHO + _ITEMS, 'model = "km"\nk = 3\nm = 2'), "who,items",
                          ["1,a", "2,a", ",a", "3,a"]),
    "km: persons in the file": ((_WHO + _ITEMS, 'model = "km"\nk = 3\nm = 2'), "who,items", ["1,a", "1,a", "2,a"]),
    "lm: the default method has no form": ((_HIV, 'model = "lm"\nl = 2\nm = 1'), "items,z",
                                           ["a hiv,1", "a HIV,1", "a,1"]),
    "transactional-k": ((_ITEMS, 'model = "transactional-k"\nk = 2'), "items,x", ["a b,1", "b a,1", ",1", ",1"]),
    "transactional-k: alone": ((_ITEMS, 'model = "transactional-k"\nk = 2'), "items,x", ["a b,1", "b,1", ",1", ",1"]),
    "cahd": (_CAHD, "items,group", ["a hiv,1", "b,1", "c hiv,2", "d,2", "e,2"]),
    "cahd: too many": (_CAHD, "items,group", ["a hiv,1", "b HIV,1", "c hiv,2", "d,2", "e,2"]),
    "cahd: groups in two spellings": (_CAHD, "items,group", ["a hiv,1", "b,01", "c,2"]),
    "cahd: in no group": (_CAHD, "items,group", ["a hiv,1", "b,", "c,2"]),
    "cahd: a person in two groups": ((_LONG + _WHO + _HIV, _CAHD[1]), "who,items,group",
                                     ["1,a,1", "1,hiv,2", "2,b,1", "3,c,2"]),
    "slices": (_SLICES, "bucket,1.age,1.sex,2.ill", ["1,30,f,a", "1,31,m,b", "2,40,f,a", "2,41,m,b"]),
    "slices: one value": (_SLICES, "bucket,1.age,1.sex,2.ill", ["1,30,f,a", "1,31,m,A ", "2,40,f,a", "2,41,m,b"]),
    "slices: a doubt": (_SLICES, "bucket,1.age,1.sex,2.ill", ["1,30,f,a", "1,31,m,a", "2,30,f,c", "2,31,m,b"]),
    "slices: a column of none": (_SLICES, "bucket,1.age,1.sex,2.ill,ssn", ["1,30,f,a,1", "1,31,m,b,2"]),
    "slices: a number in two spellings": (_SLICES, "bucket,01.age,1.sex,2.ill", ["1,30,f,a", "1,31,m,b"]),
    "slices: persons are not in the file": ((_SLICED + '[columns.id]\nrole = "person"\n', _SLICES[1]),
                                            "bucket,1.age,1.sex,2.ill", ["1,30,f,a", "1,31,m,b"]),
    "rating-km, m = 3": (_KM3, "who,film,q", [f"{i},{film},3" for i in range(3) for film in "abc"]),
    "rating-km, m = 3: one is alone": (_KM3, "who,film,q",
                                       ["1,a,3", "1,b,3", "1,c,3", *(f"{i},{f},3" for i in (2, 3) for f in "ab")]),
    "rating-km, m = 3: twice": (_KM3, "who,film,q", ["1,f,3"] * 3),
    "rating-km, m = 1: twice": ((_LONG + _FILM, 'model = "rating-km"\nk = 3\nm = 1'), "who,film,q", ["1,f,3"] * 3),
    "rating-km: nobody": ((_LONG + _FILM, 'model = "rating-km"\nk = 3\nm = 2'), "who,film,q",
                          ["1,f,3", ",f,3", "2,f,3", "3,f,3"]),
    "k-eps: twice in two spellings": ((_LONG + _FILM, 'model = "k-eps"\nk = 3\neps = 0'), "who,film,q",
                                      ["1,f,3", "1,f,3.0", "2,f,3", "3,f,3"]),
    "a survey without its persons": ((_SURVEY, 'model = "rating-km"\nk = 3\nm = 1'), "q,z", ["3,1"] * 3),
    "a survey with two rows of a person": ((_SURVEY, 'model = "k-eps"\nk = 3\neps = 0'), "who,q", ["1,3"] * 3),
}  # fmt: skip


@pytest.mark.parametrize("case", _CASES)
def test_the_verdict_is_the_local_one(
    sail: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, case: str
) -> None:
    for module in (baskets, records, slices):
        monkeypatch.setattr(module, "SHARE", 1)
    monkeypatch.setattr(people, "SHARE", 2)
    monkeypatch.setattr(ratings, "_AT_ONCE", 1)
    (columns, promise), heading, rows = _CASES[case]
    (tmp_path / "job.toml").write_text(f'[input]\nsource = "original.csv"\n{columns}[privacy]\n{promise}\n')
    file = tmp_path / "published.csv"
    file.write_text("\n".join([heading, *rows, ""]), encoding="utf-8")
    job, found = read_job(tmp_path / "job.toml"), []

    def on_engine() -> object:
        verdicts.check_audit(job)
        return verdicts.verdict(frames.read_files(sail, file)[0], job, source=file)[0]

    for judge in (lambda: audit_file(job, file)[0], on_engine):
        try:
            result = judge()
            found.append((result.satisfied, result.facts["violation_count"], result.facts.get("level")))
        except InputError:
            found.append("refused")
    assert found[0] == found[1]


@pytest.mark.parametrize(
    ("model", "columns", "given"),
    [
        ("k", _RECORDS, "k = 3"),
        ("sliced-l", _SLICED, "l = 2"),
        ("rating-km", _LONG + _FILM, "k = 3\nm = 2"),
        ("cahd", _HIV, "p = 2"),
        ("lm", _HIV, "l = 2\nm = 1"),
    ],
)
def test_a_promise_that_does_not_say_how_shares_hold_it_is_refused_before_any_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, model: str, columns: str, given: str
) -> None:
    """As a promise that is new: nobody has said that it can be judged on an engine."""
    for says_so in ("holds_by_groups", "holds_by_supports"):
        monkeypatch.setattr(MODELS[model], says_so, False)
    monkeypatch.setattr(import_module(MODELS[model].audit), "COUNTS_PEOPLE", False, raising=False)
    text = f'[input]\nsource = "in.csv"\n{columns}[engine]\nname = "sail"\n[privacy]\nmodel = "{model}"\n{given}\n'
    (tmp_path / "job.toml").write_text(text)
    job = read_job(tmp_path / "job.toml")
    for check in (verdicts.check_audit, check_form):
        with pytest.raises(InputError, match=f"'{model}' has no form on (an|the) engine"):
            check(job)


def test_too_many_buckets_to_judge_at_once_leave_the_doubt(
    sail: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(slices, "SHARE", 1)
    monkeypatch.setattr(slices, "MOST_AT_ONCE", 3)
    (columns, promise), heading, rows = _CASES["slices: one value"]
    (tmp_path / "job.toml").write_text(f'[input]\nsource = "original.csv"\n{columns}[privacy]\n{promise}\n')
    (tmp_path / "published.csv").write_text("\n".join([heading, *rows, ""]))
    frame, _ = frames.read_files(sail, tmp_path / "published.csv")
    found = verdicts.audit_frame(frame, read_job(tmp_path / "job.toml"), ())
    assert found.satisfied is None
    assert "too many rows" in str(found)


@pytest.mark.parametrize(
    ("name", "content", "told"),
    [
        ("ragged.csv", "age,sex\n30,f\n30\n", "the engine could not do its work"),
        ("marked.dat", "\ufeffa b\n", "begins with a byte order mark"),
    ],
)
def test_files_that_cannot_be_read(sail: Session, tmp_path: Path, name: str, content: str, told: str) -> None:
    columns, promise = _K if name.endswith("csv") else (_ITEMS, 'model = "km"\nk = 2\nm = 1')
    (tmp_path / "job.toml").write_text(f'[input]\nsource = "none{Path(name).suffix}"\n{columns}[privacy]\n{promise}\n')
    (tmp_path / name).write_text(content, encoding="utf-8")
    ended = tacit_command("audit", tmp_path / "job.toml", tmp_path / name, "--engine", "sail")
    assert ended.code == 2, ended.err
    assert told in ended.err
