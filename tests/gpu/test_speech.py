"""The model on a GPU: it says what the processor says, and computes it on the GPU."""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass
from functools import cache
from itertools import cycle, islice
from pathlib import Path

import numpy as np
import pytest
from service.loading import load_runtime, load_voices
from service.model.parity import MAX_DISTANCE_DB, log_spectral_distance
from service.settings import Settings
from service.speech.windows import WindowedSounds
from tests.opened_models import open_folder

import ortffi
from service.machine import Machine
from service.text import load_vocabulary

SENTENCES = 48
SPEEDS = (1.0, 0.5, 1.3, 0.8, 2.0)
MIN_NODE_SHARE = 0.9


@dataclass(frozen=True)
class Case:
    """Something that both say."""

    token_ids: tuple[int, ...]
    voice: str
    speed: float

    def said_by(self, model, voices):
        style = voices.style(voices.resolve(self.voice), len(self.token_ids))
        return model.infer(self.token_ids, style, self.speed)

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
    """The same float32 model on the processor."""
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
    assert found.durations is not None
    assert wanted.durations is not None
    assert found.durations.tolist() == wanted.durations.tolist()
    assert found.samples.size == wanted.samples.size
    assert np.any(found.samples)
    assert log_spectral_distance(wanted.samples, found.samples) <= MAX_DISTANCE_DB


def test_a_sentence_sounds_the_same_each_time(speaking, voices):
    one, other = (CASES[0].said_by(speaking, voices) for _ in range(2))
    assert one.samples.size == other.samples.size
    assert log_spectral_distance(one.samples, other.samples) < 1.0


def test_buckets_change_nothing_that_can_be_heard(speaking, voices):
    case = CASES[1]
    style = voices.style(voices.resolve(case.voice), len(case.token_ids))
    bucketed = case.said_by(speaking, voices)
    exact = speaking.infer(case.token_ids, style, case.speed, buckets=[1])
    assert bucketed.durations is not None
    assert exact.durations is not None
    assert bucketed.durations.tolist() == exact.durations.tolist()
    assert log_spectral_distance(exact.samples, bucketed.samples) <= MAX_DISTANCE_DB


@pytest.mark.parametrize("case", CASES[::5], ids=str)
def test_windows_say_what_the_whole_says(speaking, voices, case):
    statistics = speaking.statistics
    assert statistics is not None
    style = voices.style(voices.resolve(case.voice), len(case.token_ids))
    whole = case.said_by(speaking, voices)
    sounds = list(
        WindowedSounds(case.token_ids, style, case.speed, None, statistics=statistics, soon=True).said_by(speaking)
    )
    samples = np.concatenate([sound.samples for sound in sounds])
    assert whole.durations is not None
    assert sounds[-1].durations is not None
    assert whole.durations.tolist() == sounds[-1].durations.tolist()
    assert samples.size == whole.samples.size
    assert log_spectral_distance(whole.samples, samples) <= MAX_DISTANCE_DB


def test_windows_are_cuda_graphs(speaking):
    """What each is replayed as was held against kernels started one by one when it was loaded."""
    assert speaking.gpu_check is not None
    assert speaking.gpu_check.capture.startswith("CUDA graphs of 32, ")


def test_the_nodes_are_on_the_gpu(speaking, capsys):
    """The report is shown, whatever the outcome."""
    check = speaking.gpu_check
    assert check is not None
    with capsys.disabled():
        print(f"\n{speaking.prepared.variant}: {check}")
    assert speaking.provider == "cuda"
    assert sum(check.placement.n_nodes.values()) > 1000
    assert check.placement.gpu_node_share >= MIN_NODE_SHARE
    assert check.placement.gpu_time_share >= MIN_NODE_SHARE
    assert all(distance <= MAX_DISTANCE_DB for distance in check.distances_db.values())
    assert set(check.placement.n_nodes) <= {"CUDAExecutionProvider", "CPUExecutionProvider"}


@pytest.mark.usefixtures("gpu")
def test_the_library_has_kernels_for_this_gpu(build):
    capability = Machine().driver.gpus[0].capability
    assert build.kernels.supports(capability) is True


def test_a_run_on_the_gpu_can_be_stopped(speaking, voices):
    case = CASES[2]
    style = voices.style(voices.resolve(case.voice), len(case.token_ids))
    with ortffi.RunOptions() as options:
        options.terminate()
        with pytest.raises(ortffi.TerminatedError):
            speaking.infer(case.token_ids, style, case.speed, run_options=options)
    assert case.said_by(speaking, voices).samples.size
