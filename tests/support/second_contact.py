"""The second batch of tables that `tacit init` had not seen when they were written, after what the first one taught."""

from __future__ import annotations

from collections.abc import Callable

from support.first_tables import FR_FIRST, US_FIRST, US_LAST, Draw, Made, roles_of

TR_FIRST = "Ayşe Mehmet Elif Mustafa Zeynep Emre Fatma Burak Selin Hakan Merve Ozan Derya Kerem Gül"
TR_LAST = "Yılmaz Kaya Demir Şahin Çelik Yıldız Aydın Öztürk Arslan Doğan Kılıç Koç"
RU_FIRST = "Алексей Мария Дмитрий Елена Сергей Наталья Игорь Светлана Павел Татьяна"
RU_LAST = "Иванов Петрова Сидоров Кузнецова Попов Васильева Соколов Михайлова Новиков"
JP_LAST = "佐藤 鈴木 高橋 田中 伊藤 渡辺 山本 中村 小林"
JP_FIRST = "陽菜 蓮 結衣 大翔 さくら 健太 美咲 翔"


def poliklinik() -> Made:
    draw = Draw(380, 201)
    columns = {
        "TC Kimlik No": draw.numbers(10_000_000_000, 99_999_999_999),
        "Hasta Adı Soyadı": draw.joined(" ", draw.words(TR_FIRST), draw.words(TR_LAST)),
        "Doğum Tarihi": draw.dates("%d.%m.%Y"),
        "Cinsiyet": draw.of("Kadın", "Erkek"),
        "İlçe": draw.of("Kadıköy", "Üsküdar", "Beşiktaş", "Şişli", "Fatih"),
        "Poliklinik": draw.of("Dahiliye", "Kardiyoloji", "Göz", "Ortopedi"),
        "Tanı Kodu": draw.of("I10", "E11.9", "J45.0", "M54.5", "K29.7", "H52.1"),
        "Doktor": draw.joined(" ", draw.of("Dr.", "Uzm. Dr."), draw.words(TR_FIRST), draw.words(TR_LAST)),
        "Ücret": [f"{each.replace('.', ',')} TL" for each in draw.skewed(900, 2)],
        "Cep": draw.joined(" ", draw.of("0532", "0505", "0541"), draw.numbers(100, 999), draw.numbers(1000, 9999)),
        "Kan Grubu": draw.of("A Rh+", "0 Rh+", "B Rh-", "AB Rh+"),
        "Şikayet": draw.sentences("hasta üç gündür baş ağrısı ve ateş ile geldi ilaç kullanmıyor bir şey yok"),
    }
    never = ("TC Kimlik No", "Hasta Adı Soyadı", "Doktor", "Cep", "Şikayet")
    return Made("records", columns, {
        **dict.fromkeys(never, "identifier"),
        **dict.fromkeys(("Doğum Tarihi", "Cinsiyet", "İlçe"), "quasi"), "Tanı Kodu": "sensitive",
        "Poliklinik": "quasi|sensitive", "Ücret": "sensitive|quasi|identifier",
        "Kan Grubu": "quasi|sensitive"})  # fmt: skip


def kadry() -> Made:
    """Staff, all in Cyrillic letters."""
    draw = Draw(290, 202)
    columns = {
        "Табельный номер": draw.counting("{:05d}", 1204, 3),
        "ФИО": draw.joined(" ", draw.words(RU_LAST), draw.words(RU_FIRST)),
        "Дата рождения": draw.dates("%d.%m.%Y"),
        "Пол": draw.of("м", "ж"),
        "Отдел": draw.of("бухгалтерия", "склад", "продажи", "кадры"),
        "Оклад": [each.replace(".", ",") for each in draw.skewed(60_000, 2)],
        "ИНН": draw.numbers(100_000_000_000, 999_999_999_999),
        "Город": draw.of("Москва", "Казань", "Пермь", "Тула", "Омск"),
        "Примечание": draw.sentences("работает с понедельника на складе и просит перевод в другой отдел без доплаты"),
    }
    return Made("records", columns, {
        **dict.fromkeys(("Табельный номер", "ФИО", "ИНН", "Примечание"), "identifier"),
        **dict.fromkeys(("Дата рождения", "Пол"), "quasi"), "Отдел": "quasi",
        "Оклад": "sensitive|quasi", "Город": "quasi|identifier"})  # fmt: skip


