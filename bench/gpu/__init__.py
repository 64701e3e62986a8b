"""On an NVIDIA GPU: against the onnxruntime-gpu package, windows, start and requests.

    python -m bench.gpu [float32] [float16] [--repeats N] [--write]

Both sides run the same files, those of `kokoro-service prepare --for cuda`, with the same number of
threads on the host. Ours is all of `Model.infer` as in the service: ortffi, buckets of frames,
HEURISTIC search for cuDNN's algorithms, and a warm-up at start. Theirs are sessions of the package
with IoBinding. They run with exactly as many frames as the speech has, and the encoder's outputs
stay on the GPU. There are three of them: EXHAUSTIVE search, the default, which the bounds refer to;
HEURISTIC search; and all defaults of the provider, which are EXHAUSTIVE search and TensorFloat-32.
Ours and the other two do without TensorFloat-32. Each side has a process of its own and waits while
the other works. One call is timed, from token ids to samples.

One length is 96 tokens again and again, after three warm-ups. Mixed lengths are blocks of eight
requests of 8 to 228 tokens, in an order that mixes short and long ones, and no number of tokens
comes twice. Both sides meet each length for the first time, as a service does with its users'
texts. The time of a block counts. "Again" is the same blocks a second time.

Windows are compared with whole decoding in one process, for chunks of about 5, 9 and 20 seconds:
the time until the samples of the first window are ready, with the encoder, and until all are. Whole
decoding pads frames to the next bucket or, above the last bucket, to its next multiple. One window
of the usual length, in the middle of the longest chunk, is replayed as a CUDA graph; in turns, a
second model starts its kernels one by one.

Over HTTP, the first request is the first one of a fresh server, and a warm one is the median of the
five after it. First audio is measured for a streamed paragraph of 600 characters, from the request
to the first bytes, with G2P, in the default decoding. Beside it stands the package's time for 398
of its tokens at once, before which the package has no sound. Device memory is what a process adds
to the memory in use on the whole GPU, so nothing else may run there.

This needs an NVIDIA GPU. `make bench-gpu` installs the package and finds its library, unless
ONNXRUNTIME_DIR or ONNXRUNTIME_LIB_DIR names another build for our side. It takes 12 minutes.
"""
