"""French."""

from __future__ import annotations

from service.text.languages.french.abbreviations import (
    ABBREVIATIONS,
    ACRONYMS,
    BEFORE_NUMBER,
    CHAT,
    MEANINGS,
    TITLES,
)
from service.text.normalization.addresses import AddressWords
from service.text.normalization.emoji import PictureWords
from service.text.normalization.locale import (
    Agreement,
    Currency,
    Locale,
    Magnitude,
    Noun,
    RomanStyle,
    Suffix,
    table,
    words,
)

_F = Agreement.FEMININE
_M = Agreement.MASCULINE

_CENTIME = Noun("centime", "centimes")
_CENT = Noun("cent", "cents")
_EURO = Currency(Noun("euro", "euros"), _CENTIME)
_DOLLAR = Currency(Noun("dollar", "dollars"), _CENT)
_CANADIAN = Currency(Noun("dollar canadien", "dollars canadiens"), _CENT)
_POUND = Currency(Noun("livre", "livres", _F), Noun("penny", "pence"))
_YEN = Currency(Noun("yen", "yens"), Noun("sen", "sens"))
_RUPEE = Currency(Noun("roupie", "roupies", _F), Noun("paisa", "paisas"))
_REAL = Currency(Noun("réal", "réals"), Noun("centavo", "centavos"))

_THOUSAND = Magnitude("mille", "mille", factor=1000, linked=False)
_MILLION = Magnitude("million", "millions")
_MILLIARD = Magnitude("milliard", "milliards")
_BILLION = Magnitude("billion", "billions")

_HOUR = Noun("heure", "heures", _F)
_MINUTE = Noun("minute", "minutes", _F)
_SECOND = Noun("seconde", "secondes", _F)

