"""Spanish."""

from __future__ import annotations

from service.text.languages.spanish.abbreviations import (
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

_CENTAVO = Noun("centavo", "centavos")
_EURO = Currency(Noun("euro", "euros"), Noun("céntimo", "céntimos"))
_DOLLAR = Currency(Noun("dólar", "dólares"), _CENTAVO)
_POUND = Currency(Noun("libra", "libras", _F), Noun("penique", "peniques"))
_YEN = Currency(Noun("yen", "yenes"), Noun("sen", "sen"))
_RUPEE = Currency(Noun("rupia", "rupias", _F), Noun("paisa", "paisas", _F))
_REAL = Currency(Noun("real", "reales"), _CENTAVO)

_MILLION = Magnitude("millón", "millones")
_BILLION = Magnitude("mil millones", "mil millones")
_THOUSAND = Magnitude("mil", "mil", factor=1000, linked=False)

_HOUR = Noun("hora", "horas", _F)
_MINUTE = Noun("minuto", "minutos")
_SECOND = Noun("segundo", "segundos")


LOCALE = Locale(
    converter="es",
    corrections=(
        (r"uno(?= mil\b)", "un"),
        (r"uno(?= \w*ill)", "un"),
        (r"\bveintiun\b", "veintiún"),
    ),
    agreements={
        _M: ((r"uno$", "un"), (r"\bveintiun$", "veintiún")),
        _F: ((r"uno$", "una"), (r"(?<=ient)os\b(?!.*ill[oó]n)", "as")),
    },
    ordinals={11: "undécimo", 12: "duodécimo"},
    feminine_ordinal=((r"o\b", "a"),),
    short_ordinal=((r"(?<=r)o$", ""),),
    ordinal_suffixes={
        "º": Suffix(_M, apart=True),
        "ª": Suffix(_F, apart=True),
        "°": Suffix(_M, short=True),
        "os": Suffix(_M),
        "er": Suffix(_M, short=True),
        "ᵉʳ": Suffix(_M, short=True),
        "ero": Suffix(_M),
        "era": Suffix(_F),
        "ro": Suffix(_M),
        "ra": Suffix(_F),
        "do": Suffix(_M),
        "da": Suffix(_F),
        "to": Suffix(_M),
        "ta": Suffix(_F),
        "mo": Suffix(_M),
        "ma": Suffix(_F),
        "vo": Suffix(_M),
        "va": Suffix(_F),
        "no": Suffix(_M),
        "na": Suffix(_F),
    },
    roman_suffixes={"º": Suffix(_M), "°": Suffix(_M), "ª": Suffix(_F)},
    group_marks=". ",
    points={",": "coma", ".": "punto"},
    letters=words(
        "a,be,ce,de,e,efe,ge,hache,i,jota,ka,ele,eme,ene,o,pe,cu,erre,ese,te,u,uve,uve doble"
        ",equis,ye,zeta",
        ",",
    ),
    signs={
        "-": "menos",
        "+": "más",
        "±": "más o menos",
        "≈": "aproximadamente",
        "~": "aproximadamente",
        "<": "menor que",
        ">": "mayor que",
        "≤": "menor o igual que",
        "≥": "mayor o igual que",
    },
    operators={
        "+": "más",
        "-": "menos",
        "x": "por",
        "×": "por",
        "*": "por",
        "·": "por",
        "÷": "entre",
        "/": "entre",
        "=": "es igual a",
        "≠": "es distinto de",
        "≈": "es aproximadamente",
        "<": "es menor que",
        ">": "es mayor que",
        "≤": "es menor o igual que",
        "≥": "es mayor o igual que",
        "±": "más o menos",
        "^": "elevado a",
    },
    stars="estrellas",
    powers={"²": "al cuadrado", "³": "al cubo"},
    greek=(
        "alfa beta gamma delta épsilon zeta eta theta iota kappa lambda mi ni xi "
        "ómicron pi ro sigma tau ípsilon fi ji psi omega"
    ),
    formula_phrases=table(
        "root: raíz cuadrada de {x}; cube root: raíz cúbica de {x}"
        "; nth root: raíz de índice {n} de {x}; absolute: valor absoluto de {x}"
        "; choose: {n} sobre {k}; from: {name} desde {low} hasta {high} de"
        "; set: {name} en {low} de; all: {name} de; limit: límite cuando {x} de"
        "; tends: tiende a; of: de; applied: de; vec: vector {x}; bar: {x} barra"
        "; hat: {x} gorro; dot: {x} punto; tilde: {x} tilde"
    ),
    formula_signs=table(
        "∪: unión; ∩: intersección; ⊂: está contenido en; ∉: no pertenece a"
        "; ∝: es proporcional a; ≡: es equivalente a; ⊥: es perpendicular a; ∥: es paralelo a"
    ),
    formula_names=table(
        "sin: seno; cos: coseno; tan: tangente; cot: cotangente; log: logaritmo"
        "; ln: logaritmo neperiano; exp: exponencial; max: máximo; min: mínimo; lim: límite"
        "; ∂: parcial; ∇: nabla; ∠: ángulo; △: triángulo; !: factorial; ′: prima; ∑: suma"
        "; ∫: integral; ∏: producto; ∬: integral doble; ⋃: unión; ⋂: intersección"
    ),
    every_hours="cada {n} horas",
    per="por",
    range_word="a",
    version_word="versión",
    denominators={
        2: Noun("medio", "medios"),
        3: Noun("tercio", "tercios"),
        4: Noun("cuarto", "cuartos"),
        5: Noun("quinto", "quintos"),
        6: Noun("sexto", "sextos"),
        7: Noun("séptimo", "séptimos"),
        8: Noun("octavo", "octavos"),
        9: Noun("noveno", "novenos"),
        10: Noun("décimo", "décimos"),
        11: Noun("onceavo", "onceavos"),
        12: Noun("doceavo", "doceavos"),
        13: Noun("treceavo", "treceavos"),
        15: Noun("quinceavo", "quinceavos"),
        16: Noun("dieciseisavo", "dieciseisavos"),
        20: Noun("veinteavo", "veinteavos"),
        100: Noun("centésimo", "centésimos"),
    },
    over="{top} sobre {bottom}",
    fractions={"1/2": "medio"},
    mixed="{whole} y {part}",
    percent={"%": "por ciento", "‰": "por mil"},
    units={
        "mmHg": Noun("milímetro de mercurio", "milímetros de mercurio"),
        "bpm": Noun("latido por minuto", "latidos por minuto"),
        "psi": Noun("libra por pulgada cuadrada", "libras por pulgada cuadrada", _F),
        "ha": Noun("hectárea", "hectáreas", _F),
        "pt": Noun("punto", "puntos"),
        "N": Noun("newton", "newtons"),
        "ud.": Noun("unidad", "unidades", _F),
        "uds.": Noun("unidad", "unidades", _F),
        "m": Noun("metro", "metros"),
        "m²": Noun("metro cuadrado", "metros cuadrados"),
        "m³": Noun("metro cúbico", "metros cúbicos"),
        "km": Noun("kilómetro", "kilómetros"),
        "km²": Noun("kilómetro cuadrado", "kilómetros cuadrados"),
        "cm": Noun("centímetro", "centímetros"),
        "cm²": Noun("centímetro cuadrado", "centímetros cuadrados"),
        "cm³": Noun("centímetro cúbico", "centímetros cúbicos"),
        "mm": Noun("milímetro", "milímetros"),
        "μm": Noun("micrómetro", "micrómetros"),
        "nm": Noun("nanómetro", "nanómetros"),
        "km/h": Noun("kilómetro por hora", "kilómetros por hora"),
        "m/s": Noun("metro por segundo", "metros por segundo"),
        "m/s²": Noun("metro por segundo al cuadrado", "metros por segundo al cuadrado"),
        "kg": Noun("kilo", "kilos"),
        "g": Noun("gramo", "gramos"),
        "mg": Noun("miligramo", "miligramos"),
        "μg": Noun("microgramo", "microgramos"),
        "t": Noun("tonelada", "toneladas", _F),
        "lb": Noun("libra", "libras", _F),
        "l": Noun("litro", "litros"),
        "ml": Noun("mililitro", "mililitros"),
        "cl": Noun("centilitro", "centilitros"),
        "dl": Noun("decilitro", "decilitros"),
        "h": _HOUR,
        "min": _MINUTE,
        "s": _SECOND,
        "ms": Noun("milisegundo", "milisegundos"),
        "KB": Noun("kilobyte", "kilobytes"),
        "MB": Noun("megabyte", "megabytes"),
        "GB": Noun("gigabyte", "gigabytes"),
        "TB": Noun("terabyte", "terabytes"),
        "kbps": Noun("kilobit por segundo", "kilobits por segundo"),
        "Mbps": Noun("megabit por segundo", "megabits por segundo"),
        "MB/s": Noun("megabyte por segundo", "megabytes por segundo"),
        "Gbps": Noun("gigabit por segundo", "gigabits por segundo"),
        "Hz": Noun("hercio", "hercios"),
        "kHz": Noun("kilohercio", "kilohercios"),
        "MHz": Noun("megahercio", "megahercios"),
        "GHz": Noun("gigahercio", "gigahercios"),
        "W": Noun("vatio", "vatios"),
        "kW": Noun("kilovatio", "kilovatios"),
        "MW": Noun("megavatio", "megavatios"),
        "kWh": Noun("kilovatio hora", "kilovatios hora"),
        "V": Noun("voltio", "voltios"),
        "mAh": Noun("miliamperio hora", "miliamperios hora"),
        "CV": Noun("caballo", "caballos"),
        "kcal": Noun("kilocaloría", "kilocalorías", _F),
        "cal": Noun("caloría", "calorías", _F),
        "dB": Noun("decibelio", "decibelios"),
        "hPa": Noun("hectopascal", "hectopascales"),
        "px": Noun("píxel", "píxeles"),
        "d": Noun("día", "días"),
        "cda": Noun("cucharada", "cucharadas", _F),
        "cdas": Noun("cucharada", "cucharadas", _F),
        "cdta": Noun("cucharadita", "cucharaditas", _F),
        "cdtas": Noun("cucharadita", "cucharaditas", _F),
        "comp": Noun("comprimido", "comprimidos"),
        "gtas": Noun("gota", "gotas", _F),
        "uds": Noun("unidad", "unidades", _F),
        "atm": Noun("atmósfera", "atmósferas", _F),
        "A": Noun("amperio", "amperios"),
        "mA": Noun("miliamperio", "miliamperios"),
        "Wh": Noun("vatio hora", "vatios hora"),
        "MWh": Noun("megavatio hora", "megavatios hora"),
        "GW": Noun("gigavatio", "gigavatios"),
        "kPa": Noun("kilopascal", "kilopascales"),
        "kJ": Noun("kilojulio", "kilojulios"),
        "mph": Noun("milla por hora", "millas por hora", _F),
        "ft": Noun("pie", "pies"),
        "in": Noun("pulgada", "pulgadas", _F),
        "oz": Noun("onza", "onzas", _F),
        "yd": Noun("yarda", "yardas", _F),
        "rpm": Noun("revolución por minuto", "revoluciones por minuto", _F),
        "lpm": Noun("latido por minuto", "latidos por minuto"),
        "°C": Noun("grado Celsius", "grados Celsius"),
        "°F": Noun("grado Fahrenheit", "grados Fahrenheit"),
    },
    degree=Noun("grado", "grados"),
    currencies={
        "₩": Currency(Noun("won", "wones"), Noun("jeon", "jeon")),
        "₽": Currency(Noun("rublo", "rublos"), Noun("kopek", "kopeks")),
        "₺": Currency(Noun("lira turca", "liras turcas", _F), Noun("kurus", "kurus")),
        "$ MXN": Currency(Noun("peso mexicano", "pesos mexicanos"), _CENTAVO),
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
        "MXN": Currency(Noun("peso mexicano", "pesos mexicanos"), _CENTAVO),
        "ARS": Currency(Noun("peso argentino", "pesos argentinos"), _CENTAVO),
        "COP": Currency(Noun("peso colombiano", "pesos colombianos"), _CENTAVO),
        "CLP": Currency(Noun("peso chileno", "pesos chilenos"), _CENTAVO),
        "CHF": Currency(Noun("franco suizo", "francos suizos"), Noun("céntimo", "céntimos")),
    },
    money="{main} con {cent}",
    magnitudes={
        "mil": _THOUSAND,
        "k": _THOUSAND,
        "K": _THOUSAND,
        "M": _MILLION,
        "mill.": _MILLION,
        "millón": _MILLION,
        "millones": _MILLION,
        "MM": _MILLION,
        "mil M": _BILLION,
        "mil millones": _BILLION,
        "billón": Magnitude("billón", "billones"),
        "billones": Magnitude("billón", "billones"),
    },
    of="de ",
    of_vowel="de ",
    months=words(
        "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre"
    ),
    month_abbreviations=(
        ("ene",),
        ("feb",),
        ("mar",),
        ("abr",),
        ("may",),
        ("jun",),
        ("jul",),
        ("ago",),
        ("sept", "sep"),
        ("oct",),
        ("nov",),
        ("dic",),
    ),
    weekday_abbreviations={
        "lun": "lunes",
        "mar": "martes",
        "mié": "miércoles",
        "mie": "miércoles",
        "jue": "jueves",
        "vie": "viernes",
        "sáb": "sábado",
        "sab": "sábado",
        "dom": "domingo",
    },
    date="{day} de {month} de {year}",
    date_link="de",
    hour=_HOUR,
    minute=_MINUTE,
    second=_SECOND,
    clock="{hour} {minute}",
    clock_few="{hour} y {minute}",
    clock_whole_noun=13,
    hour_marks="h",
    clock_words={"h": "horas", "hs": "horas", "hrs": "horas", "horas": "horas"},
    forenoon="de la mañana",
    afternoon=((7, "de la tarde"), (11, "de la noche")),
    telephone=r"[6-9][0-9]{2}(?P<gap>[ .-])[0-9]{3}(?P=gap)[0-9]{3}"
    r"|[6-9][0-9]{2}(?P<pair>[ .-])[0-9]{2}(?P=pair)[0-9]{2}(?P=pair)[0-9]{2}"
    r"|[89][0-9](?P<space>[ .-])[0-9]{3}(?P=space)[0-9]{2}(?P=space)[0-9]{2}"
    r"|[0-9]{2,3}[ -][0-9]{4}[ -][0-9]{4}",
    plus="más",
    titles=TITLES,
    before_number=BEFORE_NUMBER,
    abbreviations=ABBREVIATIONS,
    spelled=ACRONYMS,
    spelled_small=frozenset(words("dgt dni itv irpf url usb pdf")),
    pronounced=frozenset(words("AENA IVA NASA SGAE")),
    short_words=frozenset(
        words(
            "al de el en es la le lo me mi ni no os se si su te tu un va ve ya yo ha he ir"
            " da di fe oh ah eh ok sí dr sr av st uy"
        )
    ),
    ratio="a",
    ratio_words=words("escala proporción proporciones ratio relación razón formato"),
    aspects=True,
    verses=words(
        "Génesis Éxodo Mateo Marcos Lucas Juan Salmos? Hechos Romanos Isaías"
        " Proverbios Apocalipsis Corintios"
    ),
    set_words=words("sets? tenis tie-break parciales raqueta"),
    between=("entre", "y"),
    marks="notas?|sac[óoa]\\w*|obtuv\\w+|puntuaci\\w+|calificaci\\w+|puntos|valoraci\\w+",
    slash_year="de",
    episode="temporada {season}, episodio {episode}",
    clock_before=words("las"),
    date_before=words("el del al día hasta lunes martes miércoles jueves viernes sábado domingo"),
    pressure=("tensión|presión|TA", "sobre"),
    unit_per="por",
    per_words={
        "año": "al año",
        "mes": "al mes",
        "día": "al día",
        "semana": "a la semana",
        "sem.": "a la semana",
        "sem": "a la semana",
        "hora": "la hora",
        "h": "por hora",
        "persona": "por persona",
        "noche": "por noche",
        "kg": "por kilo",
        "unidad": "por unidad",
        "dl": "por decilitro",
        "l": "por litro",
        "L": "por litro",
        "ml": "por mililitro",
        "m²": "por metro cuadrado",
        "s": "por segundo",
        "min": "por minuto",
        "d": "al día",
        "km": "por kilómetro",
        "g": "por gramo",
        "m": "por metro",
    },
    duration_words=words(
        "en por durante dura duró duran tarda tardó tardan lleva duración tiempo casi"
        " unas cada récord"
    ),
    and_word="y",
    chat=CHAT,
    meanings=MEANINGS,
    ampersand="y",
    centuries={
        "siglo": RomanStyle.ORDINAL_TO_TEN,
        "siglos": RomanStyle.ORDINAL_TO_TEN,
    },
    ordinal_follows={"guerra": _F, "edición": _F, "congreso": _M, "república": _F},
    divisions={
        "capítulo": RomanStyle.CARDINAL,
        "tomo": RomanStyle.CARDINAL,
        "volumen": RomanStyle.CARDINAL,
        "libro": RomanStyle.CARDINAL,
        "parte": RomanStyle.CARDINAL,
        "acto": RomanStyle.CARDINAL,
        "título": RomanStyle.CARDINAL,
        "anexo": RomanStyle.CARDINAL,
        "inciso": RomanStyle.CARDINAL,
        "artículo": RomanStyle.CARDINAL,
        "apartado": RomanStyle.CARDINAL,
        "fase": RomanStyle.CARDINAL,
        "tipo": RomanStyle.CARDINAL,
    },
    regnal_names={
        **dict.fromkeys(
            words(
                "Alfonso Felipe Carlos Luis Fernando Enrique Juan Pablo Pedro Jaime Sancho Ramiro"
                " Benedicto Pío León Gregorio Clemente Inocencio Urbano Alejandro Napoleón"
                " Guillermo Jorge Jacobo Eduardo Ricardo Francisco Federico José Leopoldo Alberto"
                " Nicolás Iván Ramsés Balduino Maximiliano Amadeo"
            ),
            False,
        ),
        **dict.fromkeys(words("Isabel Catalina Juana Cristina Margarita María Urraca"), True),
    },
    regnal_style=RomanStyle.ORDINAL_TO_TEN,
    weekday_links=words("a y e o al"),
    ambiguous_weekdays=frozenset(words("mar dom")),
    foot=Noun("pie", "pies"),
    inch=Noun("pulgada", "pulgadas", _F),
    times=Noun("vez", "veces", _F),
    codes=words(
        "código clave contraseña PIN OTP CVV NIP folio extensión C\\.?P\\.? código\\spostal"
        " código\\sde\\s\\w+ número\\sde\\s(?:pedido|reserva|cuenta|serie|expediente|seguimiento)"
    ),
    code_links=words("es era será número n\\.º de\\sverificación"),
    flights=words("vuelo vuelos"),
    singular_articles=frozenset(words("el la del al un una su mi tu este esta")),
    ordinals_need_articles=True,
    not_counted=frozenset(
        words(
            "de del a al en y e o u con sin por para que si como más menos desde hasta entre sobre"
            " según tras ante bajo contra es son está fue se le les lo la el los las un una no ni"
            " pero"
        )
    ),
    numbered=frozenset(
        words(
            "vitamina página capítulo fase parte número artículo tabla figura grupo línea"
            " versión nivel zona tipo clase andén habitación aula sala puerta piso vía etapa"
            " ronda jornada temporada tema unidad lección ejercicio pregunta opción paso punto"
            " apartado sección anexo tomo volumen categoría canal planta carril mesa equipo"
            " jugador candidato"
        )
    ),
    half="media",
    scores=words("gan\\w+ perd\\w+ empat\\w+ venc\\w+ gole\\w+ marcador victoria derrota final"),
    noble_titles=("don", "doña"),
    feminine_singulars=words("a ción sión dad tad tud"),
    masculine_singulars=words(
        "día mapa planeta atleta poeta sofá ema oma ama rama o aje l or ón és"
    ),
    feminine_nouns=frozenset(
        words(
            "hora horas persona personas vez veces página páginas semana semanas tonelada toneladas"
            " libra libras casa hermana hija mujer chica niñas mujeres niña noche noches unidad"
            " unidades cosa copa taza cucharada cucharadita entrada habitación parte partes pieza"
            " pregunta foto fotos mano manos moto motos vocal milla millas pulgada pulgadas"
            " estrella botella vaca"
        )
    ),
    masculine_nouns=frozenset(
        words(
            "año día mes minuto segundo euro dólar peso kilo kilómetro metro litro gramo grado"
            " hombre hombres niño libro millón millones billón billones punto puntos gol goles"
            " años meses vaso ejemplar ejemplares país países lugar lugares habitante habitantes"
        )
    ),
    feminine_endings=("as", "ciones", "siones", "dades", "tudes"),
    masculine_endings=(
        *("días", "mapas", "planetas", "dálmatas", "atletas", "poetas", "sofás", "papas"),
        *("istas", "emas", "gramas", "amas", "omas", "os", "ores", "ales", "enes", "eles"),
    ),
)

ADDRESSES = AddressWords(
    signs=(
        "punto; barra; arroba; dos puntos; signo de interrogación; igual; y; almohadilla"
        "; guion; guion bajo; por ciento; más; virgulilla; barra invertida; coma"
        "; punto y coma; signo de exclamación; dólar; asterisco; abre paréntesis"
        "; cierra paréntesis; abre corchete; cierra corchete; apóstrofo; barra vertical"
    ),
    hashtag="hashtag",
    words_too=("me la no de se al es so si mi tu te ve do pro art in is at"),
)

PICTURES = PictureWords(
    symbols=(
        "→ a; ↑ subida; ↓ bajada; © copyright; § sección; §§ secciones; ¶ párrafo"
        "; ¶¶ párrafos; × por; ÷ entre; ± más menos; ≠ no es igual a; ≈ aproximadamente"
        "; ≤ menor o igual que; ≥ mayor o igual que; ∞ infinito; √ raíz cuadrada de"
        "; ∑ suma de; ∫ integral de; ∬ integral doble de; ∭ integral triple de"
        "; ⨌ integral cuádruple de; ∈ pertenece a; ∅ conjunto vacío; ∀ para todo; ∃ existe"
        "; ∴ por lo tanto; ∵ porque; ⇒ implica; ⇔ si y solo si; № número; ♯ sostenido"
        "; ♭ bemol"
    ),
    stars=("{n} de {total} estrellas", "{n} estrellas", "estrellas", "estrellas"),
    names_in="es",
)
