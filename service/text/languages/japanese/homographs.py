"""Tell words apart that are written alike, by the words around them.

Open JTalk has one reading for each, whatever the sentence is about.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

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


def pronunciation(morphemes: Sequence[Morpheme], position: int, text: str) -> str:
    """Return how a morpheme is said in its sentence.

    Args:
        morphemes: those of the text.
        position: index of the morpheme.
        text: the text.
    """
    morpheme = morphemes[position]
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
