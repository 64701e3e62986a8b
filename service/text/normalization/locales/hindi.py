"""Hindi."""

from __future__ import annotations

from service.text.normalization.locales.locale import (
    Agreement,
    Currency,
    Locale,
    Magnitude,
    Noun,
    Suffix,
    words,
)

_F = Agreement.FEMININE
_M = Agreement.MASCULINE


def _same(word: str) -> Noun:
    """Return a noun whose plural is the same word."""
    return Noun(word, word)


_PAISA = Noun("पैसा", "पैसे")
_CENT = _same("सेंट")
_RUPEE = Currency(Noun("रुपया", "रुपये"), _PAISA)
_DOLLAR = Currency(_same("डॉलर"), _CENT)
_EURO = Currency(_same("यूरो"), _CENT)
_POUND = Currency(_same("पाउंड"), _same("पेंस"))
_YEN = Currency(_same("येन"), _same("सेन"))
_REAL = Currency(_same("रियाल"), _same("सेंटावो"))

_HOUR = Noun("घंटा", "घंटे")
_MINUTE = _same("मिनट")
_SECOND = _same("सेकंड")


def _large(word: str) -> Magnitude:
    return Magnitude(word, word, linked=False)


_HAZAR = Magnitude("हज़ार", "हज़ार", factor=1000, linked=False)
_LAKH = _large("लाख")
_CRORE = _large("करोड़")

