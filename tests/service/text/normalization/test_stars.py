import itertools
import re

import pytest
from hypothesis import strategies as st
from service.text.characters import clean_text
from service.text.normalization.rules import rewrite
from service.text.offset_mapping import TracedText
from tests import profiles
from tests.profiles import given

from service.text import LANGUAGES
from service.text.normalization import english, normalize


def written(text, *, british=False):
    return rewrite(TracedText(text), english.unmarked_rules(british=british)).text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("word**s**, walk**ed** un**do** th**e**re L**O**L", "words, walked undo there LOL"),
        ("caf**é** rock**s!** is**n't** ex**-**wife niñ**os**", "café rocks! isn't ex-wife niños"),
        ("**K**eep **I**t **S**imple, **a**s **m**y", "Keep It Simple, as my"),
        ("2*x* + 3*y*, *p*H, can*not* un*do*ing", "two X plus three Y, pH, cannot undoing"),
        ("10**am** 5**kg** 1**st** Room**5** H**2**O **20**24",
         "ten a.m. five kilograms first Room five H two O twenty twenty-four"),
        ("**Name: **Al, **now **then ** so ** far", "Name: Al, now then  so  far"),
        ("This is **so good. It is *so good", "This is so good. It is so good"),
        ("** See page. **p, ***q", " See page. p, q"),
        ("yes**/**no **w/** 3**–**5 yes**,** no", "yes or no with three to five yes, no"),
        ("f(x, *args, **kwargs) src/**/*.ts", "f(x, *args, **kwargs) src/**/*.ts"),
        ("2**3**2, x**2, l*w*h **l*w*h** 2*3",
         "two cubed to the power of two, x squared, l times w times h l times w times h"
         " two times three"),
    ],
)  # fmt: skip
def test_stars_that_cannot_be_signs_are_silent(text, expected):
    assert normalize(TracedText(text), "en-us").text == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("sh*t, f***! (b*tch)", "S, F! (B)"),
        ("f**k “d*mn” 'h*ll'", "F “D” 'H'"),
        ("a**hole bull**** bulls**t", "A hole bull bull S"),
        ("f*cking f***ed f*ck's", "F ing F ed F's"),
        ("SH*T F*** s*** sh** a**", "S F S S A"),
        ("f*#k and s#*t", "F and S"),
        ("p**s b****s", "P B s"),
        ("5* hotel, 4* of 5*", "5 star hotel, 4 star of 5 star"),
        ("motherf*er bast*rd su*cide", "mother F B S"),
        ("A* p* C*-algebra", "A-star p star C star-algebra"),
        ("F*CK b*tch*s *sshole", "F B A"),
        ("un*frigging*believable", "unfriggingbelievable"),
    ],
)
def test_hidden_words_are_told_by_what_can_be_seen(text, expected):
    assert written(text) == written(text, british=True) == expected