LOCALE = Locale(
    converter="fr",
    agreements={_F: ((r"\bun$", "une"),)},
    one_below_two=True,
    ordinals={1: "premier"},
    ordinal_endings=(
        (r"(?<=vingt|.cent)s$", ""),
        (r"cinq$", "cinqu"),
        (r"neuf$", "neuv"),
        (r"e$", ""),
        (r"$", "ième"),
    ),
    feminine_ordinal=((r"^premier$", "première"),),
    ordinal_suffixes={
        "°": Suffix(_M),
        "er": Suffix(_M),
        "ers": Suffix(_M),
        "re": Suffix(_F),
        "ère": Suffix(_F),
        "ères": Suffix(_F),
        "e": Suffix(_M),
        "es": Suffix(_M),
        "è": Suffix(_M),
        "ᵉ": Suffix(_M),
        "ème": Suffix(_M),
        "èmes": Suffix(_M),
        "eme": Suffix(_M),
        "ième": Suffix(_M),
        "nd": Suffix(_M),
        "nde": Suffix(_M),
    },
    roman_suffixes=dict.fromkeys(("e", "ᵉ", "ème", "ième"), Suffix(_M)),
    group_marks=" .",
    points={",": "virgule", ".": "point"},
    letters=words(
        "a,bé,cé,dé,e,effe,gé,hache,i,ji,ka,elle,emme,enne,o,pé,cu,erre,esse,té,u,vé,double vé"
        ",ixe,i grec,zède",
        ",",
    ),
    signs={
        "-": "moins",
        "+": "plus",
        "±": "plus ou moins",
        "≈": "environ",
        "~": "environ",
        "<": "inférieur à",
        ">": "supérieur à",
        "≤": "inférieur ou égal à",
        "≥": "supérieur ou égal à",
    },
    operators={
        "+": "plus",
        "-": "moins",
        "x": "fois",
        "×": "fois",
        "*": "fois",
        "·": "fois",
        "÷": "divisé par",
        "/": "divisé par",
        "=": "égale",
        "≠": "différent de",
        "≈": "environ égal à",
        "<": "inférieur à",
        ">": "supérieur à",
        "≤": "inférieur ou égal à",
        "≥": "supérieur ou égal à",
        "±": "plus ou moins",
        "^": "puissance",
    },
    stars="étoiles",
    powers={"²": "au carré", "³": "au cube"},
    greek=(
        "alpha bêta gamma delta epsilon zêta êta thêta iota kappa lambda mu nu ksi "
        "omicron pi rhô sigma tau upsilon phi khi psi oméga"
    ),
    formula_phrases=table(
        "root: racine carrée de {x}; cube root: racine cubique de {x}"
        "; nth root: racine d'indice {n} de {x}; absolute: valeur absolue de {x}"
        "; choose: {k} parmi {n}; from: {name} de {low} à {high} de; set: {name} sur {low} de"
        "; all: {name} de; limit: limite quand {x} de; tends: tend vers; of: de; applied: de"
        "; vec: vecteur {x}; bar: {x} barre; hat: {x} chapeau; dot: {x} point; tilde: {x} tilde"
    ),
    formula_signs=table(
        "∪: union; ∩: inter; ⊂: est inclus dans; ∉: n'appartient pas à; ∝: est proportionnel à"
        "; ≡: est équivalent à; ⊥: est perpendiculaire à; ∥: est parallèle à"
    ),
    formula_names=table(
        "sin: sinus; cos: cosinus; tan: tangente; cot: cotangente; log: logarithme"
        "; ln: logarithme népérien; exp: exponentielle; max: maximum; min: minimum; lim: limite"
        "; ∂: d rond; ∇: nabla; ∠: angle; △: triangle; !: factorielle; ′: prime; ∑: somme"
        "; ∫: intégrale; ∏: produit; ∬: intégrale double; ⋃: union; ⋂: intersection"
    ),
    per="le",
    range_word="à",
    version_word="version",
    denominators={
        2: Noun("demi", "demis"),
        3: Noun("tiers", "tiers"),
        4: Noun("quart", "quarts"),
        5: Noun("cinquième", "cinquièmes"),
        6: Noun("sixième", "sixièmes"),
        7: Noun("septième", "septièmes"),
        8: Noun("huitième", "huitièmes"),
        9: Noun("neuvième", "neuvièmes"),
        10: Noun("dixième", "dixièmes"),
        12: Noun("douzième", "douzièmes"),
        15: Noun("quinzième", "quinzièmes"),
        16: Noun("seizième", "seizièmes"),
        20: Noun("vingtième", "vingtièmes"),
        100: Noun("centième", "centièmes"),
        1000: Noun("millième", "millièmes"),
    },
    over="{top} sur {bottom}",
    fractions={"1/2": "un demi"},
    mixed="{whole} et {part}",
    percent={"%": "pour cent", "‰": "pour mille"},
    units={
        "mmHg": Noun("millimètre de mercure", "millimètres de mercure"),
        "bpm": Noun("battement par minute", "battements par minute"),
        "pt": Noun("point", "points"),
        "pts": Noun("point", "points"),
        "pers.": Noun("personne", "personnes", _F),
        "psi": Noun("livre par pouce carré", "livres par pouce carré", _F),
        "m": Noun("mètre", "mètres"),
        "m²": Noun("mètre carré", "mètres carrés"),
        "m³": Noun("mètre cube", "mètres cubes"),
        "km": Noun("kilomètre", "kilomètres"),
        "km²": Noun("kilomètre carré", "kilomètres carrés"),
        "cm": Noun("centimètre", "centimètres"),
        "cm²": Noun("centimètre carré", "centimètres carrés"),
        "cm³": Noun("centimètre cube", "centimètres cubes"),
        "mm": Noun("millimètre", "millimètres"),
        "μm": Noun("micromètre", "micromètres"),
        "nm": Noun("nanomètre", "nanomètres"),
        "ha": Noun("hectare", "hectares"),
        "km/h": Noun("kilomètre heure", "kilomètres heure"),
        "m/s": Noun("mètre par seconde", "mètres par seconde"),
        "m/s²": Noun("mètre par seconde au carré", "mètres par seconde au carré"),
        "kg": Noun("kilo", "kilos"),
        "g": Noun("gramme", "grammes"),
        "mg": Noun("milligramme", "milligrammes"),
        "μg": Noun("microgramme", "microgrammes"),
        "t": Noun("tonne", "tonnes", _F),
        "l": Noun("litre", "litres"),
        "ml": Noun("millilitre", "millilitres"),
        "cl": Noun("centilitre", "centilitres"),
        "dl": Noun("décilitre", "décilitres"),
        "hl": Noun("hectolitre", "hectolitres"),
        "h": _HOUR,
        "min": _MINUTE,
        "s": _SECOND,
        "ms": Noun("milliseconde", "millisecondes", _F),
        "Ko": Noun("kilo-octet", "kilo-octets"),
        "ko": Noun("kilo-octet", "kilo-octets"),
        "Mo": Noun("mégaoctet", "mégaoctets"),
        "Go": Noun("gigaoctet", "gigaoctets"),
        "To": Noun("téraoctet", "téraoctets"),
        "KB": Noun("kilobyte", "kilobytes"),
        "MB": Noun("mégabyte", "mégabytes"),
        "GB": Noun("gigabyte", "gigabytes"),
        "TB": Noun("térabyte", "térabytes"),
        "kbps": Noun("kilobit par seconde", "kilobits par seconde"),
        "Mbps": Noun("mégabit par seconde", "mégabits par seconde"),
        "Mo/s": Noun("mégaoctet par seconde", "mégaoctets par seconde"),
        "Gbps": Noun("gigabit par seconde", "gigabits par seconde"),
        "Hz": Noun("hertz", "hertz"),
        "kHz": Noun("kilohertz", "kilohertz"),
        "MHz": Noun("mégahertz", "mégahertz"),
        "GHz": Noun("gigahertz", "gigahertz"),
        "W": Noun("watt", "watts"),
        "kW": Noun("kilowatt", "kilowatts"),
        "MW": Noun("mégawatt", "mégawatts"),
        "kWh": Noun("kilowattheure", "kilowattheures"),
        "V": Noun("volt", "volts"),
        "mAh": Noun("milliampère-heure", "milliampères-heure"),
        "ch": Noun("cheval", "chevaux"),
        "kcal": Noun("kilocalorie", "kilocalories", _F),
        "dB": Noun("décibel", "décibels"),
        "hPa": Noun("hectopascal", "hectopascals"),
        "px": Noun("pixel", "pixels"),
        "j": Noun("jour", "jours"),
        "cp": Noun("comprimé", "comprimés"),
        "c. à s.": Noun("cuillère à soupe", "cuillères à soupe", _F),
        "c. à c.": Noun("cuillère à café", "cuillères à café", _F),
        "c. à soupe": Noun("cuillère à soupe", "cuillères à soupe", _F),
        "c. à café": Noun("cuillère à café", "cuillères à café", _F),
        "cuil. à soupe": Noun("cuillère à soupe", "cuillères à soupe", _F),
        "cuil. à café": Noun("cuillère à café", "cuillères à café", _F),
        "cs": Noun("cuillère à soupe", "cuillères à soupe", _F),
        "cc": Noun("centimètre cube", "centimètres cubes"),
        "càs": Noun("cuillère à soupe", "cuillères à soupe", _F),
        "càc": Noun("cuillère à café", "cuillères à café", _F),
        "atm": Noun("atmosphère", "atmosphères", _F),
        "bar": Noun("bar", "bars"),
        "A": Noun("ampère", "ampères"),
        "mA": Noun("milliampère", "milliampères"),
        "Wh": Noun("wattheure", "wattheures"),
        "MWh": Noun("mégawattheure", "mégawattheures"),
        "GW": Noun("gigawatt", "gigawatts"),
        "kPa": Noun("kilopascal", "kilopascals"),
        "kJ": Noun("kilojoule", "kilojoules"),
        "cal": Noun("calorie", "calories", _F),
        "mph": Noun("mille à l'heure", "milles à l'heure"),
        "lb": Noun("livre", "livres", _F),
        "oz": Noun("once", "onces", _F),
        "ft": Noun("pied", "pieds"),
        "rpm": Noun("tour par minute", "tours par minute"),
        "hab": Noun("habitant", "habitants"),
        "Mbit/s": Noun("mégabit par seconde", "mégabits par seconde"),
        "°C": Noun("degré Celsius", "degrés Celsius"),
        "°F": Noun("degré Fahrenheit", "degrés Fahrenheit"),
    },
    degree=Noun("degré", "degrés"),
    currencies={
        "₩": Currency(Noun("won", "wons"), Noun("jeon", "jeons")),
        "₽": Currency(Noun("rouble", "roubles"), Noun("kopeck", "kopecks")),
        "₺": Currency(Noun("livre turque", "livres turques", _F), Noun("kuruş", "kuruş")),
        "€": _EURO,
        "EUR": _EURO,
        "$": _DOLLAR,
        "US$": _DOLLAR,
        "USD": _DOLLAR,
        "CAD": _CANADIAN,
        "$ CA": _CANADIAN,
        "£": _POUND,
        "GBP": _POUND,
        "¥": _YEN,
        "JPY": _YEN,
        "₹": _RUPEE,
        "INR": _RUPEE,
        "R$": _REAL,
        "BRL": _REAL,
        "CHF": Currency(Noun("franc suisse", "francs suisses"), _CENTIME),
    },
    money="{main} {cents}",
    magnitudes={
        "mille": _THOUSAND,
        "k": _THOUSAND,
        "K": _THOUSAND,
        "M": _MILLION,
        "million": _MILLION,
        "millions": _MILLION,
        "Md": _MILLIARD,
        "Mds": _MILLIARD,
        "Mrd": _MILLIARD,
        "mrd": _MILLIARD,
        "milliard": _MILLIARD,
        "milliards": _MILLIARD,
        "billion": _BILLION,
        "billions": _BILLION,
    },
    of="de ",
    of_vowel="d'",
    months=words(
        "janvier février mars avril mai juin juillet août septembre octobre novembre décembre"
    ),
    month_abbreviations=(
        ("janv", "jan"),
        ("févr", "fév"),
        ("mar",),
        ("avr",),
        (),
        (),
        ("juil",),
        (),
        ("sept",),
        ("oct",),
        ("nov",),
        ("déc",),
    ),
    weekday_abbreviations={
        "lun": "lundi",
        "mar": "mardi",
        "mer": "mercredi",
        "jeu": "jeudi",
        "ven": "vendredi",
        "sam": "samedi",
        "dim": "dimanche",
    },
    date="{day} {month} {year}",
    first_day="premier",
    hour=_HOUR,
    minute=_MINUTE,
    second=_SECOND,
    clock="{hour} {noun} {minute}",
    clock_few="{hour} {noun} {minute}",
    clock_whole="{hour} {noun}",
    hour_marks="hH",
    clock_words={"h": "", "heures": ""},
    forenoon="du matin",
    afternoon=((5, "de l'après-midi"), (11, "du soir")),
    telephone=r"0[0-9](?P<gap>[ .\u00a0\u202f-]?)[0-9]{2}(?:(?P=gap)[0-9]{2}){3}"
    r"|[0-9]{3}[ -][0-9]{3}-[0-9]{4}|0[89][0-9]{2} [0-9]{3} [0-9]{3}"
    r"|[12] [0-9]{2} [01][0-9] [0-9]{2} [0-9]{3} [0-9]{3}(?: [0-9]{2})?"  # social security
    r"|[0-9]{3} [0-9]{3} [0-9]{3} [0-9]{5}"  # a business
    r"|0 8[0-9]{2}(?:(?: [0-9]{3}){2}|(?: [0-9]{2}){3})",
    telephone_group=2,
    plus="plus",
    titles=TITLES,
    before_number=BEFORE_NUMBER,
    abbreviations=ABBREVIATIONS,
    spelled=ACRONYMS,
    spelled_small=frozenset(words("sncf cgt chu irm pdg pme tgv rer rsa cdi cdd hlm rtt edf")),
    pronounced=frozenset(words("SPA INSEE INSA CNIL CROUS SMIC OTAN ONU")),
    short_words=frozenset(
        words(
            "au ce de du en et eu il je la le lu ma me mi mû ne ni nu on or os ou où pu sa"
            " se si su ta te tu un va vu ça oh ah eh ok dr mr me st bd pr jo ko"
        )
    ),
    meanings=MEANINGS,
    ambiguous_weekdays=frozenset(words("mar mer jeu sam ven")),
    weekday_links=words("au et ou à"),
    ratio="à",
    ratio_words=("échelle", "ratio", "rapport", "proportions?", "format"),
    aspects=True,
    verses=words(
        "Genèse Exode Matthieu Marc Luc Jean Psaumes? Actes Romains Isaïe Ésaïe"
        " Proverbes Apocalypse Corinthiens"
    ),
    set_words=words("sets? manches? tie-break tennis"),
    between=("entre", "et"),
    marks="notes?|notée?s?|eu|obten\\w+|score|moyenne",
    slash_year="de",
    hyphen="tiret",
    episode="saison {season}, épisode {episode}",
    date_before=words("le du au les dès\\sle lundi mardi mercredi jeudi vendredi samedi dimanche"),
    pressure=("tension|TA", ""),
    unit_per="par",
    per_words={
        "an": "par an",
        "mois": "par mois",
        "jour": "par jour",
        "j": "par jour",
        "semaine": "par semaine",
        "sem": "par semaine",
        "h": "de l'heure",
        "heure": "de l'heure",
        "pers": "par personne",
        "personne": "par personne",
        "nuit": "la nuit",
        "kg": "le kilo",
        "l": "par litre",
        "L": "par litre",
        "dl": "par décilitre",
        "ml": "par millilitre",
        "m²": "le mètre carré",
        "s": "par seconde",
        "min": "par minute",
        "km": "par kilomètre",
        "g": "par gramme",
        "m": "le mètre",
    },
    duration_words=words(
        "en pendant durant dure dura durée duré prend pris met mis environ presque temps record"
    ),
    chat=CHAT,
    ampersand="et",
    centuries={"siècle": RomanStyle.ORDINAL, "siècles": RomanStyle.ORDINAL},
    ordinal_follows={"siècle": _M, "siècles": _M},
    divisions={
        **dict.fromkeys(
            words("chapitre tome volume livre partie acte scène titre annexe phase type section"),
            RomanStyle.CARDINAL,
        ),
    },
    regnal_names=dict.fromkeys(
        words(
            "Louis Charles Henri François Philippe Napoléon Jean Paul Pie Benoît Léon Clément"
            " Grégoire Innocent Urbain Alexandre Guillaume Jacques Édouard Edouard Richard Georges"
            " Élisabeth Elisabeth Catherine Frédéric Ferdinand Alphonse Albert Léopold Baudouin"
            " Nicolas Pierre Ramsès Boniface Sixte Jules Adrien Hassan Mohammed"
        ),
        False,
    )
    | {"Élisabeth": True, "Elisabeth": True, "Catherine": True},
    regnal_style=RomanStyle.FIRST_ORDINAL,
    foot=Noun("pied", "pieds"),
    inch=Noun("pouce", "pouces"),
    by="sur",
    times=Noun("fois", "fois", _F),
    codes=words(
        "PIN OTP CVV code code\\sd(?:e|['’])\\s?\\w+ code\\s(?:postal|promo) poste matricule"
        " référence mot\\sde\\spasse identifiant"
        " numéro\\sde\\s(?:commande|dossier|client|compte|série|suivi|colis|réservation|contrat)"
    ),
    code_links=words("est était sera"),
    flights=words("vol vols"),
    singular_articles=frozenset(words("le la l du au un une ce cette")),
    ordinals_need_articles=True,
    not_counted=frozenset(
        words(
            "de du des à au aux en et ou où avec sans par pour que qui si comme dans sur sous entre"
            " est sont plus moins mais le la les un une ne pas chez vers"
        )
    ),
    numbered=frozenset(
        words("page chapitre phase partie numéro article table figure groupe ligne")
    ),
    half="une demi",
    feminine_singulars=words("tion sion ette elle ance ence ée tasse pomme cuillère gousse botte"),
    feminine_nouns=frozenset(
        words(
            "heure heures minute minutes seconde secondes page pages personne personnes fois année"
            " années semaine semaines journée tonne tonnes voiture voitures maison maisons femme"
            " femmes fille filles place places pièce pièces étape étapes question questions réponse"
            " réponses ligne lignes ville villes tasse cuillère bouteille bouteilles chambre"
            " chambres nuit nuits table tables carte cartes photo photos vidéo vidéos chanson"
            " version versions option options section sections étoile étoiles unité unités chance"
            " chances cuillères tasses pommes sœur sœurs carotte carottes tranche tranches feuille"
            " feuilles équipe équipes boîte boîtes vie vies chose choses famille familles porte"
            " portes clé clés école écoles église églises adresse adresses ampoule tomate tomates"
            " salle salles lettre lettres entrée entrées gélule gélules dose doses course courses"
            " chaise chaises nappe nappes assiette assiettes serviette serviettes bougie bougies"
            " partie parties sortie sorties île îles"
        )
    ),
)

