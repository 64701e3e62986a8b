import numpy as np
import pytest
from bench.deadline import Deadline, OutOfTimeError
from bench.processes import ChildError
from bench.quality import FRAME, compare, duration_cases, mel_distance, mel_levels, resampled_interval
from bench.renderings import FLOOR, Case, Renderings
from bench.sides import Side

CASE = Case("Hello.", "həlˈO.", "af_heart")


def tone(hz, level=0.3, seconds=0.5):
    return np.float32(level) * np.sin(2 * np.pi * hz * np.arange(int(24_000 * seconds)) / 24_000)


def test_distance_of_a_recording_to_itself_is_nought():
    assert mel_distance(tone(440), tone(440)) == 0


def test_distance_is_the_difference_of_level_where_only_that_differs():
    noise = np.random.default_rng(0).normal(0, 0.1, 24_000)
    assert mel_distance(noise, noise * 10 ** (-6 / 20)) == pytest.approx(6.0, abs=0.01)


def test_what_is_too_quiet_to_matter_does_not_count():
    loud = tone(1000)
    hiss = np.random.default_rng(0).normal(0, 1e-6, loud.size)
    assert mel_distance(loud, loud + hiss) < 0.05


def test_another_tone_is_far_away():
    assert mel_distance(tone(440), tone(880)) > 3


def test_recordings_of_other_lengths_are_refused():
    with pytest.raises(ValueError, match="100 samples and 99"):
        mel_distance(np.zeros(100), np.zeros(99))


@pytest.mark.parametrize(("n_samples", "n_frames"), [(1, 1), (FRAME, 1), (FRAME + 256, 2)])
def test_every_recording_has_a_frame(n_samples, n_frames):
    assert mel_levels(np.zeros(n_samples)).shape == (n_frames, 80)


def test_every_band_hears_something():
    levels = mel_levels(np.random.default_rng(0).normal(0, 0.1, 4800))
    assert levels.min() > -60


def test_interval_holds_the_sum_and_is_nought_where_nothing_differs():
    low, high = resampled_interval([0, 1, 0, 2, -1, 0, 0, 1], 100)
    assert low <= 3 / 100 <= high
    assert resampled_interval([0] * 8, 100) == (0.0, 0.0)


def test_what_was_found_out_is_found_out_once(tmp_path):
    renderings = Renderings(tmp_path, Deadline(1))
    asked = []

    def find(case):
        asked.append(case)
        return 3

    assert renderings.keep("native", "words", [CASE], find) == [3]
    assert renderings.keep("native", "words", [CASE], find) == [3]
    assert asked == [CASE]


def test_what_was_found_out_before_the_deadline_is_kept(tmp_path):
    early = Renderings(tmp_path, Deadline(1))
    early.keep("native", "words", [CASE], lambda case: 3)
    late = Renderings(tmp_path, Deadline(-1))
    other = Case("Bye.", "bˈI.", "af_heart")
    with pytest.raises(OutOfTimeError):
        late.keep("native", "words", [CASE, other], lambda case: 4)
    assert late.keep("native", "words", [CASE], lambda case: 4) == [3]


@pytest.mark.parametrize(("identity", "n_asked"), [("the same model", 1), ("another one", 2)])
def test_what_another_model_has_said_is_thrown_away(tmp_path, identity, n_asked):
    asked = []
    for told in ("the same model", identity):
        renderings = Renderings(tmp_path, Deadline(1))
        renderings.begin("native", told)
        renderings.keep("native", "words", [CASE], lambda case: asked.append(case))
    assert len(asked) == n_asked


def test_distances_are_measured_anew_when_the_published_model_is_another(tmp_path):
    renderings = Renderings(tmp_path, Deadline(1))
    for label in ("published", "native"):
        renderings.begin(label, "the same model")
    for name in ("distances", "words"):
        renderings.keep("native", name, [CASE], lambda case: 3)
    renderings.begin("published", "another one")
    assert renderings.keep("native", "distances", [CASE], lambda case: 4) == [4]
    assert renderings.keep("native", "words", [CASE], lambda case: 4) == [3]


SIDE = Side("native")
VOICES = ("af_heart", "am_michael")
CASES = [Case(f"Sentence {n}.", f"sˈɛntəns {n}.", voice) for n in range(5) for voice in VOICES]


@pytest.fixture
def judged(tmp_path, monkeypatch):
    """Say whether a side passes, by what it makes of the published samples and durations."""

    def judge(change=lambda case, samples: samples, durations=(5, 5), wrong=0):
        noise = np.random.default_rng(0).normal(0, 0.1, (2, 6000))

        def render(self, side, cases, nudge=0.0):
            label = FLOOR if nudge else side.label
            self.begin(label, "a model")
            for case in cases:
                samples, told = noise[0], (5, 5)
                if label == FLOOR:
                    samples = samples + 0.1 * noise[1]
                elif label == SIDE.label:
                    samples, told = change(case, samples), durations
                path = tmp_path / label / f"{case.key}.npz"
                np.savez(path, samples=np.int16(samples * 20_000), durations=np.array(told))

        def listener(renderings):
            return lambda label, cases: [wrong if label == SIDE.label else 0 for _ in cases]

        monkeypatch.setattr(Renderings, "render", render)
        monkeypatch.setattr("bench.quality.listener", listener)
        return compare([SIDE], CASES, CASES, Renderings(tmp_path, Deadline(1)))

    return judge


def louder(case, samples):
    return samples * 0.5


def one_voice_louder(case, samples):
    return samples * 0.5 if case.voice == VOICES[0] and case.text != CASES[0].text else samples


def one_shorter(case, samples):
    return samples[:-600] if case == CASES[3] else samples


@pytest.mark.parametrize(
    ("changed", "met"),
    [
        ({}, True),
        ({"durations": (5, 6)}, False),
        ({"change": louder}, False),
        ({"change": one_voice_louder}, False),
        ({"change": one_shorter}, False),
        ({"wrong": 1}, False),
    ],
    ids=["nothing", "durations", "sound", "sound of a voice", "length", "words"],
)
def test_a_side_passes_only_where_nothing_is_worse(judged, changed, met):
    report, holds = judged(**changed)
    assert holds is met
    assert ("**no**" in report) is not met


def test_a_side_of_which_no_recording_can_be_compared_is_a_failure(judged):
    with pytest.raises(ChildError, match="same length"):
        judged(change=lambda case, samples: samples[:-600])


def test_every_voice_has_sentences_in_its_language():
    cases = list(duration_cases(1))
    assert len({case.voice for case in cases}) == len(cases) == 54
