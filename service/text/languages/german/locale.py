"""German words for figures, signs and addresses."""

from __future__ import annotations

from service.text.languages.german.abbreviations import ABBREVIATIONS, BEFORE_NUMBER, TITLES
from service.text.normalization.addresses import AddressWords
from service.text.normalization.emoji import PictureWords
from service.text.normalization.locale import (
    Agreement,
    Currency,
    Locale,
    Magnitude,
    Noun,
    RomanStyle,
    table,
    words,
)

_F = Agreement.FEMININE
_M = Agreement.MASCULINE

_CENT = Noun("Cent", "Cent")
_RAPPEN = Noun("Rappen", "Rappen")
_ORE = Noun("Öre", "Öre")
_EURO = Currency(Noun("Euro", "Euro"), _CENT)
_DOLLAR = Currency(Noun("Dollar", "Dollar"), _CENT)
_POUND = Currency(Noun("Pfund", "Pfund"), Noun("Penny", "Pence"))
_YEN = Currency(Noun("Yen", "Yen"), Noun("Sen", "Sen"))
_YUAN = Currency(Noun("Yuan", "Yuan"), Noun("Fen", "Fen"))
_RUPEE = Currency(Noun("Rupie", "Rupien", _F), Noun("Paisa", "Paisa"))
_REAL = Currency(Noun("Real", "Real"), Noun("Centavo", "Centavos"))
_FRANC = Currency(Noun("Franken", "Franken"), _RAPPEN)
_ROUBLE = Currency(Noun("Rubel", "Rubel"), Noun("Kopeke", "Kopeken", _F))
_LIRA = Currency(Noun("Lira", "Lira", _F), Noun("Kuruş", "Kuruş"))
_ZLOTY = Currency(Noun("Złoty", "Złoty"), Noun("Grosz", "Grosz"))
_WON = Currency(Noun("Won", "Won"), Noun("Jeon", "Jeon"))
_MARK = Currency(Noun("Mark", "Mark", _F), Noun("Pfennig", "Pfennig"))

_THOUSAND = Magnitude("tausend", "tausend", factor=1000)
_MILLION = Magnitude("Million", "Millionen")
_MILLIARD = Magnitude("Milliarde", "Milliarden")
_BILLION = Magnitude("Billion", "Billionen")

_HOUR = Noun("Stunde", "Stunden", _F)
_MINUTE = Noun("Minute", "Minuten", _F)
_SECOND = Noun("Sekunde", "Sekunden", _F)
_DAY = Noun("Tag", "Tage")


def _same(name: str, agreement: Agreement = _M) -> Noun:
    """Return a noun whose plural after a figure is its singular."""
    return Noun(name, name, agreement)


