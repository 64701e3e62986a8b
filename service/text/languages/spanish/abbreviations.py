"""Spanish abbreviations and acronyms."""

from __future__ import annotations

from service.text.normalization.locale import words

TITLES = {
    "Sr.": "señor",
    "Sra.": "señora",
    "Srta.": "señorita",
    "Sres.": "señores",
    "Sras.": "señoras",
    "Dr.": "doctor",
    "Dra.": "doctora",
    "Dres.": "doctores",
    "D.ª": "doña",
    "Dª": "doña",
    "Dña.": "doña",
    "Prof.": "profesor",
    "Profa.": "profesora",
    "Ing.": "ingeniero",
    "Lic.": "licenciado",
    "Gral.": "general",
    "Cnel.": "coronel",
    "Cap.": "capitán",
    "Sto.": "santo",
    "Sta.": "santa",
    "Av.": "avenida",
    "Avda.": "avenida",
    "C/": "calle",
    "c/": "calle",
    "Pza.": "plaza",
    "Plza.": "plaza",
    "Ctra.": "carretera",
    "Rte.": "remitente",
}
"""Abbreviations before a name."""

BEFORE_NUMBER = {
    "n.º": "número",
    "N.º": "número",
    "nº": "número",
    "Nº": "número",
    "n°": "número",
    "N°": "número",
    "núm.": "número",
    "núms.": "números",
    "pág.": "página",
    "págs.": "páginas",
    "p.": "página",
    "pp.": "páginas",
    "cap.": "capítulo",
    "art.": "artículo",
    "arts.": "artículos",
    "vol.": "volumen",
    "fig.": "figura",
    "tel.": "teléfono",
    "Tel.": "teléfono",
    "tfno.": "teléfono",
    "aprox.": "aproximadamente",
    "s.": "siglo",
    "#": "número",
}
"""Abbreviations before a figure or a Roman numeral."""

ABBREVIATIONS = {
    "Ud.": "usted",
    "Uds.": "ustedes",
    "Vd.": "usted",
    "Vds.": "ustedes",
    "p. ej.": "por ejemplo",
    "p.ej.": "por ejemplo",
    "P. ej.": "por ejemplo",
    "etc.": "etcétera",
    "EE. UU.": "Estados Unidos",
    "EE.UU.": "Estados Unidos",
    "EEUU": "Estados Unidos",
    "JJ. OO.": "Juegos Olímpicos",
    "JJ.OO.": "Juegos Olímpicos",
    "CC. AA.": "comunidades autónomas",
    "CC.AA.": "comunidades autónomas",
    "RR. HH.": "recursos humanos",
    "RR.HH.": "recursos humanos",
    "S. A.": "sociedad anónima",
    "S.A.": "sociedad anónima",
    "S. L.": "sociedad limitada",
    "S.L.": "sociedad limitada",
    "a. C.": "antes de Cristo",
    "a.C.": "antes de Cristo",
    "d. C.": "después de Cristo",
    "d.C.": "después de Cristo",
    "aprox.": "aproximadamente",
    "máx.": "máximo",
    "mín.": "mínimo",
    "Dpto.": "departamento",
    "Depto.": "departamento",
    "Cía.": "compañía",
    "Admón.": "administración",
    "izda.": "izquierda",
    "izq.": "izquierda",
    "dcha.": "derecha",
    "vs.": "contra",
    "L-J": "lunes a jueves",
    "L-V": "lunes a viernes",
    "L-S": "lunes a sábado",
    "L-D": "lunes a domingo",
}
"""All other abbreviations."""

ACRONYMS = frozenset(
    words(
        "ADN ARN ATM BBVA DNI FBI FMI IA IBM IES IPC IRPF ITV OCDE OEA OMC OMS ONG RNE RTVE SMI TVE"
        " UAB UCI UE UGT UIT UOC UPC UPF UPV URL URSS USB UVI VIH"
    )
)
"""Acronyms that are spelled, although they could be read as words."""
