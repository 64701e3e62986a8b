"""Voices of other systems: what their names tell of language and sex."""

from __future__ import annotations

import re
from dataclasses import dataclass

from service.errors import LanguageUnavailableError
from service.text import find_language


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


_LOCALE = re.compile(
    r"(?P<language>[a-z]{2,3})[-_](?:[a-z]{4}[-_])?(?P<region>[a-z]{2}|419)(?=[-_][a-z0-9])", re.I
)
_LETTERED = re.compile(r"[A-Za-z]{1,20}[0-9]?(?:-[A-Za-z]{1,20}[0-9]?){0,3}-(?P<letter>[A-Z])")
_LONG_NAME = re.compile(r"Microsoft Server Speech .{0,60}\((\S{2,12}), (\S{1,60})\)")
"""Azure's longer names, in brackets of which is the short one: `en-US, AriaNeural`."""
_APART = str.maketrans("_()-", "    ")

_KINDS = ("Multilingual", "Turbo", "Dragon", "HD", "Latest", "Expressive", "Neural", "RUS", "Voice",
          "V1", "V2", "V3", "Express")  # fmt: skip
"""What names of Azure and Watson end with, after the voice's own."""

_SEXES_OF_LETTERS = {
    "en-US": "mmfmfffffmm", "en-GB": "fmfmmf", "en-AU": "fmfm", "en-IN": "fmmf", "fr-FR": "fmfmffm",
    "fr-CA": "fmfm", "es-ES": "fmffffm", "es-US": "fmm", "it-IT": "ffmmfm", "ja-JP": "ffmm",
    "hi-IN": "fmmffm", "pt-BR": "fmf", "cmn-CN": "fmmf", "cmn-TW": "fmm",
}  # fmt: skip
"""Google's voices of each language: the sexes of A, B, C and so on."""

_MEN = _names(
    """
    aarav abraham achird adam alain alejandro alessandro alex algenib algieba alnilam alonso
    alvaro andres andrew ankit antoine antoni antonio arjun arnold arthur ash ballad benigno
    benjamin blake brandon brian calimero cataldo cedar charon chris christopher ciro claude
    connor daichi daniel danny darren david davis denis diarmid diego dieter donato duncan echo
    elias enceladus enrique eric ethan fabio fable fabrice federico felix fenrir florian fred
    gary george geraint gerard gerardo gianni giorgio giuseppe gregory guy hemant henri henry
    humbert humberto iapetus ichiro ignat jacob james jason jean jerome joel joey jorge josh
    julio justin kangkang keita kevin kunal lautaro liam lisandro lorenzo luca luciano lucien
    luke madhur manuel marcelo mark mathieu matthew maurice mekhail michael miguel mitchell
    naoki neil nico nicolas noah oliver onyx orus pablo palmiro paul pelayo pier pierre prabhat
    puck rafe rasalgethi raul ravi rehaan remy ricardo rinaldo rodrigo roger roy russell ryan
    sadachbia sadaltager sam saul schedar sean sebastian sergio steffan stephen takumi teo
    thiago thierry thomas tim tom tomas tony umbriel valerio verse william yago yunfan yunfeng
    yunhao yunjian yunjie yunxi yunxia yunxiao yunyang yunye yunyi yunze zane zhiwei
    zubenelgenubi
    """
)
"""Names of men among the voices of Azure, Google, Polly, Watson, OpenAI, Windows and Apple."""

