import ctypes
import shutil
import subprocess

import pytest

from service.errors import SettingsError
from service.preparation.layout import Layout
from service.preparation.operators import (
    OPERATOR_SET,
    KernelSpeed,
    NativeOperators,
    NativeUnavailableError,
    find_native_operators,
    measure_kernels,
)
from service.resources import native_library


def compiled(folder, code):
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("there is no C compiler")
    path = folder / "libops.so"
    command = [compiler, "-shared", "-fPIC", "-x", "c", "-", "-o", str(path)]
    subprocess.run(command, input=code, text=True, check=True)
    return path


def library_of(folder, kernels, layout=4, operators=OPERATOR_SET, refused=None):
    """Compile a library without kernels; `layout` is C, what it says of their weights.

    `refused` is why the operating system does not permit the fastest.
    """
    code = f"""
        static const char *in_use = "{kernels}";
        const char *kokoro_variant_in_use(void) {{ return in_use; }}
        const char *kokoro_variant_name(int index) {{
            static const char *const names[] = {{"too_new", "abacus", "portable", 0}};
            return names[index];
        }}
        int kokoro_use_variant(const char *name) {{
            if (name[0] != 'a' && name[0] != 'p') return -1;
            in_use = kokoro_variant_name(name[0] == 'a' ? 1 : 2);
            return 0;
        }}
    """
    if layout is not None:
        code += f"int kokoro_layout(void) {{ return {layout}; }}"
    if refused is not None:
        code += f'const char *kokoro_variant_refusal(int i) {{ return i ? 0 : "{refused}"; }}'
    if operators is not None:
        code += f"int kokoro_operator_set(void) {{ return {operators}; }}"
    return compiled(folder, code)


ABACUS = {"kernels": "abacus"}
OTHER_LAYOUT = "reads layout {} of weights, not 4 or 5; install the service again"
OTHER_SET = f"has set {{}} of operators, not {OPERATOR_SET}; install the service again"


def test_a_library_tells_which_kernels_it_uses_and_lesser_ones_can_be_asked_for(tmp_path):
    path = library_of(tmp_path, "best")
    assert find_native_operators(path) == NativeOperators(path, "best", Layout.CENTERED)
    for kernels in ("abacus", "portable"):
        assert find_native_operators(path, kernels).kernels == kernels


@pytest.mark.parametrize(("library", "asked", "error", "message"), [
    (("portable",), {}, NativeUnavailableError, "this CPU"),
    (("abacus", "in_use[0] == 'p' ? 4 : 5"), {"layout": Layout.CENTERED}, NativeUnavailableError, "this CPU"),
    (("abacus",), {"kernels": "too_new"}, SettingsError, "kernels = too_new: this CPU does not have"),
    (("abacus",), {"kernels": "none"}, SettingsError, "kernels = none: must be one of too_new, abacus, portable"),
    # Of other sources.
    *(
        (("abacus", layout), asked, error, f"{prefix}{OTHER_LAYOUT.format(layout or 0)}")
        for layout in (None, 1, max(Layout) + 1)
        for asked, error, prefix in (
            ({}, NativeUnavailableError, ""), (ABACUS, SettingsError, "kernels = abacus: there are no .*")
        )
    ),
    *(
        (("abacus", 4, operators), {}, NativeUnavailableError, OTHER_SET.format(operators or 1))
        for operators in (None, OPERATOR_SET - 1, OPERATOR_SET + 1)
    ),
])  # fmt: skip
def test_kernels_that_cannot_be_had_are_refused(tmp_path, library, asked, error, message):
    path = library_of(tmp_path, *library)
    with pytest.raises(error, match=message):
        find_native_operators(path, **asked)
    if error is SettingsError and library == ("abacus",):
        assert find_native_operators(path).kernels == "abacus"


def test_the_layout_is_that_of_the_kernels_in_use(tmp_path):
    path = library_of(tmp_path, "too_new", "in_use[0] == 't' ? 5 : 4")
    assert find_native_operators(path).layout is Layout.CENTERED_PAIRS
    assert find_native_operators(path, "abacus").layout is Layout.CENTERED
    # The fastest that read a layout.
    assert find_native_operators(path, layout=Layout.CENTERED).kernels == "abacus"


def test_what_the_operating_system_refuses_is_told_and_cannot_be_asked_for(tmp_path):
    path = library_of(tmp_path, "abacus", refused="not permitted")
    assert find_native_operators(path).passed_over == "too_new: not permitted"
    assert not find_native_operators(path, "abacus").passed_over
    with pytest.raises(SettingsError, match="kernels = too_new: not permitted"):
        find_native_operators(path, "too_new")


def test_kernels_are_measured():
    try:
        speed = measure_kernels(find_native_operators())
    except NativeUnavailableError as error:
        pytest.skip(str(error))
    assert speed.peak > 0 < speed.reached
    assert str(KernelSpeed(200e9, 150e9)) == (
        "75% of this machine's peak, 150 of 200 billion multiply-adds per second on one thread"
    )


def test_what_is_packed_here_is_read_by_what_is_compiled_here():
    if not native_library().is_file():
        pytest.skip("they were not compiled, because setup found no C compiler")
    library = ctypes.CDLL(str(native_library()))
    library.kokoro_layout_name.restype = ctypes.c_char_p
    names = {Layout.CENTERED: "centered", Layout.CENTERED_PAIRS: "centered pairs"}
    assert library.kokoro_layout_name().decode() == names[Layout(library.kokoro_layout())]


def test_what_is_not_this_library_is_refused(tmp_path):
    absent, no_library = tmp_path / "none.so", tmp_path / "text.so"
    no_library.write_bytes(b"\x7fELF of another machine")
    for path in (compiled(tmp_path, "int something_else;"), no_library):
        with pytest.raises(NativeUnavailableError, match=rf"{path.stem}\.so cannot be loaded"):
            find_native_operators(path)
    with pytest.raises(NativeUnavailableError, match="no C compiler"):
        find_native_operators(absent)
    with pytest.raises(SettingsError, match=r"kernels = avx2: .* no C compiler"):
        find_native_operators(absent, "avx2")
