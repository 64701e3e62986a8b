"""Memory of the GPU stays as it is, whatever is said."""

import random
from contextlib import closing

import pytest
from bench.device_memory import device_memory
from service.loading import load_voices
from service.settings import Settings

WARM, ALL = 200, 1000
MOST_GROWTH_BYTES = 16 << 20
"""Of 1,000 requests that leaked no more than 20 KB each. ONNX Runtime's arena grows in megabytes,
and has met every length by then."""


@pytest.mark.slow
@pytest.mark.parametrize("precision", ["float32", "float16"])
def test_a_thousand_requests_leave_memory_flat(load_on_gpu, precision):
    choose = random.Random(7)
    voices = load_voices(Settings())
    names = [voice.name for voice in voices.voices]

    def say(kokoro):
        token_ids = [choose.choice((16, 50, 83, 54, 156, 65)) for _ in range(choose.randint(1, 120))]
        style = voices.style(voices.resolve(choose.choice(names)), len(token_ids))
        assert kokoro.infer(token_ids, style, choose.uniform(0.8, 2.0)).samples.size

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