ADDRESSES = AddressWords(
    signs=(
        "point; slash; arobase; deux-points; point d'interrogation; égal; et; dièse; tiret"
        "; tiret bas; pour cent; plus; tilde; antislash; virgule; point-virgule"
        "; point d'exclamation; dollar; astérisque; parenthèse ouvrante; parenthèse fermante"
        "; crochet ouvrant; crochet fermant; apostrophe; barre verticale"
    ),
    hashtag="hashtag",
    words_too=("de la me se es au il ne tu no si pro ma art sa be do in is at"),
)

PICTURES = PictureWords(
    symbols=(
        "→ vers; ↑ en hausse; ↓ en baisse; © copyright; § paragraphe; §§ paragraphes"
        "; ¶ paragraphe; ¶¶ paragraphes; × fois; ÷ divisé par; ± plus ou moins"
        "; ≠ n'est pas égal à; ≈ environ; ≤ inférieur ou égal à; ≥ supérieur ou égal à"
        "; ∞ infini; √ racine carrée de; ∑ somme de; ∫ intégrale de; ∬ intégrale double de"
        "; ∭ intégrale triple de; ⨌ intégrale quadruple de; ∈ appartient à; ∅ ensemble vide"
        "; ∀ pour tout; ∃ il existe; ∴ donc; ∵ parce que; ⇒ implique; ⇔ si et seulement si"
        "; № numéro; ♯ dièse; ♭ bémol"
    ),
    stars=("{n} étoiles sur {total}", "{n} étoiles", "étoiles", "étoiles"),
    names_in="fr",
)
