"""Signs, letters and figures that their sentence tells apart: eras, scores, pages, formulas."""

from __future__ import annotations

import re
from collections.abc import Mapping

from service.text.languages.japanese.normalization.spoken_digits import say_digits
from service.text.languages.japanese.normalization.symbol_words import UNITS
from service.text.normalization import formulas
from service.text.normalization.date_parts import is_day
from service.text.normalization.formulas import FormulaWords, greek_names
from service.text.normalization.locale import table
from service.text.normalization.rules import Rule

_REACH = 24
_SENTENCE = re.compile("[。!?！？\n]")
_HAN = "\u3400-\u9fff"
_JAPANESE = f"\u3041-\u30ff{_HAN}々"
_FREE = r"(?<![\dA-Za-z/-])(?<!\d[.,:])"
_CLEAR = r"(?!\d|[.,:/-]\d|[A-Za-z%％℃°])"

_SCORES = re.compile(
    "試合|前半|後半|セット|折り返|逃げ切|[勝敗負]|引き分け|逆転|完封|ゲーム|得点|リード|接戦|スコア"
    "|対戦|下し|制し|決勝|延長|PK|同点|快勝|大会|ホーム|アウェー|リーグ"
)
_NOT_SCORES = "[年月日時分秒円人歳才回個本枚台階章名度丁番号条課組行頁]|ページ|から|まで"
_RATIOS = re.compile("[比対]|割合|スケール|アスペクト|縮尺|混ぜ|分割|配合")
_POLICE = re.compile("警察|事件|通報|電話|犯|事故|119|助け|痴漢|不審|泥棒|盗|かけ")
_KITCHEN = re.compile(
    "しょうゆ|醤油|砂糖|塩|酢|油|みりん|酒|粉|バター|混ぜ|加え|ソース|味噌|みそ|こしょう|だし|炒め"
    "|煮|焼|鍋|材料|調味|ケチャップ|マヨネーズ"
)
_RACES = re.compile("マラソン|記録|タイム|所要|完走|走|レース|再生|動画|演奏時間|自己ベスト|経過")
_PLACES = re.compile("〒|郵便番号|[都道府県].{1,6}[区市町村郡]|住所|所在地")
_QUAKES = re.compile("地震|規模|震度|震源|津波|揺れ")
_ERAS = {"M": "明治", "T": "大正", "S": "昭和", "H": "平成", "R": "令和"}
_FIRMS = {
    "株": "株式会社",
    "有": "有限会社",
    "社": "社団法人",
    "財": "財団法人",
    "医": "医療法人",
    "学": "学校法人",
    "宗": "宗教法人",
    "資": "合資会社",
}
_ROADS = {
    "IC": "インターチェンジ",
    "JCT": "ジャンクション",
    "SA": "サービスエリア",
    "PA": "パーキングエリア",
}
_FIGURES = dict(
    zip(
        "0123456789",
        (
            "ゼロ",
            "ワン",
            "ツー",
            "スリー",
            "フォー",
            "ファイブ",
            "シックス",
            "セブン",
            "エイト",
            "ナイン",
        ),
        strict=True,
    )
)
_ROMAN_VALUES = {"I": 1, "V": 5, "X": 10}
_EXTENSIONS = "pdf|docx?|xlsx?|pptx?|txt|csv|zip|rar|jpe?g|png|gif|mp[34]|exe|apk|html?|json|py"

_WORDS = frozenset({"zip", "doc", "json", "gif"})
"""Extensions that are said as a word."""
_NAMES = {
    "YouTube": "ユーチューブ",
    "Wi-Fi": "ワイファイ",
    "WiFi": "ワイファイ",
    "iPad": "アイパッド",
    "GitHub": "ギットハブ",
    "ChatGPT": "チャットジーピーティー",
    "Instagram": "インスタグラム",
    "TikTok": "ティックトック",
    "Netflix": "ネットフリックス",
    "Spotify": "スポティファイ",
    "PayPay": "ペイペイ",
    "Docker": "ドッカー",
    "Slack": "スラック",
    "Excel": "エクセル",
    "PowerPoint": "パワーポイント",
    "Facebook": "フェイスブック",
    "Twitter": "ツイッター",
    "Amazon": "アマゾン",
    "Zoom": "ズーム",
    "Suica": "スイカ",
    "PASMO": "パスモ",
    "JAXA": "ジャクサ",
    "UNESCO": "ユネスコ",
    "OPEC": "オペック",
    "ASEAN": "アセアン",
}


