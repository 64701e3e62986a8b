"""Which measurements pass: each bound is held on its side, and one that is missed is enough."""

import json
import os
import signal
from contextlib import contextmanager
from types import SimpleNamespace
from unittest.mock import Mock

import numpy as np
import pytest

from bench import command, first_audio, pace, peak
from bench.command import Section, exit_status, publish
from bench.deadline import Deadline
from bench.decoding import sides_with_windows
from bench.first_audio import SOON_S, table_of_windows
from bench.processes import ChildError
from bench.quality import compare as compare_quality
from bench.renderings import FLOOR, Case, Renderings
from bench.report import Bound, ratio, speedup
from bench.sides import OURS, Side
from bench.speaker import save
from bench.streams import Heard
from bench.windows import comparison
from bench.windows.comparison import compare as compare_windows
from bench.windows.ways import PUBLISHED, WHOLE, WINDOWS
from service.model.durations import SAMPLES_PER_FRAME
from service.speech.windows import windows_of

VOICES = ("af_heart", "am_michael")
CASES = [Case(f"Sentence {n}.", f"sˈɛntəns {n}.", voice) for n in range(5) for voice in VOICES]
N_FRAMES = 200
N_SAMPLES = N_FRAMES * SAMPLES_PER_FRAME
DURATIONS = (50, 150)
SEAMS = [window.first * SAMPLES_PER_FRAME for window in windows_of(N_FRAMES, soon=True) if window.first]


def noise(seed=0, n_samples=N_SAMPLES):
    return np.random.default_rng(seed).uniform(-0.1, 0.1, n_samples).astype(np.float32)


def test_a_bound_is_met_on_its_side():
    for bound, met, missed, text in (
        (Bound(1.5), 1.5, 1.6, "≤ 1.5"),
        (Bound(1.5, strict=True), 1.4, 1.5, "< 1.5"),
        (Bound(4, least=True), 4.0, 3.9, "≥ 4"),
    ):
        assert (bound.is_met(met), bound.is_met(missed), str(bound)) == (True, False, text)
    pairs = [(1.0, 4.0), (2.0, 10.0), (1.0, 6.0)]
    assert speedup("x", pairs, "s").compared.startswith("**5.000 times** (4 to 6, 3 pairs)")
    assert ratio("x", pairs, "s").compared.startswith("**0.200**")


@pytest.fixture
def _process_as_before():
    environment = dict(os.environ)
    handlers = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGHUP)}
    yield
    os.environ.update(environment)
    for number, handler in handlers.items():
        signal.signal(number, handler)


@pytest.mark.usefixtures("_process_as_before")
def test_the_status_says_how_it_went_and_children_have_no_settings_of_the_caller(monkeypatch):
    endings = {True: 0, False: 1, ChildError("it ended"): 2, KeyboardInterrupt(): 130}
    measures = [Mock(side_effect=[ending]) for ending in endings]
    assert [exit_status(measure) for measure in measures] == list(endings.values())
    monkeypatch.setenv("KOKORO_THREADS", "1")
    os.environ["KOKORO_KERNELS"] = "avx2"  # says what to measure
    assert exit_status(lambda: "KOKORO_THREADS" not in os.environ) == 0
    assert os.environ.pop("KOKORO_KERNELS") == "avx2"


@pytest.mark.usefixtures("_process_as_before")
def test_what_was_found_before_a_failure_is_written_and_one_missed_bound_is_enough(tmp_path, monkeypatch, capsys):
    results = tmp_path / "RESULTS.md"
    results.write_text("# Measurements\n\n## other\n\nstays\n", encoding="utf-8")
    monkeypatch.setattr(command, "RESULTS", results)
    before = results.read_text(encoding="utf-8")
    for met, status in (((True, True), 0), ((False, True), 1)):
        assert publish([Section("one", "", "", met=each) for each in met], write=False) == status
    assert results.read_text(encoding="utf-8") == before

    def sections():
        yield Section("one", "About one.\n", "| a |", met=False)
        raise ChildError("it ended")

    assert publish(sections(), write=True) == 2
    written = results.read_text(encoding="utf-8")
    assert "## other\n\nstays\n" in written
    assert "## one\n\nAbout one.\n\n" in written
    assert written.endswith("\n\n| a |\n")
    assert "| a |" in capsys.readouterr().out


def assert_verdicts(judge, rows):
    """Each row is what is judged and whether it passes; the report says the same."""
    found = [(given, judge(given), met) for given, met in rows]
    misses = [given for given, (report, holds), met in found if holds is not met or ("**no**" in report) is met]
    assert not misses