def passengers() -> Made:
    draw = Draw(520, 203)
    columns = {
        "RECLOC": ["".join(draw.rng.choice(list("ABCDEFGHJKLMNPQRSTUVWXYZ23456789"), 6)) for _ in range(draw.rows)],
        "PAX": [f"{last}/{first} {title}".upper() for last, first, title in
                zip(draw.words(US_LAST), draw.words(US_FIRST), draw.of("MR", "MRS", "MSTR"), strict=True)],
        "DOCS": draw.joined("/", draw.of("P"), draw.of("USA", "DEU", "IND"), draw.numbers(100_000_000, 999_999_999)),
        "FQTV": draw.joined("", draw.of("LH", "UA", "AI"), draw.numbers(100_000_000, 999_999_999)),
        "FLT": draw.of("LH400", "UA961", "AI127", "LH454"),
        "DEP": draw.dates("%d%b%y", "2024-01-01", 60),
        "SEAT": draw.joined("", draw.numbers(1, 48), draw.of(*"ABCDHK")),
        "CLS": draw.of("Y", "J", "F"),
        "FARE": draw.skewed(800, 2),
        "MEAL": draw.of("", "VGML", "KSML", "MOML", "DBML"),
        "BAGS": draw.of(0, 1, 2),
        "AGENT": draw.of("FRA1A-22", "NYC1S-07", "DEL2B-11"),
    }  # fmt: skip
    return Made("records", columns, {
        **roles_of(identifier="RECLOC PAX DOCS FQTV", quasi="FLT CLS BAGS", quasi_or_identifier="DEP SEAT AGENT"),
        **roles_of(quasi_or_sensitive="FARE MEAL")})  # fmt: skip


def lyceens() -> Made:
    """A class in France is asked."""
    draw = Draw(240, 204)
    columns = {
        "Horodateur": draw.joined(" ", draw.dates("%d/%m/%Y", "2024-02-01", 12), draw.of("10:02:11", "16:44:09")),
        "Ton prénom": draw.words(FR_FIRST),
        "Ta classe": draw.of("2nde 4", "1ère 2", "Tle 1"),
        "Tu as quel âge ?": draw.of("15", "16", "17 ans", "16 ans", "18"),
        "Heures d'écran par jour": [each.replace(".", ",") for each in draw.of("1.5", "2.0", "4.5", "6.0", "3.0")],
        "Fumes-tu ?": draw.of("Oui", "Non", "Parfois"),
        "Ton pseudo Insta": [f"{stem}_{number}" for stem, number in
                             zip(draw.words("lila theo.x ines_off maxx lou"), draw.numbers(1, 99), strict=True)],
        "Qu'est-ce qui ne va pas au lycée ?": draw.of(
            "rien", "les toilettes", "M. Garnier crie trop", "la cantine", "trop de devoirs", "Kevin me harcèle"),
    }  # fmt: skip
    return Made("records", columns, {
        "Horodateur": "quasi|identifier", "Ton prénom": "identifier", "Ta classe": "quasi",
        "Tu as quel âge ?": "quasi", "Heures d'écran par jour": "quasi", "Fumes-tu ?": "quasi|sensitive",
        "Ton pseudo Insta": "identifier", "Qu'est-ce qui ne va pas au lycée ?": "identifier"})  # fmt: skip


def incidents() -> Made:
    draw = Draw(610, 205)
    columns = {
        "INCIDENT_NBR": draw.counting("24-{:06d}", 1180, 2),
        "REPORTED": draw.dates("%m/%d/%Y %H:%M", "2024-01-01", 180),
        "XY": draw.joined(", ", draw.numbers(40.5, 40.9, 6), draw.numbers(-74.2, -73.7, 6)),
        "CROSSING": draw.joined(
            " & ", draw.of("MAIN ST", "3RD AVE", "OAK ST"), draw.of("ELM ST", "1ST AVE", "PARK BLVD")
        ),
        "PRECINCT": draw.of("01", "05", "19", "33"),
        "OFFENSE": draw.of("BURGLARY", "ASSAULT", "DWI", "LARCENY", "FRAUD"),
        "SUSP_DESC": draw.of("M/W 6FT BLK HOODIE", "F/H 20S TATTOO NECK", "UNK", "M/B 30S LIMP", "M/W BEARD"),
        "OFFICER": draw.joined(". ", draw.of(*"JMKRT"), draw.words("OKEEFE RUSSO DELGADO CHANG BRANDT")),
        "TAG": draw.joined("", draw.of("KXR", "JHL", "BGT"), draw.of("-"), draw.numbers(1000, 9999)),
        "VICT_AGE": draw.numbers(1, 95),
        "ARREST": draw.of("Y", "N"),
    }
    return Made("records", columns, {
        **roles_of(identifier="INCIDENT_NBR XY CROSSING OFFICER TAG", quasi_or_identifier="REPORTED SUSP_DESC"),
        **roles_of(quasi="PRECINCT VICT_AGE", sensitive="OFFENSE", sensitive_or_quasi="ARREST")})  # fmt: skip


