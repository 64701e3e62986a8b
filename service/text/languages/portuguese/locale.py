"""Brazilian Portuguese."""

from __future__ import annotations

from service.text.languages.portuguese.abbreviations import (
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
_CENT = Noun("centavo", "centavos")
_REAL = Currency(Noun("real", "reais"), _CENTAVO)
_EURO = Currency(Noun("euro", "euros"), _CENT)
_DOLLAR = Currency(Noun("dólar", "dólares"), _CENTAVO)
_POUND = Currency(Noun("libra", "libras", _F), Noun("pêni", "pence"))
_YEN = Currency(Noun("iene", "ienes"), Noun("sen", "sens"))
_RUPEE = Currency(Noun("rupia", "rupias", _F), Noun("paisa", "paisas", _F))

_THOUSAND = Magnitude("mil", "mil", factor=1000, linked=False)
_MILLION = Magnitude("milhão", "milhões")
_BILLION = Magnitude("bilhão", "bilhões")
_TRILLION = Magnitude("trilhão", "trilhões")

_HOUR = Noun("hora", "horas", _F)
_MINUTE = Noun("minuto", "minutos")
_SECOND = Noun("segundo", "segundos")

LOCALE = Locale(
    converter="pt_BR",
    corrections=((",", ""),),
    agreements={
        _F: (
            (r"\bum$", "uma"),
            (r"\bdois\b(?!.*lh)", "duas"),
            (r"(?<=ent)os\b(?!.*lh)", "as"),
        ),
    },
    feminine_ordinal=((r"o\b", "a"),),
    ordinal_suffixes={
        "º": Suffix(_M, apart=True),
        "ª": Suffix(_F, apart=True),
        "°": Suffix(_M),
        "os": Suffix(_M),
        "as": Suffix(_F),
    },
    roman_suffixes={"º": Suffix(_M), "°": Suffix(_M), "ª": Suffix(_F)},
    group_marks=". ",
    points={",": "vírgula", ".": "ponto"},
    letters=words(
        "á,bê,cê,dê,é,efe,gê,agá,i,jota,cá,ele,eme,ene,ó,pê,quê,erre,esse,tê,u,vê,dáblio,xis"
        ",ípsilon,zê",
        ",",
    ),
    signs={
        "-": "menos",
        "+": "mais",
        "±": "mais ou menos",
        "≈": "aproximadamente",
        "~": "aproximadamente",
        "<": "menor que",
        ">": "maior que",
        "≤": "menor ou igual a",
        "≥": "maior ou igual a",
    },
    operators={
        "+": "mais",
        "-": "menos",
        "x": "vezes",
        "×": "vezes",
        "*": "vezes",
        "·": "vezes",
        "÷": "dividido por",
        "/": "dividido por",
        "=": "é igual a",
        "≠": "é diferente de",
        "≈": "é aproximadamente",
        "<": "é menor que",
        ">": "é maior que",
        "≤": "é menor ou igual a",
        "≥": "é maior ou igual a",
        "±": "mais ou menos",
        "^": "elevado a",
    },
    stars="estrelas",
    powers={"²": "ao quadrado", "³": "ao cubo"},
    greek=(
        "alfa beta gama delta épsilon zeta eta teta iota capa lambda mi ni csi ômicron "
        "pi rô sigma tau ípsilon fi qui psi ômega"
    ),
    formula_phrases=table(
        "root: raiz quadrada de {x}; cube root: raiz cúbica de {x}"
        "; nth root: raiz de índice {n} de {x}; absolute: módulo de {x}; choose: {n} sobre {k}"
        "; from: {name} de {low} a {high} de; set: {name} em {low} de; all: {name} de"
        "; limit: limite quando {x} de; tends: tende a; of: de; applied: de; vec: vetor {x}"
        "; bar: {x} barra; hat: {x} chapéu; dot: {x} ponto; tilde: {x} til"
    ),
    formula_signs=table(
        "∪: união; ∩: interseção; ⊂: está contido em; ∉: não pertence a; ∝: é proporcional a"
        "; ≡: é equivalente a; ⊥: é perpendicular a; ∥: é paralelo a"
    ),
    formula_names=table(
        "sin: seno; sen: seno; cos: cosseno; tan: tangente; cot: cotangente; log: logaritmo"
        "; ln: logaritmo natural; exp: exponencial; max: máximo; min: mínimo; lim: limite"
        "; ∂: derivada parcial; ∇: nabla; ∠: ângulo; △: triângulo; !: fatorial; ′: linha"
        "; ∑: somatório; ∫: integral; ∏: produtório; ∬: integral dupla; ⋃: união; ⋂: interseção"
    ),
    every_hours="{n} em {n} horas",
    per="por",
    range_word="a",
    version_word="versão",
    denominators={
        2: Noun("meio", "meios"),
        3: Noun("terço", "terços"),
        4: Noun("quarto", "quartos"),
        5: Noun("quinto", "quintos"),
        6: Noun("sexto", "sextos"),
        7: Noun("sétimo", "sétimos"),
        8: Noun("oitavo", "oitavos"),
        9: Noun("nono", "nonos"),
        10: Noun("décimo", "décimos"),
        11: Noun("onze avos", "onze avos"),
        12: Noun("doze avos", "doze avos"),
        15: Noun("quinze avos", "quinze avos"),
        16: Noun("dezesseis avos", "dezesseis avos"),
        20: Noun("vinte avos", "vinte avos"),
        100: Noun("centésimo", "centésimos"),
        1000: Noun("milésimo", "milésimos"),
    },
    over="{top} sobre {bottom}",
    fractions={"1/2": "meio"},
    mixed="{whole} e {part}",
    percent={"%": "por cento", "‰": "por mil"},
    units={
        "mmHg": Noun("milímetro de mercúrio", "milímetros de mercúrio"),
        "lpm": Noun("batimento por minuto", "batimentos por minuto"),
        "un.": Noun("unidade", "unidades", _F),
        "col.": Noun("colher", "colheres", _F),
        "cp.": Noun("comprimido", "comprimidos"),
        "psi": Noun("libra por polegada quadrada", "libras por polegada quadrada", _F),
        "m": Noun("metro", "metros"),
        "m²": Noun("metro quadrado", "metros quadrados"),
        "m³": Noun("metro cúbico", "metros cúbicos"),
        "km": Noun("quilômetro", "quilômetros"),
        "km²": Noun("quilômetro quadrado", "quilômetros quadrados"),
        "cm": Noun("centímetro", "centímetros"),
        "cm²": Noun("centímetro quadrado", "centímetros quadrados"),
        "cm³": Noun("centímetro cúbico", "centímetros cúbicos"),
        "mm": Noun("milímetro", "milímetros"),
        "μm": Noun("micrômetro", "micrômetros"),
        "nm": Noun("nanômetro", "nanômetros"),
        "ha": Noun("hectare", "hectares"),
        "km/h": Noun("quilômetro por hora", "quilômetros por hora"),
        "m/s": Noun("metro por segundo", "metros por segundo"),
        "m/s²": Noun("metro por segundo ao quadrado", "metros por segundo ao quadrado"),
        "kg": Noun("quilo", "quilos"),
        "g": Noun("grama", "gramas"),
        "mg": Noun("miligrama", "miligramas"),
        "μg": Noun("micrograma", "microgramas"),
        "t": Noun("tonelada", "toneladas", _F),
        "l": Noun("litro", "litros"),
        "ml": Noun("mililitro", "mililitros"),
        "cl": Noun("centilitro", "centilitros"),
        "dl": Noun("decilitro", "decilitros"),
        "h": _HOUR,
        "min": _MINUTE,
        "s": _SECOND,
        "ms": Noun("milissegundo", "milissegundos"),
        "KB": Noun("quilobaite", "quilobaites"),
        "MB": Noun("megabaite", "megabaites"),
        "GB": Noun("gigabaite", "gigabaites"),
        "TB": Noun("terabaite", "terabaites"),
        "kbps": Noun("quilobit por segundo", "quilobits por segundo"),
        "Mbps": Noun("megabit por segundo", "megabits por segundo"),
        "MB/s": Noun("megabaite por segundo", "megabaites por segundo"),
        "Gbps": Noun("gigabit por segundo", "gigabits por segundo"),
        "Hz": Noun("hertz", "hertz"),
        "kHz": Noun("quilohertz", "quilohertz"),
        "MHz": Noun("megahertz", "megahertz"),
        "GHz": Noun("gigahertz", "gigahertz"),
        "W": Noun("watt", "watts"),
        "kW": Noun("quilowatt", "quilowatts"),
        "MW": Noun("megawatt", "megawatts"),
        "kWh": Noun("quilowatt-hora", "quilowatts-hora"),
        "V": Noun("volt", "volts"),
        "mAh": Noun("miliampere-hora", "miliamperes-hora"),
        "cv": Noun("cavalo", "cavalos"),
        "kcal": Noun("quilocaloria", "quilocalorias", _F),
        "dB": Noun("decibel", "decibéis"),
        "hPa": Noun("hectopascal", "hectopascais"),
        "px": Noun("pixel", "pixels"),
        "d": Noun("dia", "dias"),
        "col. de sopa": Noun("colher de sopa", "colheres de sopa", _F),
        "col. de chá": Noun("colher de chá", "colheres de chá", _F),
        "col. (sopa)": Noun("colher de sopa", "colheres de sopa", _F),
        "col. (chá)": Noun("colher de chá", "colheres de chá", _F),
        "colher (sopa)": Noun("colher de sopa", "colheres de sopa", _F),
        "colheres (sopa)": Noun("colher de sopa", "colheres de sopa", _F),
        "colher (chá)": Noun("colher de chá", "colheres de chá", _F),
        "colheres (chá)": Noun("colher de chá", "colheres de chá", _F),
        "xíc": Noun("xícara", "xícaras", _F),
        "cp": Noun("comprimido", "comprimidos"),
        "comp": Noun("comprimido", "comprimidos"),
        "und": Noun("unidade", "unidades", _F),
        "atm": Noun("atmosfera", "atmosferas", _F),
        "c. (sopa)": Noun("colher de sopa", "colheres de sopa", _F),
        "c. (chá)": Noun("colher de chá", "colheres de chá", _F),
        "c. (sobremesa)": Noun("colher de sobremesa", "colheres de sobremesa", _F),
        "c. de sopa": Noun("colher de sopa", "colheres de sopa", _F),
        "c. de chá": Noun("colher de chá", "colheres de chá", _F),
        "A": Noun("ampere", "amperes"),
        "mA": Noun("miliampere", "miliamperes"),
        "Wh": Noun("watt-hora", "watts-hora"),
        "MWh": Noun("megawatt-hora", "megawatts-hora"),
        "GW": Noun("gigawatt", "gigawatts"),
        "kPa": Noun("quilopascal", "quilopascais"),
        "kJ": Noun("quilojoule", "quilojoules"),
        "cal": Noun("caloria", "calorias", _F),
        "mph": Noun("milha por hora", "milhas por hora", _F),
        "lb": Noun("libra", "libras", _F),
        "oz": Noun("onça", "onças", _F),
        "ft": Noun("pé", "pés"),
        "rpm": Noun("rotação por minuto", "rotações por minuto", _F),
        "bpm": Noun("batimento por minuto", "batimentos por minuto"),
        "°C": Noun("grau Celsius", "graus Celsius"),
        "°F": Noun("grau Fahrenheit", "graus Fahrenheit"),
    },
    degree=Noun("grau", "graus"),
    currencies={
        "₩": Currency(Noun("won", "wons"), Noun("jeon", "jeons")),
        "₽": Currency(Noun("rublo", "rublos"), Noun("copeque", "copeques")),
        "₺": Currency(Noun("lira turca", "liras turcas", _F), Noun("kuruş", "kuruş")),
        "R$": _REAL,
        "BRL": _REAL,
        "€": _EURO,
        "EUR": _EURO,
        "$": _DOLLAR,
        "US$": _DOLLAR,
        "U$": _DOLLAR,
        "USD": _DOLLAR,
        "£": _POUND,
        "GBP": _POUND,
        "¥": _YEN,
        "JPY": _YEN,
        "₹": _RUPEE,
        "INR": _RUPEE,
        "CHF": Currency(Noun("franco suíço", "francos suíços"), Noun("cêntimo", "cêntimos")),
    },
    money="{main} e {cent}",
    magnitudes={
        "mil": _THOUSAND,
        "k": _THOUSAND,
        "K": _THOUSAND,
        "M": _MILLION,
        "mi": _MILLION,
        "milhão": _MILLION,
        "milhões": _MILLION,
        "B": _BILLION,
        "bi": _BILLION,
        "bilhão": _BILLION,
        "bilhões": _BILLION,
        "tri": _TRILLION,
        "trilhão": _TRILLION,
        "trilhões": _TRILLION,
    },
    of="de ",
    of_vowel="de ",
    months=words(
        "janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro"
    ),
    month_abbreviations=(
        ("jan",),
        ("fev",),
        ("mar",),
        ("abr",),
        ("mai",),
        ("jun",),
        ("jul",),
        ("ago",),
        ("set",),
        ("out",),
        ("nov",),
        ("dez",),
    ),
    weekday_abbreviations={
        "seg": "segunda-feira",
        "ter": "terça-feira",
        "qua": "quarta-feira",
        "qui": "quinta-feira",
        "sex": "sexta-feira",
        "sáb": "sábado",
        "sab": "sábado",
        "dom": "domingo",
    },
    date="{day} de {month} de {year}",
    date_link="de",
    first_day="primeiro",
    hour=_HOUR,
    minute=_MINUTE,
    second=_SECOND,
    clock="{hour} e {minute}",
    clock_few="{hour} e {minute}",
    clock_whole="{hour} {noun}",
    hour_marks="hH",
    clock_words={"h": "", "hs": "", "hrs": "", "horas": ""},
    forenoon="da manhã",
    afternoon=((5, "da tarde"), (11, "da noite")),
    telephone=r"(?:\([0-9]{2}\)[ \u00a0]?|[1-9][0-9][ ])9?[ ]?[0-9]{4}[ -][0-9]{4}"
    r"|9[0-9]{4}-[0-9]{4}|[2-5][0-9]{3}-[0-9]{4}|0800[ -][0-9]{3}[ -][0-9]{4}"
    r"|[0-9]{5}-[0-9]{3}"  # post codes, then taxpayer numbers of persons and companies
    r"|[0-9]{3}\.[0-9]{3}\.[0-9]{3}-[0-9]{2}"
    r"|[0-9]{2}\.[0-9]{3}\.[0-9]{3}/[0-9]{4}-[0-9]{2}",
    plus="mais",
    titles=TITLES,
    before_number=BEFORE_NUMBER,
    abbreviations=ABBREVIATIONS,
    spelled=ACRONYMS,
    spelled_small=frozenset(words("cpf cnpj inss iptu ipva stf rg pdf url usb")),
    pronounced=frozenset(words("USP ENEM IBAMA ANVISA FUNAI SENAC SESC DETRAN")),
    short_words=frozenset(
        words(
            "ao aí as da de do em és eu há ia ir já lá lê me na no né nó os ou pá pé pó se"
            " só te ti tu um vá vê oh ah eh ok dr sr av st pe"
        )
    ),
    ratio="para",
    ratio_words=words("escala proporção proporções razão relação formato"),
    verses=words(
        "Gênesis Êxodo Mateus Marcos Lucas João Salmos? Atos Romanos Isaías Provérbios"
        " Apocalipse Coríntios"
    ),
    set_words=words("sets? tênis tie-break parciais"),
    between=("entre", "e"),
    marks="notas?|tir\\w+|obteve|pontuaç\\w+|avaliaç\\w+|média",
    slash_year="de",
    episode="temporada {season}, episódio {episode}",
    date_before=words(
        "dia no\\sdia até segunda terça quarta quinta sexta"
        " (?:segunda|terça|quarta|quinta|sexta)-feira,? sábado,? domingo,? em"
    ),
    pressure=("pressão|PA", "por"),
    unit_per="por",
    per_words={
        "ano": "por ano",
        "mês": "por mês",
        "dia": "por dia",
        "semana": "por semana",
        "sem.": "por semana",
        "sem": "por semana",
        "hora": "por hora",
        "h": "por hora",
        "pessoa": "por pessoa",
        "noite": "por noite",
        "kg": "por quilo",
        "l": "por litro",
        "L": "por litro",
        "dl": "por decilitro",
        "dL": "por decilitro",
        "ml": "por mililitro",
        "mL": "por mililitro",
        "m²": "por metro quadrado",
        "s": "por segundo",
        "min": "por minuto",
        "km": "por quilômetro",
        "g": "por grama",
        "m": "por metro",
    },
    duration_words=words(
        "em por durante dura durou duram leva levou levam demora demorou quase"
        " cerca\\sde cada recorde tempo"
    ),
    and_word="e",
    chat=CHAT,
    meanings=MEANINGS,
    ampersand="e",
    centuries={
        "século": RomanStyle.ORDINAL_TO_TEN,
        "séculos": RomanStyle.ORDINAL_TO_TEN,
    },
    ordinal_follows={"guerra": _F, "edição": _F, "congresso": _M},
    divisions=dict.fromkeys(
        words(
            "capítulo tomo volume livro parte ato título anexo fase tipo inciso artigo parágrafo"
        ),
        RomanStyle.CARDINAL,
    ),
    regnal_names={
        **dict.fromkeys(
            words(
                "Luís Carlos Henrique Francisco Filipe Napoleão João Paulo Pio Bento Leão Clemente"
                " Gregório Inocêncio Urbano Alexandre Guilherme Jaime Eduardo Ricardo Jorge"
                " Frederico Fernando Afonso Alberto Leopoldo Nicolau Pedro Ramsés Bonifácio Sisto"
                " Júlio Manuel Sancho Miguel José"
            ),
            False,
        ),
        **dict.fromkeys(words("Elizabeth Isabel Catarina Maria Margarida"), True),
    },
    regnal_style=RomanStyle.ORDINAL_TO_TEN,
    weekday_links=words("a e ou à"),
    ambiguous_weekdays=frozenset(words("ter qua qui sex seg set dom")),
    foot=Noun("pé", "pés"),
    inch=Noun("polegada", "polegadas", _F),
    by="por",
    times=Noun("vez", "vezes", _F),
    codes=words(
        "código senha PIN OTP CVV CEP ramal protocolo matrícula código\\sde\\s\\w+"
        " número\\sd[aeo]\\s(?:pedido|conta|cliente|série|processo|reserva|cartão) conta\\snúmero"
    ),
    code_links=words("é era será número"),
    flights=words("voo voos"),
    singular_articles=frozenset(words("o a do da ao à no na um uma pelo pela")),
    degree_words=frozenset(
        words(
            "temperatura temperaturas forno faz fazia fez hoje amanhã ontem máxima mínima febre"
            " ângulo latitude longitude rotação graus termômetro água assar aquecer"
        )
    ),
    not_counted=frozenset(
        words(
            "de do da dos das em no na nos nas com sem por para que se como e ou mas a o as os ao à"
            " é são foi mais menos entre até sobre um uma não"
        )
    ),
    numbered=frozenset(
        words(
            "vitamina página capítulo fase parte número artigo tabela figura grupo linha"
            " versão nível zona tipo classe quarto sala porta andar etapa rodada temporada tema"
            " unidade lição exercício pergunta opção passo ponto seção anexo volume categoria"
            " canal mesa equipe"
        )
    ),
    half="meia",
    scores=words(
        "venc\\w+ ganh\\w+ perd\\w+ empat\\w+ bate\\w* gole\\w+ placar vitória derrota final"
    ),
    noble_titles=("dom", "dona"),
    feminine_singulars=words("a ã ção são dade tude gem"),
    masculine_singulars=words("dia mapa planeta atleta poeta ema oma grama ista"),
    feminine_nouns=frozenset(
        words(
            "hora horas pessoa vez vezes página semana tonelada libra casa mulher mulheres menina"
            " noite unidade coisa xícara colher colheres parte peça pergunta foto mão mãos moto"
            " milha polegada estrela garrafa irmã irmãs filha cidade viagem viagens imagem"
            " imagens mensagem mensagens flor flores cor cores"
        )
    ),
    masculine_nouns=frozenset(
        words(
            "ano dia mês minuto segundo euro dólar real quilo quilômetro metro litro grau homem"
            " filho irmão livro milhão milhões bilhão bilhões mil ponto gol copo país"
        )
    ),
    feminine_endings=("as", "niões", "giões", "stões", "ções", "sões", "dades", "tudes", "gens"),
    masculine_endings=(
        *("dias", "mapas", "planetas", "atletas", "poetas", "gramas", "sofás", "papas"),
        *("istas", "emas", "omas"),
    ),
)

ADDRESSES = AddressWords(
    signs=(
        "ponto; barra; arroba; dois pontos; ponto de interrogação; igual; e comercial"
        "; cerquilha; hífen; underline; por cento; mais; til; barra invertida; vírgula"
        "; ponto e vírgula; ponto de exclamação; cifrão; asterisco; abre parêntese"
        "; fecha parêntese; abre colchete; fecha colchete; apóstrofo; barra vertical"
    ),
    hashtag="hashtag",
    words_too=("de me se no na ao as um eu do to so la pro si is at"),
)

PICTURES = PictureWords(
    symbols=(
        "→ para; ↑ alta; ↓ queda; © copyright; § parágrafo; §§ parágrafos; ¶"
        " parágrafo; ¶¶ parágrafos"
        "; × vezes; ÷ dividido por; ± mais ou menos; ≠ diferente de; ≈ aproximadamente"
        "; ≤ menor ou igual a; ≥ maior ou igual a; ∞ infinito; √ raiz quadrada de; ∑ soma de"
        "; ∫ integral de; ∬ integral dupla de; ∭ integral tripla de; ⨌ integral quádrupla de"
        "; ∈ pertence a; ∅ conjunto vazio; ∀ para todo; ∃ existe; ∴ portanto; ∵ porque"
        "; ⇒ implica; ⇔ se e somente se; № número; ♯ sustenido; ♭ bemol"
    ),
    stars=("{n} de {total} estrelas", "{n} estrelas", "estrelas", "estrelas"),
    names_in="pt",
)