LOCALE = Locale(
    small_cardinals=words(
        """
        शून्य एक दो तीन चार पाँच छह सात आठ नौ
        दस ग्यारह बारह तेरह चौदह पंद्रह सोलह सत्रह अठारह उन्नीस
        बीस इक्कीस बाईस तेईस चौबीस पच्चीस छब्बीस सत्ताईस अट्ठाईस उनतीस
        तीस इकतीस बत्तीस तैंतीस चौंतीस पैंतीस छत्तीस सैंतीस अड़तीस उनतालीस
        चालीस इकतालीस बयालीस तैंतालीस चौवालीस पैंतालीस छियालीस सैंतालीस अड़तालीस उनचास
        पचास इक्यावन बावन तिरपन चौवन पचपन छप्पन सत्तावन अट्ठावन उनसठ
        साठ इकसठ बासठ तिरसठ चौंसठ पैंसठ छियासठ सड़सठ अड़सठ उनहत्तर
        सत्तर इकहत्तर बहत्तर तिहत्तर चौहत्तर पचहत्तर छिहत्तर सतहत्तर अठहत्तर उन्यासी
        अस्सी इक्यासी बयासी तिरासी चौरासी पचासी छियासी सत्तासी अट्ठासी नवासी
        नब्बे इक्यानवे बानवे तिरानवे चौरानवे पचानवे छियानवे सत्तानवे अट्ठानवे निन्यानवे
        """
    ),
    scale=(
        (10**11, "खरब"),
        (10**9, "अरब"),
        (10**7, "करोड़"),
        (10**5, "लाख"),
        (10**3, "हज़ार"),
        (10**2, "सौ"),
    ),
    year_hundred="सौ",
    ordinals={1: "पहला", 2: "दूसरा", 3: "तीसरा", 4: "चौथा", 6: "छठा"},
    feminine_ordinal=(("ा$", "ी"), ("वाँ$", "वीं")),
    short_ordinal=(("ा$", "े"), ("वाँ$", "वें")),
    ordinal_endings=(("$", "वाँ"),),
    foot=Noun("फ़ुट", "फ़ुट"),
    inch=Noun("इंच", "इंच"),
    ordinal_suffixes={
        **dict.fromkeys(("st", "nd", "rd", "th"), Suffix(_M)),
        "वाँ": Suffix(_M, apart=True),
        "वां": Suffix(_M, apart=True),
        "वा": Suffix(_M),
        "वीं": Suffix(_F, apart=True),
        "वी": Suffix(_F),
        "वें": Suffix(_M, short=True, apart=True),
        "वे": Suffix(_M, short=True),
        "ला": Suffix(_M),
        "ली": Suffix(_F),
        "ले": Suffix(_M, short=True),
        "रा": Suffix(_M),
        "री": Suffix(_F),
        "रे": Suffix(_M, short=True),
        "था": Suffix(_M),
        "थी": Suffix(_F),
        "थे": Suffix(_M, short=True),
        "ठा": Suffix(_M),
        "ठी": Suffix(_F),
        "ठे": Suffix(_M, short=True),
    },
    group_marks=",",
    decimal_mark=".",
    indian_grouping=True,
    points={".": "दशमलव", ",": "दशमलव"},
    decimals_as_number=0,
    letters=words("ए बी सी डी ई एफ़ जी एच आई जे के एल एम एन ओ पी क्यू आर एस टी यू वी डब्ल्यू एक्स वाई ज़ेड"),
    signs={
        "-": "माइनस",
        "+": "प्लस",
        "±": "प्लस या माइनस",
        "≈": "लगभग",
        "~": "लगभग",
        "<": "से कम",
        ">": "से अधिक",
        "≤": "अधिकतम",
        "≥": "न्यूनतम",
    },
    operators={
        "+": "जमा",
        "-": "घटा",
        "x": "गुणा",
        "×": "गुणा",
        "*": "गुणा",
        "·": "गुणा",
        "÷": "भागा",
        "/": "भागा",
        "=": "बराबर",
        "≠": "बराबर नहीं",
        "≈": "लगभग बराबर",
        "<": "छोटा है",
        ">": "बड़ा है",
        "≤": "छोटा या बराबर",
        "≥": "बड़ा या बराबर",
        "±": "प्लस या माइनस",
        "^": "की घात",
    },
    powers={"²": "का वर्ग", "³": "का घन"},
    per="प्रति",
    range_word="से",
    version_word="संस्करण",
    denominators={3: _same("तिहाई"), 4: _same("चौथाई")},
    over="{top} बटा {bottom}",
    fractions={"1/2": "आधा"},
    mixed="{whole} सही {part}",
    percent={"%": "प्रतिशत", "‰": "प्रति हज़ार"},
    units={
        "m": _same("मीटर"),
        "m²": _same("वर्ग मीटर"),
        "m³": _same("घन मीटर"),
        "km": _same("किलोमीटर"),
        "km²": _same("वर्ग किलोमीटर"),
        "cm": _same("सेंटीमीटर"),
        "cm²": _same("वर्ग सेंटीमीटर"),
        "cm³": _same("घन सेंटीमीटर"),
        "mm": _same("मिलीमीटर"),
        "ha": _same("हेक्टेयर"),
        "km/h": _same("किलोमीटर प्रति घंटा"),
        "किमी/घंटा": _same("किलोमीटर प्रति घंटा"),
        "m/s": _same("मीटर प्रति सेकंड"),
        "kg": _same("किलो"),
        "g": _same("ग्राम"),
        "mg": _same("मिलीग्राम"),
        "t": _same("टन"),
        "l": _same("लीटर"),
        "ml": _same("मिलीलीटर"),
        "h": _HOUR,
        "min": _MINUTE,
        "s": _SECOND,
        "KB": _same("किलोबाइट"),
        "MB": _same("मेगाबाइट"),
        "GB": _same("गीगाबाइट"),
        "TB": _same("टेराबाइट"),
        "kbps": _same("किलोबिट प्रति सेकंड"),
        "Mbps": _same("मेगाबिट प्रति सेकंड"),
        "Gbps": _same("गीगाबिट प्रति सेकंड"),
        "Hz": _same("हर्ट्ज़"),
        "kHz": _same("किलोहर्ट्ज़"),
        "MHz": _same("मेगाहर्ट्ज़"),
        "GHz": _same("गीगाहर्ट्ज़"),
        "W": _same("वॉट"),
        "kW": _same("किलोवॉट"),
        "MW": _same("मेगावॉट"),
        "kWh": _same("किलोवॉट घंटा"),
        "V": _same("वोल्ट"),
        "mAh": _same("मिलीएम्पियर घंटा"),
        "किमी": _same("किलोमीटर"),
        "मी": _same("मीटर"),
        "मी.": _same("मीटर"),
        "सेमी": _same("सेंटीमीटर"),
        "मिमी": _same("मिलीमीटर"),
        "किग्रा": _same("किलोग्राम"),
        "ग्रा.": _same("ग्राम"),
        "जीबी": _same("जीबी"),
        "°C": _same("डिग्री सेल्सियस"),
        "°से": _same("डिग्री सेल्सियस"),
        "°F": _same("डिग्री फ़ारेनहाइट"),
    },
    degree=_same("डिग्री"),
    currencies={
        "₹": _RUPEE,
        "INR": _RUPEE,
        "Rs.": _RUPEE,
        "Rs": _RUPEE,
        "रु.": _RUPEE,
        "रु": _RUPEE,
        "रू.": _RUPEE,
        "$": _DOLLAR,
        "US$": _DOLLAR,
        "USD": _DOLLAR,
        "€": _EURO,
        "EUR": _EURO,
        "£": _POUND,
        "GBP": _POUND,
        "¥": _YEN,
        "JPY": _YEN,
        "R$": _REAL,
        "BRL": _REAL,
    },
    money="{main} {cent}",
    magnitudes={
        "हज़ार": _HAZAR,
        "हजार": _HAZAR,
        "लाख": _LAKH,
        "करोड़": _CRORE,
        "अरब": _large("अरब"),
        "खरब": _large("खरब"),
        "लाख करोड़": _large("लाख करोड़"),
        "lakh": _LAKH,
        "crore": _CRORE,
        "Cr": _CRORE,
        "cr": _CRORE,
        "k": _HAZAR,
        "K": _HAZAR,
        "M": _large("मिलियन"),
        "B": _large("बिलियन"),
        "मिलियन": _large("मिलियन"),
        "बिलियन": _large("बिलियन"),
        "million": _large("मिलियन"),
        "billion": _large("बिलियन"),
    },
    months=words("जनवरी फ़रवरी मार्च अप्रैल मई जून जुलाई अगस्त सितंबर अक्टूबर नवंबर दिसंबर"),
    month_abbreviations=(
        ("जन",),
        ("फ़र", "फर"),
        (),
        (),
        (),
        (),
        (),
        ("अग",),
        ("सित",),
        ("अक्टू",),
        ("नव", "नवं"),
        ("दिस", "दिसं"),
    ),
    weekday_abbreviations={
        "सोम": "सोमवार",
        "मंगल": "मंगलवार",
        "बुध": "बुधवार",
        "गुरु": "गुरुवार",
        "शुक्र": "शुक्रवार",
        "शनि": "शनिवार",
        "रवि": "रविवार",
    },
    date="{day} {month} {year}",
    hour=_HOUR,
    minute=_MINUTE,
    second=_SECOND,
    clock="{hour} बजकर {minute} मिनट",
    clock_few="{hour} बजकर {minute} मिनट",
    clock_whole="{hour} बजे",
    clock_whole_noun=25,
    clock_words={"बजे": ""},
    forenoon="सुबह",
    afternoon=((3, "दोपहर"), (7, "शाम"), (11, "रात")),
    day_part="{part} {time}",
    telephone=r"[6-9][0-9]{4}[ -][0-9]{5}|[6-9][0-9]{9}|0[0-9]{2,4}[ -][0-9]{6,8}"
    r"|1800[ -][0-9]{3}[ -][0-9]{3,4}",
    telephone_group=5,
    plus="प्लस",
    titles={
        "डॉ.": "डॉक्टर",
        "डा.": "डॉक्टर",
        "प्रो.": "प्रोफ़ेसर",
        "पं.": "पंडित",
        "कु.": "कुमारी",
        "स्व.": "स्वर्गीय",
        "मो.": "मोहम्मद",
        "Dr.": "डॉक्टर",
        "Mr.": "मिस्टर",
        "Mrs.": "मिसेज़",
        "Prof.": "प्रोफ़ेसर",
    },
    before_number={
        "सं.": "संख्या",
        "नं.": "नंबर",
        "न.": "नंबर",
        "No.": "नंबर",
        "क्र.": "क्रमांक",
        "पृ.": "पृष्ठ",
        "अनु.": "अनुच्छेद",
        "दू.": "दूरभाष",
        "मो.": "मोबाइल",
        "#": "नंबर",
    },
    abbreviations={
        "कि. मी.": "किलोमीटर",
        "से. मी.": "सेंटीमीटर",
        "मि. मी.": "मिलीमीटर",
        "कि. ग्रा.": "किलोग्राम",
        "मि. ली.": "मिलीलीटर",
        "ई. पू.": "ईसा पूर्व",
        "उ. प्र.": "उत्तर प्रदेश",
        "म. प्र.": "मध्य प्रदेश",
        "लि.": "लिमिटेड",
        "प्रा.": "प्राइवेट",
        "उदा.": "उदाहरण",
    },
    ampersand="और",
)
