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


def library_of(folder, kernels, layout=4, operators=OPERATOR_SET):
    """Compile a library without kernels; `layout` is C, what it says of their weights."""
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
    if operators is not None:
        code += f"int kokoro_operator_set(void) {{ return {operators}; }}"
    return compiled(folder, code)


def test_a_library_tells_which_kernels_it_uses(tmp_path):
    path = library_of(tmp_path, "abacus")
    operators = find_native_operators(path)
    assert operators == NativeOperators(path, "abacus", Layout.CENTERED)


def test_portable_kernels_are_not_worth_it(tmp_path):
    path = library_of(tmp_path, "portable")
    with pytest.raises(NativeUnavailableError, match="this CPU"):
        find_native_operators(path)


@pytest.mark.parametrize("kernels", ["abacus", "portable"])
def test_lesser_kernels_can_be_asked_for(tmp_path, kernels):
    path = library_of(tmp_path, "best")
    assert find_native_operators(path, kernels).kernels == kernels


def test_kernels_that_the_processor_does_not_run_are_refused(tmp_path):
    path = library_of(tmp_path, "abacus")
    with pytest.raises(SettingsError, match="kernels = too_new: this CPU does not have"):
        find_native_operators(path, "too_new")
    assert find_native_operators(path).kernels == "abacus"


def test_kernels_that_nobody_knows_are_refused_with_those_that_there_are(tmp_path):
    path = library_of(tmp_path, "abacus")
    expected = "kernels = none: must be one of too_new, abacus, portable"
    with pytest.raises(SettingsError, match=expected):
        find_native_operators(path, "none")


def test_kernels_of_no_library_are_refused(tmp_path):
    with pytest.raises(SettingsError, match=r"kernels = avx2: .* no C compiler"):
        find_native_operators(tmp_path / "none.so", "avx2")


def test_the_fastest_kernels_that_read_a_layout_can_be_asked_for(tmp_path):
    path = library_of(tmp_path, "too_new", "in_use[0] == 't' ? 5 : 4")
    assert find_native_operators(path).layout is Layout.CENTERED_PAIRS
    assert find_native_operators(path, layout=Layout.CENTERED).kernels == "abacus"


def test_portable_kernels_are_not_worth_a_layout(tmp_path):
    path = library_of(tmp_path, "abacus", "in_use[0] == 'p' ? 4 : 5")
    with pytest.raises(NativeUnavailableError, match="this CPU"):
        find_native_operators(path, layout=Layout.CENTERED)


def test_kernels_are_measured():
    try:
        speed = measure_kernels(find_native_operators())
    except NativeUnavailableError as error:
        pytest.skip(str(error))
    assert speed.peak > 0 < speed.reached
    assert str(KernelSpeed(200e9, 150e9)) == (
        "75% of this machine's peak, 150 of 200 billion multiply-adds per second on one thread"
    )


@pytest.mark.parametrize("layout", [None, 1, max(Layout) + 1])
def test_a_library_of_other_sources_is_refused(tmp_path, layout):
    path = library_of(tmp_path, "abacus", layout)
    found = f"reads layout {layout or 0} of weights, not 4 or 5; install the service again"
    with pytest.raises(NativeUnavailableError, match=found):
        find_native_operators(path)
    with pytest.raises(SettingsError, match=f"kernels = abacus: there are no .*{found}"):
        find_native_operators(path, "abacus")


@pytest.mark.parametrize("operators", [None, OPERATOR_SET - 1, OPERATOR_SET + 1])
def test_a_library_of_other_operators_is_refused(tmp_path, operators):
    path = library_of(tmp_path, "abacus", operators=operators)
    found = f"has set {operators or 1} of operators, not {OPERATOR_SET}; install the service again"
    with pytest.raises(NativeUnavailableError, match=found):
        find_native_operators(path)


def test_the_layout_is_that_of_the_kernels_in_use(tmp_path):
    path = library_of(tmp_path, "best", "in_use[0] == 'a' ? 5 : 4")
    assert find_native_operators(path).layout is Layout.CENTERED
    assert find_native_operators(path, "abacus").layout is Layout.CENTERED_PAIRS


def test_what_is_packed_here_is_read_by_what_is_compiled_here():
    if not native_library().is_file():
        pytest.skip("they were not compiled, because setup found no C compiler")
    library = ctypes.CDLL(str(native_library()))
    library.kokoro_layout_name.restype = ctypes.c_char_p
    names = {Layout.CENTERED: "centered", Layout.CENTERED_PAIRS: "centered pairs"}
    assert library.kokoro_layout_name().decode() == names[Layout(library.kokoro_layout())]


def test_another_library_is_refused(tmp_path):
    path = compiled(tmp_path, "int something_else;")
    with pytest.raises(NativeUnavailableError, match=r"libops\.so cannot be loaded"):
        find_native_operators(path)


def test_a_file_that_is_no_library_is_refused(tmp_path):
    path = tmp_path / "libops.so"
    path.write_bytes(b"\x7fELF of another machine")
    with pytest.raises(NativeUnavailableError, match=r"libops\.so cannot be loaded"):
        find_native_operators(path)


def test_a_library_that_was_not_compiled_is_told(tmp_path):
    with pytest.raises(NativeUnavailableError, match="no C compiler"):
        find_native_operators(tmp_path / "none.so")
