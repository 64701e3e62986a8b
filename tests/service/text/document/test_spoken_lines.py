"""Subtitles, dialogues, chats, logs and mails in plain text are read as what they are."""

import pytest

from service.text.document.lines import recognise
from service.text.document.spoken import flatten
from service.text.document.structure import parse
from tests.service.text.document.heard_lines import heard, kinds, parts

# --- subtitles ---


def test_number_and_time_of_a_cue_are_silent():
    text = (
        "7\n00:01:04,200 --> 00:01:06,900\nWhere is the map?\n\n8\n00:01:07,350 --> 00:01:08,100\nIn the glove box.\n"
    )
    assert heard(text) == ["cue text=Where is the map?", "cue text=In the glove box."]
    assert kinds(text) == ["cue", "blank"]


@pytest.mark.parametrize(
    ("first", "second", "pauses"),
    [
        ("I only wanted to give you", "the one thing I had left.", False),
        ("He lives in", "Paris now.", False),
        ("She said that", "I should go.", False),
        ("We never saw them again.", "the end", True),
        ("We went home", "Nobody spoke", True),
        ("We went home,", "Nobody spoke", False),
        ("I wanted to say…", "…that I was sorry.", True),
        ("I wanted to say", "...that I was sorry.", False),
        ("He turned and", "(door slams)", True),
        ("WE ARE ALL", "GOING HOME", False),
        ("Wait for", "- Who is there?", True),
        ("你好", "我们走吧", False),
    ],
)
def test_a_cue_ends_with_a_pause_only_where_a_sentence_does(first, second, pauses):
    text = f"1\n00:00:01,000 --> 00:00:02,000\n{first}\n\n2\n00:00:02,000 --> 00:00:03,000\n{second}\n"
    said = [line for line in recognise(text) if any(part.role == "text" for part in line.parts)]
    assert [line.pause for line in said] == [pauses, True]


def test_rows_of_a_cue_belong_together():
    text = "1\n00:00:01,000 --> 00:00:04,000\nWe had been walking\nsince Monday.\n\n"
    text += "2\n00:00:05,000 --> 00:00:06,000\nYes.\n"
    lines = [line for line in recognise(text) if line.kind == "cue"]
    assert heard(text)[0] == "cue~ text=We had been walking"
    assert len({line.group for line in lines[:4]}) == 1
    assert lines[4].group != lines[0].group


def test_two_speakers_of_a_cue_are_apart():
    text = "41\n00:22:10,000 --> 00:22:11,640\n- Who's there?\n- Only me, and -5 degrees.\n"
    assert heard(text) == ["cue text=Who's there?", "cue text=Only me, and -5 degrees."]


def test_webvtt_has_headers_comments_identifiers_settings_and_tags():
    text = (
        "\ufeffWEBVTT - Greenhouse\nKind: captions\n\nNOTE made by hand\nwith care\n\nSTYLE\n::cue { color: red }\n\n"
        "intro\n00:07.500 --> 00:09.000 align:start position:10%\n<v.loud Dana>Hand me the <i>trowel</i>.</v>\n\n"
        "00:10.000 --> 00:12.000\nIt's <00:10.500><c>over</c> there.\n"
    )
    assert heard(text) == [
        "cue speaker=Dana text=Hand me the text=trowel text=.",
        "cue text=It's text=over text=there.",
    ]
    assert kinds(text) == ["cue", "blank"]


@pytest.mark.parametrize(
    "text",
    [
        "1\n00:00:01,000 --> 00:00:02,000\nOne.\n2\n00:00:02,000 --> 00:00:03,000\nTwo.",
        "1\n0:00:01.000 --> 0:00:02.000\nOne.\n\n2\n0:00:02.000 --> 0:00:03.000\nTwo.",
        "0:00:01.000,0:00:02.000\nOne.\n\n0:00:02.000,0:00:03.000\nTwo.",
        "1\n00:00:01,000-->00:00:02,000\n{\\an8}One.\n\n2\n00:00:02,000 --> 00:00:03,000\n<font size=2>Two.</font>",
    ],
)
def test_cues_are_found_without_blank_lines_and_in_other_formats(text):
    assert heard(text) == ["cue text=One.", "cue text=Two."]