_WOMEN = _names(
    """
    aashi abbi abril achernar aditi adri allison alloy amber amy ana ananya angela aoede aria
    ashley astrid autonoe ava ayumi belkys bella bianca birgit blanca brenda brigitte callirrhoe
    camila carla carly carmen caroline catalina celeste chantal charline charlotte clara coco
    conchita cora coral coralie dalia danielle denise despina domi elli eloise elsa elsie elvira
    emi emily emma erika erinome estrella fabiola fernanda fiamma fiona fiora francesca freya
    gabrielle gacrux giovanna gisella gwyneth haruka hazel hazuki heera helena helia hollie
    hortense huihui imelda ines irene irma isabela isabella isabelle isidora ivy jacqueline jane
    jenny jessa joana joanna josephine julie kajal kalpana karen kate kavya kazuha kendra kim
    kimberly kore laia laomedeia larissa laura lea leda leila leticia lia libby linda lisa lola
    lorena louise lucia luna lupe macarena maisie manuela maria marin marisol marta mayu mia
    michelle mizuki moira molly monica nanami nancy natasha neerja niamh nicole nova nuria
    olivia paloma pierina pilar pulcherrima rachel raveena renata renee ruth sabela sabina sage
    salli sally samantha sara sarah serena shimmer shiori silvia sofia sonia sophie sulafat
    susan swara sylvie tania teresa tessa thalita tina tomoko veena vera vicki victoria
    vindemiatrix vitoria vivienne wendy xiaobei xiaochen xiaohan xiaomeng xiaomo xiaoni xiaoqiu
    xiaorou xiaorui xiaoshuang xiaotong xiaoxiao xiaoxuan xiaoyan xiaoyi xiaoyou xiaoyu xiaozhen
    ximena yan yaoyao yara yasmin yvette zephyr zhiyu zira
    """
)
"""Names of women, likewise."""

_OF_WOMEN = re.compile("(?:a|ie|ine|elle|ette)\\Z")
"""How names end that are women's in most languages."""

_LANGUAGES_OF_NAMES = {
    "en-us": _names(
        """
        danielle gregory ivy joanna kendra kimberly salli joey justin kevin matthew ruth stephen
        patrick alloy ash ballad cedar coral echo marin nova onyx sage shimmer verse zira david
        mark samantha alex fred tom
        """
    ),
    "en-gb": _names(
        """
        amy emma brian arthur geraint fable hazel george susan olivia russell daniel
        """
    ),
    "es": _names(
        """
        conchita lucia enrique sergio mia andres lupe penelope miguel pedro helena laura pablo
        sabina raul
        """
    ),
    "fr": _names(
        """
        lea celine mathieu remy chantal gabrielle liam isabelle hortense paul julie
        """
    ),
    "it": _names(
        """
        carla bianca giorgio adriano cosimo elsa
        """
    ),
    "pt-br": _names(
        """
        camila vitoria ricardo thiago maria
        """
    ),
    "ja": _names(
        """
        mizuki kazuha tomoko takumi haruka ayumi ichiro
        """
    ),
    "zh": _names(
        """
        zhiyu huihui yaoyao kangkang
        """
    ),
    "hi": _names(
        """
        kajal aditi kalpana hemant swara madhur
        """
    ),
}
"""Voices whose names do not tell their languages: Polly's, OpenAI's and those of systems."""


@dataclass(frozen=True)
class ForeignVoice:
    """What is known of a voice of another system."""

    language: str | None
    sex: str | None


def foreign_voice(name: str) -> ForeignVoice | None:
    """Return what the name of a voice of another system tells of it; None if it is unknown."""
    name = _LONG_NAME.sub(r"\1-\2", name)
    match = _LOCALE.match(name)
    language: str | None = None
    locale, bare = "", name
    if match is not None:
        locale = f"{match['language'].lower()}-{match['region'].upper()}"
        bare = name[match.end() + 1 :]
        try:
            language = find_language(locale).code
        except LanguageUnavailableError:
            language = None
    lettered = _LETTERED.fullmatch(bare)
    if lettered is not None:
        sexes = _SEXES_OF_LETTERS.get(locale, "fm")
        index = ord(lettered["letter"]) - ord("A")
        return ForeignVoice(language, "male" if sexes[index % len(sexes)] == "m" else "female")
    bare = _own_name(bare).removeprefix("Microsoft ")
    words = bare.translate(_APART).split() or [""]
    given = words[-1].lower() if match is not None else words[0].lower()
    sex = "male" if given in _MEN else "female" if given in _WOMEN else None
    if sex is None and match is not None and _OF_WOMEN.search(given):
        sex = "female"
    if match is None:
        codes = (code for code, names in _LANGUAGES_OF_NAMES.items() if given in names)
        language = next(codes, None)
    if match is None and sex is None and language is None:
        return None
    return ForeignVoice(language, sex)


def _own_name(name: str) -> str:
    """Return the name of a voice without what tells its kind: `Ava` of `AvaMultilingualNeural`."""
    name = name.partition(":")[0]
    kind = next(filter(name.endswith, _KINDS), "")
    while kind:
        name = name.removesuffix(kind)
        kind = next(filter(name.endswith, _KINDS), "")
    return name