def steps() -> Made:
    """A row a person and day, people by hashes."""
    draw = Draw(1200, 206)
    names = ["".join(draw.rng.choice(list("0123456789abcdef"), 12)) for _ in range(60)]
    columns = {
        "u": [names[row // 20] for row in range(draw.rows)],
        "d": draw.dates("%Y-%m-%d", "2024-01-01", 90),
        "steps": draw.skewed(7000),
        "rhr": draw.numbers(45, 90),
        "sleep_min": draw.numbers(240, 600),
        "w_kg": draw.numbers(48, 120, 1),
        "mood": draw.of("🙂", "😐", "🙁"),
        "dev": draw.of("Charge 5", "Watch 9", "Band 7"),
        "sn": draw.of(*(f"8C{n:05d}K" for n in range(120, 180))),
    }
    return Made("records", columns, {
        **roles_of(identifier_or_person="u", identifier="sn", quasi="d dev"),
        **roles_of(sensitive_or_quasi="steps rhr sleep_min w_kg"),
        "mood": "sensitive|quasi|identifier"})  # fmt: skip


def mooc() -> Made:
    draw = Draw(430, 207)
    logins = [f"{first[0]}{last}{number}".lower() for first, last, number in
              zip(draw.words(US_FIRST), draw.words(US_LAST), draw.numbers(1, 99), strict=True)]  # fmt: skip
    columns = {
        "gh": logins,
        "repo": [f"https://git.example/{login}/hw1" for login in logins],
        "mail_domain": draw.of("gmail.com", "uni-bonn.de", "outlook.com", "proton.me"),
        "tz": draw.of("Europe/Berlin", "America/Chicago", "Asia/Kolkata", "Africa/Lagos"),
        "enrolled": draw.dates("%b %d, %Y", "2023-09-01", 90),
        "quiz1": draw.numbers(0, 101),
        "quiz2": draw.numbers(0, 101),
        "final": [f"{each}%" for each in draw.numbers(20, 101)],
        "team": draw.of("red pandas", "null pointers", "404", "sudo", "tensor titans"),
        "peer": draw.words("ana_k bo.l cyrus deepak92 e-rose finn fatima_z g0ran"),
        "dropout": draw.of(0, 1),
        "why": draw.of("", "", "job", "my daughter was born", "too hard", "visa problems", "sick since march"),
    }
    return Made("records", columns, {
        **roles_of(identifier="gh repo peer why", quasi="tz enrolled", quasi_or_sensitive="dropout"),
        **roles_of(quasi_or_identifier="mail_domain team"),
        **roles_of(sensitive_or_quasi="quiz1 quiz2 final")})  # fmt: skip


def cards() -> Made:
    draw = Draw(760, 208)
    columns = {
        "pan": draw.joined(" ", draw.of("4111 11** ****", "5500 00** ****"), draw.numbers(1000, 9999)),
        "exp": draw.dates("%m/%y", "2025-01-01", 1200),
        "holder": [f"{a} {b}".upper() for a, b in zip(draw.words(US_FIRST), draw.words(US_LAST), strict=True)],
        "auth": draw.numbers(100_000, 999_999),
        "mcc": draw.of("5411", "5812", "4111", "5541", "7995", "8062"),
        "merchant": draw.of("REWE SAGT DANKE 4711", "AMZN Mktp DE*2K4", "SPOTIFY", "SHELL 0815", "CASINO BADEN"),
        "amt": [f"-{each}" for each in draw.skewed(30, 2)],
        "ccy": draw.of("EUR", "EUR", "CHF"),
        "ts": draw.joined("T", draw.dates("%Y-%m-%d", "2024-05-01", 31), draw.of("08:15:00Z", "19:40:12Z")),
        "fraud": draw.of("0", "1", odds=(0.97, 0.03)),
    }
    return Made("records", columns, {
        **roles_of(identifier="pan holder auth", identifier_or_quasi="exp merchant ts", quasi="ccy"),
        **roles_of(quasi_or_sensitive="mcc fraud amt")})  # fmt: skip


def kenshin() -> Made:
    """A check-up in Japan."""
    draw = Draw(330, 209)
    columns = {
        "受診者番号": draw.counting("A{:06d}", 411, 5),
        "氏名": draw.joined(" ", draw.words(JP_LAST), draw.words(JP_FIRST)),
        "性別": draw.of("男", "女"),
        "年齢": draw.numbers(20, 75),
        "都道府県": draw.of("東京都", "大阪府", "北海道", "福岡県"),
        "身長": draw.numbers(148, 188, 1),
        "体重": draw.numbers(42, 98, 1),
        "血糖値": draw.numbers(75, 180),
        "喫煙": draw.of("はい", "いいえ"),
        "受診日": draw.dates("%Y/%m/%d", "2023-04-01", 300),
        "備考": draw.of("", "", "再検査を希望します", "会社に連絡しないでください"),
    }
    return Made("records", columns, {
        **dict.fromkeys(("受診者番号", "氏名", "備考"), "identifier"),
        **dict.fromkeys(("性別", "年齢", "受診日"), "quasi"), "都道府県": "quasi|identifier",
        **dict.fromkeys(("身長", "体重", "血糖値", "喫煙"), "quasi|sensitive")})  # fmt: skip


SECOND: dict[str, Callable[[], Made]] = {
    made.__name__: made for made in (poliklinik, kadry, passengers, lyceens, incidents, steps, mooc, cards, kenshin)
}