LOCALE = Locale(
    converter="de",
    corrections=((r"^ein(?=hundert|tausend)", ""),),
    agreements={_M: ((r"^eins$", "ein"),), _F: ((r"^eins$", "eine"),)},
    year_hundred="{hundreds}hundert{rest}",
    ordinal_suffixes={},
    group_marks=" .'’",
    points={",": "Komma", ".": "Punkt"},
    decimals_as_number=0,
    letters=tuple("ABCDEFGHIJKLMNOPQRSTUVWXYZ"),
    signs={
        "-": "minus",
        "+": "plus",
        "±": "plus minus",
        "≈": "ungefähr",
        "~": "ungefähr",
        "<": "kleiner als",
        ">": "größer als",
        "≤": "kleiner oder gleich",
        "≥": "größer oder gleich",
    },
    operators={
        "+": "plus",
        "-": "minus",
        "x": "mal",
        "×": "mal",
        "*": "mal",
        "·": "mal",
        "÷": "geteilt durch",
        "/": "geteilt durch",
        "=": "gleich",
        "≠": "ungleich",
        "≈": "ungefähr gleich",
        "<": "kleiner als",
        ">": "größer als",
        "≤": "kleiner oder gleich",
        "≥": "größer oder gleich",
        "±": "plus minus",
        "^": "hoch",
    },
    stars="Sterne",
    powers={"²": "Quadrat", "³": "hoch drei"},
    greek=(
        "Alpha Beta Gamma Delta Epsilon Zeta Eta Theta Iota Kappa Lambda My Ny Xi "
        "Omikron Pi Rho Sigma Tau Ypsilon Phi Chi Psi Omega"
    ),
    formula_phrases=table(
        "root: Wurzel aus {x}; cube root: dritte Wurzel aus {x}"
        "; nth root: Wurzel vom Grad {n} aus {x}; absolute: Betrag von {x}"
        "; choose: {n} über {k}; from: {name} von {low} bis {high} über"
        "; set: {name} über {low} von; all: {name} über; limit: Limes für {x} von; tends: gegen"
        "; of: von; applied: von; vec: Vektor {x}; bar: {x} quer; hat: {x} Dach; dot: {x} Punkt"
        "; tilde: {x} Tilde"
    ),
    formula_signs=table(
        "∪: vereinigt mit; ∩: geschnitten mit; ⊂: Teilmenge von; ∉: nicht Element von"
        "; ∝: proportional zu; ≡: identisch; ⊥: senkrecht auf; ∥: parallel zu"
    ),
    formula_names=table(
        "sin: Sinus; cos: Kosinus; tan: Tangens; cot: Kotangens; log: Logarithmus"
        "; ln: natürlicher Logarithmus; exp: Exponentialfunktion; max: Maximum; min: Minimum"
        "; lim: Limes; ∂: d; ∇: Nabla; ∠: Winkel; △: Dreieck; !: Fakultät; ′: Strich; ∑: Summe"
        "; ∫: Integral; ∏: Produkt; ∬: Doppelintegral; ⋃: Vereinigung; ⋂: Schnitt"
    ),
    unit_per="pro",
    per="pro",
    range_word="bis",
    version_word="Version",
    denominators={
        2: Noun("halb", "halbe"),
        **{
            value: _same(name)
            for value, name in (
                *((3, "Drittel"), (4, "Viertel"), (5, "Fünftel"), (6, "Sechstel")),
                *((7, "Siebtel"), (8, "Achtel"), (9, "Neuntel"), (10, "Zehntel")),
                *((11, "Elftel"), (12, "Zwölftel"), (16, "Sechzehntel"), (20, "Zwanzigstel")),
                *((100, "Hundertstel"), (1000, "Tausendstel")),
            )
        },
    },
    over="{top} durch {bottom}",
    fractions={"1/2": "ein halb"},
    mixed="{whole} {part}",
    halves={1: "eineinhalb"},
    and_a_half="{whole}einhalb",
    percent={"%": "Prozent", "‰": "Promille"},
    units={
        "bpm": Noun("Schlag pro Minute", "Schläge pro Minute"),
        "rpm": Noun("Umdrehung pro Minute", "Umdrehungen pro Minute", _F),
        "ft": Noun("Fuß", "Fuß"),
        "m": _same("Meter"),
        "m²": _same("Quadratmeter"),
        "qm": _same("Quadratmeter"),
        "m³": _same("Kubikmeter"),
        "cbm": _same("Kubikmeter"),
        "km": _same("Kilometer"),
        "km²": _same("Quadratkilometer"),
        "qkm": _same("Quadratkilometer"),
        "cm": _same("Zentimeter"),
        "cm²": _same("Quadratzentimeter"),
        "mm²": _same("Quadratmillimeter"),
        "cm³": _same("Kubikzentimeter"),
        "ccm": _same("Kubikzentimeter"),
        "dm": _same("Dezimeter"),
        "mm": _same("Millimeter"),
        "μm": _same("Mikrometer"),
        "nm": _same("Nanometer"),
        "ha": _same("Hektar"),
        "km/h": Noun("Kilometer pro Stunde", "Kilometer pro Stunde"),
        "m/s": Noun("Meter pro Sekunde", "Meter pro Sekunde"),
        "m/s²": Noun("Meter pro Sekunde zum Quadrat", "Meter pro Sekunde zum Quadrat"),
        "kg": _same("Kilogramm"),
        "g": _same("Gramm"),
        "mg": _same("Milligramm"),
        "μg": _same("Mikrogramm"),
        "t": Noun("Tonne", "Tonnen", _F),
        "Ztr.": _same("Zentner"),
        "Pfd.": _same("Pfund"),
        "l": _same("Liter"),
        "ml": _same("Milliliter"),
        "cl": _same("Zentiliter"),
        "dl": _same("Deziliter"),
        "hl": _same("Hektoliter"),
        "h": _HOUR,
        "Std.": _HOUR,
        "std": _HOUR,
        "stdn": _HOUR,
        "Std": _HOUR,
        "Stdn.": _HOUR,
        "min": _MINUTE,
        "Min.": _MINUTE,
        "Min": _MINUTE,
        "s": _SECOND,
        "Sek.": _SECOND,
        "Sek": _SECOND,
        "ms": Noun("Millisekunde", "Millisekunden", _F),
        "KB": _same("Kilobyte"),
        "MB": _same("Megabyte"),
        "GB": _same("Gigabyte"),
        "TB": _same("Terabyte"),
        "kbps": Noun("Kilobit pro Sekunde", "Kilobit pro Sekunde"),
        "Mbps": Noun("Megabit pro Sekunde", "Megabit pro Sekunde"),
        "MB/s": Noun("Megabyte pro Sekunde", "Megabyte pro Sekunde"),
        "Mbit/s": Noun("Megabit pro Sekunde", "Megabit pro Sekunde"),
        "Gbit/s": Noun("Gigabit pro Sekunde", "Gigabit pro Sekunde"),
        "Gbps": Noun("Gigabit pro Sekunde", "Gigabit pro Sekunde"),
        "Hz": _same("Hertz"),
        "kHz": _same("Kilohertz"),
        "MHz": _same("Megahertz"),
        "GHz": _same("Gigahertz"),
        "W": _same("Watt"),
        "kW": _same("Kilowatt"),
        "MW": _same("Megawatt"),
        "GW": _same("Gigawatt"),
        "Wh": Noun("Wattstunde", "Wattstunden", _F),
        "kWh": Noun("Kilowattstunde", "Kilowattstunden", _F),
        "MWh": Noun("Megawattstunde", "Megawattstunden", _F),
        "V": _same("Volt"),
        "atm": Noun("Atmosphäre", "Atmosphären", _F),
        "A": _same("Ampere"),
        "mA": _same("Milliampere"),
        "mAh": Noun("Milliamperestunde", "Milliamperestunden", _F),
        "Ah": Noun("Amperestunde", "Amperestunden", _F),
        "Ω": _same("Ohm"),
        "PS": Noun("P S", "P S"),
        "Nm": _same("Newtonmeter"),
        "N": _same("Newton"),
        "J": _same("Joule"),
        "kJ": _same("Kilojoule"),
        "kcal": Noun("Kilokalorie", "Kilokalorien", _F),
        "cal": Noun("Kalorie", "Kalorien", _F),
        "dB": _same("Dezibel"),
        "bar": _same("Bar"),
        "hPa": _same("Hektopascal"),
        "kPa": _same("Kilopascal"),
        "Pa": _same("Pascal"),
        "mmHg": Noun("Millimeter Quecksilbersäule", "Millimeter Quecksilbersäule"),
        "mg/dl": Noun("Milligramm pro Deziliter", "Milligramm pro Deziliter"),
        "mmol/l": Noun("Millimol pro Liter", "Millimol pro Liter"),
        "mg/kg": Noun("Milligramm pro Kilogramm", "Milligramm pro Kilogramm"),
        "mg/l": Noun("Milligramm pro Liter", "Milligramm pro Liter"),
        "g/dl": Noun("Gramm pro Deziliter", "Gramm pro Deziliter"),
        "mol/l": Noun("Mol pro Liter", "Mol pro Liter"),
        "l/min": Noun("Liter pro Minute", "Liter pro Minute"),
        "g/l": Noun("Gramm pro Liter", "Gramm pro Liter"),
        "kg/m³": Noun("Kilogramm pro Kubikmeter", "Kilogramm pro Kubikmeter"),
        "g/km": Noun("Gramm pro Kilometer", "Gramm pro Kilometer"),
        "l/100 km": Noun("Liter auf hundert Kilometer", "Liter auf hundert Kilometer"),
        "U/min": Noun("Umdrehung pro Minute", "Umdrehungen pro Minute", _F),
        "mph": Noun("Meile pro Stunde", "Meilen pro Stunde", _F),
        "px": _same("Pixel"),
        "MP": _same("Megapixel"),
        "dpi": _same("D P I"),
        "°C": _same("Grad Celsius"),
        "°F": _same("Grad Fahrenheit"),
        "EL": _same("Esslöffel"),
        "TL": _same("Teelöffel"),
        "Msp.": Noun("Messerspitze", "Messerspitzen", _F),
        "Pr.": Noun("Prise", "Prisen", _F),
        "Pck.": Noun("Packung", "Packungen", _F),
        "Pckg.": Noun("Packung", "Packungen", _F),
        "Pkg.": Noun("Packung", "Packungen", _F),
        "Pk.": Noun("Packung", "Packungen", _F),
        "Päck.": _same("Päckchen"),
        "Bd.": Noun("Bund", "Bund"),
        "Bch.": _same("Becher"),
        "Dos.": Noun("Dose", "Dosen", _F),
        "Fl.": Noun("Flasche", "Flaschen", _F),
        "Gl.": Noun("Glas", "Gläser"),
        "Sch.": Noun("Scheibe", "Scheiben", _F),
        "Schb.": Noun("Scheibe", "Scheiben", _F),
        "Stk.": _same("Stück"),
        "Stck.": _same("Stück"),
        "St.": _same("Stück"),
        "Tr.": _same("Tropfen"),
        "Tbl.": Noun("Tablette", "Tabletten", _F),
        "Tabl.": Noun("Tablette", "Tabletten", _F),
        "Amp.": Noun("Ampulle", "Ampullen", _F),
        "Pers.": Noun("Person", "Personen", _F),
        "Port.": Noun("Portion", "Portionen", _F),
        "Einw.": _same("Einwohner"),
        "Ew.": _same("Einwohner"),
        "Erw.": Noun("Erwachsener", "Erwachsene"),
        "Mio. t": Noun("Million Tonnen", "Millionen Tonnen", _F),
        "Wo.": Noun("Woche", "Wochen", _F),
        "Mon.": Noun("Monat", "Monate"),
        "J.": Noun("Jahr", "Jahre"),
        "Tg.": _DAY,
        "Zi.": _same("Zimmer"),
        "Zi": _same("Zimmer"),
    },
    degree=_same("Grad"),
    currencies={
        "€": _EURO,
        "EUR": _EURO,
        "Euro": _EURO,
        "$": _DOLLAR,
        "US$": Currency(_same("US-Dollar"), _CENT),
        "USD": Currency(_same("US-Dollar"), _CENT),
        "£": _POUND,
        "GBP": _POUND,
        "¥": _YEN,
        "JPY": _YEN,
        "CNY": _YUAN,
        "₹": _RUPEE,
        "INR": _RUPEE,
        "R$": _REAL,
        "BRL": _REAL,
        "CHF": _FRANC,
        "Fr.": _FRANC,
        "SFr.": _FRANC,
        "sFr.": _FRANC,
        "₽": _ROUBLE,
        "RUB": _ROUBLE,
        "₺": _LIRA,
        "TRY": _LIRA,
        "zł": _ZLOTY,
        "PLN": _ZLOTY,
        "₩": _WON,
        "KRW": _WON,
        "DM": _MARK,
        "D-Mark": _MARK,
        "SEK": Currency(Noun("schwedische Krone", "schwedische Kronen", _F), _ORE),
        "NOK": Currency(Noun("norwegische Krone", "norwegische Kronen", _F), _ORE),
        "DKK": Currency(Noun("dänische Krone", "dänische Kronen", _F), _ORE),
        "CZK": Currency(Noun("tschechische Krone", "tschechische Kronen", _F), _same("Heller")),
        "HUF": Currency(_same("Forint"), _same("Filler")),
        "ct": Currency(_CENT, _CENT),
        "Ct": Currency(_CENT, _CENT),
        "Ct.": Currency(_CENT, _CENT),
        "Cent": Currency(_CENT, _CENT),
        "¢": Currency(_CENT, _CENT),
        "Rp.": Currency(_RAPPEN, _RAPPEN),
    },
    money="{main} {cents}",
    magnitudes={
        "Tsd.": _THOUSAND,
        "Tsd": _THOUSAND,
        "k": _THOUSAND,
        "K": _THOUSAND,
        "Mio.": _MILLION,
        "Mio": _MILLION,
        "Mill.": _MILLION,
        "Million": _MILLION,
        "Millionen": _MILLION,
        "Mrd.": _MILLIARD,
        "Mrd": _MILLIARD,
        "Milliarde": _MILLIARD,
        "Milliarden": _MILLIARD,
        "Bio.": _BILLION,
        "Billion": _BILLION,
        "Billionen": _BILLION,
    },
    months=words(
        "Januar Februar März April Mai Juni Juli August September Oktober November Dezember"
    ),
    month_abbreviations=(
        ("jan", "jän"),
        ("feb", "febr"),
        ("mrz", "mär"),
        ("apr",),
        (),
        ("jun",),
        ("jul",),
        ("aug",),
        ("sept", "sep"),
        ("okt",),
        ("nov",),
        ("dez",),
    ),
    weekday_abbreviations={
        "mo": "Montag",
        "di": "Dienstag",
        "mi": "Mittwoch",
        "do": "Donnerstag",
        "fr": "Freitag",
        "sa": "Samstag",
        "so": "Sonntag",
    },
    ambiguous_weekdays=frozenset(words("mo di mi do fr sa so")),
    weekday_links=words("bis und oder u."),
    date="{day} {month} {year}",
    hour=Noun("Uhr", "Uhr"),
    minute=_MINUTE,
    second=_SECOND,
    clock="{hour} {noun} {minute}",
    clock_few="{hour} {noun} {minute}",
    clock_whole="{hour} {noun}",
    clock_words={"Uhr": "", "h": ""},
    clock_before=words("um gegen ab bis Um Ab"),
    forenoon="vormittags",
    afternoon=((5, "nachmittags"), (11, "abends")),
    telephone=r"0[1-9][0-9]{1,4}[ /-]{1,3}[0-9]{2,8}(?:[ -][0-9]{1,6}){0,4}"
    r"|0[1-9][0-9]{8,11}|\(0[0-9]{2,5}\)[ ]?[0-9]{3,8}(?:[ -][0-9]{1,6}){0,4}",
    telephone_group=3,
    plus="plus",
    titles=TITLES,
    before_number=BEFORE_NUMBER,
    abbreviations=ABBREVIATIONS,
    ampersand="und",
    centuries={},
    divisions=dict.fromkeys(
        words(
            "kapitel band teil buch akt szene stufe phase typ klasse artikel abschnitt anlage"
            " anhang titel tafel gruppe weltkrieg grad liga nummer lektion stadium"
        ),
        RomanStyle.CARDINAL,
    ),
    foot=Noun("Fuß", "Fuß"),
    inch=_same("Zoll"),
    by="mal",
    episode="Staffel {season}, Folge {episode}",
    codes=words(
        "PIN TAN OTP CVV PLZ Code Passwort Kennwort Postleitzahl Kundennummer Bestellnummer"
        " Rechnungsnummer Auftragsnummer Sendungsnummer Kontonummer Vertragsnummer"
        " Aktenzeichen Durchwahl Zimmernummer Bankleitzahl BLZ"
    ),
    code_links=words("ist lautet war"),
    flights=words("Flug"),
    characters={"ä": "Ä", "ö": "Ö", "ü": "Ü", "ß": "Eszett"},
)