def test_text_around_subtitles_is_left_to_markdown():
    text = "Here you are:\n\n1\n00:00:01,000 --> 00:00:02,000\nOne.\n\nHope it *helps*."
    assert kinds(text) == ["plain", "cue", "blank"]
    assert heard(text) == ["plain text=Here you are:", "cue text=One.", "plain text=Hope it *helps*."]


def test_times_between_the_rows_of_a_transcript_are_silent():
    text = "0:00\nhello everyone and\n0:04\nwelcome back to the shed\n0:09\ntoday we graft a pear"
    assert heard(text) == [
        "cue~ text=hello everyone and",
        "cue~ text=welcome back to the shed",
        "cue text=today we graft a pear",
    ]


def test_times_of_a_timetable_are_said():
    assert "12:30" in " ".join(heard("9:00\nBreakfast\n12:30\nLunch\n19:00\nDinner"))


# --- transcripts, dialogues, plays ---


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("JOAN: You first.\nPETER: No, you.", "JOAN|You first. / PETER|No, you."),
        ("Q: Why?\nA: Because.", "Q|Why? / A|Because."),
        ("Q. Why?\nA. Because.", "Q|Why? / A|Because."),
        ("P. ¿Por qué?\nR. Porque sí.", "P|¿Por qué? / R|Porque sí."),
        ("anna: hi\nben: hello\nanna: you there", "anna|hi / ben|hello / anna|you there"),
        ("**Q:** Why?\n**A:** Because.", "Q|Why? / A|Because."),
        ("Speaker 1: Ready?\nSpeaker 2: Yes.", "Speaker 1|Ready? / Speaker 2|Yes."),
        ("MAN #1: Move!\nMAN #2: You move!", "MAN #1|Move! / MAN #2|You move!"),
        ("LE JUGE : Levez-vous.\nL’ACCUSÉE : Oui.", "LE JUGE|Levez-vous. / L’ACCUSÉE|Oui."),
        ("問：なぜですか。\n答：分かりません。", "問|なぜですか。 / 答|分かりません。"),
        ("记者：为什么？\n嘉宾：不知道。", "记者|为什么？ / 嘉宾|不知道。"),
        ("प्रश्न: क्यों?\nउत्तर: पता नहीं।", "प्रश्न|क्यों? / उत्तर|पता नहीं।"),
        ("— ¿Vienes?\n— Ahora no.", "¿Vienes? / Ahora no."),
        ("ALL: Happy birthday!\n(LAUGHTER)", "ALL|Happy birthday! / (LAUGHTER)"),
        ("PELL (aside): Smile.\nMRS. QUILL: Why?", "PELL (aside)|Smile. / MRS. QUILL|Why?"),
        (">> Back to you.\n>> REPORTER: Thanks.", "Back to you. / REPORTER|Thanks."),
        (">>> Good evening.\n>> Hello.", "Good evening. / Hello."),
        ("<v Ana>Is it fed?</v>\n<v Luis>Yes.</v>", "Ana|Is it fed? / Luis|Yes."),
    ],
)  # fmt: skip
def test_turns_have_a_speaker(text, expected):
    assert parts(text) == expected
    assert kinds(text) == ["turn"]


def test_a_turn_of_several_rows_goes_on():
    text = "HOST: We have been here since\nnine, and nobody has called.\nSo we wait.\nGUEST: Indeed."
    assert heard(text) == [
        "turn~ speaker=HOST text=We have been here since",
        "turn text=nine, and nobody has called.",
        "turn text=So we wait.",
        "turn speaker=GUEST text=Indeed.",
    ]


def test_turns_apart_are_recognised_when_a_speaker_returns():
    assert kinds("ANNA: Hello.\n\nBEN: Hello.\n\nANNA: You again!") == ["turn", "blank"]
    assert recognise("NOTE: It is hot.\n\nWARNING: It is sharp.") == ()


def test_times_of_a_transcript_stand_before_the_speaker():
    text = "[00:12] Anna: So when was that?\n[00:15] Ben: In May, I\nthink, or June."
    assert heard(text) == [
        "turn time=00:12 speaker=Anna text=So when was that?",
        "turn~ time=00:15 speaker=Ben text=In May, I",
        "turn text=think, or June.",
    ]


