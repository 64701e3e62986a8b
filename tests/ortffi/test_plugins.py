"""Plug-in providers: their libraries and devices, with a real plug-in where a C compiler is."""

import shutil
import subprocess

import pytest

import ortffi
from ortffi._api import SLOTS
from ortffi.errors import UnsupportedError
from ortffi.plugins import Devices, HardwareType, devices, register_provider_library, unregister_provider_library
from ortffi.providers import Provider, available_providers
from ortffi.trial import try_provider, usable_providers

NAME = "OrtffiTestExecutionProvider"

USED = ("AddKeyValuePair", "CreateKeyValuePairs", "CreateStatus", "GetEpApi", "GetSessionConfigEntry",
        "HardwareDevice_Type", "HasSessionConfigEntry", "ReleaseKeyValuePairs")  # fmt: skip

# A provider for the CPU that takes no node. Functions are reached by their slot, so that no header
# is needed. Its option `fail` makes it refuse a session, with the option's value as the reason.
PLUG_IN = (
    "".join(f"#define {name} api[{SLOTS[name].index}]\n" for name in USED)
    + f"""
#define NAME "{NAME}"
#define FAIL "ep.{NAME.lower()}.fail"
"""
    + """
#define CreateEpDevice ((function *)GetEpApi())[0]
#include <stddef.h>
#include <stdint.h>

typedef void *(*function)();
static function *api;
struct base { function *(*get_api)(uint32_t); };

struct provider {
    uint32_t api_version; const char *(*name)(const void *);
    void *(*capability)(void *, const void *, void *); void *unused[32];
};
struct factory {
    uint32_t api_version; const char *(*name)(const void *); const char *(*vendor)(const void *);
    void *(*devices)(void *, void *const *, size_t, void **, size_t, size_t *);
    void *(*create)(void *, void *const *, void *const *, size_t, void *, void *, void **);
    void (*release)(void *, void *); uint32_t (*vendor_id)(const void *);
    const char *(*version)(const void *); void *validate, *create_allocator, *release_allocator;
    void *(*data_transfer)(void *, void **); void *unused[32];
};

static const char *name(const void *self) { return NAME; }
static const char *vendor(const void *self) { return "ortffi"; }
static uint32_t vendor_id(const void *self) { return 0; }
static const char *version(const void *self) { return "1.2.3"; }
static void *data_transfer(void *self, void **out) { *out = NULL; return NULL; }
static void *capability(void *self, const void *graph, void *support) { return NULL; }
static struct provider provider = {23, name, capability};

static void *devices(void *self, void *const *hardware, size_t n, void **out, size_t most,
                     size_t *count) {
    *count = 0;
    for (size_t i = 0; i < n && *count < most; i++) {
        void *metadata, *options, *status;
        if ((int)(intptr_t)HardwareDevice_Type(hardware[i]) != 0) continue;
        CreateKeyValuePairs(&metadata), CreateKeyValuePairs(&options);
        AddKeyValuePair(metadata, "colour", "grün");
        AddKeyValuePair(metadata, "empty", "");
        AddKeyValuePair(options, "depth", "3");
        status = CreateEpDevice(self, hardware[i], metadata, options, &out[*count]);
        ReleaseKeyValuePairs(metadata), ReleaseKeyValuePairs(options);
        if (status) return status;
        (*count)++;
    }
    return NULL;
}

static void *create(void *self, void *const *hardware, void *const *metadata, size_t n,
                    void *session_options, void *logger, void **out) {
    char reason[200]; size_t size = sizeof reason; int found = 0;
    HasSessionConfigEntry(session_options, FAIL, &found);
    if (found) {
        GetSessionConfigEntry(session_options, FAIL, reason, &size);
        return CreateStatus(1, reason);
    }
    *out = &provider;
    return NULL;
}

static void release(void *self, void *made) { }
static struct factory factory = {
    23, name, vendor, devices, create, release, vendor_id, version, .data_transfer = data_transfer
};

void *CreateEpFactories(const char *registered, const struct base *base, const void *logger,
                        void **factories, size_t most, size_t *count) {
    api = base->get_api(23);
    factories[0] = &factory;
    *count = 1;
    return NULL;
}
void *ReleaseEpFactory(void *made) { return NULL; }
"""
)


@pytest.fixture(scope="session")
def plug_in(tmp_path_factory, library):
    """The plug-in's library, compiled."""
    if library.api_version < 23:
        pytest.skip("needs ONNX Runtime 1.23; point ONNXRUNTIME_DIR at one")
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        pytest.skip("needs a C compiler: install gcc")
    source = tmp_path_factory.mktemp("plug_in") / "plug_in.c"
    source.write_text(PLUG_IN, encoding="utf-8")
    made = source.with_name("libplug_in.so")
    subprocess.run([compiler, "-std=gnu11", "-shared", "-fPIC", "-w", "-o", made, source], check=True, timeout=60)
    return made


@pytest.fixture
def registered(plug_in):
    register_provider_library("test", plug_in)
    yield of_the_plug_in()
    unregister_provider_library("test")


@pytest.fixture
def _plug_ins(library):
    if library.api_version < 22:
        pytest.skip("needs ONNX Runtime 1.22; point ONNXRUNTIME_DIR at one")


