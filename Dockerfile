# kokoro-service on a CPU, amd64 or arm64, with its model inside. See docs/containers.md.
#
#   docker build -t kokoro-service .
#   docker run --rm --read-only --tmpfs /tmp -p 127.0.0.1:8880:8880 -e KOKORO_INSECURE=true \
#       kokoro-service
#
# It listens on all addresses of the container. So set KOKORO_API_KEYS_FILE (docs/operations.md), or
# KOKORO_INSECURE if the port is published to this machine only.
#
# The image contains espeak-ng, which is GPL-3.0: see NOTICE before you pass the image on.
ARG PYTHON_IMAGE=python:3.12-slim-bookworm

FROM ${PYTHON_IMAGE} AS build
WORKDIR /src
# Fetch everything once, with hashes, as wheels; later steps install from these files. One package
# is published without a wheel, so setuptools builds it.
COPY constraints/serve.txt constraints/prepare.txt constraints/setuptools.txt \
    constraints/zig.txt constraints/sbom.txt constraints/
RUN python -m venv /opt/build \
    && /opt/build/bin/pip install --no-cache-dir --require-hashes -r constraints/setuptools.txt \
        -r constraints/zig.txt \
    && /opt/build/bin/pip wheel --no-cache-dir --require-hashes --no-build-isolation --use-pep517 \
        --wheel-dir /wheels -r constraints/serve.txt \
    && /opt/build/bin/pip install --no-cache-dir --no-index --no-deps /wheels/*.whl \
    && /opt/build/bin/pip install --no-cache-dir --no-deps --require-hashes \
        -r constraints/prepare.txt
COPY pyproject.toml hatch_build.py README.md LICENSE NOTICE ./
COPY ortffi ortffi
COPY service service
COPY native native
COPY voices voices
COPY config config
COPY share share
# The wheels are those of `make wheels`, byte for byte: zig compiles the native operators. Two
# environments: one builds and prepares and stays behind, the other serves. The SBOM lists the latter
# while it has the metadata of ONNX Runtime's package, of which only the library is kept. Where qemu
# emulates arm64, QEMU_CPU selects a processor without SVE, with which ONNX Runtime computes wrongly.
RUN KOKORO_WHEEL_FOR="$(uname -m)" /opt/build/bin/pip wheel --no-index --no-deps \
        --no-build-isolation --wheel-dir /wheels ./ortffi . \
    && /opt/build/bin/pip install --no-index --no-deps /wheels/ortffi-*.whl \
        /wheels/kokoro_service_core-*.whl \
    && if [ "$(uname -m)" = aarch64 ]; then set -- --kernels neon; export QEMU_CPU=cortex-a76; fi \
    && /opt/build/bin/kokoro-service prepare --for cpu --cache-dir /opt/model "$@" \
    && python -m venv /opt/kokoro \
    && /opt/kokoro/bin/pip install --no-compile --no-index --find-links /wheels \
        'kokoro-service-core[espeak]' \
    && find /wheels -name 'onnxruntime-*.whl' -exec \
        /opt/kokoro/bin/pip install --no-compile --no-index --no-deps {} + \
    && /opt/kokoro/bin/pip uninstall --yes pip setuptools \
    && python -m venv /opt/sbom \
    && /opt/sbom/bin/pip install --no-cache-dir --require-hashes -r constraints/sbom.txt \
    && /opt/sbom/bin/cyclonedx-py environment --output-reproducible \
        --output-file /opt/sbom.cdx.json /opt/kokoro/bin/python \
    && rm -rf /opt/kokoro/lib/python3*/site-packages/onnxruntime* /opt/kokoro/bin/onnxruntime* \
    && find /opt/kokoro/lib -type d \( -name tests -o -path '*/numpy/f2py' \) -prune -exec rm -r {} + \
    && find /opt/kokoro/lib -name '*.pyi' -delete \
    && /opt/kokoro/bin/python -m compileall -q --invalidation-mode unchecked-hash /opt/kokoro/lib
# Serving needs only the library of ONNX Runtime's package.
RUN mkdir -p /opt/onnxruntime/lib \
    && cp /opt/build/lib/python3*/site-packages/onnxruntime/capi/libonnxruntime*.so* \
        /opt/onnxruntime/lib/ \
    && cp /opt/build/lib/python3*/site-packages/onnxruntime/LICENSE \
        /opt/build/lib/python3*/site-packages/onnxruntime/ThirdPartyNotices.txt /opt/onnxruntime/

FROM ${PYTHON_IMAGE}
ARG VERSION=0.1.0
ARG REVISION=unknown
LABEL org.opencontainers.image.title="kokoro-service" \
    org.opencontainers.image.description="Kokoro-82M text-to-speech over HTTP, on a CPU" \
    org.opencontainers.image.version="${VERSION}" \
    org.opencontainers.image.revision="${REVISION}" \
    org.opencontainers.image.licenses="Apache-2.0 AND GPL-3.0-or-later"
RUN apt-get update \
    && apt-get install --yes --no-install-recommends curl \
    && apt-get clean \
    && rm -rf /var/lib/apt/lists/* \
    && groupadd --gid 10001 kokoro \
    && useradd --no-log-init --no-create-home --uid 10001 --gid 10001 \
        --shell /usr/sbin/nologin kokoro \
    && install --directory --owner=10001 --group=10001 /data
COPY LICENSE NOTICE /usr/share/doc/kokoro-service/
COPY --from=build /opt/sbom.cdx.json /usr/share/doc/kokoro-service/
COPY --from=build /opt/onnxruntime /opt/onnxruntime
COPY --from=build /opt/model /opt/model
COPY --from=build /opt/kokoro /opt/kokoro
USER 10001
ENV PATH=/opt/kokoro/bin:$PATH \
    ONNXRUNTIME_DIR=/opt/onnxruntime \
    KOKORO_HOST=0.0.0.0 \
    KOKORO_CACHE_DIR=/opt/model
# 10200 is for Wyoming, if KOKORO_WYOMING is set.
EXPOSE 8880 10200
HEALTHCHECK --interval=10s --timeout=2s --start-period=60s \
    CMD ["sh", "-c", "curl -fsS -o /dev/null http://127.0.0.1:${KOKORO_PORT:-8880}/ready"]
ENTRYPOINT ["kokoro-service"]
CMD ["serve"]