def _sentence(match: re.Match[str]) -> str:
    """Return what is in the same sentence around a match, as far as it matters."""
    text = match.string
    before = _SENTENCE.split(text[max(0, match.start() - _REACH) : match.start()])[-1]
    after = _SENTENCE.split(text[match.end() : match.end() + _REACH], maxsplit=1)[0]
    return f"{before} {after}"


def _era(match: re.Match[str]) -> str | None:
    month, day = int(match["month"]), int(match["day"])
    if not is_day(month, day):
        return None
    return f"{_ERAS[match['era']]}{int(match['year'])}年{month}月{day}日"


def _score(match: re.Match[str]) -> str | None:
    return f"{match[1]}対{match[2]}" if _SCORES.search(_sentence(match)) else None


def _ratio(match: re.Match[str]) -> str | None:
    first, last = match[1], match[2]
    is_time = len(last) == 2 and int(first) < 25 and int(last) < 60
    if is_time and not re.match(
        r"の(?:割合|比)|[にで](?:混ぜ|分割|割)", match.string[match.end() :][:8]
    ):
        if re.search("縦横比|アスペクト|画面|比率", _sentence(match)) is None:
            return None
    elif not is_time and not _RATIOS.search(_sentence(match)) and len(last) > 1:
        return None
    return f"{first}対{last}"


def _emergency(match: re.Match[str]) -> str:
    before = match.string[max(0, match.start() - 6) : match.start()]
    is_number = re.search("番号|席|室|号|受付|整理", before) or not _POLICE.search(_sentence(match))
    return "ヒャクジューバン" if is_number else "ヒャクトーバン"


def _spoon(match: re.Match[str]) -> str | None:
    return f"{match[0]}さじ" if _KITCHEN.search(_sentence(match)) else None


def _length(match: re.Match[str]) -> str | None:
    if _RACES.search(_sentence(match)) is None:
        return None
    return f"{int(match[1])}時間{int(match[2])}分{int(match[3])}秒"


def roman(match: re.Match[str]) -> str | None:
    """Return a Roman numeral in figures."""
    values = [_ROMAN_VALUES[letter] for letter in match[0]]
    # A smaller digit before a greater one is subtracted.
    return str(
        sum(
            -here if here < following else here
            for here, following in zip(values, [*values[1:], 0], strict=True)
        )
    )


def _pages(match: re.Match[str]) -> str:
    return f"{match[1]}から{match[2]}ページ" if match[2] else f"{match[1]}ページ"


_LAUGHTER = re.compile(
    rf"(?<=[{_JAPANESE}。!?！？])(?:w{{2,20}}(?![A-Za-z./@:])|w(?=[\s。、!?！？)）」]|\Z))"
)
EARLY_RULES: tuple[Rule, ...] = (
    Rule(_LAUGHTER, lambda match: ""),
    Rule(re.compile(r"[▲△](?=\d[\d.,]*(?:[%％円万億ポ]|\Z))"), lambda match: "マイナス"),
    Rule(
        re.compile(rf"(?<![A-Za-z0-9)_.-])\.({_EXTENSIONS})(?![A-Za-z0-9_])"),
        lambda match: f"ドット{match[1] if match[1] in _WORDS else match[1].upper()}",
    ),
    Rule(
        re.compile(rf"(?<![A-Za-z0-9@./_-])(?:{'|'.join(_NAMES)})(?![A-Za-z0-9@_]|[./-][A-Za-z])"),
        lambda match: _NAMES[match[0]],
    ),
)
"""The rules before those for markup and addresses, which take their signs."""

_NUMERAL = r"(?<![A-Za-z])(?=[IVX])X{0,3}(?:I[XV]|V?I{0,3})"


