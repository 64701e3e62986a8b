"""The faults that are planted: mutations of one line each, over all packages."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Fault:
    """A mutation of one line."""

    name: str  # what goes wrong
    path: str  # of the file, from the repository's root
    right: str  # a part of the line that occurs once in the file
    wrong: str  # what stands there instead
    near: list[str]  # files and folders of tests that should notice, the quickest first

    def planted(self, tree):
        """Return the file of a tree with the line changed; raises ValueError where it does not occur once."""
        text = (tree / self.path).read_text(encoding="utf-8")
        if text.count(self.right) != 1:
            raise ValueError(f"{self.path} has {text.count(self.right)} times {self.right!r}, not 1")
        return text.replace(self.right, self.wrong)


FAULTS = [
    Fault(name, path, right, wrong, near)
    for name, path, right, wrong, *near in [
        ("a run of a binding overwrites the outputs of the one before", "ortffi/binding.py",
         "self._bind_to_memory(handle.pointer, name, memory)", "handle.pointer  # nothing",
         "tests/ortffi/test_binding.py", "tests/ortffi/test_lifetimes.py"),
        ("a failed call of the C API counts as done", "ortffi/_api.py", "check(self, status, name)", "del name",
         "tests/ortffi/test_errors.py"),
        ("samples that are too loud wrap around", "service/audio/encoding.py",
         "limited(samples) * np.float32(32767)", "samples * np.float32(32767)", "tests/service/audio"),
        ("a chunk begins without its fade-in", "service/speech/joining.py", "self._held[: fade.size] *= fade",
         "self._held[: fade.size] *= 1", "tests/service/speech/test_joining.py"),
        ("windows are faded a sample late", "service/speech/windows.py", "start -= _REACH", "start -= _REACH - 1",
         "tests/service/speech/test_windows.py"),
        ("word times ignore the padding before the speech", "service/speech/timing.py",
         "np.cumsum(durations[:-1])", "np.cumsum(durations[1:])", "tests/service/speech/test_timing.py"),
        ("the audio cache ignores the speed", "service/speech/synthesizer.py",
         "key = (chunk.phonemes, chunk.blend, chunk.model_speed,", "key = (chunk.phonemes, chunk.blend, 1.0,",
         "tests/service/speech/test_cache.py", "tests/service/api"),
        ("two words of a text share their offsets", "service/text/offset_mapping.py", "ends.extend(part._ends)",
         "ends.extend(part._starts)", "tests/service/text"),
        ("a British reader drops the `and` of numbers", "service/text/languages/english/normalization/numbers.py",
         "return words if british else", "return words if not british else", "tests/service/text/test_goldens.py"),
        ("plurals after a hiss lose their vowel", "service/text/languages/english/stems.py", 'stem[-1] in "szʃʒʧʤ"',
         'stem[-1] in "szʃʒʧ"', "tests/service/text/languages/english"),
        ("Mandarin's third tone is said as its fourth", "service/text/languages/mandarin/syllables.py", '"3": "↓"',
         '"3": "↘"', "tests/service/text/test_east_asian_readers.py"),
        ("the parity check accepts any sound", "service/model/parity.py", "if not distance <= MAX_DISTANCE_DB:",
         "if distance < 0:", "tests/service/model"),
        ("a prepared model of another key is opened", "service/preparation/manifest.py",
         "if manifest.key != key:", "if manifest.key is None:", "tests/service/preparation/test_store.py"),
        ("harmonics lose the whole cycles the wrong way", "service/preparation/rewriting/harmonics.py",
         "return op.Sub(cycles, op.Floor(cycles))\n", "return op.Sub(cycles, op.Ceil(cycles))\n",
         "tests/service/preparation/rewriting"),
        ("joined statistics ignore how far apart the means are", "native/statistics.c",
         "+ share * rest * apart * apart;", ";", "tests/native"),
        ("any API key of the right beginning lets in", "service/api/api_keys.py",
         "if hmac.compare_digest(key.digest, digest)", "if hmac.compare_digest(key.digest[:0], digest[:0])",
         "tests/service/api/middleware", "tests/service/api/test_secured.py"),
        ("a request that ends keeps its place", "service/api/admission.py", "self.n_requests -= 1",
         "self.n_requests -= 0", "tests/service/api/test_admission.py"),
        ("a cancelled session speaks the clauses that wait", "service/api/clause_speech.py",
         "self._backlog.drop(Order, *kinds)", "self._backlog.drop(*kinds)", "tests/service/api/websocket"),
        ("a book's words begin with their chunk, not after the chunks before it", "service/books/cue_times.py",
         "at += n_samples", "at += 0", "tests/service/books"),
        ("finished jobs are removed while they are young", "service/jobs/jobs_folder.py",
         "job.finished_s < before", "job.finished_s > before", "tests/service/jobs", "tests/service/api/jobs"),
        ("a damaged file of a corpus counts as kept", "service/cluster/speech_folder.py",
         'st_size == record["size_bytes"]', "st_size >= 0", "tests/service/cluster"),
        ("memory that a container limits counts as free", "service/machine/memory.py",
         "return limit if limit < _UNLIMITED else None", "return None", "tests/service/machine"),
        ("a difference that does not fit a byte is multiplied as well", "native/kernel_pairs.h", "return !any;",
         "return any >= 0;", "tests/native/test_pairs.py"),
        ("an LSTM keeps as much of its cell as it takes in", "native/kernel_recurrence.h",
         "vf_load(cell), gates[OF_FORGETTING]", "vf_load(cell), gates[OF_INPUT]", "tests/native/test_lstm.py"),
        ("a ratio that fell passes as well", "bench/regression.py", "return not fell and not gone",
         "return not gone", "tests/bench/test_regression.py"),
    ]
]  # fmt: skip
