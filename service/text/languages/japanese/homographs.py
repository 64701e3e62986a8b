"""Tell words apart that are written alike, by the words around them.

Open JTalk has one reading for each, whatever the sentence is about.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from service.text.languages.japanese.morpheme import Morpheme

_SENTENCE_END = re.compile("[。！？!?\n]")

# 辛い is hot if the sentence is about food, and hard otherwise.
_FOOD = re.compile(
    "カレー|ラーメン|料理|スープ|唐辛子|とうがらし|トウガラシ|キムチ|豆腐|麻婆|[わワ]さび|ワサビ|山葵|マスタード"
    "|からし|スパイス|香辛料|味|食べ|食う|食感|飲み|飲む|ソース|鍋|四川|担々|坦々|坦坦|タバスコ|胡椒|こしょう"
    "|生姜|ピリ|激辛|中辛|甘口|辛口|酸っぱ|塩辛|舌|汁|めん|麺|丼|チキン|ピザ|パスタ|大根|せんべい|スナック"
    "|カプサイシン|ハバネロ|漬物|漬け|ソーセージ|餃子|タレ|明太子|ご飯|メニュー|レシピ|調味"
)

# 方 is a person (kata) or a side (hō). After these and の it is a person.
_PEOPLE = re.compile(
    "担当|希望|次|初めて|はじめて|女性|男性|係|会員|一般|高齢|連れ|年配|以上|以下"
    "|未満|外国|地元|持ち|予約|利用|参加|未成年|持病|他|ほか|多く|全て|すべて|大勢"
    "|最後|先頭|受付|医療|障害|家族|関係|同行|妊娠|中|妊婦|患者|代理|本人|既婚|独身"
    "|在住|住まい|検討|勤務|日本人|学生|主婦|現役|経験|未経験|別|どちら|数|全員|近所"
    "|上司|先輩|取引先|店|会社|業者|専門|応募|当選|該当|対象|欠席|出席"
)
_POINTING = frozenset({"あの", "この", "その", "どの"})
_CHOICES = re.compile("楽|好き|便利|得|マシ|まし|無難|簡単|確実|安全|効率")
_AFTER_PERSON = re.compile("[はへにもので、。]|のみ|から|だけ|限定")


class _Homograph(NamedTuple):
    """A word that sounds otherwise in a context.

    Attributes:
        written: the word.
        said: how it sounds there.
        before: pattern of what comes before it in the sentence; empty for anything.
        after: pattern of what comes after it, from its end on; empty for anything.
    """

    written: str
    said: str
    before: str = ""
    after: str = ""


_SEAFOOD = "魚|青物|朝|野菜|果物|花|とれたて|新鮮|露店|港|買"
_HOMOGRAPHS: Mapping[str, tuple[_Homograph, ...]] = {
    "人気": (
        _Homograph(
            "人気", "ヒトケ", after="(?:[のがも]|は)?(?:全く|まったく|ほとんど)?な[いくかし]"
        ),
    ),
    "市場": (
        _Homograph(
            "市場",
            "イチバ",
            before=rf"(?:{_SEAFOOD})[^株金経労]{{0,4}}\Z",
        ),
        _Homograph("市場", "イチバ", after="[でへに][^。]{0,12}(?:魚|野菜|果物|買[いっう])"),
    ),
    "大家": (
        _Homograph(
            "大家",
            "タイカ",
            before=r"(?:書道|書|日本画|絵画|音楽|学問|文学|俳句|茶道|医学|哲学|学)の\Z",
        ),
    ),
    "上手": (
        _Homograph("上手", "カミテ", before=r"舞台の?\Z|客席から見て.{0,4}\Z|下手と\Z|川の\Z"),
        _Homograph("上手", "カミテ", before="舞台|客席", after="(?:と下手|から|へ|側|の袖)"),
    ),
    "一日": (
        _Homograph(
            "一日",
            "ツイタチ",
            before=r"(?:毎月|今月|来月|先月|[一二三四五六七八九十\d]月)の?\Z",
            after="(?!中)",
        ),
    ),
    "最中": (
        _Homograph(
            "最中",
            "モナカ",
            before=r"(?:お茶|和菓子|菓子|あんこ|餡|アイス|土産|老舗)[^。]{0,6}\Z|アイス\Z",
            after="[をがとはの]",
        ),
        _Homograph("最中", "モナカ", before=r"(?<![のたるい])\Z", after="を[食買頂いつ]"),
    ),
    "十分": (
        _Homograph(
            "十分",
            "ジュップン",
            before=r"(?:徒歩|あと|約|ほぼ|車で|歩いて|バスで|電車で|時|まで)\Z",
        ),
        _Homograph(
            "十分",
            "ジュップン",
            after="(?:ほど|ぐらい|くらい|前|後|間(?!に合)|以内|遅|で着|かか|おき|歩|待)",
        ),
    ),
    "何人": (_Homograph("何人", "ナニジン", after="(?:です|だ|かと|なの)"),),
    "生": (
        _Homograph(
            "生",
            "ナマ",
            after="の?(?:魚|野菜|肉|卵|ビール|演奏|声|クリーム|放送|牡蠣|ハム|水)|で食",
        ),
    ),
    "辛い": (
        _Homograph(
            "辛い",
            "ツライ",
            after="夜|時|とき|日|思い|気持|仕事|別れ|経験|過去|現実|立場|こと|目に|出来事|気分",
        ),
    ),
    "今日": (_Homograph("今日", "コンニチ", after="の(?:社会|日本|世界|経済|課題)|では"),),
    "風車": (
        _Homograph(
            "風車", "カザグルマ", before=r"(?:子供|子ども|おもちゃ|折り紙|縁日)[^。]{0,8}\Z"
        ),
    ),
    "工夫": (_Homograph("工夫", "コーフ", before=r"(?:鉄道|線路|炭鉱)の?\Z"),),
    "仮名": (_Homograph("仮名", "カメイ", before=r"[(（、]\Z", after="[)）]"),),
    "色紙": (_Homograph("色紙", "シキシ", after="[にへ](?:サイン|寄せ書き|書)"),),
    "寒気": (_Homograph("寒気", "サムケ", after="が(?:し|する)|を(?:感じ|覚え)"),),
    "大人気": (_Homograph("大人気", "オトナゲ", after="な[いくか]"),),
    "一行": (_Homograph("一行", "イチギョー", after="(?:目|ずつ|だけ|で書|空け|あけ)"),),
    "見物": (_Homograph("見物", "ミモノ", after="(?:だ|です|である)"),),
    "分別": (_Homograph("分別", "ブンベツ", before=r"(?:ゴミ|ごみ)の?\Z", after=""),),
    "博士": (_Homograph("博士", "ハカセ", before=r"(?:お茶の水|物知り|昆虫|恐竜)\Z"),),
}
_PATTERNS = {
    word: tuple((one.said, re.compile(one.before), re.compile(one.after)) for one in homographs)
    for word, homographs in _HOMOGRAPHS.items()
}


def _in_context(text: str, morpheme: Morpheme) -> str | None:
    """Return how a word sounds in its context, None if as usual."""
    written = text[morpheme.start : morpheme.end]
    rules = _PATTERNS.get(written)
    if not rules:
        return None
    before = _SENTENCE_END.split(text[max(0, morpheme.start - 16) : morpheme.start])[-1]
    after = text[morpheme.end : morpheme.end + 20]
    for said, is_before, is_after in rules:
        if is_before.search(before) and is_after.match(after):
            return said
    return None


def pronunciation(morphemes: Sequence[Morpheme], position: int, text: str) -> str:
    """Return how a morpheme is said in its sentence.

    Args:
        morphemes: those of the text.
        position: index of the morpheme.
        text: the text.
    """
    morpheme = morphemes[position]
    said = _in_context(text, morpheme)
    if said is not None:
        return said
    if morpheme.lemma == "辛い" and morpheme.pronunciation[:2] in ("カラ", "ツラ"):
        root = "カラ" if _FOOD.search(_sentence(text, morpheme)) else "ツラ"
        return root + morpheme.pronunciation[2:]
    if morpheme.lemma == "方" and morpheme.pronunciation == "ホー":
        return "カタ" if _is_person(morphemes, position) else "ホー"
    return morpheme.pronunciation


def _sentence(text: str, morpheme: Morpheme) -> str:
    """Return the sentence of a morpheme."""
    start = max((m.end() for m in _SENTENCE_END.finditer(text, 0, morpheme.start)), default=0)
    end = _SENTENCE_END.search(text, morpheme.end)
    return text[start : end.start() if end else len(text)]


def _is_person(morphemes: Sequence[Morpheme], position: int) -> bool:
    """Tell whether 方 means a person."""
    before = morphemes[max(0, position - 2) : position]
    after = morphemes[position + 1 : position + 3]
    if not before or _is_compared(after):
        return False
    last = before[-1]
    if last.lemma in _POINTING:
        return True
    if last.lemma == "の" and len(before) > 1:
        return _PEOPLE.fullmatch(before[0].lemma) is not None
    if last.pos in ("動詞", "助動詞"):
        return not after or _AFTER_PERSON.fullmatch(after[0].lemma) is not None
    return False


def _is_compared(after: Sequence[Morpheme]) -> bool:
    """Tell whether a preference follows, as in 冬の方が好き."""
    if len(after) < 2 or after[0].lemma not in ("が", "は"):
        return False
    return after[1].pos == "形容詞" or _CHOICES.fullmatch(after[1].lemma) is not None
