"""Italian abbreviations and acronyms."""

from __future__ import annotations

from service.text.normalization.locale import words

TITLES = {
    "Sig.": "signor",
    "sig.": "signor",
    "Sig.ra": "signora",
    "sig.ra": "signora",
    "Sig.na": "signorina",
    "sig.na": "signorina",
    "Sigg.": "signori",
    "Dott.": "dottor",
    "dott.": "dottor",
    "Dott.ssa": "dottoressa",
    "dott.ssa": "dottoressa",
    "Dr.": "dottor",
    "Dr": "dottor",
    "Prof.": "professor",
    "prof.": "professor",
    "Prof.ssa": "professoressa",
    "prof.ssa": "professoressa",
    "Ing.": "ingegner",
    "ing.": "ingegner",
    "Avv.": "avvocato",
    "avv.": "avvocato",
    "Arch.": "architetto",
    "Geom.": "geometra",
    "Rag.": "ragionier",
    "On.": "onorevole",
    "on.": "onorevole",
    "Sen.": "senatore",
    "Gen.": "generale",
    "Col.": "colonnello",
    "Mons.": "monsignor",
    "V.le": "viale",
    "v.le": "viale",
    "P.za": "piazza",
    "P.zza": "piazza",
    "C.so": "corso",
    "L.go": "largo",
    "Spett.": "spettabile",
    "Egr.": "egregio",
    "Gent.mo": "gentilissimo",
    "Gent.ma": "gentilissima",
    "c/o": "presso",
}
"""Abbreviations before a name."""

BEFORE_NUMBER = {
    "n.": "numero",
    "N.": "numero",
    "nº": "numero",
    "n°": "numero",
    "N°": "numero",
    "nn.": "numeri",
    "pag.": "pagina",
    "pagg.": "pagine",
    "p.": "pagina",
    "pp.": "pagine",
    "art.": "articolo",
    "artt.": "articoli",
    "cap.": "capitolo",
    "vol.": "volume",
    "fig.": "figura",
    "tel.": "telefono",
    "cell.": "cellulare",
    "sec.": "secolo",
    "ca.": "circa",
    "#": "numero",
}
"""Abbreviations before a figure or a Roman numeral."""

ABBREVIATIONS = {
    "p. es.": "per esempio",
    "per es.": "per esempio",
    "ad es.": "ad esempio",
    "ecc.": "eccetera",
    "etc.": "eccetera",
    "cfr.": "confronta",
    "a. C.": "avanti Cristo",
    "d. C.": "dopo Cristo",
    "S.p.A.": "società per azioni",
    "SpA": "società per azioni",
    "S.r.l.": "società a responsabilità limitata",
    "Srl": "società a responsabilità limitata",
    "max.": "massimo",
    "min.": "minimo",
    "tel.": "telefono",
    "vs.": "contro",
}
"""All other abbreviations."""

ACRONYMS = frozenset(
    words("ADSL ATM BCE CGIL DNA FBI FMI HIV IA IBM INGV IPC ISS NBA OMC OMS ONG RNA UE URL")
)
"""Acronyms that are spelled, although they could be read as words."""
