"""Portuguese abbreviations and acronyms."""

from __future__ import annotations

from service.text.normalization.locale import words

TITLES = {
    "Sr.": "senhor",
    "Sra.": "senhora",
    "Srta.": "senhorita",
    "Srs.": "senhores",
    "Sras.": "senhoras",
    "Dr.": "doutor",
    "Dra.": "doutora",
    "Prof.": "professor",
    "Profa.": "professora",
    "Prof.ª": "professora",
    "Profª": "professora",
    "Eng.": "engenheiro",
    "Exmo.": "excelentíssimo",
    "Exma.": "excelentíssima",
    "Ilmo.": "ilustríssimo",
    "Pe.": "padre",
    "Gen.": "general",
    "Cel.": "coronel",
    "Cap.": "capitão",
    "Sto.": "santo",
    "Sta.": "santa",
    "Av.": "avenida",
    "Pça.": "praça",
    "Rod.": "rodovia",
    "Trav.": "travessa",
}
"""Abbreviations before a name."""

BEFORE_NUMBER = {
    "n.º": "número",
    "N.º": "número",
    "nº": "número",
    "Nº": "número",
    "n°": "número",
    "N°": "número",
    "pág.": "página",
    "págs.": "páginas",
    "p.": "página",
    "pp.": "páginas",
    "cap.": "capítulo",
    "art.": "artigo",
    "arts.": "artigos",
    "vol.": "volume",
    "fig.": "figura",
    "tel.": "telefone",
    "cel.": "celular",
    "apto.": "apartamento",
    "ap.": "apartamento",
    "séc.": "século",
    "aprox.": "aproximadamente",
    "#": "número",
}
"""Abbreviations before a figure or a Roman numeral."""

ABBREVIATIONS = {
    "p. ex.": "por exemplo",
    "etc.": "etcétera",
    "EUA": "Estados Unidos",
    "a. C.": "antes de Cristo",
    "d. C.": "depois de Cristo",
    "S. A.": "sociedade anônima",
    "S/A": "sociedade anônima",
    "Ltda.": "limitada",
    "Cia.": "companhia",
    "Jr.": "júnior",
    "obs.": "observação",
    "aprox.": "aproximadamente",
    "máx.": "máximo",
    "mín.": "mínimo",
    "Depto.": "departamento",
    "tel.": "telefone",
    "vs.": "contra",
}
"""All other abbreviations."""

ACRONYMS = frozenset(
    words(
        "ATM DNA FBI FGTS FMI HIV IA IBGE IBM ICMS INPC INSS IOF IPC IPI IPTU IPVA ISS OAB RNA TSE"
        " UE UERJ UFMG UFRJ UNB URL USB UTI"
    )
)
"""Acronyms that are spelled, although they could be read as words."""
