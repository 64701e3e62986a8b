"""Tell the readings of characters that have several, where the dictionary of words cannot.

A word of the dictionary has its reading there. What jieba leaves as a single character, or puts
together itself, is decided by the characters on both sides, within the clause.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

_NUMBER = "零〇一二三四五六七八九十百千万亿两几半多数0-9"
_SUBJECTS = "我你您他她它们谁咱人"
_ADVERBS = "就也还都总必可只非又便才仍真这那需须"
_MEASURES = "米里厘尺寸丈分毫公年天月周秒小"
_SETTINGS = (
    "音量|温度|亮度|灯|闹钟|空调|水温|火|声音|频道|频率|速度|时间|颜色|字体|模式|静音|座椅|参数"
    "|焦距|味道|酒|屏幕|音响|电视|暖气|风速|对比度|分辨率|价格|振动|震动"
)


class _Sound(NamedTuple):
    """A reading and where it is heard.

    Attributes:
        pinyin: with the number of its tone.
        before: pattern of what comes before the character.
        after: pattern of what comes after it.
    """

    pinyin: str
    before: str = ""
    after: str = ""


class _Rule(NamedTuple):
    pinyin: str
    before: re.Pattern[str] | None
    after: re.Pattern[str] | None


def _rules(*sounds: _Sound) -> tuple[_Rule, ...]:
    return tuple(
        _Rule(
            sound.pinyin,
            re.compile(rf"(?:{sound.before})\Z") if sound.before else None,
            re.compile(sound.after) if sound.after else None,
        )
        for sound in sounds
    )


# In order; without a match the dictionary's reading stays.
_RULES: Mapping[str, tuple[_Rule, ...]] = {
    # The particle, or "ground" before or after what tells it from one.
    "地": _rules(
        _Sound("di4", after="[里上下面方铁点址图球区位主板震道]"),
        _Sound("di4", before=r"^|[这那块片的份是在本土亩种]"),
        _Sound("de5"),
    ),
    "只": _rules(
        _Sound("zhi1", before=f"[{_NUMBER}这那每]", after=r"\Z|[^有能是要会剩好]"),
    ),
    # To set, or to transfer and tune.
    "调": _rules(
        _Sound("diao4", before="[走跑单强声语音色高低格基情老南腔论步空]", after=r"\Z|[了的]"),
        _Sound("diao4", after="[查度动任职派遣离走来往取用回换头子门儿令拨集运兵档包研防]|出[^来]"),
        _Sound(
            "tiao2",
            after="[低高大小整节解试暗亮匀慢快好早晚准平配控频酒味料皮戏侃羹温速理养剂零制音教弱强]"
            "|一[下调]|[了得]?一下",
        ),
        _Sound("tiao2", before=rf"(?:{_SETTINGS})[^，。]{{0,6}}"),
        _Sound("tiao2", after=rf"[^，。]{{0,6}}(?:{_SETTINGS})"),
    ),
    **{
        name: _rules(
            _Sound(pinyin, before="姓"),
            _Sound(
                pinyin,
                before=r"^|[，。、,和跟与同叫是向给请对找问]",
                after="先生|女士|小姐|老师|经理|总|主任|教授|医生|大夫|导|院长|局长|处长|科长|董|太太"
                "|同学|夫人|氏|某|师傅|律师|阿姨|叔叔|老板|队长|校长|博士|警官",
            ),
        )
        for name, pinyin in {
            "单": "shan4",
            "仇": "qiu2",
            "任": "ren2",
            "曾": "zeng1",
            "朴": "piao2",
            "解": "xie4",
            "查": "zha1",
            "华": "hua4",
            "区": "ou1",
            "盖": "ge3",
            "缪": "miao4",
            "翟": "zhai2",
        }.items()
    },
    "种": _rules(
        _Sound("zhong4", after="[菜树花地田草瓜豆粮水的了下上在着满]|植"),
        _Sound("zhong4", before="[要去来爱会能耕栽]", after="[^类种子族]"),
    ),
    "数": _rules(
        _Sound("shu3", after="[了着不到一来出钱星]|[零〇一二三四五六七八九十]"),
        _Sound("shu3", before="[一来去细要]", after=r"\Z|[一数]"),
    ),
    "背": _rules(_Sound("bei1", after="[着起包负书了][^诵]|黑锅")),
    "教": _rules(_Sound("jiao1", after="[我你您他她它书英数语画唱孩会了过]")),
    "干": _rules(
        _Sound("gan4", after="[什嘛吗活了得完过掉嗎]"), _Sound("gan4", before="[能肯实苦大在想]")
    ),
    "假": _rules(
        _Sound("jia4", before="[放请休寒暑病事婚产年长补天个月周]", after=r"\Z|[了期条后前]")
    ),
    "空": _rules(_Sound("kong4", before="[有没抽得]", after=r"\Z|[吗的了时来去]")),
    "倒": _rules(
        _Sound("dao4", after="[水茶酒垃掉杯一车退计立着数是了]"),
        _Sound("dao3", before="[跌摔推打病晕绊滑卧]"),
    ),
    "系": _rules(_Sound("ji4", after="[好上着鞋领安围紧了]")),
    "盛": _rules(_Sound("cheng2", after="[饭汤了满水菜粥一]")),
    "看": _rules(_Sound("kan1", after="[家门守管护押]|孩子")),
    "中": _rules(
        _Sound("zhong4", before="[打击射看猜选命砸押投]", after=r"\Z|[了的目靶]"),
        _Sound("zhong4", after="了[^解]|[奖毒弹暑计标邪]"),
    ),
    "少": _rules(_Sound("shao4", after="[年女爷]")),
    "量": _rules(_Sound("liang2", after="[一了体血身尺过]")),
    "难": _rules(_Sound("nan4", before="[遇受落逃灾患避空]")),
    "应": _rules(_Sound("ying4", before="[答回反响适供呼]")),
    "传": _rules(_Sound("zhuan4", before="[自列正外水浒]")),
    "藏": _rules(_Sound("zang4", before="[西青川]", after=r"[族语文医区]|\Z")),
    "卷": _rules(_Sound("juan4", before="[试考答阅交画手书第上下]")),
    # Still, or to give back; `_gives_back` has what needs words.
    "还": _rules(
        _Sound("huan2", after="[款债账帐贷礼击手嘴乡俗魂清本息愿林田原]|[得不]起|不[清上]|得清"),
        _Sound(
            "huan2", before="(?:按时|按期|准时|及时|提前|每月|分期|逾期|如数|全部|尽快|归|偿|退)"
        ),
        _Sound("huan2", after=rf"(?:你|您|我|他|她|它|人家)们?[{_NUMBER}]+[块元万千百]"),
        _Sound("huan2", after="(?:你|您|我|他|她|它|人家)们?(?:一个|个)?(?:公道|清白|人情|自由)"),
        _Sound("huan2", before="每[月年周][^，。]{0,3}", after=rf"[{_NUMBER}]+[块元万千百]"),
    ),
    # To get, to have to, or the particle after a verb.
    "得": _rules(
        _Sound("de5", before="[觉懂晓显舍记认值免省来使]"),
        _Sound("de2", before="[不获取所难赢博夺求自心]", after="(?!不)"),
        _Sound(
            "de2",
            before=rf"(?:^|[{_SUBJECTS}{_ADVERBS}试赛生员队手名并已共曾])",
            after="[到过出奖病分第票胜利益意知名救逞罪体失势标]|[了过][^，。]|"
            "了?(?:冠军|亚军|癌|感冒)",
        ),
        _Sound("de5", after=r"了?\Z|多了?\Z"),
        _Sound(
            "dei3", before=rf"(?:^|[{_SUBJECTS}{_ADVERBS}]|大家|学生|老师|孩子|妈妈|爸爸|[件些]事)"
        ),
        _Sound(
            "dei3",
            after="先|把|给|让|花|交[^流]|等[^于]|买|努力|注意|小心|赶紧|赶快|马上|按时|重新|自己"
            "|跟|向|靠|付|准备|考虑|承认|提前|亲自|有人|去一",
        ),
        _Sound("de5"),
    ),
    # For, or as, become and be.
    "为": _rules(
        _Sound("wei4", after="什么|何|了|此|[我你您他她它咱]|人民|大家|祖国"),
        _Sound("wei2", after="[^，。了什]{1,6}所[^有以在]|所动|[止主首限例准荣期生妻夫难]"),
        _Sound(
            "wei2",
            before="[称选视当作列评誉任改定设变化译名分聘封尊成认行升降增减缩延][^，。为]{0,4}",
        ),
        _Sound("wei2", before="以[^，。为及]{1,10}"),
        _Sound(
            "wei2",
            before="[均皆即应仅约最更较尤甚颇极稍原现共总译度率量额价高号码址称限案果比径积数长宽]",
        ),
        _Sound("wei2", after=rf"[{_NUMBER}%]+[^，。]{{0,6}}\Z"),
    ),
    # Long, or to grow and elder.
    "长": _rules(
        _Sound("zhang3", before="[局校部班船市县省村乡镇队院会所组厅司处科营团连排州董首行社酋]"),
        _Sound(
            "zhang3", after="[得出满大高胖成在着起势毛痘牙草芽个肉相辈老子孙女官进歪斑虫叶须胡]"
        ),
        _Sound("zhang3", after=rf"了(?:[{_NUMBER}]|[^，。])"),
        _Sound(
            "chang2",
            before="[最很太较更多越挺真好够不全身腿时超特擅专细漫冗修狭延加周波体臂半悠绵深]",
        ),
        _Sound("chang2", before=f"[{_NUMBER}][{_MEASURES}]+|这么|那么|非常|有点|有点儿|十分"),
        _Sound("chang2", after=f"[{_NUMBER}]"),
        _Sound(
            "chang2",
            after="[椅桌裤裙袖衫发腿途跑靴廊款篇短期久远假城江征寿龙度条凳街路线号句诗信文尾颈鼻夜]",
        ),
        _Sound(
            "chang2",
            before="头发|路|绳子?|河|裙子?|鼻子|尾巴|脖子|队伍?|时间|历史|手臂?|的",
            after=r"\Z",
        ),
    ),
}

CHANGING = frozenset("一不")
"""Characters whose tone the next syllable changes."""

_COUNTED = re.compile(r"[零〇一二三四五六七八九幺点第十]\Z")
# Numbers, names of days and floors, and what is first: 一月, 一楼, 一二三.
_NAMED = re.compile("[零〇一二三四五六七八九幺点月号楼班]|[级等]|年级|单元")


def changed_tone(character: str, before: str, following: str, tone: str) -> str | None:
    """Return the pinyin of 一 or 不 before a syllable, None if its own tone stays.

    Args:
        character: one of the two.
        before: what comes before it in the clause.
        following: what comes after it.
        tone: of the next syllable, from 1 to 5.
    """
    if character == "不":
        return "bu2" if tone == "4" else None
    if _COUNTED.search(before) or _NAMED.match(following):
        return None
    is_day = before.endswith("月") and following[0] == "日"
    if is_day or before.endswith(following[0]):  # 十月一日, 读一读
        return None
    if tone == "4" or following[0] == "个":
        return "yi2"
    return "yi4" if tone in "123" else None


# Words of the dictionary whose reading there is another's.
_CORRECTED = frozenset({"视为", "还款"})

# 还 is huán if nothing follows that could still be the case, after a negation of the act, and
# before something that is owed.
_NOT_DONE = frozenset({"没", "没有", "未", "不"})
_DONE = frozenset({"了", "过", "完", "掉"})
_OWED = frozenset(
    {"钱", "书", "账", "帐", "债", "款", "贷", "贷款", "房贷", "欠款", "借款", "本金", "利息"}
    | {"车", "礼", "人情", "东西", "图书"}
)
_WHOM = frozenset(
    {"我", "你", "您", "他", "她", "它", "咱", "我们", "你们", "他们", "她们", "咱们", "人家"}
)

_HETERONYM = re.compile("[" + "".join(_RULES) + "]")
_REACH = 8
"""Words on each side that tell a reading."""


def sounds(cut: Sequence[str], place: int, *, is_known: bool) -> tuple[tuple[int, str], ...]:
    """Return offset and pinyin of the characters of a word that sound otherwise than alone.

    Args:
        cut: the words of a clause.
        place: index of the word.
        is_known: whether it has several characters and is in the dictionary.
    """
    word = cut[place]
    if _HETERONYM.search(word) is None or (is_known and word not in _CORRECTED):
        return ()
    if word == "还" and _gives_back(cut[place - 1] if place else "^", cut[place + 1 : place + 3]):
        return ((0, "huan2"),)
    before = "".join(cut[max(0, place - _REACH) : place])
    after = "".join(cut[place + 1 : place + 1 + _REACH])
    found: list[tuple[int, str]] = []
    for offset, character in enumerate(word):
        if character not in _RULES or (character == "地" and word != character):
            continue
        pinyin = _pinyin(character, before + word[:offset], word[offset + 1 :] + after)
        if pinyin:
            found.append((offset, pinyin))
    return tuple(found)


def _pinyin(character: str, before: str, after: str) -> str | None:
    for rule in _RULES[character]:
        if (rule.before is None or rule.before.search(before)) and (
            rule.after is None or rule.after.match(after)
        ):
            return rule.pinyin
    return None


def _gives_back(last: str, following: Sequence[str]) -> bool:
    """Tell whether 还 means "to give back" between these words."""
    if last in _NOT_DONE or not following:
        return True
    if following[0] in _WHOM:
        return following[1:] == [] or following[1] in _OWED
    if following[0] in _DONE:
        return list(following) != ["了", "得"]  # how could that be
    return following[0] in _OWED
