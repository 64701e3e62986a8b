#!/usr/bin/env bash
# Build both images from their Dockerfiles as they are, run them, and hold them to their word.
# ARCH=arm64 builds and runs Dockerfile's for arm64, which qemu emulates elsewhere.
#
# Base images are stand-ins, made here of Debian's packages, so nothing is pulled from a registry of
# images: for Dockerfile a Debian with Python, for Dockerfile.jetson one that has ONNX Runtime's
# library (its build for the CPU) where the real base has it. Package registries, certificates and
# the like are those of this machine's apt and pip (machine.py); nothing of them stays in an image.
#
# It needs root on Debian and 8 GB of disk, and no Docker: buildah in chroot isolation, without any
# feature of the kernel beyond namespaces, and binfmt_misc to emulate. It cleans up after itself;
# KEEP=1 leaves the files.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
# shellcheck source-path=SCRIPTDIR source=../arm64/emulation.sh
source tests/arm64/emulation.sh

TOOLS=(buildah debootstrap shellcheck)
PACKAGES=(buildah debootstrap shellcheck)
readonly PYTHON="$PWD/.venv/bin/python"
readonly CHECKERS="$PWD/.venv/container"
# Mounts and processes of its own: when it ends, also early, none of either is left.
readonly MORTAL=(unshare --mount --pid --fork --kill-child --mount-proc)
# A container engine gives it a network of its own as well.
readonly ISOLATED=("${MORTAL[@]}" --net)
readonly DISK_KB=8000000
# What comes before a command, and what the image's own is told, where its processor is emulated.
EMULATED=() TOLD=()

say() { printf '%4d s  %s\n' "$SECONDS" "$*"; }

give_up() {
    echo "test-container: $*" >&2
    exit 1
}

choose_architecture() {
    local own
    own=$(dpkg --print-architecture) || give_up "the stand-ins are made with Debian's tools: run it on Debian"
    ARCH=${ARCH:-$own}
    [ "$ARCH" != "$own" ] || return 0
    [ "$ARCH" = arm64 ] || give_up "$ARCH is not emulated: ARCH may be arm64 or $own"
    # shellcheck disable=SC2016
    EMULATED=(sh -c 'mount --bind "$0" /proc/cpuinfo && exec "$@"')
    TOLD=(--env "QEMU_CPU=$ORIN")
    TOOLS+=(update-binfmts qemu-aarch64-static)
    PACKAGES+=(binfmt-support qemu-user-static)
}

check_machine() {
    [ "$(id -u)" = 0 ] || give_up "building needs root; run it as root, or in a container of yours"
    [ -x "$PYTHON" ] || give_up "there is no .venv: run make setup"
    local missing=() tool
    for tool in "${TOOLS[@]}"; do
        command -v "$tool" > /dev/null || missing+=("$tool")
    done
    say "asking apt what there is${missing[*]:+, and installing what has ${missing[*]}}"
    apt-get update --quiet > /dev/null
    if [ "${#missing[@]}" -gt 0 ]; then
        apt-get install --yes --quiet --no-install-recommends \
            -o DPkg::Lock::Timeout=300 "${PACKAGES[@]}" > /dev/null
    fi
    if [ ! "$CHECKERS/ready" -nt constraints/container.txt ]; then
        "$PYTHON" -m pip install --quiet --no-deps --require-hashes --only-binary=:all: --upgrade \
            --target "$CHECKERS" -r constraints/container.txt
        touch "$CHECKERS/ready"
    fi
}

make_scratch() {
    scratch=$(mktemp --directory --tmpdir="${TMPDIR:-/var/tmp}" kokoro-container.XXXXXX)
    trap clean_up EXIT
    [ "$(df --output=avail "$scratch" | tail -n 1)" -gt "$DISK_KB" ] \
        || give_up "$scratch has less than 8 GB of room; name another folder in TMPDIR"
    mkdir "$scratch/tmp"
    export TMPDIR="$scratch/tmp"
    [ "${#EMULATED[@]}" = 0 ] || emulate
}

emulate() {
    enable_emulation
    write_cpuinfo > "$scratch/cpuinfo"
    EMULATED+=("$scratch/cpuinfo")
}

clean_up() {
    local status=$?
    if [ "${KEEP:-}" ]; then
        say "left as it is: $scratch"
    else
        rm --recursive --force --one-file-system "$scratch"
    fi
    [ "$status" = 0 ] || echo "test-container: failed" >&2
}

store() {
    "${MORTAL[@]}" "${EMULATED[@]}" buildah --root "$scratch/storage" --runroot "$scratch/run" \
        --storage-driver vfs "$@"
}

# Runs a command with its output in a file, and shows the end of it where it fails.
quietly() {
    local log="$scratch/$1.log"
    shift
    if ! "$@" > "$log" 2>&1; then
        tail -n 60 "$log" >&2
        give_up "failed: $*"
    fi
}

lint() {
    say "hadolint, shellcheck, and the schema of compose files"
    "$CHECKERS/bin/hadolint" Dockerfile Dockerfile.jetson
    shellcheck --external-sources tests/container/build.sh tests/arm64/run.sh
    # Variables get their defaults first, as compose does it.
    PYTHONPATH=$CHECKERS "$PYTHON" -c 'import compose_spec, pathlib, re, sys
for name in sys.argv[1:]:
    text = re.sub(r"\$\{\w+:-(\w+)\}", r"\1", pathlib.Path(name).read_text())
    compose_spec.PyCompose.from_yaml(text)' \
        compose.yaml compose.jetson.yaml
}