def test_a_screenplay_has_places_characters_and_directions():
    text = "INT. KITCHEN - DAY\n\nRosa wipes a *clean* counter.\n\n"
    text += "ROSA\n(to herself)\nOne more time, and then\nwe are done.\n\nCUT TO:\n"
    assert heard(text) == [
        "scene cell=INT. KITCHEN cell=DAY",
        "plain text=Rosa wipes a *clean* counter.",
        "turn speaker=ROSA",
        "turn text=(to herself)",
        "turn~ text=One more time, and then",
        "turn text=we are done.",
        "scene text=CUT TO:",
    ]


@pytest.mark.parametrize("text", ["NORA (V.O.)\nI never said that.", "MR. QUILL\n(without looking up)\nShut the door."])
def test_a_character_is_recognised_by_the_marks_of_the_trade(text):
    assert heard(text)[0].startswith("turn speaker=")


def test_a_screenplay_is_no_code_because_it_is_indented():
    text = (
        "EXT. DOCK - NIGHT\n\nFog.\n\n            NORA\n        Who is there?\n\n            THEO\n        Only me.\n"
    )
    assert "turn speaker=NORA" in heard(text)
    assert "turn text=Only me." in heard(text)


# --- chats and logs ---


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "[12:30] <anna> anyone there?\n[12:31] <ben> yes",
            ["message time=12:30 speaker=anna text=anyone there?", "message time=12:31 speaker=ben text=yes"],
        ),
        (
            "12:30 - Anna: hello\n12:31 - Ben: hi",
            ["message time=12:30 speaker=Anna text=hello", "message time=12:31 speaker=Ben text=hi"],
        ),
        (
            "12/03/24, 09:15 - Ben: where are you\n12/03/24, 09:16 - Anna: home",
            [
                "message time=12/03/24, 09:15 speaker=Ben text=where are you",
                "message time=12/03/24, 09:16 speaker=Anna text=home",
            ],
        ),
        (
            "[12/03/24, 09:15:11 PM] Ben: hi\n[12/03/24, 09:15:20 PM] Anna: ok",
            [
                "message time=12/03/24, 09:15:11 PM speaker=Ben text=hi",
                "message time=12/03/24, 09:15:20 PM speaker=Anna text=ok",
            ],
        ),
        (
            "2024-03-06 14:02:11 ERROR db: timed out\n2024-03-06 14:02:12 INFO retrying",
            [
                "log time=2024-03-06 14:02:11 level=ERROR name=db text=timed out",
                "log time=2024-03-06 14:02:12 level=INFO text=retrying",
            ],
        ),
        (
            "[INFO] 08:15:00 ready\n[WARN] 08:15:02 slow",
            ["log level=INFO time=08:15:00 text=ready", "log level=WARN time=08:15:02 text=slow"],
        ),
        (
            "Jan 12 03:14:07 router kernel: link is up\nJan 12 03:14:09 router kernel: link is down",
            [
                "log time=Jan 12 03:14:07 name=router kernel text=link is up",
                "log time=Jan 12 03:14:09 name=router kernel text=link is down",
            ],
        ),
        ("INFO ready\nERROR: no disk", ["log level=INFO text=ready", "log level=ERROR text=no disk"]),
        ("0:00 Intro\n1:15 Grafting", ["log time=0:00 text=Intro", "log time=1:15 text=Grafting"]),
        (
            "9:00–10:00 Standup\n10:00–11:30 Review",
            ["log time=9:00–10:00 text=Standup", "log time=10:00–11:30 text=Review"],
        ),
        (
            'Traceback (most recent call last):\n  File "a.py", line 2, in f\nKeyError: 1',
            [
                "log text=Traceback (most recent call last):",
                'log text=File "a.py", line 2, in f',
                "log text=KeyError: 1",
            ],
        ),
    ],
)
def test_entries_have_a_time_and_what_belongs_to_it(text, expected):
    assert heard(text) == expected


def test_a_message_of_several_rows_goes_on():
    text = "12:30 - Anna: we could go to\nthe lake\n12:31 - Ben: yes"
    assert heard(text)[:2] == ["message~ time=12:30 speaker=Anna text=we could go to", "message text=the lake"]


def test_rows_below_an_entry_of_a_log_are_lines_of_their_own():
    text = "2024-03-06 14:02:11 ERROR failed\n  while opening the file\n2024-03-06 14:02:12 INFO retrying"
    assert heard(text)[1] == "log text=while opening the file"


