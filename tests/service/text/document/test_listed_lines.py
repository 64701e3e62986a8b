"""Fields, tables, lists, verse and addresses in plain text are read line by line."""

import textwrap

import pytest

from service.text.document.lines import recognise
from tests.service.text.document.heard_lines import heard, kinds, parts

# --- fields, tables, items ---


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Color: slate\nMade in: Portugal", "Color|slate / Made in|Portugal"),
        ("姓名：王小明\n电话：123", "姓名|王小明 / 电话|123"),
        ("नाम: अन्ना\nकमरा: 12", "नाम|अन्ना / कमरा|12"),
        ("Prix : 9 €\nTaille : M", "Prix|9 € / Taille|M"),
        ("**Pros**: cheap\n**Cons**: slow", "Pros|cheap / Cons|slow"),
        ("name: Tove\nrole: cook", "name|Tove / role|cook"),
        ("Bus 42: due\nBus 7: 6 min", "Bus 42|due / Bus 7|6 min"),
        ("Files:\n  a.c\n  b.c\nAuthor: Ann", "Files / a.c / b.c / Author|Ann"),
    ],
)  # fmt: skip
def test_fields_have_a_name_and_a_value(text, expected):
    assert parts(text) == expected
    assert kinds(text) == ["field"]


def test_a_title_above_fields_is_left_to_markdown():
    assert heard("The *party*\nDate: June 3\nTime: 5 pm")[0] == "plain text=The *party*"


@pytest.mark.parametrize(
    "text",
    [
        "Item\tQty\tPrice\nBolts\t40\t$6.80", "Item | Qty | Price\nBolts | 40 | $6.80",
        "Item|Qty|Price\nBolts|40|$6.80",
        "Item   Qty   Price\n-----  ---   -----\nBolts  40    $6.80\nNuts   12    $3.10",
        "Item      Qty  Price\nBolts      40   6.80\nNuts        2  13.10",
    ],
)  # fmt: skip
def test_cells_stand_in_columns(text):
    assert heard(text)[0] == "row cell=Item cell=Qty cell=Price"
    assert kinds(text) == ["row"]


def test_rows_of_dots_lead_to_a_number():
    assert heard("Introduction ........ 3\nKnots .... 17") == ["row cell=Introduction cell=3", "row cell=Knots cell=17"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("• Bring water\n• Wear a hat", "Bring water / Wear a hat"),
        ("・水筒\n・雨具", "水筒 / 雨具"),
        ("✓ Tickets\n✗ Umbrella", "✓ Tickets / ✗ Umbrella"),
        ("📍 Pier 9\n🕖 7 PM", "📍 Pier 9 / 🕖 7 PM"),
        ("[ ] Candles\n[x] Cake", "Candles / Cake"),
        ("a. Lisbon\nb. Porto", "a|Lisbon / b|Porto"),
        ("A) tacos\nB) ramen", "A|tacos / B|ramen"),
        ("I. Sources\nII. Methods\nIII. Findings", "I|Sources / II|Methods / III|Findings"),
        ("(i) pay\n(ii) clean", "i|pay / ii|clean"),
        ("[1] A survey\n[2] An interview", "1|A survey / 2|An interview"),
        ("1.2 News\n1.3 Problems", "1.2|News / 1.3|Problems"),
        ("一、开门\n二、关窗", "一|开门 / 二|关窗"),
        ("１．開く\n２．閉じる", "１|開く / ２|閉じる"),
        ("१. चाय\n२. दूध", "१|चाय / २|दूध"),
        ("• Bring water and\n  a hat\n• Go", "Bring water and / a hat / Go"),
    ],
)  # fmt: skip
def test_items_have_bullets_or_numbers_that_markdown_does_not_know(text, expected):
    assert parts(text) == expected
    assert kinds(text) == ["item"]


def test_numbers_of_items_follow_each_other():
    assert "item" not in kinds("a. Lisbon\nc. Porto")
    assert "item" not in kinds("B. Smith\nA. Jones")


# --- verse and stacked lines ---

WALK = "Whoever walks by night and sings\nShall have no fear of common things,\n"
WALK += "For every owl will know the tune\nAnd carry it toward the moon."
VERSE = [
    WALK,
    textwrap.indent(WALK, "  "),
    textwrap.indent(WALK, "    "),
    "The mill wheel turns, the miller sleeps\nThe sparrows own the yard\nAnd somewhere in the dust\nthe harp is hard",
    "So small a boat,\nSo wide a bay,\nThe oars forgot\nTo row away.",
    "late snow on the gate\nthe mail comes in the evening\nand nobody writes",
    "La barca duerme en la arena,\nla luna baja a mirar,\nY el niño que la soñaba\nse ha vuelto piedra de mar",
    "La barque dort sur le sable,\nLa lune vient la chercher,\nEt l’enfant laisse à la table\nUn mot jamais signé",
    "風が窓をたたく\n猫はまだ眠る\n春を知らずに",
    "雪落在旧屋顶上\n没有人回来\n只有灯还亮着",
]


@pytest.mark.parametrize("text", VERSE)
def test_a_line_of_verse_ends_with_a_pause(text):
    assert kinds(text) == ["verse"]
    assert all(line.pause for line in recognise(text))


def test_stanzas_speak_for_each_other():
    stanzas = [
        "A single crow comes down to settle\nbeside the long and empty road",
        "Another two look down from above\nand say whatever crows will say",
        "The wind goes over all of the corn\nwith nothing left for it to carry",
    ]
    assert kinds("\n\n".join(stanzas)) == ["verse", "blank"]
    assert kinds(stanzas[0]) == []


def test_numbers_of_stanzas_are_said():
    assert heard("I\nThe well is dry.\n\nII\nI dig.") == [
        "stack name=I", "plain text=The well is dry.", "stack name=II", "plain text=I dig.",
    ]  # fmt: skip


def test_a_row_in_brackets_names_the_part_of_a_song():
    assert heard("[Chorus]\nCarry me over the hill once more") == [
        "stack text=[Chorus]", "plain text=Carry me over the hill once more",
    ]  # fmt: skip
    prose = "It is sung once more, slowly, by whoever is left in the room when the lamps go out."
    assert kinds(f"[Chorus]\n{prose}") == ["stack", "plain"]
    assert kinds(f"[Chorus]\n{prose}\n\n[Chorus]: https://example.org") == []


@pytest.mark.parametrize(
    "text",
    [
        "Marta Lind\n12 Quarry Lane\nElk Hollow, ND 58999", "Best,\nPriya Nolan\nSenior Editor", "Sun\nMon\nTue\nWed",
        "2 cups flour\n1 tsp salt\n3 eggs, beaten", "Mon 10–4\nTue closed\nSat 9am–1pm",
        "Calle Mayor 3\n28013 Madrid\nEspaña",
        "12 rue des Lilas\n75020 Paris\nFrance", "Dep. 6:10p\nArr. 7:45p\nNonstop", "WRONG WAY\nGO BACK",
        "〒123-4567\n青葉市みどり町2-14\n山田花子",
    ],
)  # fmt: skip
def test_stacked_short_lines_end_with_a_pause(text):
    assert kinds(text) == ["stack"]
    assert all(line.pause for line in recognise(text))
