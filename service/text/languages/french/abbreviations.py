"""French abbreviations and acronyms."""

from __future__ import annotations

from service.text.normalization.locale import Meaning, words

_CA = r"(?<![\w$.'’(-])CA(?![\w.'’)-])"
"""Revenue or board."""

TITLES = {
    "M.": "monsieur",
    "MM.": "messieurs",
    "Mme": "madame",
    "Mme.": "madame",
    "Mmes": "mesdames",
    "Mlle": "mademoiselle",
    "Mlles": "mesdemoiselles",
    "Dr": "docteur",
    "Dr.": "docteur",
    "Drs": "docteurs",
    "Pr": "professeur",
    "Pr.": "professeur",
    "Prof.": "professeur",
    "Mgr": "monseigneur",
    "bd": "boulevard",
    "bd.": "boulevard",
    "Bd": "boulevard",
    "boul.": "boulevard",
    "av.": "avenue",
    "Av.": "avenue",
    "pl.": "place",
}
"""Abbreviations before a name."""

BEFORE_NUMBER = {
    "n°": "numéro",
    "N°": "numéro",
    "nº": "numéro",
    "Nº": "numéro",
    "p.": "page",
    "pp.": "pages",
    "art.": "article",
    "chap.": "chapitre",
    "vol.": "volume",
    "fig.": "figure",
    "tél.": "téléphone",
    "env.": "environ",
    "t.": "tome",
    "#": "numéro",
}
"""Abbreviations before a figure or a Roman numeral."""

ABBREVIATIONS = {
    "p. ex.": "par exemple",
    "par ex.": "par exemple",
    "c.-à-d.": "c'est-à-dire",
    "c-à-d": "c'est-à-dire",
    "càd": "c'est-à-dire",
    "etc.": "et cetera",
    "cf.": "voir",
    "env.": "environ",
    "av. J.-C.": "avant Jésus-Christ",
    "apr. J.-C.": "après Jésus-Christ",
    "ap. J.-C.": "après Jésus-Christ",
    "J.-C.": "Jésus-Christ",
    "svp": "s'il vous plaît",
    "SVP": "s'il vous plaît",
    "s.v.p.": "s'il vous plaît",
    "tél.": "téléphone",
    "Cie": "compagnie",
    "Ier": "premier",
    "Ire": "première",
    "Ière": "première",
    "max.": "maximum",
    "min.": "minimum",
}
"""All other abbreviations."""

ACRONYMS = frozenset(
    words(
        "ADN AFP AOC AOP API APL ARN ARS ATM BEP BNP BTP CDI CEA CEO CGT CIA CIO CPE CSE DEA"
        " DGSE DPE DUT EDF EEE ENS ENT EPS ERP ESS ETI FBI FMI GIE HEC IA IBM IFI IGN IGP INA"
        " IPC IRM ISF IUT IVG JO KO LCI NBA OCDE OGM OMC OMS ONG PIB PME PMI PMU PSA RER"
        " RSA RSE SPA SUV TER UDI UE UFC UMP URL URSS USA USB UV VAE VIH VOD"
    )
)
"""Acronyms that are spelled, although they could be read as words."""

MEANINGS = (
    Meaning(
        r"(?<![\w.])Me(?=[ \u00a0](?:[A-ZÀ-ÖØ-Þ](?!oo\b|yself\b|efore\b)"
        r"|(?:de[ \u00a0]|d['’])[A-ZÀ-ÖØ-Þ]))",
        "maître",
    ),
    Meaning(
        r"(?<=[a-zà-ÿ,;:][ \u00a0])Mes(?=[ \u00a0][A-ZÀ-ÖØ-Þ][\w-]{1,30} et [A-ZÀ-ÖØ-Þ])",
        "maîtres",
    ),
    Meaning(
        _CA,
        "conseil d'administration",
        r"\b(?:réuni\w*|vot(?:e|é|ent|er)|membres?|président\w*|administrat\w+|séance|siège\w*"
        r"|élus?|élire|nomm\w+|délib\w+|procès-verbal|convo\w+|mandats?)\b",
    ),
    Meaning(
        _CA,
        "chiffre d'affaires",
        r"[€$£%]|\b(?:[0-9]+|millions?|milliards?|euros?|pour cent|hausse|baisse\w*|progress\w+"
        r"|annuels?|mensuels?|trimestriels?|hors taxes|HT|TTC|réalis\w+|record|croissance"
        r"|ventes?|marge|bénéfices?|résultats?|stable|recul\w*|augment\w+)",
    ),
)
"""Abbreviations that only a context tells."""