def formula_words(letters: Mapping[str, str]) -> FormulaWords:
    """Return what Japanese says in formulas.

    Args:
        letters: names of the Latin letters, by capital.
    """
    signs = table(
        "+: 足す; -: 引く; ×: かける; ·: かける; *: かける; ÷: わる; /: わる; =: イコール"
        "; ≠: ノットイコール; ≈: ニアリーイコール; ≡: 合同; <: 小なり; >: 大なり; ≤: 小なりイコール"
        "; ≥: 大なりイコール; ±: プラスマイナス; ∓: マイナスプラス"
    )
    return FormulaWords(
        number=str,
        letters=lambda text: [letters.get(letter.upper(), letter) for letter in text],
        operators={
            **signs,
            **table(
                "+: プラス; -: マイナス; ∈: 属する; ∉: 属さない; ∪: カップ; ∩: キャップ"
                "; ⊂: 含まれる; ∝: 比例; ⇒: ならば; ⇔: 同値; →: 矢印; ⊥: 垂直; ∥: 平行"
            ),
        },
        sums=signs,
        signs={"-": "マイナス", "+": "プラス"},
        names={
            **table(
                "∞: 無限大; ∀: すべての; ∃: 存在する; ∂: ラウンド; ∇: ナブラ; ∅: 空集合; ∠: カク"
                "; △: 三角形; ∴: ゆえに; !: の階乗; ′: プライム; ∑: シグマ; ∫: インテグラル"
                "; ∏: パイ; ∬: 二重積分; ⋃: 和集合; ⋂: 積集合; °: 度; %: パーセント; sin: サイン"
                "; cos: コサイン; tan: タンジェント; log: ログ; ln: ログナチュラル; lim: リミット"
                "; max: マックス; min: ミニマム; exp: イーエックスピー"
            ),
            **greek_names(
                "アルファ ベータ ガンマ デルタ イプシロン ゼータ イータ"
                " シータ イオタ カッパ ラムダ ミュー ニュー クサイ"
                " オミクロン パイ ロー シグマ タウ ユプシロン ファイ"
                " カイ プサイ オメガ"
            ),
        },
        phrases=table(
            "per: パー; root: ルート{x}"
            "; cube root: 3乗根{x}; nth root: {n}乗根{x}; absolute: {x}の絶対値"
            "; over: {bottom}分の{top}; power: の{n}乗; again: の{n}乗; choose: {n}シー{k}"
            "; from: {name}{low}から{high}まで; set: {name}{low}; all: {name}; limit: リミット{x}"
            "; tends: 矢印; of:; applied:; vec: ベクトル{x}; bar: {x}バー; hat: {x}ハット"
            "; dot: {x}ドット; tilde: {x}チルダ"
        ),
        powers={},
        gap="",
        digit=lambda number: "".join(map(_FIGURES.__getitem__, number)),
        element=lambda symbol: "".join(letters[letter] for letter in symbol.upper()),
        fraction=lambda top, bottom: f"{bottom}分の{top}",
        units=UNITS,
    )


