"""Italian."""

from __future__ import annotations

from service.text.languages.italian.abbreviations import (
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

_CENTESIMO = Noun("centesimo", "centesimi")
_EURO = Currency(Noun("euro", "euro"), _CENTESIMO)
_DOLLAR = Currency(Noun("dollaro", "dollari"), _CENTESIMO)
_POUND = Currency(Noun("sterlina", "sterline", _F), Noun("penny", "pence"))
_YEN = Currency(Noun("yen", "yen"), Noun("sen", "sen"))
_RUPEE = Currency(Noun("rupia", "rupie", _F), Noun("paisa", "paise", _F))
_REAL = Currency(Noun("real", "real"), Noun("centavo", "centavos"))

_THOUSAND = Magnitude("mila", "mila", factor=1000, linked=False)
_MILLION = Magnitude("milione", "milioni")
_MILLIARD = Magnitude("miliardo", "miliardi")

_HOUR = Noun("ora", "ore", _F)
_MINUTE = Noun("minuto", "minuti")
_SECOND = Noun("secondo", "secondi")

LOCALE = Locale(
    converter="it",
    corrections=(
        (",", ""),
        ("dicott", "diciott"),
        (r"cento(?=ott)", "cent"),
        (r"(?<=[ai])tre(?!\w)", "tré"),
    ),
    agreements={_M: ((r"^uno$", "un"),), _F: ((r"^uno$", "una"),)},
    elisions=((r"\buna (?=[aeiou])", "un'"),),
    bare_ranges=True,
    feminine_ordinal=((r"o$", "a"),),
    ordinal_suffixes={
        "º": Suffix(_M, apart=True),
        "°": Suffix(_M),
        "ª": Suffix(_F, apart=True),
        "esimo": Suffix(_M),
        "esima": Suffix(_F),
    },
    roman_suffixes={"º": Suffix(_M), "°": Suffix(_M), "ª": Suffix(_F)},
    group_marks=". ",
    points={",": "virgola", ".": "punto"},
    letters=words(
        "a,bi,ci,di,e,effe,gi,acca,i,i lunga,cappa,elle,emme,enne,o,pi,cu,erre,esse,ti,u,vu"
        ",doppia vu,ics,ipsilon,zeta",
        ",",
    ),
    signs={
        "-": "meno",
        "+": "più",
        "±": "più o meno",
        "≈": "circa",
        "~": "circa",
        "<": "minore di",
        ">": "maggiore di",
        "≤": "minore o uguale a",
        "≥": "maggiore o uguale a",
    },
    operators={
        "+": "più",
        "-": "meno",
        "x": "per",
        "×": "per",
        "*": "per",
        "·": "per",
        "÷": "diviso",
        "/": "diviso",
        "=": "uguale",
        "≠": "diverso da",
        "≈": "circa uguale a",
        "<": "minore di",
        ">": "maggiore di",
        "≤": "minore o uguale a",
        "≥": "maggiore o uguale a",
        "±": "più o meno",
        "^": "alla",
    },
    stars="stelle",
    powers={"²": "al quadrato", "³": "al cubo"},
    powers_are_ordinals=True,
    greek=(
        "alfa, beta, gamma, delta, epsilon, zeta, eta, theta, iota, kappa, lambda, mu, "
        "nu, csi, omicron, pi greco, ro, sigma, tau, ipsilon, fi, chi, psi, omega"
    ),
    formula_phrases=table(
        "root: radice quadrata di {x}; cube root: radice cubica di {x}"
        "; nth root: radice di indice {n} di {x}; absolute: valore assoluto di {x}"
        "; choose: {n} su {k}; from: {name} da {low} a {high} di; set: {name} su {low} di"
        "; all: {name} di; limit: limite per {x} di; tends: che tende a; of: di; applied: di"
        "; vec: vettore {x}; bar: {x} barrato; hat: {x} cappuccio; dot: {x} punto"
        "; tilde: {x} tilde"
    ),
    formula_signs=table(
        "∪: unione; ∩: intersezione; ⊂: è contenuto in; ∉: non appartiene a"
        "; ∝: è proporzionale a; ≡: è equivalente a; ⊥: è perpendicolare a; ∥: è parallelo a"
    ),
    formula_names=table(
        "sin: seno; cos: coseno; tan: tangente; cot: cotangente; log: logaritmo"
        "; ln: logaritmo naturale; exp: esponenziale; max: massimo; min: minimo; lim: limite"
        "; ∂: derivata parziale; ∇: nabla; ∠: angolo; △: triangolo; !: fattoriale; ′: primo"
        "; ∑: somma; ∫: integrale; ∏: prodotto; ∬: integrale doppio; ⋃: unione; ⋂: intersezione"
    ),
    per="al",
    range_word="a",
    version_word="versione",
    denominators={
        2: Noun("mezzo", "mezzi"),
        3: Noun("terzo", "terzi"),
        4: Noun("quarto", "quarti"),
        5: Noun("quinto", "quinti"),
        6: Noun("sesto", "sesti"),
        7: Noun("settimo", "settimi"),
        8: Noun("ottavo", "ottavi"),
        9: Noun("nono", "noni"),
        10: Noun("decimo", "decimi"),
        11: Noun("undicesimo", "undicesimi"),
        12: Noun("dodicesimo", "dodicesimi"),
        15: Noun("quindicesimo", "quindicesimi"),
        16: Noun("sedicesimo", "sedicesimi"),
        20: Noun("ventesimo", "ventesimi"),
        100: Noun("centesimo", "centesimi"),
        1000: Noun("millesimo", "millesimi"),
    },
    over="{top} su {bottom}",
    fractions={"1/2": "mezzo"},
    mixed="{whole} e {part}",
    percent={"%": "per cento", "‰": "per mille"},
    units={
        "mmHg": Noun("millimetro di mercurio", "millimetri di mercurio"),
        "bpm": Noun("battito al minuto", "battiti al minuto"),
        "pz.": Noun("pezzo", "pezzi"),
        "pz": Noun("pezzo", "pezzi"),
        "pers.": Noun("persona", "persone", _F),
        "cp": Noun("compressa", "compresse", _F),
        "cucch.": Noun("cucchiaio", "cucchiai"),
        "gg.": Noun("giorno", "giorni"),
        "ha": Noun("ettaro", "ettari"),
        "pt": Noun("punto", "punti"),
        "psi": Noun("libbra per pollice quadrato", "libbre per pollice quadrato", _F),
        "m": Noun("metro", "metri"),
        "m²": Noun("metro quadrato", "metri quadrati"),
        "mq": Noun("metro quadrato", "metri quadrati"),
        "m³": Noun("metro cubo", "metri cubi"),
        "km": Noun("chilometro", "chilometri"),
        "km²": Noun("chilometro quadrato", "chilometri quadrati"),
        "cm": Noun("centimetro", "centimetri"),
        "cm²": Noun("centimetro quadrato", "centimetri quadrati"),
        "cm³": Noun("centimetro cubo", "centimetri cubi"),
        "mm": Noun("millimetro", "millimetri"),
        "μm": Noun("micrometro", "micrometri"),
        "nm": Noun("nanometro", "nanometri"),
        "km/h": Noun("chilometro orario", "chilometri orari"),
        "m/s": Noun("metro al secondo", "metri al secondo"),
        "m/s²": Noun("metro al secondo quadrato", "metri al secondo quadrato"),
        "kg": Noun("chilo", "chili"),
        "g": Noun("grammo", "grammi"),
        "mg": Noun("milligrammo", "milligrammi"),
        "μg": Noun("microgrammo", "microgrammi"),
        "t": Noun("tonnellata", "tonnellate", _F),
        "l": Noun("litro", "litri"),
        "ml": Noun("millilitro", "millilitri"),
        "cl": Noun("centilitro", "centilitri"),
        "dl": Noun("decilitro", "decilitri"),
        "h": _HOUR,
        "min": _MINUTE,
        "s": _SECOND,
        "ms": Noun("millisecondo", "millisecondi"),
        "KB": Noun("kilobyte", "kilobyte"),
        "MB": Noun("megabyte", "megabyte"),
        "GB": Noun("gigabyte", "gigabyte"),
        "TB": Noun("terabyte", "terabyte"),
        "kbps": Noun("kilobit al secondo", "kilobit al secondo"),
        "Mbps": Noun("megabit al secondo", "megabit al secondo"),
        "MB/s": Noun("megabyte al secondo", "megabyte al secondo"),
        "Gbps": Noun("gigabit al secondo", "gigabit al secondo"),
        "Hz": Noun("hertz", "hertz"),
        "kHz": Noun("chilohertz", "chilohertz"),
        "MHz": Noun("megahertz", "megahertz"),
        "GHz": Noun("gigahertz", "gigahertz"),
        "W": Noun("watt", "watt"),
        "kW": Noun("chilowatt", "chilowatt"),
        "MW": Noun("megawatt", "megawatt"),
        "kWh": Noun("chilowattora", "chilowattora"),
        "V": Noun("volt", "volt"),
        "mAh": Noun("milliampere ora", "milliampere ora"),
        "CV": Noun("cavallo", "cavalli"),
        "kcal": Noun("chilocaloria", "chilocalorie", _F),
        "dB": Noun("decibel", "decibel"),
        "hPa": Noun("ettopascal", "ettopascal"),
        "px": Noun("pixel", "pixel"),
        "gg": Noun("giorno", "giorni"),
        "cucch": Noun("cucchiaio", "cucchiai"),
        "cpr": Noun("compressa", "compresse", _F),
        "hg": Noun("etto", "etti"),
        "atm": Noun("atmosfera", "atmosfere", _F),
        "A": Noun("ampere", "ampere"),
        "mA": Noun("milliampere", "milliampere"),
        "Wh": Noun("wattora", "wattora"),
        "MWh": Noun("megawattora", "megawattora"),
        "GW": Noun("gigawatt", "gigawatt"),
        "kPa": Noun("chilopascal", "chilopascal"),
        "kJ": Noun("chilojoule", "chilojoule"),
        "cal": Noun("caloria", "calorie", _F),
        "km/s": Noun("chilometro al secondo", "chilometri al secondo"),
        "mph": Noun("miglio orario", "miglia orarie"),
        "lb": Noun("libbra", "libbre", _F),
        "oz": Noun("oncia", "once", _F),
        "ft": Noun("piede", "piedi"),
        "rpm": Noun("giro al minuto", "giri al minuto"),
        "q": Noun("quintale", "quintali"),
        "cc": Noun("centimetro cubo", "centimetri cubi"),
        "°C": Noun("grado Celsius", "gradi Celsius"),
        "°F": Noun("grado Fahrenheit", "gradi Fahrenheit"),
    },
    degree=Noun("grado", "gradi"),
    currencies={
        "₩": Currency(Noun("won", "won"), Noun("jeon", "jeon")),
        "₽": Currency(Noun("rublo", "rubli"), Noun("copeco", "copechi")),
        "₺": Currency(Noun("lira turca", "lire turche", _F), Noun("kuruş", "kuruş")),
        "€": _EURO,
        "EUR": _EURO,
        "$": _DOLLAR,
        "US$": _DOLLAR,
        "USD": _DOLLAR,
        "£": _POUND,
        "GBP": _POUND,
        "¥": _YEN,
        "JPY": _YEN,
        "₹": _RUPEE,
        "INR": _RUPEE,
        "R$": _REAL,
        "BRL": _REAL,
        "CHF": Currency(Noun("franco svizzero", "franchi svizzeri"), _CENTESIMO),
    },
    money="{main} e {cents}",
    magnitudes={
        "mila": _THOUSAND,
        "k": _THOUSAND,
        "K": _THOUSAND,
        "M": _MILLION,
        "mln": _MILLION,
        "Mln": _MILLION,
        "milione": _MILLION,
        "milioni": _MILLION,
        "mld": _MILLIARD,
        "Mld": _MILLIARD,
        "mrd": _MILLIARD,
        "miliardo": _MILLIARD,
        "miliardi": _MILLIARD,
    },
    of="di ",
    of_vowel="di ",
    months=words(
        "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre"
        " dicembre"
    ),
    month_abbreviations=(
        ("gen", "genn"),
        ("feb", "febbr"),
        ("mar",),
        ("apr",),
        ("mag",),
        ("giu",),
        ("lug",),
        ("ago",),
        ("set", "sett"),
        ("ott",),
        ("nov",),
        ("dic",),
    ),
    weekday_abbreviations={
        "lun": "lunedì",
        "mar": "martedì",
        "mer": "mercoledì",
        "gio": "giovedì",
        "ven": "venerdì",
        "sab": "sabato",
        "dom": "domenica",
    },
    date="{day} {month} {year}",
    first_day="primo",
    hour=_HOUR,
    minute=_MINUTE,
    second=_SECOND,
    clock="{hour} e {minute}",
    clock_few="{hour} e {minute}",
    clock_whole_noun=25,
    clock_words={"h": ""},
    clock_before=("ore", "alle", "Alle", "dalle", "Dalle", "le", "Ore", "delle", "Delle"),
    forenoon="del mattino",
    afternoon=((5, "del pomeriggio"), (11, "di sera")),
    telephone=r"3[0-9]{2}[ ./-]?[0-9]{3}[ .]?[0-9]{3,4}|0[0-9]{1,3}[ ./-][0-9]{3,4}[ .]?[0-9]{3,4}"
    r"|800[ .-][0-9]{3}[ .-]?[0-9]{3}",
    plus="più",
    titles=TITLES,
    before_number=BEFORE_NUMBER,
    abbreviations=ABBREVIATIONS,
    spelled=ACRONYMS,
    spelled_small=frozenset(words("cgil dna pdf url usb")),
    pronounced=frozenset(words("INPS ISTAT INAIL ANSA ASL FIAT ILVA ANPI ENPA ARPA IRPEF IMU")),
    short_words=frozenset(
        words(
            "al ai da di do ed fa fu ha ho il in io la le li lo ma me mi ne no né se sé si"
            " sì su te ti tu un va vi po oh ah eh ok dr sì st"
        )
    ),
    ratio="a",
    ratio_words=words("scala rapporto proporzione proporzioni ratio formato"),
    aspects=True,
    verses=words(
        "Genesi Esodo Matteo Marco Luca Giovanni Salm[io] Atti Romani Isaia Proverbi"
        " Apocalisse Corinzi"
    ),
    set_words=words("set tennis tie-break parziali"),
    between=("tra|fra", "e"),
    marks="vot[oi]|pres[oi]|punteggio|ottenuto|valutazione|punti",
    slash_year="del",
    episode="stagione {season}, episodio {episode}",
    date_before=(
        *words("il lo del al dal sul nel lunedì martedì mercoledì giovedì venerdì sabato domenica"),
        *("[Ll]['’]", "[Dd]ell['’]", "[Aa]ll['’]", "[Dd]all['’]", "[Nn]ell['’]"),
    ),
    pressure=("pressione|PA", "su"),
    unit_per="per",
    per_words={
        "anno": "all'anno",
        "mese": "al mese",
        "giorno": "al giorno",
        "die": "al giorno",
        "settimana": "a settimana",
        "sett.": "a settimana",
        "sett": "a settimana",
        "h": "all'ora",
        "ora": "all'ora",
        "persona": "a persona",
        "notte": "a notte",
        "kg": "al chilo",
        "l": "per litro",
        "L": "per litro",
        "dl": "per decilitro",
        "ml": "per millilitro",
        "m²": "al metro quadrato",
        "mq": "al metro quadro",
        "s": "al secondo",
        "min": "al minuto",
        "km": "al chilometro",
        "g": "per grammo",
        "m": "al metro",
    },
    duration_words=words(
        "in per dura durata durato circa quasi ci\\smette impiega impiegato ogni record tempo"
    ),
    and_word="e",
    chat=CHAT,
    meanings=MEANINGS,
    ampersand="e",
    centuries={"secolo": RomanStyle.ORDINAL, "secoli": RomanStyle.ORDINAL},
    ordinal_follows={"secolo": _M, "secoli": _M, "guerra": _F, "legislatura": _F, "edizione": _F},
    divisions={
        **dict.fromkeys(
            words("capitolo tomo volume libro atto titolo canto grado"), RomanStyle.ORDINAL
        ),
        **dict.fromkeys(words("parte fase tipo allegato"), RomanStyle.CARDINAL),
    },
    regnal_names=dict.fromkeys(
        words(
            "Luigi Carlo Enrico Francesco Filippo Napoleone Giovanni Paolo Pio Benedetto Leone"
            " Clemente Gregorio Innocenzo Urbano Alessandro Guglielmo Giacomo Edoardo Riccardo"
            " Giorgio Federico Ferdinando Alfonso Alberto Leopoldo Nicola Pietro Ramses Bonifacio"
            " Sisto Giulio Adriano Emanuele Umberto Amedeo Eugenio Callisto Martino"
        ),
        False,
    )
    | dict.fromkeys(("Elisabetta", "Caterina", "Margherita", "Maria"), True),
    regnal_style=RomanStyle.ORDINAL,
    weekday_links=words("a e ed o al"),
    ambiguous_weekdays=frozenset(words("mar dom mer")),
    foot=Noun("piede", "piedi"),
    inch=Noun("pollice", "pollici"),
    times=Noun("volta", "volte", _F),
    codes=words(
        "codice PIN OTP CVV CAP password interno codice\\s(?:postale|di\\s\\w+|cliente|sconto)"
        " numero\\s(?:d['’]ordine|di\\s(?:conto|serie|pratica|tracciamento))"
    ),
    code_links=words("è era sarà di\\sverifica"),
    flights=words("volo voli"),
    singular_articles=frozenset(
        words("il lo la l del dello della dell al allo alla all dal un una")
    ),
    degree_words=frozenset(
        words(
            "appena solo temperatura temperature forno fa sono siamo oggi domani ieri"
            " massima minima febbre"
            " angolo latitudine longitudine rotazione gradi termometro acqua cuocere scaldare"
        )
    ),
    not_counted=frozenset(
        words(
            "di a da in con su per tra fra e ed o ma al allo alla ai agli alle dal dalla del dello"
            " della dei delle nel nella nei nelle sul sulla il lo la gli le un una che se non come"
            " è sono più meno rispetto circa"
        )
    ),
    numbered=frozenset(
        words(
            "pagina capitolo fase parte numero articolo tabella figura gruppo linea versione"
            " livello zona tipo classe binario camera aula sala porta piano tappa giornata"
            " stagione tema unità lezione esercizio domanda opzione passo punto sezione allegato"
            " comma volume categoria canale corsia tavolo squadra giocatore articoli"
        )
    ),
    half="mezza",
    feminine_singulars=words("a zione sione tà tù"),
    masculine_singulars=words("ema oma amma ista o ore ale"),
    feminine_nouns=frozenset(
        words(
            "persona volta ora pagina settimana tonnellata casa donna notte unità cosa tazza"
            " camera parte domanda foto mano macchina stella bottiglia città figlia sorella"
            " ragazza moto birra pizza stanza"
        )
    ),
    masculine_nouns=frozenset(
        words(
            "anno giorno mese minuto secondo euro dollaro chilo chilometro metro litro grammo grado"
            " uomo bambino libro milione miliardo punto gol bicchiere paese posto figlio fratello"
            " ragazzo caffè messaggio articolo"
        )
    ),
)

ADDRESSES = AddressWords(
    signs=(
        "punto; barra; chiocciola; due punti; punto interrogativo; uguale; e commerciale"
        "; cancelletto; trattino; trattino basso; percento; più; tilde; barra inversa"
        "; virgola; punto e virgola; punto esclamativo; dollaro; asterisco; parentesi aperta"
        "; parentesi chiusa; quadra aperta; quadra chiusa; apostrofo; barra verticale"
    ),
    hashtag="hashtag",
    words_too=("me la se no al ad ai in mi ci ma si so de pro do da to"),
)

PICTURES = PictureWords(
    symbols=(
        "→ a; ↑ su; ↓ giù; © copyright; § paragrafo; §§ paragrafi; ¶ paragrafo; ¶¶ paragrafi"
        "; × per; ÷ diviso; ± più o meno; ≠ diverso da; ≈ circa; ≤ minore o uguale a"
        "; ≥ maggiore o uguale a; ∞ infinito; √ radice quadrata di; ∑ somma di"
        "; ∫ integrale di; ∬ integrale doppio di; ∭ integrale triplo di"
        "; ⨌ integrale quadruplo di; ∈ appartiene a; ∅ insieme vuoto; ∀ per ogni; ∃ esiste"
        "; ∴ quindi; ∵ perché; ⇒ implica; ⇔ se e solo se; № numero; ♯ diesis; ♭ bemolle"
    ),
    stars=("{n} stelle su {total}", "{n} stelle", "stelle", "stelle"),
    names_in="it",
)