@pytest.mark.usefixtures("_plug_ins")
def test_the_cpu_is_a_device(library):
    found = [device for device in devices() if device.provider == "CPUExecutionProvider"]
    assert found[0].hardware_type is HardwareType.CPU
    assert found[0].vendor == "Microsoft"
    assert found[0].metadata["version"] == library.version
    assert devices() == devices()
    assert len(set(devices())) == len(devices())
    try_provider(Devices(found))


def of_the_plug_in():
    return [device for device in devices() if device.provider == NAME]


def test_what_a_plug_in_says_of_its_device_is_read(registered):
    (device,) = registered
    assert (device.provider, device.vendor, device.hardware_type) == (NAME, "ortffi", HardwareType.CPU)
    assert (device.metadata["colour"], device.metadata["empty"]) == ("grün", "")
    assert device.options == {"depth": "3"}


def test_a_plug_in_is_usable_though_not_compiled_in(registered, plug_in):
    assert NAME not in available_providers()
    assert usable_providers()[-1] == NAME
    try_provider(NAME)
    try_provider(Devices(registered, {"depth": 4}))
    with pytest.raises(ortffi.ProviderUnavailableError, match="already registered"):
        register_provider_library("test", plug_in)
    with pytest.raises(ValueError, match=f"CPUExecutionProvider.*{NAME}"):
        Devices(devices())
    with pytest.raises(ValueError, match="none"):
        Devices([])


def test_a_plug_in_that_fails_says_why(registered):
    provider = Devices(registered, {"fail": "no such luck"})
    provider.check(ortffi.init())
    with pytest.raises(ortffi.ProviderUnavailableError, match=f"{NAME} .*here: no such luck$"):
        try_provider(provider)


def test_a_device_of_an_unregistered_library_is_refused(plug_in):
    register_provider_library("gone", plug_in)
    provider = Devices(of_the_plug_in())
    unregister_provider_library("gone")
    assert NAME not in usable_providers()
    for use in (try_provider, lambda provider: provider.check(ortffi.init())):
        with pytest.raises(ortffi.ProviderUnavailableError, match="unregistered"):
            use(provider)
    with pytest.raises(ortffi.ProviderUnavailableError, match="built without"):
        try_provider(Provider(NAME))


def test_a_relative_path_and_a_symbolic_link_are_followed(plug_in, tmp_path, monkeypatch):
    (tmp_path / "link.so").symlink_to(plug_in)
    for path, folder in ((plug_in.name, plug_in.parent), (tmp_path / "link.so", tmp_path)):
        monkeypatch.chdir(folder)
        register_provider_library("linked", path)
        (device,) = of_the_plug_in()
        # Not every version says where it was loaded from.
        assert device.metadata.get("library_path") in (None, str(plug_in.resolve()))
        unregister_provider_library("linked")


@pytest.mark.usefixtures("_plug_ins")
@pytest.mark.parametrize("path", ["/nowhere/lib.so", "", ".", b"/nowhere/lib.so"])
def test_a_file_that_is_not_there_is_reported(path):
    with pytest.raises(ortffi.NoSuchFileError):
        register_provider_library("test", path)


@pytest.mark.usefixtures("_plug_ins")
def test_a_library_that_is_no_provider_is_reported(library, tmp_path):
    with pytest.raises(ortffi.ProviderUnavailableError, match="CreateEpFactories") as caught:
        register_provider_library("test", library.path)
    assert str(library.path) in str(caught.value)
    text = tmp_path / "text.so"
    text.write_text("no library")
    with pytest.raises(ortffi.ProviderUnavailableError, match=r"text\.so"):
        register_provider_library("test", text)
    # The name is still free to whoever fails: nothing is left behind.
    for name, words in (("test", "not registered"), ("never", "never")):
        with pytest.raises(ortffi.OrtError, match=words):
            unregister_provider_library(name)


def test_an_older_library_is_named_with_what_is_needed(fake, use, library):
    use(fake.environment(min(library.api_version, 21)))
    calls = [devices, lambda: unregister_provider_library("test")]
    for call in [*calls, lambda: register_provider_library("test", library.path)]:
        with pytest.raises(UnsupportedError, match=r"1\.22"):
            call()
    assert "CPUExecutionProvider" in usable_providers()


@pytest.mark.usefixtures("_plug_ins")
def test_devices_are_refused_by_an_older_library(watched, use):
    provider = Devices(devices()[:1])
    old = watched.environment(21)
    use(old)
    with pytest.raises(UnsupportedError, match=r"1\.22"):
        provider.check(old)
    with pytest.raises(ortffi.ProviderUnavailableError, match=r"1\.22"):
        try_provider(provider)


@pytest.mark.usefixtures("_plug_ins")
def test_a_trial_that_fails_leaves_nothing_behind(watched):
    provider = Devices(devices()[:1])
    for function in ("CreateSessionOptions", "SessionOptionsAppendExecutionProvider_V2", "CreateSessionFromArray"):
        watched.fail = lambda called, function=function: called == function
        with pytest.raises(ortffi.ProviderUnavailableError, match=f"injected into {function}"):
            try_provider(provider)


@pytest.mark.usefixtures("_plug_ins")
def test_hardware_of_an_unknown_kind_is_unknown(watched):
    watched.replace["HardwareDevice_Type"] = lambda _device: 99
    assert {device.hardware_type for device in devices()} == {HardwareType.UNKNOWN}
