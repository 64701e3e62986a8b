"""Structure in plain text is recognised line by line, and nothing else is."""

import re
import textwrap
from itertools import pairwise, product

import pytest
from hypothesis import strategies as st

from service.text.document.lines import recognise
from tests.profiles import given, many
from tests.service.long_runs import RUNS, repeated, slow_runs

# Sentences of everyday prose, each list one language.
PROSE = {
    "en": [
        "The ferry leaves the north pier at nine, and there is no other boat until the evening.",
        "Nobody told me that the meeting had moved to the small room behind the stairs.",
        "Put the lid on, turn the heat down and let it simmer while you set the table.",
        "Anna said that Ben had seen the film twice: once in Leeds and once in York.",
        "In 2019 the town had 4,300 people, of whom about a third worked at the mill.",
        "I think I know the answer, but I would rather hear what you make of it first.",
        "When the rain stopped, we walked down to the river and counted the broken branches.",
        "Mr. Hale wrote that the parcel (which was late again) had been left with a neighbour.",
    ],
    "es": [
        "El barco sale del muelle norte a las nueve y no hay otro hasta que cae la tarde.",
        "Mi abuela guardaba las llaves en una caja de galletas que estaba encima del armario.",
        "Cuando dejó de llover bajamos al río para ver lo que había quedado del puente.",
        "Nadie me dijo que la reunión se había cambiado a la sala pequeña de la planta baja.",
    ],
    "fr": [
        "Le bateau quitte le quai nord à neuf heures, et il n’y en a pas d’autre avant le soir.",
        "Ma grand-mère gardait les clés dans une boîte à biscuits posée sur la grande armoire.",
        "Quand la pluie a cessé, nous sommes descendus vers la rivière pour voir ce qui restait du pont.",
        "Personne ne m’avait dit que la réunion se tenait dans la petite salle du rez-de-chaussée.",
    ],
    "hi": [
        "नाव सुबह नौ बजे उत्तरी घाट से चलती है और शाम तक कोई दूसरी नाव नहीं मिलती।",
        "दादी चाबियाँ बिस्कुट के उस पुराने डिब्बे में रखती थीं जो अलमारी के ऊपर पड़ा रहता था।",
        "बारिश रुकने के बाद हम लोग नदी की तरफ़ गए और टूटी हुई डालियाँ गिनते रहे।",
        "किसी ने मुझे नहीं बताया कि बैठक अब नीचे वाले छोटे कमरे में होने वाली है।",
    ],
    "it": [
        "Il traghetto parte dal molo nord alle nove e non ce n’è un altro fino alla sera.",
        "Mia nonna teneva le chiavi in una scatola di biscotti che stava sopra l’armadio grande.",
        "Quando smise di piovere scendemmo al fiume per vedere che cosa restava del vecchio ponte.",
        "Nessuno mi aveva detto che la riunione era stata spostata nella saletta del piano terra.",
    ],
    "ja": [
        "船は朝九時に北の桟橋を出て、夕方まで次の便がありません。",
        "祖母は鍵をいつも戸棚の上に置いた古いビスケットの缶にしまっていました。",
        "雨がやんでから川まで歩いて行き、折れた枝がどれだけあるか数えてみた。",
        "会議が一階の小さな部屋に変わったことを、誰も私に教えてくれなかった。",
    ],
    "pt": [
        "O barco sai do cais norte às nove e não há outro até o fim da tarde.",
        "A minha avó guardava as chaves numa lata de bolachas que ficava em cima do armário.",
        "Quando parou de chover, descemos até o rio para ver o que tinha sobrado da ponte.",
        "Ninguém me disse que a reunião tinha passado para a sala pequena do andar de baixo.",
    ],
    "zh": [
        "轮渡早上九点从北码头出发，到傍晚之前都没有别的船。",
        "奶奶总是把钥匙放在柜子上面那个装饼干的旧铁盒里。",
        "雨停了以后我们走到河边，数了数被风刮断的树枝。",
        "没有人告诉我会议已经改到一楼那间小会议室去开了。",
    ],
}
SENTENCES = [sentence for sentences in PROSE.values() for sentence in sentences]


