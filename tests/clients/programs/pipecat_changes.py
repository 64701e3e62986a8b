"""Change our plug-in for pipecat between turns: python pipecat_changes.py URL

Three turns say the same: as set at first, with other settings, and after the connection broke.
Prints, as JSON, the seconds and the words of each, and the errors.
"""

import asyncio
import json
import sys

from pipecat.frames.frames import EndFrame, TTSAudioRawFrame, TTSStoppedFrame, TTSTextFrame, TTSUpdateSettingsFrame
from pipecat.pipeline.pipeline import Pipeline
from pipecat.pipeline.worker import PipelineWorker
from pipecat.processors.frame_processor import FrameProcessor
from pipecat.workers.runner import WorkerRunner
from pipecat_interruption import NEXT, turn
from pipecat_kokoro import KokoroTTSService, KokoroTTSSettings


class Listener(FrameProcessor):
    """Makes a change after each turn, and asks for the next."""

    def __init__(self, service):
        super().__init__()
        self.seconds = [0.0]
        self.words = [[]]
        self._service = service

    async def process_frame(self, frame, direction):
        await super().process_frame(frame, direction)
        if isinstance(frame, TTSAudioRawFrame):
            self.seconds[-1] += len(frame.audio) / 2 / frame.sample_rate
        elif isinstance(frame, TTSTextFrame):
            self.words[-1].append(frame.text)
        elif isinstance(frame, TTSStoppedFrame):
            await self._go_on(len(self.seconds))
        await self.push_frame(frame, direction)

    async def _go_on(self, n_turns):
        if n_turns == 3:
            await self.worker.queue_frame(EndFrame())
            return
        self.seconds.append(0.0)
        self.words.append([])
        if n_turns == 1:
            slow = KokoroTTSSettings(voice="bm_george", speed=0.5)
            await self.worker.queue_frame(TTSUpdateSettingsFrame(delta=slow))
            await self.worker.queue_frames(turn(NEXT))
        else:
            self._service._websocket.transport.abort()


async def main():
    service = KokoroTTSService(url=sys.argv[1])
    listener = Listener(service)
    listener.worker = worker = PipelineWorker(Pipeline([service, listener]))

    @service.event_handler("on_connected")
    async def ask(service):
        await worker.queue_frames(turn(NEXT))

    errors = []

    @worker.event_handler("on_pipeline_error")
    async def note(worker, frame):
        errors.append(frame.error)

    runner = WorkerRunner()
    await runner.add_workers(worker)
    await runner.run()
    print(json.dumps({"errors": errors, "seconds": listener.seconds, "words": listener.words}))


if __name__ == "__main__":
    asyncio.run(main())