def test_windows_start_soon_at_the_median_and_leave_nobody_dry_who_is_alone():
    def heard(first_s, gap_s=0.0):
        return Heard(first_s, first_s + 1, 5.0, gap_s, gap_s, 0.5)

    def found(*answers, n_clients=1, decoding="windows"):
        """One kind that is as asked for among others that are well."""
        well = {("windows", "well", n): [heard(0.1)] for n in (1, 4)}
        return well | {(decoding, "kind", n_clients): list(answers)}

    rows = [
        (found(heard(0.35)), True), (found(heard(0.351)), False),
        # The median counts, the worst does not.
        (found(heard(0.3), heard(0.3), heard(9.0)), True), (found(heard(0.3), heard(0.36), heard(0.36)), False),
        (found(heard(1.4), n_clients=4), True), (found(heard(1.41), n_clients=4), False),
        # The worst gap counts, for one client.
        (found(heard(0.1), heard(0.1), heard(0.1, gap_s=0.001)), False),
        (found(heard(0.1, gap_s=3.0), n_clients=4), True),
        # Whole decoding stands beside it without a bound.
        (found(heard(9.0, gap_s=3.0), decoding="whole"), True),
    ]  # fmt: skip
    assert_verdicts(table_of_windows, rows)
    assert tuple(SOON_S) == first_audio.CLIENTS


def test_only_sides_that_have_windows_are_measured_in_windows(capsys):
    able = sides_with_windows([*OURS.values(), Side("mine", settings={"voice": "af_bella"})])
    assert [side.label for side in able] == ["service", "native", "mine"]
    assert capsys.readouterr().err == "published has no windows\nstock has no windows\n"
    with pytest.raises(ChildError, match="no side has windows"):
        sides_with_windows([OURS["published"], OURS["stock"]])


def test_windows_hold_as_much_memory_for_each_length_and_no_more_than_may_be():
    def streamed(short_mb, long_mb, most_mb=0.0):
        """What servers of each decoding have held; one of the long text perhaps more."""
        return {
            ("windows", "short"): [peak.Streamed(5.0, 200.0, short_mb)] * 2,
            ("whole", "short"): [peak.Streamed(5.0, 200.0, 300.0)] * 2,
            ("windows", "long"): [peak.Streamed(60.0, 200.0, mb) for mb in (long_mb, long_mb, max(most_mb, long_mb))],
            ("whole", "long"): [peak.Streamed(60.0, 200.0, 900.0)] * 2,
        }

    rows = [
        (streamed(300.0, 315.0), True), (streamed(315.0, 300.0), True), (streamed(350.0, 350.0), True),
        (streamed(300.0, 316.0), False), (streamed(316.0, 300.0), False), (streamed(340.0, 350.5), False),
        # The median counts against the other length, the greatest against the bound.
        (streamed(300.0, 300.0, most_mb=349.0), True), (streamed(300.0, 300.0, most_mb=351.0), False),
    ]  # fmt: skip
    assert_verdicts(peak.table_of_lengths, rows)


def test_the_most_that_was_held_is_held_against_the_bound(monkeypatch):
    def compared(native_mb):
        held = {"native": native_mb, "stock": 999}
        monkeypatch.setattr(peak, "peaks", lambda side: [held[side.label] + n for n in range(1 + len(peak.REQUESTS))])
        return peak.compare([OURS[label] for label in held], 2)

    least = peak.BOUND_MB - len(peak.REQUESTS)
    assert_verdicts(compared, [(least, True), (least + 0.6, False)])


@pytest.fixture
def judged(tmp_path, monkeypatch):
    """Hold a side's samples and durations against the published ones."""

    def judged(changed):
        made = {"change": lambda case, samples: samples, "durations": (5, 5), "wrong": 0} | changed
        folder = tmp_path / f"{len(list(tmp_path.iterdir()))}"
        base, other = noise(n_samples=6000), noise(1, 6000)

        def render(self, side, cases, nudge=0.0):
            label = FLOOR if nudge else side.label
            self.begin(label, "a model")
            for case in cases:
                samples, told = base, (5, 5)
                if label == FLOOR:
                    samples = base + 0.1 * other
                elif label == "native":
                    samples, told = made["change"](case, base), made["durations"]
                path = folder / label / f"{case.key}.npz"
                np.savez(path, samples=np.int16(samples * 20_000), durations=np.array(told))

        def listener(renderings):
            return lambda label, cases: [made["wrong"] if label == "native" else 0 for _ in cases]

        monkeypatch.setattr(Renderings, "render", render)
        monkeypatch.setattr("bench.quality.listener", listener)
        return compare_quality([Side("native")], CASES, CASES, Renderings(folder, Deadline(1)))

    return judged