ADDRESSES = AddressWords(
    signs=(
        "Punkt; Schrägstrich; at; Doppelpunkt; Fragezeichen; gleich; und; Raute; minus"
        "; Unterstrich; Prozent; plus; Tilde; Backslash; Komma; Semikolon; Ausrufezeichen; Dollar"
        "; Stern; Klammer auf; Klammer zu; eckige Klammer auf; eckige Klammer zu; Apostroph"
        "; senkrechter Strich"
    ),
    hashtag="Hashtag",
    words_too="am an in so es da du er im um zu mit do at be is no to",
    spells_countries=True,
)

PICTURES = PictureWords(
    symbols=(
        "→ nach; ↑ aufwärts; ↓ abwärts; © Copyright; § Paragraf; §§ Paragrafen; ¶ Absatz"
        "; ¶¶ Absätze; × mal; ÷ geteilt durch; ± plus minus; ≠ ist ungleich; ≈ ungefähr"
        "; ≤ kleiner oder gleich; ≥ größer oder gleich; ∞ unendlich; √ Wurzel aus; ∑ Summe von"
        "; ∫ Integral von; ∬ Doppelintegral von; ∭ Dreifachintegral von; ⨌ Vierfachintegral von"
        "; ∈ ist Element von; ∅ leere Menge; ∀ für alle; ∃ es gibt; ∴ also; ∵ weil"
        "; ⇒ daraus folgt; ⇔ genau dann, wenn; № Nummer; ♯ Kreuz; ♭ B"
    ),
    stars=("{n} von {total} Sternen", "{n} Sterne", "Sterne", "Sterne"),
    names_in="de",
)
