"""Interrupt our plug-in for pipecat amid a long turn: python pipecat_interruption.py URL

Prints, as JSON, what was heard before and after, and of the turns that follow: one that is
complete, one that is interrupted before a speech that may not be, and one of marks only.
"""

import asyncio
import json
import sys

from pipecat.frames import frames
from pipecat.pipeline.pipeline import Pipeline
from pipecat.pipeline.worker import PipelineWorker
from pipecat.processors.frame_processor import FrameProcessor
from pipecat.workers.runner import WorkerRunner
from pipecat_kokoro import KokoroTTSService

SENTENCE = "The birch canoe slid on the smooth planks, and nobody saw it go. "
NEXT = "Good day to you."
KEPT = "This call is recorded."
MARKS = "... "


class Noting(KokoroTTSService):
    """Notes how much the service says, before and after `cancel`."""

    def __init__(self, **options):
        super().__init__(**options)
        self.said_s_before_cancel = 0.0
        self.heard_s_after_cancel = 0.0
        self._waits_for_cancelled = False
        self._was_cancelled = False

    async def _send(self, kind, **fields):
        self._waits_for_cancelled |= kind == "cancel"
        await super()._send(kind, **fields)

    async def _hear(self, message):
        if message["type"] == "cancelled":
            self._waits_for_cancelled, self._was_cancelled = False, True
        if message["type"] == "audio" and not self._was_cancelled:
            seconds = message["end_s"] - message["start_s"]
            if self._waits_for_cancelled:
                self.heard_s_after_cancel += seconds
            else:
                self.said_s_before_cancel += seconds
        await super()._hear(message)


class Listener(FrameProcessor):
    """Interrupts the first and the third turn at their first sound, and notes what comes after."""

    def __init__(self):
        super().__init__()
        self.turn = 0
        self.n_frames_after_interruption = 0
        self.seconds = [0.0] * 6
        self.words = [[] for _ in range(6)]
        self._asked = set()
        self._interrupted = set()

    async def process_frame(self, frame, direction):
        await super().process_frame(frame, direction)
        if isinstance(frame, frames.TTSStartedFrame):
            self.turn += 1
        elif isinstance(frame, frames.TTSTextFrame):
            self.words[self.turn].append(frame.text)
        elif isinstance(frame, frames.TTSAudioRawFrame):
            self.n_frames_after_interruption += self.turn in self._interrupted
            self.seconds[self.turn] += len(frame.audio) / 2 / frame.sample_rate
            if self.turn in (1, 3) and self.turn not in self._asked:
                self._asked.add(self.turn)
                await self.worker.queue_frame(frames.InterruptionFrame())
        elif isinstance(frame, frames.InterruptionFrame):
            self._interrupted.add(self.turn)
            if self.turn == 1:
                await self.worker.queue_frames(turn(NEXT))
        elif isinstance(frame, frames.TTSStoppedFrame) and self.turn == 2:
            kept = frames.TTSSpeakFrame(KEPT)
            kept.interruptible = False
            await self.worker.queue_frames([*turn(SENTENCE * 2), kept])
        elif isinstance(frame, frames.TTSStoppedFrame) and self.turn == 4:
            await self.worker.queue_frames([*turn(MARKS), frames.EndFrame()])
        await self.push_frame(frame, direction)


def turn(text):
    return [frames.LLMFullResponseStartFrame(), frames.LLMTextFrame(text), frames.LLMFullResponseEndFrame()]


async def main():
    service = Noting(url=sys.argv[1])
    listener = Listener()
    listener.worker = worker = PipelineWorker(Pipeline([service, listener]))
    errors = []

    @worker.event_handler("on_pipeline_error")
    async def note(worker, frame):
        errors.append(frame.error)

    runner = WorkerRunner()
    await runner.add_workers(worker)
    await worker.queue_frames(turn(SENTENCE * 20))
    await runner.run()
    found = {
        "errors": errors, "n_frames_after_interruption": listener.n_frames_after_interruption,
        "said_s_before_cancel": service.said_s_before_cancel, "heard_s_after_cancel": service.heard_s_after_cancel,
        "next_words": listener.words[2], "next_s": listener.seconds[2], "kept_words": listener.words[4],
        "silence_s": listener.seconds[5],
    }  # fmt: skip
    print(json.dumps(found))


if __name__ == "__main__":
    asyncio.run(main())