# One tree for both stand-ins, with an empty place for all that is mounted while building.
make_tree() {
    local release mirror source place
    "$PYTHON" tests/container/machine.py "$scratch"
    read -r release mirror < "$scratch/mirror"
    say "the tree of a base image: debootstrap, Debian $release for $ARCH"
    quietly debootstrap "${MORTAL[@]}" debootstrap --arch="$ARCH" --variant=minbase \
        --include=ca-certificates,python3,python3-venv,python-is-python3 \
        "$release" "$scratch/base" "$mirror"
    rm -rf "$scratch"/base/var/lib/apt/lists/* "$scratch"/base/var/cache/apt/archives/*.deb
    : > "$scratch/base/etc/apt/sources.list"
    while IFS=: read -r source place _; do
        if [ -d "$source" ]; then
            mkdir -p "$scratch/base$place"
        elif [ ! -e "$scratch/base$place" ]; then
            mkdir -p "$(dirname "$scratch/base$place")"
            : > "$scratch/base$place"
        fi
    done < "$scratch/volumes"
}

# commit_tree NAME: makes an image of the tree.
commit_tree() {
    local container
    container=$(store from scratch)
    store config --arch "$ARCH" "$container"
    quietly "copy-$1" store copy "$container" "$scratch/base" /
    quietly "commit-$1" store commit --rm "$container" "localhost/$1-base"
}

# What Dockerfile.jetson finds in its real base. The library is the one whose hash is pinned.
add_library() {
    local folder="$scratch/base/usr/local/lib" library
    cp "$1"/opt/onnxruntime/lib/libonnxruntime* "$folder/"
    library=$(cd "$folder" && echo libonnxruntime.so.*.*.*)
    ln -s "$library" "$folder/libonnxruntime.so.1"
    ln -s libonnxruntime.so.1 "$folder/libonnxruntime.so"
}

# build NAME FILE ARGUMENT: builds the file on NAME's stand-in, which ARGUMENT names.
build() {
    local volumes=() volume
    while read -r volume; do volumes+=(--volume "$volume"); done < "$scratch/volumes"
    say "buildah bud: $2"
    quietly "build-$1" store bud --arch "$ARCH" --isolation chroot --format docker "${volumes[@]}" \
        --build-arg "$3=localhost/$1-base" --file "$2" --tag "localhost/$1" .
    store inspect --type image "localhost/$1" > "$scratch/$1.json"
}

# unpack NAME: prints the folder of the image's files.
unpack() {
    store mount "$(store from --arch "$ARCH" --pull-never "localhost/$1")"
}

# examine NAME ROOT MODEL...: looks at the files; ADDS_AT_MOST_MB is what they may add to the base.
examine() {
    local name=$1 root=$2 model models=()
    shift 2
    [ -z "${ADDS_AT_MOST_MB:-}" ] || models+=(--adds-at-most-mb "$ADDS_AT_MOST_MB")
    for model in "$@"; do models+=(--model "$model"); done
    say "the files of $name"
    "$PYTHON" tests/container/contents.py "$root" "$scratch/$name.json" \
        --architecture "$ARCH" --base "$scratch/base" --volumes "$scratch/volumes" "${models[@]}"
}

# run_image NAME ROOT OPTION...: runs the image's own command; see serving.py.
run_image() {
    local name=$1 root=$2
    shift 2
    "${ISOLATED[@]}" "${EMULATED[@]}" "$PYTHON" tests/container/serving.py \
        "$root" "$scratch/$name.json" "${TOLD[@]}" "$@"
}

test_cpu() {
    commit_tree cpu
    build cpu Dockerfile PYTHON_IMAGE
    cpu_root=$(unpack cpu)
    # With a Python image of 170 MB that makes 450. Debian's packages for arm64 are larger.
    ADDS_AT_MOST_MB=280 examine cpu "$cpu_root" native
    say "its command as it is: without keys it does not start"
    run_image cpu "$cpu_root" --expect-failure api_keys_file
    say "its command, told that nobody else can reach it"
    run_image cpu "$cpu_root" --env KOKORO_INSECURE=true
}

test_jetson() {
    local root
    add_library "$cpu_root"
    commit_tree jetson
    build jetson Dockerfile.jetson BASE_IMAGE
    root=$(unpack jetson)
    examine jetson "$root" native float32
    say "its command as it is, with provider cuda and a library that has none: it does not start"
    run_image jetson "$root" --env KOKORO_INSECURE=true --expect-failure CUDA
    say "its command with provider cpu"
    run_image jetson "$root" --env KOKORO_INSECURE=true --env KOKORO_PROVIDER=cpu
}

choose_architecture
# With mounts of its own, it leaves none: the kernel forgets the emulator with the last of them.
if [ "${1:-}" != inside ]; then
    check_machine
    exec unshare --mount "${BASH_SOURCE[0]}" inside
fi
make_scratch
lint
make_tree
test_cpu
if [ "${#EMULATED[@]}" = 0 ]; then
    test_jetson
    say "both images were built from their files and speak"
else
    say "the image for $ARCH was built from its file and speaks"
fi