def test_a_side_passes_only_where_nothing_is_worse(judged):
    of_one_voice = {case for case in CASES if case.voice == VOICES[0] and case.text != CASES[0].text}
    rows = [
        ({}, True), ({"durations": (5, 6)}, False), ({"wrong": 1}, False),
        ({"change": lambda case, samples: samples * 0.5}, False),
        ({"change": lambda case, samples: samples * (0.5 if case in of_one_voice else 1)}, False),
        ({"change": lambda case, samples: samples[:-600] if case == CASES[3] else samples}, False),
    ]  # fmt: skip
    assert_verdicts(judged, rows)
    with pytest.raises(ChildError, match="same length"):
        judged({"change": lambda case, samples: samples[:-600]})


@pytest.fixture
def compared(tmp_path, monkeypatch):
    """Hold windows, whose sound is changed, against the whole and the published model."""

    def compared(side, change=lambda case, samples: samples, durations=None, wrong=0, cases=CASES):
        renderings = Renderings(tmp_path, Deadline(1))
        for label in (WHOLE, WINDOWS, PUBLISHED):

            def say(case, path, label=label):
                samples = 0.3 * np.sin(2 * np.pi * (200 + CASES.index(case)) * np.arange(N_SAMPLES) / 24_000)
                told = (durations or {}).get(label, DURATIONS) if case == CASES[2] else DURATIONS
                if label == WINDOWS:
                    samples = change(case, samples)
                save(path, np.float32(samples[: sum(told) * SAMPLES_PER_FRAME]), told, SEAMS)
                return told

            renderings.fill(label, "a model", CASES, say)
        monkeypatch.setattr(
            comparison, "listener", lambda _: lambda label, cases: [wrong * (label == WINDOWS) for _ in cases]
        )
        return compare_windows(side, cases, renderings)

    return compared


def click(case, samples):
    samples = samples.copy()
    samples[SEAMS[0] :] += 0.1 * (case == CASES[2])
    return samples


def louder(case, samples):
    """Add 1.5 dB in every sentence, at the end."""
    samples = samples.copy()
    samples[-N_SAMPLES // 4 :] *= 10 ** (1.5 / 20)
    return samples


@pytest.mark.parametrize(("side", "changed", "missed"), [
    ("native", {}, []), ("native", {"durations": {WINDOWS: (51, 149)}}, ["equal durations"]),
    ("native", {"durations": {PUBLISHED: (50, 149)}}, ["equal durations"]),
    ("stock", {"durations": {PUBLISHED: (50, 149)}}, ["equal durations"]),
    ("float32", {"durations": {PUBLISHED: (50, 149)}}, []),
    ("float32", {"durations": {WINDOWS: (51, 149)}}, ["equal durations"]),
    ("native", {"change": louder}, ["change of loudness"]),
    ("native", {"change": lambda case, samples: samples + 0.01 * noise()}, ["log-spectral distance"]),
    ("native", {"change": click}, ["switched"]),
    ("native", {"wrong": 1}, ["misheard words"]),
])  # fmt: skip
def test_windows_pass_only_where_no_bound_is_missed(compared, side, changed, missed):
    report, met = compared(side, **changed)
    lines = [line for line in report.splitlines() if "**no**" in line]
    assert met is (not missed)
    assert len(lines) == len(missed)
    assert all(name in line for name, line in zip(missed, lines, strict=True))


def test_renderings_of_which_none_is_as_long_as_the_whole_are_a_failure(compared):
    with pytest.raises(ChildError, match="same length"):
        compared("native", durations={WINDOWS: (50, 149)}, cases=[CASES[2]])


def test_paces_that_are_off_are_noticed_and_put_right(tmp_path, repository, monkeypatch, capsys):
    manifest = tmp_path / "manifest.json"
    manifest.write_bytes((repository / "voices/manifest.json").read_bytes())
    before = json.loads(manifest.read_text())
    monkeypatch.setattr(pace, "MANIFEST", manifest)
    monkeypatch.setattr(pace, "_chunks", lambda espeak, language: ["a" * 100, "b" * 60])

    def run(quickness, *arguments):
        """Have every voice speak so many times as quickly as the manifest says."""

        def say(phonemes, voice):
            return SimpleNamespace(audio_s=len(phonemes) / (before[voice]["pace"] * quickness))

        @contextmanager
        def speaker(side):
            yield SimpleNamespace(say=say)

        monkeypatch.setattr(pace, "speaker", speaker)
        return pace.main(arguments)

    for quickness, status in ((1.0, 0), (0.97, 0), (1.1, 1), (0.9, 1)):
        assert run(quickness) == status
        assert ("(off)" in capsys.readouterr().out) == (status == 1)
        assert json.loads(manifest.read_text()) == before
    assert run(1.2, "--write") == 0
    after = json.loads(manifest.read_text())
    for name, entry in before.items():
        assert after[name].pop("pace") == pytest.approx(entry["pace"] * 1.2, abs=0.06)
        del entry["pace"]
    assert after == before