@pytest.mark.parametrize(
    "text",
    [
        "**Sign in**",
        "*Sign in* first",
        "**a b c**",
        "Call us** or them*",
        "foo**bar**baz",
        "f(*args, **kwargs)",
        "src/**/*.ts lib*.so *.py",
        "char *s, **t",
        "don't*",
        "https://a.b/c*d ~/e*f /g/h*i C:\\j*k",
        "1** x",
    ],
)
def test_other_stars_stay(text):
    assert written(text) == text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("m*a", "m times A"),
        ("a*b*a", "A times b times A"),
        ("2*x 2*(y) (x)*(y) 3 * n", "2 times x 2 times (y) (x) times (y) 3 times n"),
        ("pi*r**2", "pi times r^2"),
        ("x**y (a+b)**2", "x^y (a+b)^2"),
        ("width*height", "width times height"),
        ("= mg*h", "= mg times h"),
        ("y = sh*t", "y = sh times t"),
        ("price*(1 + r)", "price times (1 + r)"),
        ("tax*(see below)", "tax*(see below)"),
    ],
)
def test_stars_of_formulas_are_operators(text, expected):
    assert written(text) == expected


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        ("en-us", "The width*height*depth here", "The width times height times depth here"),
        ("en-us", "l*w*h, Width * Height", "l times w times h, Width times Height"),
        ("en-us", "*width*height*depth, (1+r)*price*time", "width times height times depth, "
         "(one plus r) times price times time"),
        ("en-us", "foo**bar**baz and *hi**there*", "foobarbaz and hi there"),
        ("en-us", "*b*tch*s* and **F*CK**", "B and F"),
        ("en-us", "9 pm** and 10 am* daily", "nine p.m. and ten a.m. daily"),
        ("en-us", "**9 pm** and 10 am**", "nine p.m. and ten a.m."),
        ("en-us", "Call us** now.* *Terms apply.", "Call us now. Terms apply."),
        ("en-us", "so ****very bold**** it is", "so very bold it is"),
        ("en-us", "*B*ring **Y**our *own*s", "Bring Your owns"),
        ("en-us", "f(*args, **kwargs) *.py src/**/*.ts", "f(*args, **kwargs) *.py src/**/*.ts"),
        ("es", "ancho*alto*fondo, a * b", "ancho por alto por fondo, A por b"),
        ("es", "es 2**3**2 o x**2", "es dos elevado a tres elevado a dos o x elevado a dos"),
        ("es", "un 5%**off**, p*ta, m**rda", "un cinco por ciento off, P, M"),
        ("es", "Precio* de mi** hotel 5*", "Precio de mi hotel cinco estrellas"),
        ("fr", "est 2**3 ou largeur*hauteur", "est deux puissance trois ou largeur fois hauteur"),
        ("it", "fa 2**10", "fa due alla dieci"),
        ("pt-br", "dá 2**10", "dá dois elevado a dez"),
        ("hi", "चौड़ाई*ऊँचाई, **की** 2**10", "चौड़ाई गुणा ऊँचाई, की दो की घात दस"),
        ("ja", "2*3と2**10、縦*横*高さ", "2かける3と2の10乗、縦かける横かける高さ"),
        ("ja", "これは*大事*です", "これは大事です"),
        ("zh", "体积是长*宽*高。2**10", "体积是长乘宽乘高。二的十次方"),
        ("zh", "这是*重要*的。单价*数量", "这是重要的。单价乘数量"),
    ],
)  # fmt: skip
def test_a_star_is_one_thing_in_every_language(language, text, expected):
    assert normalize(clean_text(TracedText(text)), language).text == expected


NAMES = [
    *"abhlmnrtwxyz",
    *["pi", "mass", "width", "height", "depth", "length", "price", "quantity", "speed", "time"],
    *["rate", "total", "hours", "pay", "radius", "force", "Volume", "Speed", "idx", "rows"],
]


@given(
    names=st.lists(st.sampled_from(NAMES), min_size=2, max_size=5),
    sign=st.sampled_from(["*", " * "]),
    mark=st.sampled_from(["", "*", "**", "***", "_", "__"]),
    around=st.sampled_from(["{}", "The {} here", "They say {}.", "- {}\n- x", "({})", "V = {}"]),
)
def test_a_product_keeps_every_factor(names, sign, mark, around):
    text = around.replace("{}", f"{mark}{sign.join(names)}{mark}")
    said = normalize(clean_text(TracedText(text)), "en-us").text
    assert " times ".join(names).lower() in said.lower()
    assert not re.search(r"[*_]", said)


@given(
    pieces=st.lists(
        st.sampled_from(
            [
                *"*_~$[](){}`\\/.,!-+=^%#&|<>\"' \n5abIéकπ½²★猫的長",
                *["**", "***", "****", "__", "~~", "](x.y)", "\n\n", "10 am", "$5", "$5 million"],
                *["word", "fu", "ck", "width", "की", "重要", "猫です", "2.5", "5*", "*.py", "&ast;"],
                *["C*-", "*.py", "&ast;", "\U00051f0f", "\uf0b7", "😀"],
            ]
        ),
        max_size=14,
    ),
    language=st.sampled_from(sorted(LANGUAGES)),
)
@profiles.many()
def test_what_stars_became_does_not_change(pieces, language):
    for code in ("en-us", language):
        once = normalize(clean_text(TracedText("".join(pieces))), code).text
        assert normalize(clean_text(TracedText(once)), code).text == once


def test_no_product_of_letters_loses_one():
    letters = "abcdefghijklmnopqrstuvwxyzABXYZ"
    for left, right in itertools.product(letters, repeat=2):
        text = f"{left}*{right}"
        if text.lower() not in ("g*d", "s*x"):
            said = written(f"y = {text}*h").removeprefix("y = ")
            assert said.lower() == f"{left} times {right} times h".lower()
            assert written(text).lower() == f"{left} times {right}".lower()