def wrapped(text, columns):
    """Return a text as programs break it for a page of so many columns."""
    if text[-1] in "。？！":
        return "\n".join(text[place : place + columns // 2] for place in range(0, len(text), columns // 2))
    return "\n".join(textwrap.wrap(text, columns))


# --- what is never recognised ---


@pytest.mark.parametrize("language", PROSE)
def test_prose_is_plain_however_a_program_wraps_it(language):
    sentences = PROSE[language]
    texts = [*sentences, " ".join(sentences[:2]), " ".join(sentences[1:4]), " ".join(sentences)]
    found = [(columns, text) for text, columns in product(texts, range(46, 101)) if recognise(wrapped(text, columns))]
    assert found == []


@pytest.mark.parametrize("language", PROSE)
def test_wrapped_paragraphs_in_a_row_are_plain(language):
    for columns in range(46, 101):
        text = "\n\n".join(wrapped(sentence, columns) for sentence in PROSE[language])
        assert recognise(text) == (), text


def test_a_sentence_a_line_is_plain():
    for sentences in PROSE.values():
        assert recognise("\n".join(sentences)) == ()
        assert recognise("\n\n".join(sentences)) == ()


MARKDOWN = [
    "# The ferry\n\nIt leaves at nine.\n\n## Tickets\n\nBuy them on board.",
    "- oats\n- two apples\n- a jar of honey",
    "* oats\n* two apples\n  * red ones\n  * not the green ones\n* honey",
    "1. Fill the tank.\n2. Close the lid.\n3. Press the green button.",
    "1. Open the box:\n\n   Name: Anna\n   Room: 12\n\n2. Close it.",
    "> Measure twice.\n> Cut once.\n\nThe old rule still holds.",
    "> One line\n> and another\n>\n> > deeper\n>\n> back again",
    "| Plan | Price |\n|------|------:|\n| Basic | $9 |\n| Team | $29 |",
    "Plan | Price\n---|---\nBasic | $9\nTeam | $29",
    "```\n12:30 Anna: hello\n12:31 Ben: hi\n```",
    "```python\nif x:\n    return 1\n```\n\nThat returns one.",
    "~~~\nFrom: Anna\nTo: Ben\n~~~",
    "    git clone https://example.org/x.git\n    cd x\n    make",
    "Run this:\n\n    name: web\n    port: 80\n\nand wait.",
    "The bridge opened in 1933.[^1]\n\n[^1]: One paper says 1934.\n[^2]: Another says nothing.",
    "See [the guide] and [the list].\n\n[the guide]: https://example.org/a\n[the list]: https://example.org/b",
    "Title\n=====\n\nSome words.\n\nSubtitle\n--------\n\nMore words.",
    "First line  \nsecond line  \nthird line",
    "First line\\\nsecond line\\\nthird line",
    "Before.\n\n---\n\nAfter.\n\n***\n\nThe end.",
    "- [x] book the room\n- [ ] send the letters\n- [ ] buy candles",
    "<details>\n<summary>Hint</summary>\n\nLook at the first letters.\n\n</details>",
    "<p>one</p>\n<p>two</p>\n<p>three</p>",
    "![A kite over the bay](kite.png)\n[Its maker](https://example.org)",
    "$$\na^2 + b^2 = c^2\n$$",
    "**Short version:** keep the roof.\n\n**Long version:** keep the roof one more year.",
    "---\ntitle: Notes\ntags: a, b\n---\n\nThe notes begin here.",
    "- Anna: tea\n- Ben: coffee\n- Cora: nothing, thanks",
    "## Chapter 3\n\nNobody tips the dead, he used to say.\n\n* * *\n\nBy dawn it was over.",
    "CHAPTER VII\n\nIn which a letter goes astray\n\nNobody had expected the post that day.",
]


@pytest.mark.parametrize("text", MARKDOWN)
def test_what_markdown_knows_is_left_to_it(text):
    assert recognise(text) == ()
    assert recognise(text.replace("\n", "\r\n")) == ()


INLINE = ["{}", "**{}**", "*{}*", "`x` {}", "[{}](https://example.org)", "{} [1][2]", "~~{}~~"]
FORMS = [
    "{}",
    "# {}",
    "### {}",
    "- {}",
    "* {}\n  - {}",
    "1. {}\n2. {}",
    "> {}\n> {}",
    "| {} | {} |\n|---|---|\n| a | b |",
]
FORMS += ["```\n{}\n```", "- [ ] {}\n- [x] {}", "{}\n\n---", "[^1]: {}", "> - {}\n> - {}", "- **{}**\n\n  {}\n"]
BLOCKS = st.tuples(st.sampled_from(FORMS), st.sampled_from(INLINE), st.sampled_from(SENTENCES), st.integers(50, 120))


@many()
@given(st.lists(BLOCKS, min_size=1, max_size=6))
def test_generated_markdown_is_plain(blocks):
    texts = []
    for form, inline, sentence, columns in blocks:
        words = inline.format(sentence)
        texts.append(wrapped(words, columns) if form == "{}" else form.replace("{}", words))
    assert recognise("\n\n".join(texts)) == ()


ALONE = [
    "ANNA: You kept the receipt?", "[00:12:31] HOST: And the dog?", "12:30 - Anna: hello", "Q: Who is there?",
    "2024-03-06 14:02:11 ERROR timed out", "INFO ready", "Subject: Re: the umbrella", "> Can you come at noon?",
    ">>> Good evening. A broken pipe has closed Alder Street tonight.", "INT. KITCHEN - DAY", "NORA (V.O.)",
    "• Bring water", "a. Lisbon", "[Chorus]", "Name\tAge\tTown", "Basic | 9 | 12", "Introduction ........ 3",
    "00:00:01,000 --> 00:00:04,000", "The lamp goes out, the harbor sleeps", "Made in: Portugal", "姓名：王小明",
]  # fmt: skip


@pytest.mark.parametrize("line", ALONE)
def test_one_line_alone_shows_nothing(line):
    for text in (line, line + "\n", f"\n\n{line}\n\n", f"{SENTENCES[0]}\n\n{line}\n\n{SENTENCES[1]}"):
        if not (line.startswith("INT.") and SENTENCES[0] in text):
            assert recognise(text) == (), text


@pytest.mark.parametrize(
    "text",
    [
        "We meet at\n12:30 for lunch and go on at\n14:00 with the rest of the list.",
        "A cue has a line of times such as\n00:00:01,000 --> 00:00:04,000\nand then the words.",
        "He said:\nthere is nothing to be done about the roof before the spring.",
        "The rule is plain: never leave the gate open when the dog is in the yard, and always\n"
        "Remember: the latch sticks.",
        ">>> 1 + 1\n>>> 2 + 2",
        "D. Pedro morava na casa velha da esquina e nunca falava com\nD. Rosa, que vinha aos domingos.",
        "Dear Sir or Madam,\nI am writing about the noise.",
        "See (a) the lease, (b) the letter and (c) the receipt,\nall of which are enclosed here.",
        "The one who left the gate open was not I. Sources disagree about the rest of what happened\nthat night.",
        "It is a fine  day,  the  man  said,  and\nwent  out  to  see  whether  the  old\nmare  had  come  home.",
        "Thank you for the letter.  It came today.\nWe have read it twice.  Nobody knows how\nit got here.  Do write.",
    ],
)
def test_prose_that_looks_like_it_is_plain(text):
    assert recognise(text) == ()


# --- what holds of every text ---

CRUMBS = [
    "1\n", "00:00:01,000 --> 00:00:02,000\n", "WEBVTT\n", "NOTE x\n", "<v Ana>", "</v>", "<i>", "- ", "> ", ">> ",
    ">>> ", "ANNA: ", "Name: ", "Q: ", "A. ", "[12:30] ", "12:30 - ", "2024-03-06 14:02:11 ", "ERROR ", "<nick> ",
    "From: ", "To: ", "Anna wrote:\n", "-- \n", "--\n", "INT. KITCHEN - DAY\n", "NORA (V.O.)\n", "(aside)\n", "\t",
    "   ", " | ", "|---|---|\n", "..... ", "• ", "a. ", "b. ", "II\n", "I\n", "[Chorus]\n", "# ", "```\n", "    ",
    "\n", "\n\n", "\r\n", "\r", "\u2028", "\ufeff", "words and more", "The lamp", "goes out,", "every sea.", "姓名：",
    "漢字が", "。", "हिन्दी ", "\ud800", "\x00", "½", "😀 ", "12", ":", "“", "  \n", "\\\n", "一、", "二、", "第",
    "Title\n",
]  # fmt: skip
TEXTS = st.one_of(st.text(max_size=60), st.lists(st.sampled_from(CRUMBS), max_size=30).map("".join))


@many()
@given(TEXTS)
def test_parts_tile_lines_and_lines_tile_the_text(text):
    lines = recognise(text)
    place = 0
    for line in lines:
        assert line.start == place
        for part in line.parts:
            assert part.start == place
            assert part.end > place
            place = part.end
        assert line.end == place
    assert place == (len(text) if lines else 0)
    assert all(line.kind != following.kind for line, following in pairwise(lines) if line.kind == "plain")


@many()
@given(TEXTS)
def test_what_is_recognised_is_never_all_plain(text):
    assert not {line.kind for line in recognise(text)} <= {"plain", "blank"} or recognise(text) == ()


@many()
@given(TEXTS)
def test_no_word_is_silent_but_in_files_of_subtitles_tags_and_boxes(text):
    for line in recognise(text):
        marks = "\0".join(text[part.start : part.end] for part in line.parts if part.role == "mark")
        assert line.kind == "cue" or not any(map(str.isalnum, re.sub(r"<[^<>]*>?|\[[xX]\]", "", marks)))


@given(st.lists(st.sampled_from(CRUMBS), max_size=30).map("".join))
def test_the_kind_of_line_end_does_not_matter(text):
    text = text.replace("\r\n", "\n").replace("\r", "\n").replace("\u2028", "\n")
    ends = [recognise(text.replace("\n", end)) for end in ("\n", "\r\n", "\r")]
    shapes = [[(line.kind, line.pause, [part.role for part in line.parts]) for line in lines] for lines in ends]
    assert shapes[0] == shapes[2]
    assert [(kind, pause) for kind, pause, _ in shapes[0]] == [(kind, pause) for kind, pause, _ in shapes[1]]


@pytest.mark.thorough
@pytest.mark.alone
def test_work_grows_in_proportion():
    usual = "The lamp goes out,\nand nobody speaks.\n\n"
    assert not list(slow_runs(recognise, usual))
    assert not list(slow_runs(recognise, usual, lambda run, length: repeated(f"{run}\n", length)))
    behind = "".join(f"{line}\0\n" for line in ALONE)
    assert not list(slow_runs(recognise, usual, lambda run, length: repeated(behind.replace("\0", run), length)))


def test_runs_of_anything_are_survived():
    for run, end in product(RUNS, ("", "\n", "\n\n")):
        text = (run + end) * 40
        lines = recognise(text)
        assert not lines or lines[-1].end == len(text)
