import pytest
from service.text.normalization.english import interpret


@pytest.mark.parametrize(
    ("interpretation", "detail", "text", "words"),
    [
        ("cardinal", "", "1984", "one thousand nine hundred eighty-four"),
        ("cardinal", "", "-5.5", "minus five point five"),
        ("cardinal", "", ".5", "point five"),
        ("cardinal", "", "1,000", "one thousand"),
        ("ordinal", "", "21", "twenty-first"),
        ("ordinal", "", "3rd", "third"),
        ("digits", "", "1024", "one zero two four"),
        ("digits", "", "555-0123", "five five five zero one two three"),
        ("characters", "", "ab-12", "A B dash one two"),
        ("characters", "", "é", "É"),
        ("date", "mdy", "10/12/2024", "October twelfth, twenty twenty-four"),
        ("date", "dmy", "10/12/2024", "December tenth, twenty twenty-four"),
        ("date", "ymd", "20240315", "March fifteenth, twenty twenty-four"),
        ("date", "md", "3/4", "March fourth"),
        ("date", "mdy", "3/4", "March fourth"),
        ("date", "my", "12/2024", "December twenty twenty-four"),
        ("date", "y", "1905", "nineteen oh five"),
        ("date", "m", "3", "March"),
        ("date", "d", "3", "third"),
        ("date", "", "March 5, 2024", "March fifth, twenty twenty-four"),
        ("date", "", "2024-03-05", "March fifth, twenty twenty-four"),
        ("time", "hms12", "7:05pm", "seven oh five p.m."),
        ("time", "hms24", "19:30", "nineteen thirty"),
        ("time", "", "5", "five o'clock"),
        ("telephone", "", "5551234567", "five five five, one two three, four five six seven"),
        ("telephone", "", "+44 20", "plus four four, two zero"),
        ("currency", "", "$5.20", "five dollars and twenty cents"),
        ("currency", "usd", "5", "five U.S. dollars"),
        ("currency", "", "USD 45.30", "forty-five U.S. dollars and thirty cents"),
        ("currency", "", "$2 million", "two million dollars"),
        ("unit", "", "5'10\"", "five feet ten inches"),
        ("unit", "", "10 km", "ten kilometers"),
    ],
)
def test_a_text_of_a_known_kind_is_read_as_that_kind(interpretation, detail, text, words):
    assert interpret(text, interpretation, detail, british=False) == words


@pytest.mark.parametrize(
    ("interpretation", "detail", "text"),
    [
        ("cardinal", "", "hello"),
        ("cardinal", "", ""),
        ("cardinal", "", "3/4"),
        ("ordinal", "", "x"),
        ("digits", "", "²"),
        ("digits", "", ""),
        ("characters", "", " "),
        ("date", "mdy", "hello"),
        ("date", "mdy", "13/13/2024"),
        ("date", "md", "1/2/3"),
        ("date", "m", "13"),
        ("date", "dmy", "2024/1/2"),
        ("time", "", "25:00"),
        ("time", "", "soon"),
        ("telephone", "", "call me"),
        ("currency", "", "5"),
        ("currency", "xyz", "5"),
        ("unit", "", "5"),
    ],
)
def test_a_text_of_another_kind_is_refused(interpretation, detail, text):
    assert interpret(text, interpretation, detail, british=False) is None


def test_british_words_are_said_in_the_british_way():
    assert interpret("105", "cardinal", "", british=True) == "one hundred and five"
    assert interpret("1/2/2024", "date", "dmy", british=True) == ("the first of February, twenty twenty-four")
    assert interpret("020", "telephone", "", british=True) == "oh two oh"
