"""The model on a GPU: it says what the processor says, and computes it on the GPU."""

import random
from contextlib import closing
from dataclasses import dataclass
from functools import cache
from itertools import cycle, islice
from pathlib import Path

import numpy as np
import pytest

import ortffi
from bench.device_memory import device_memory
from service.loading import load_runtime, load_voices
from service.machine import Machine
from service.model.parity import MAX_DISTANCE_DB, log_spectral_distance
from service.settings import Settings
from service.speech.windows import WindowedSounds
from service.text import load_vocabulary
from tests.opened_models import open_folder

SENTENCES = 48
SPEEDS = (1.0, 0.5, 1.3, 0.8, 2.0)
MIN_NODE_SHARE = 0.9
WARM, ALL = 200, 1000
MOST_GROWTH_BYTES = 16 << 20
"""Of 1,000 requests that leaked no more than 20 KB each. ONNX Runtime's arena grows in megabytes,
and has met every length by then."""


@dataclass(frozen=True)
class Case:
    token_ids: tuple[int, ...]
    voice: str
    speed: float

    def said_by(self, model, voices, **options):
        return model.infer(self.token_ids, self.style(voices), self.speed, **options)

    def style(self, voices):
        return voices.style(voices.resolve(self.voice), len(self.token_ids))

    def __str__(self):
        return f"{len(self.token_ids)}-{self.voice}-{self.speed:g}"


def cases(repository):
    """Sentences of English as the official front end reads them, each in another voice."""
    text = (repository / "tests/data/reading/agreement.tsv").read_text(encoding="utf-8")
    lines = [line.split("\t") for line in text.splitlines() if not line.startswith("#")]
    voices = [voice.name for voice in load_voices(Settings()).voices]
    known = load_vocabulary()
    spread = lines[:: len(lines) // SENTENCES]
    return [
        Case(tuple(known.token_ids(phonemes)), voice, speed)
        for (_, _, phonemes), voice, speed in islice(zip(spread, cycle(voices), cycle(SPEEDS), strict=False), SENTENCES)
    ]


CASES = cases(Path(__file__).parents[2])


@pytest.fixture(scope="module")
def voices():
    return load_voices(Settings())


@pytest.fixture(scope="module")
def processor(gpu, prepared):
    runtime = load_runtime(Settings())
    (folder,) = (prepared / "prepared").glob("*-float32-*")
    with closing(open_folder(folder, runtime)) as kokoro:
        yield kokoro


@pytest.fixture(scope="module")
def expected(processor, voices):
    """What the processor says; each case is said once."""
    return cache(lambda case: case.said_by(processor, voices))


def test_the_cases_are_of_many_voices_lengths_and_speeds():
    assert len(set(CASES)) == SENTENCES
    assert len({case.voice for case in CASES}) >= 40
    assert {case.speed for case in CASES} == set(SPEEDS)
    assert len({len(case.token_ids) for case in CASES}) >= 25


@pytest.mark.parametrize("case", CASES, ids=str)
def test_it_says_what_the_processor_says(speaking, expected, voices, case):
    """Every duration is the processor's, in float16 too: the decoder alone is in halves."""
    found, wanted = case.said_by(speaking, voices), expected(case)
    assert found.durations.tolist() == wanted.durations.tolist()
    assert found.samples.size == wanted.samples.size
    assert np.any(found.samples)
    assert log_spectral_distance(wanted.samples, found.samples) <= MAX_DISTANCE_DB


def test_a_sentence_sounds_the_same_each_time(speaking, voices):
    one, other = (CASES[0].said_by(speaking, voices) for _ in range(2))
    assert one.samples.size == other.samples.size
    assert log_spectral_distance(one.samples, other.samples) < 1.0


def test_buckets_change_nothing_that_can_be_heard(speaking, voices):
    bucketed = CASES[1].said_by(speaking, voices)
    exact = CASES[1].said_by(speaking, voices, buckets=[1])
    assert bucketed.durations.tolist() == exact.durations.tolist()
    assert log_spectral_distance(exact.samples, bucketed.samples) <= MAX_DISTANCE_DB


@pytest.mark.parametrize("case", CASES[::5], ids=str)
def test_windows_say_what_the_whole_says(speaking, voices, case):
    whole, style = case.said_by(speaking, voices), case.style(voices)
    windows = WindowedSounds(case.token_ids, style, case.speed, None, statistics=speaking.statistics, soon=True)
    sounds = list(windows.said_by(speaking))
    samples = np.concatenate([sound.samples for sound in sounds])
    assert whole.durations.tolist() == sounds[-1].durations.tolist()
    assert samples.size == whole.samples.size
    assert log_spectral_distance(whole.samples, samples) <= MAX_DISTANCE_DB


def test_the_nodes_are_on_the_gpu_and_windows_are_cuda_graphs(speaking, capsys):
    """The report is shown, whatever the outcome."""
    check = speaking.gpu_check
    with capsys.disabled():
        print(f"\n{speaking.prepared.variant}: {check}")
    assert speaking.provider == "cuda"
    assert sum(check.placement.n_nodes.values()) > 1000
    assert check.placement.gpu_node_share >= MIN_NODE_SHARE
    assert check.placement.gpu_time_share >= MIN_NODE_SHARE
    assert all(distance <= MAX_DISTANCE_DB for distance in check.distances_db.values())
    assert set(check.placement.n_nodes) <= {"CUDAExecutionProvider", "CPUExecutionProvider"}
    # What each is replayed as was held against kernels started one by one when it was loaded.
    assert speaking.gpu_check.capture.startswith("CUDA graphs of 32, ")


@pytest.mark.usefixtures("gpu")
def test_the_library_has_kernels_for_this_gpu(build):
    assert build.kernels.supports(Machine().driver.gpus[0].capability) is True


def test_a_run_on_the_gpu_can_be_stopped(speaking, voices):
    with ortffi.RunOptions() as options:
        options.terminate()
        with pytest.raises(ortffi.TerminatedError):
            CASES[2].said_by(speaking, voices, run_options=options)
    assert CASES[2].said_by(speaking, voices).samples.size


@pytest.mark.slow
@pytest.mark.parametrize("precision", ["float32", "float16"])
def test_a_thousand_requests_leave_memory_flat(load_on_gpu, voices, precision):
    choose = random.Random(7)
    names = [voice.name for voice in voices.voices]

    def say(kokoro):
        token_ids = tuple(choose.choice((16, 50, 83, 54, 156, 65)) for _ in range(choose.randint(1, 120)))
        case = Case(token_ids, choose.choice(names), choose.uniform(0.8, 2.0))
        assert case.said_by(kokoro, voices).samples.size

    with device_memory() as used_bytes:
        before = used_bytes()
        with closing(load_on_gpu(precision)) as kokoro:
            for _ in range(WARM):
                say(kokoro)
            warm = used_bytes()
            for _ in range(ALL - WARM):
                say(kokoro)
            assert used_bytes() - warm <= MOST_GROWTH_BYTES
        assert warm > before, "the model is in the GPU's memory"