def rules(letters: Mapping[str, str]) -> tuple[Rule, ...]:
    """Return the rules before all others of the language.

    Args:
        letters: names of the Latin letters, by capital.
    """
    return (
        *formulas.rules(formula_words(letters)),
        Rule(
            re.compile(
                r"(?<![A-Za-z0-9])(?P<era>[MTSHR])\.?(?P<year>\d{1,2})[./-]"
                r"(?P<month>\d{1,2})[./-](?P<day>\d{1,2})(?![\d./-])"
            ),
            _era,
        ),
        Rule(
            re.compile(r"(?<![A-Za-z0-9])([MTSHR])\.?(\d{1,2})(?=年)"),
            lambda match: f"{_ERAS[match[1]]}{match[2]}",
        ),
        Rule(
            re.compile(r"(?<![A-Za-z])([AaPp])\.?[Mm]\.? ?(?=\d{1,2}(?::\d\d|時))"),
            lambda match: "午前" if match[1] in "Aa" else "午後",
        ),
        Rule(
            re.compile(r"[(（]([株有社財医学宗資])[)）](?![でがはをに])"),
            lambda match: _FIRMS[match[1]],
        ),
        Rule(
            re.compile(r"(?<![A-Za-z])[Pp]{1,2}\. ?(\d{1,4})(?:[-–~〜～](\d{1,4}))?(?![\d.])"),
            _pages,
        ),
        Rule(
            re.compile(r"(?<![A-Za-z])(?:Ch|Chap)\. ?(\d{1,3})(?![\d.])"),
            lambda match: f"第{match[1]}章",
        ),
        Rule(
            re.compile(rf"(?<=[{_JAPANESE}]) ?(?:vs|VS|Vs)\.? ?(?=[{_JAPANESE}])"),
            lambda match: "対",
        ),
        Rule(
            re.compile(
                r"(?<![A-Za-z0-9])(?:Q([1-4])|([1-4])Q)(?=決算|の|期|累計|売上|業績|は|に|実績)"
            ),
            lambda match: f"第{match[1] or match[2]}四半期",
        ),
        Rule(
            re.compile(r"(?<![A-Za-z0-9])M(?=\d(?:\.\d)?(?![\d.A-Za-z]))"),
            lambda match: "マグニチュード" if _QUAKES.search(_sentence(match)) else None,
        ),
        Rule(re.compile(r"110番"), _emergency),
        # 打率.312
        Rule(
            re.compile(rf"(?<=[{_JAPANESE}は]) ?\.(\d{{2,3}})(?![\d.])"),
            lambda match: f"テン{say_digits(match[1])}",
        ),
        Rule(
            re.compile(r"(?<!\d)((?:19|20)\d\d)[/-](\d\d)(?=シーズン|年度|年シーズン)"),
            lambda match: f"{match[1]}、{match[2]}",
        ),
        Rule(
            re.compile(r"(?<![A-Za-z])([A-Za-z]):([A-Za-z])(?![A-Za-z])"),
            lambda match: f"{match[1]}対{match[2]}" if _RATIOS.search(_sentence(match)) else None,
        ),
        # Numbers of block and house without a third one: 千代田1-1.
        Rule(
            re.compile(rf"(?<=[{_HAN}])(?<!番号)\d{{1,4}}-\d{{1,4}}(?![\d-]|{_NOT_SCORES})"),
            lambda match: match[0].replace("-", "の") if _PLACES.search(_sentence(match)) else None,
        ),
        Rule(
            re.compile(r"(?<![A-Za-z0-9.-])(B?)(\d{1,2})F(?![A-Za-z0-9])"),
            lambda match: f"{'地下' if match[1] else ''}{match[2]}階",
        ),
        Rule(
            re.compile(r"(?<!\d)(0\d{1,4})[(（](\d{1,4})[)）](\d{4})(?!\d)"),
            lambda match: "、".join(map(say_digits, match.groups())),
        ),
        Rule(
            re.compile(rf"{_FREE}(\d{{1,3}})[-–－](\d{{1,3}}){_CLEAR}(?!{_NOT_SCORES})"),
            _score,
        ),
        Rule(
            re.compile(r"(?<![\d/.-])(?<!\d[,:])(\d{1,4}):(\d{1,7})(?![\d:]|\.\d|[~〜～])"),
            _ratio,
        ),
        Rule(
            re.compile(r"(?<![\d.])(?<!\d:)(\d{1,2}):([0-5]\d):([0-5]\d)(?![\d:.])"),
            _length,
        ),
        Rule(
            re.compile(rf"{_FREE}1/(\d{{3,6}})(?![\d/.:-])"),
            lambda match: f"{match[1]}分の1",
        ),
        Rule(
            re.compile(
                r"(?<=血圧)([はが:：]? ?)(\d{2,3})/(\d{2,3})(?!\d)"
                r"|(?<!\d)(\d{2,3})/(\d{2,3})(?= ?mmHg)"
            ),
            lambda match: f"{match[1] or ''}{match[2] or match[4]}の{match[3] or match[5]}",
        ),
        Rule(re.compile(r"(?<=\d秒)\d\d(?!\d|[.,]\d|[前後])"), lambda match: say_digits(match[0])),
        Rule(
            re.compile(
                rf"(?<=[{_HAN}])(IC|JCT|SA|PA)(?![A-Za-z]|カード|チップ|タグ|レコーダ|[0-9])"
            ),
            lambda match: _ROADS[match[1]],
        ),
        Rule(re.compile(r"[大小](?=\d(?:/\d)?(?:[とをの、。,\s]|\Z))(?<![拡最])"), _spoon),
        Rule(
            re.compile(r"(?<=\d)cm(?=角|幅|大|厚|四方|程度|ほど|くらい|ぐらい)"),
            lambda match: "センチ",
        ),
        Rule(
            re.compile(
                rf"{_NUMERAL}(?=世|章|巻|部|編)|(?<=第){_NUMERAL}(?![A-Za-z])"
                rf"|{_NUMERAL}(?<![VX](?=[度型期級類種群相]))(?=度(?![A-Za-z])|型|期|級|類|種|群|相)"
            ),
            lambda match: roman(match) if match[0] else None,
        ),
        Rule(
            re.compile(r"(?<=[ァ-ヴー])(?:II|III|IV|VI{1,3}|IX|XI{0,3}V?)(?![A-Za-z0-9])"),
            roman,
        ),
        Rule(
            re.compile(
                rf"(?<=[{_HAN}ぁ-ん])(?<![番丁目条第])[-−](?=\d[\d.,]*(?:[万億円ポ%％]|\Z))"
            ),
            lambda match: "マイナス",
        ),
    )
