import pytest
from bench.normalizers import distance, main, read, read_table, score, words


@pytest.mark.parametrize(
    ("expected", "said", "count"),
    [
        ("a b c", "a b c", 0),
        ("a b c", "a c", 1),
        ("a c", "a b c", 1),
        ("a b c", "a x c", 1),
        ("", "a b", 2),
        ("a b", "", 2),
        ("a b c d", "b c d e", 2),
    ],
)
def test_the_distance_counts_words(expected, said, count):
    assert distance(expected.split(), said.split()) == count


def test_case_marks_and_hyphens_do_not_count():
    assert words("Twenty-five, (P.M.) isn’t_") == ["twenty", "five", "p", "m", "isn't"]


def test_a_score_counts_texts_and_words():
    found = score(["twelve hours", "ten"], ["twelve H", "Ten!"])
    assert (found.exact, found.n_texts, found.wrong, found.n_words) == (1, 2, 1, 3)
    assert str(found) == "50.0% (1 of 2) | 33.3%"


def test_a_table_has_class_text_and_reading(tmp_path):
    table = tmp_path / "table.tsv"
    table.write_text("# about\nlist\t1. A\\n2. B\tone. A.\\ntwo. B\n", encoding="utf-8")
    assert read_table(table) == [("list", "1. A\n2. B", "one. A.\ntwo. B")]


def test_a_missing_table_is_told_in_one_line(tmp_path, capsys):
    assert main([str(tmp_path / "none.tsv")]) == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_our_reading_is_the_service_s():
    assert read(["12 h"]) == ["twelve hours"]