def test_what_stands_above_entries_is_left_to_markdown():
    text = "This is what I see:\n2024-03-06 14:02:11 ERROR failed\n2024-03-06 14:02:12 INFO retrying"
    assert heard(text)[0] == "plain text=This is what I see:"
    assert kinds(text) == ["plain", "log"]


# --- mail ---


@pytest.mark.parametrize(
    "text",
    [
        "From: Anna\nTo: Ben\nSubject: tiles", "De: Ana\nPara: Luis\nAsunto: tejas",
        "De : Anne\nÀ : Luc\nObjet : tuiles",
        "Da: Anna\nA: Luca\nOggetto: piastrelle", "De: Ana\nPara: Luís\nAssunto: telhas",
        "प्रेषक: अन्ना\nविषय: टाइलें",
        "差出人：安奈\n件名：タイル", "发件人：安娜\n主题：瓷砖", "TO: All\nFROM: Anna\nRE: the ice machine",
        "**From:** Anna\n**Date:** Monday", "---- Forwarded message ----\nFrom: Anna\nDate: Monday",
    ],
)  # fmt: skip
def test_two_headers_make_a_mail(text):
    lines = recognise(f"{text}\n\nIt is *done*.")
    assert [line.kind for line in lines[:-2]] == ["header"] * (text.count("\n") + 1)
    assert [line.kind for line in lines[-2:]] == ["blank", "plain"]


def test_an_address_is_said_without_its_brackets():
    text = "From: Dana Ruiz <dana@fernhill.org>\nTo: Ben\n  and others"
    assert heard(text) == [
        "header name=From value=Dana Ruiz value=dana@fernhill.org",
        "header name=To value=Ben",
        "header value=and others",
    ]


@pytest.mark.parametrize(
    "introduction",
    ["On Tue, Mar 5, Ann wrote:", "El lunes Ana escribió:", "Le 5 mars, Anne a écrit :", "Il 5 marzo Anna ha scritto:"],
)
def test_quoted_text_belongs_to_who_wrote_it(introduction):
    text = f"{introduction}\n> We could move it\n> to Friday.\nThat suits me."
    assert heard(text) == [
        f"plain text={introduction}",
        "quote~ text=We could move it",
        "quote text=to Friday.",
        "plain text=That suits me.",
    ]


def test_a_reply_is_not_added_to_the_quotation_above_it():
    assert heard("> > Did it ship?\n> Not yet.\nIt just did.") == [
        "quote text=Did it ship?", "quote text=Not yet.", "plain text=It just did.",
    ]  # fmt: skip


def test_a_quotation_with_a_list_is_left_to_markdown():
    assert recognise("Ann wrote:\n> - one\n> - two") == ()


@pytest.mark.parametrize("text", ["Regards,\n--\nTom Vidal\nVidal & Sons", "See you.\n\n-- \nTom Vidal\nVidal & Sons"])
def test_a_signature_stands_below_two_dashes(text):
    assert heard(text)[1:] == ["signature text=Tom Vidal", "signature text=Vidal & Sons"]


@pytest.mark.parametrize("text", ["Title\n--\n\nSome words.", "Title\n--\nSome words."])
def test_two_dashes_below_words_are_a_heading(text):
    assert recognise(text) == ()


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("OKONKWO", "Okonkwo"), ("MARIE-CLAIRE", "Marie-Claire"), ("GARCÍA", "García"), ("OLD WOMAN", "OLD Woman"),
        ("CEO", "CEO"), ("UNHCR", "UNHCR"), ("JÖRG", "Jörg"), ("O'NEILL", "O'Neill"), ("МАРИЯ", "МАРИЯ"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("form", ["{}: Come in.\nANNA: NASA left.", "[00:12] {}: Come in.\n[00:15] ANNA: NASA left."])
def test_a_speaker_in_capitals_is_a_name_unless_it_may_be_an_acronym(written, name, form):
    text = form.format(written)
    spoken = flatten(parse(text)).text
    assert f"{name}: Come in.\n" in spoken.text
    assert spoken.text.endswith("Anna: NASA left.")
    at = spoken.text.index(name)
    assert spoken[at : at + len(name)].span == (text.index(written), text.index(written) + len(written))
