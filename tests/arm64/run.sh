#!/usr/bin/env bash
# Run ortffi's tests, the native operators and the service itself on arm64, which qemu emulates, and
# hold the durations of a spoken sentence against those of this machine.
#
# The user land is Debian's for arm64, made with debootstrap. The wheels that we pass on are built
# here and installed there as users do it, with no compiler in sight, in the pinned versions: what
# speaks is what they install. Tests see the tree. Package registries, certificates and the like are
# those of this machine's apt and pip (tests/container/machine.py). Everything stays in .venv/arm64,
# or the folder that ARM64_DIR names, so that the next run need not make it again.
#
# It needs root on Debian, a kernel with binfmt_misc, and 4 GB of disk.
set -Eeuo pipefail
trap 'echo "test-arm64: failed in line $LINENO: $BASH_COMMAND" >&2' ERR
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
# shellcheck source-path=SCRIPTDIR source=emulation.sh
source tests/arm64/emulation.sh

readonly TOOLS=(debootstrap update-binfmts qemu-aarch64-static)
readonly PACKAGES=(debootstrap binfmt-support qemu-user-static)
readonly PYTHON="$PWD/.venv/bin/python"
readonly BUILDER="$PWD/.venv/wheels/bin/python"
readonly FOLDER=${ARM64_DIR:-$PWD/.venv/arm64}
readonly ROOT=$FOLDER/root RESULTS=$FOLDER/results MACHINE=$FOLDER/machine WHEELS=$FOLDER/wheels
# What ortffi's tests import beside what the wheels require.
readonly TEST_PACKAGES='hypothesis|iniconfig|ml-dtypes|onnx|packaging|pluggy|pygments|pytest(-xdist)?|execnet|sorted.*'
# Has the 8-bit matrix product, like the Neoverse of Jetson Thor. SVE and SME are off: with them
# ONNX Runtime itself speaks the published model with other durations under Debian 12's qemu.
readonly NEWEST=max,sve=off,sme=off,pauth-impdef=on
readonly OLDEST=cortex-a72

say() { printf '%5d s  %s\n' "$SECONDS" "$*"; }

give_up() {
    echo "test-arm64: $*" >&2
    exit 1
}

check_machine() {
    [ "$(id -u)" = 0 ] || give_up "mounting and chroot need root; run it as root"
    command -v apt-get > /dev/null || give_up "Debian's tools make the user land: run it on Debian"
    [ -x "$PYTHON" ] || give_up "there is no .venv: run make setup"
    [ -x "$BUILDER" ] || give_up "there is nothing to build wheels with: run make wheels"
    local tool
    for tool in "${TOOLS[@]}"; do
        command -v "$tool" > /dev/null && continue
        say "installing ${PACKAGES[*]}"
        apt-get update --quiet > /dev/null
        apt-get install --yes --quiet --no-install-recommends \
            -o DPkg::Lock::Timeout=300 "${PACKAGES[@]}" > /dev/null
        break
    done
}

make_root() {
    local release mirror
    mkdir -p "$RESULTS" "$MACHINE"
    mount -t tmpfs -o mode=700 machine "$MACHINE" # settings may hold credentials
    "$PYTHON" tests/container/machine.py "$MACHINE"
    [ ! -e "$FOLDER/root-ready" ] || return 0
    read -r release mirror < "$MACHINE/mirror"
    say "the user land: debootstrap, Debian $release for arm64"
    rm --recursive --force --one-file-system "$ROOT"
    quietly debootstrap debootstrap --arch=arm64 --variant=minbase \
        --include=ca-certificates,gcc,libc6-dev,pkg-config,python3,python3-venv \
        "$release" "$ROOT" "$mirror"
    rm -rf "$ROOT"/var/lib/apt/lists/* "$ROOT"/var/cache/apt/archives/*.deb
    rm -f "$FOLDER/packages-ready"
    touch "$FOLDER/root-ready"
}

# Runs a command with its output in a file, and shows the end of it where it fails.
quietly() {
    local log="$RESULTS/$1.log"
    shift
    if ! "$@" > "$log" 2>&1; then
        tail -n 60 "$log" >&2
        give_up "failed: $*; all of it is in $log"
    fi
}

# Shows SOURCE at PLACE of the user land, until this script ends.
show() {
    local source=$1 place=$ROOT$2
    if [ -d "$source" ]; then
        mkdir -p "$place"
    elif [ ! -e "$place" ]; then
        mkdir -p "$(dirname "$place")"
        : > "$place"
    fi
    mount --bind "$source" "$place"
}

mount_root() {
    local source place
    mount -t proc proc "$ROOT/proc"
    mount -t sysfs -o ro sys "$ROOT/sys"
    mount --rbind /dev "$ROOT/dev"
    mount -t tmpfs tmp "$ROOT/tmp"
    write_cpuinfo > "$MACHINE/cpuinfo"
    show "$MACHINE/cpuinfo" /proc/cpuinfo
    show /etc/resolv.conf /etc/resolv.conf
    show /etc/hosts /etc/hosts
    while IFS=: read -r source place _; do
        case $place in /etc/apt/*) ;; *) show "$source" "$place" ;; esac
    done < "$MACHINE/volumes"
    mkdir -p "$ROOT/src" "$FOLDER/cache" "$FOLDER/build"
    show "$FOLDER/cache" /cache
}

# on PROCESSOR COMMAND...: runs it in the user land, in a copy of this tree.
on() {
    in_folder /src "$@"
}

# installed_on PROCESSOR COMMAND...: runs it where Python finds only what is installed.
installed_on() {
    in_folder /apart "$@"
}

# in_folder FOLDER PROCESSOR COMMAND...
in_folder() {
    local folder=$1 processor=$2
    shift 2
    nice -n 5 chroot "$ROOT" /usr/bin/env -i --chdir="$folder" QEMU_CPU="$processor" HOME=/root \
        LANG=C.UTF-8 PATH=/venv/bin:/usr/sbin:/usr/bin:/sbin:/bin "$@"
}

build_wheels() {
    say "the wheels, with zig on this machine"
    rm -rf "$WHEELS"
    quietly wheels "$BUILDER" -m distributions.wheels --once --to "$WHEELS"
}

# pip wants a hash of everything once a file of versions has some, and our wheels have none yet.
install_wheels() {
    local mark=$FOLDER/packages-ready wanted=$ROOT/wanted
    rm -rf "$wanted"
    mkdir -p "$wanted"
    cp "$WHEELS"/*-any.whl "$WHEELS"/*_aarch64.whl "$wanted"
    sed -n '/^[a-z]/ s/ *\\$//p' constraints/serve.txt constraints/prepare.txt > "$wanted/versions.txt"
    awk -v names="^($TEST_PACKAGES)==" '/^[a-z]/ { wanted = $0 ~ names } wanted' \
        constraints/dev.txt > "$wanted/tests.txt"
    if [ -e "$mark" ] && sha256sum --status --check "$mark"; then return; fi
    say "the wheels and what they require, with pip on arm64, without a compiler"
    rm -rf "$ROOT/venv"
    quietly venv on "$ORIN" /usr/bin/python3 -m venv /venv
    quietly pip on "$ORIN" PATH=/venv/bin python -m pip install --no-compile \
        --find-links /wanted --constraint /wanted/versions.txt kokoro-service
    quietly check on "$ORIN" python -m pip check
    quietly pip-tests on "$ORIN" python -m pip install --no-deps --require-hashes --no-compile \
        -r /wanted/tests.txt
    sha256sum "$wanted"/* > "$mark"
}

copy_tree() {
    rm -rf "${ROOT:?}/src" "$ROOT/apart"
    mkdir -p "$ROOT/src/native/build" "$ROOT/apart"
    tar --exclude=./.git --exclude=./.venv --exclude=./dist --exclude=./native/build \
        --exclude='./.*_cache' --exclude=./.hypothesis --exclude=__pycache__ --create . \
        | tar -C "$ROOT/src" --extract
    ln -s /src/tests /src/bench "$ROOT/apart"
    show "$FOLDER/build" /src/native/build
}

choose_variants() {
    say "native/ compiled on arm64"
    quietly compile on "$ORIN" python native/build.py
    cat "$RESULTS/compile.log"
    chosen on /src
    say "native/ in the wheel"
    chosen installed_on /venv
}

# chosen WHERE PLACE: the service finds the library below PLACE, and each processor's variant in it.
chosen() {
    local processor wanted found
    for wanted in "$OLDEST neon" "$ORIN neon_dotprod" "$NEWEST neon_i8mm"; do
        read -r processor wanted <<< "$wanted"
        found=$("$1" "$processor" python -c '
from service.preparation.operators import find_native_operators as find
print(find())' 2>&1 | tail -n 1) || true # where nothing fits, that is the answer
        say "on $processor: $found"
        case $found in
            *"path=PosixPath('$2/"*"kernels='$wanted'"*) ;;
            *) give_up "$wanted below $2 was expected" ;;
        esac
    done
}

# The wheel's library is tested whole; of the one that was compiled there, that its variants agree.
# The tests of native/build.py and those below sanitizers compile the library over and over, which
# takes an emulated compiler minutes each; nothing in them is of arm64.
test_operators() {
    local library
    library=$(installed_on "$NEWEST" python -c \
        'from service.resources import native_library as library; print(library())')
    say "tests/native on $NEWEST, every variant of $library"
    quietly native on "$NEWEST" NATIVE_TEST_LIBRARY="$library" python -m pytest tests/native -q \
        -p no:cacheprovider --ignore tests/native/test_build.py --ignore tests/native/test_faults.py
    tail -n 1 "$RESULTS/native.log"
    say "tests/native/test_variants.py on $NEWEST, every variant that was compiled there"
    quietly variants on "$NEWEST" python -m pytest tests/native/test_variants.py -q \
        -p no:cacheprovider
    tail -n 1 "$RESULTS/variants.log"
}

test_binding() {
    on "$ORIN" ORTFFI_TEST_EMULATED=1 python -m pytest tests/ortffi -q -p no:cacheprovider \
        > "$RESULTS/ortffi.log" 2>&1
}

# What arm64 prepares is held against the published model there, durations of two sentences exactly.
prepare_model() {
    say "the model prepared on arm64"
    rm -rf "$FOLDER/cache/native"
    quietly prepare installed_on "$ORIN" kokoro-service prepare --cache-dir /cache/native
}

# hear KIND PROCESSOR: says the sentence here and there, and wants the same durations. What was
# prepared here with ONNX Runtime's operators is right there, where both multiply bytes exactly.
hear() {
    local kind=$1 processor=$2 cache=${1/served/native} here there
    here=$RESULTS/$kind.here there=$RESULTS/$kind.$processor
    [ -e "$here" ] || "$PYTHON" -m tests.arm64.speak "$kind" "$FOLDER/here/$cache" \
        > "$here" 2> "$here.log" || give_up "failed here: $(tail -n 1 "$here.log")"
    if [ "$kind" = stock ]; then
        rm -rf "$FOLDER/cache/stock"
        cp -r "$FOLDER/here/stock" "$FOLDER/cache/stock"
    fi
    say "$kind on $processor"
    installed_on "$processor" python -m tests.arm64.speak "$kind" "/cache/$cache" \
        > "$there" 2> "$there.log" || give_up "failed: $(tail -n 1 "$there.log")"
    tail -n 1 "$there.log"
    if ! cmp --silent "$here" "$there"; then
        diff --unified=99 --label "this machine" --label "arm64 $processor" "$here" "$there" >&2 \
            || true
        give_up "$kind on $processor has other durations than on this machine"
    fi
}

main() {
    enable_emulation
    make_root
    mount_root
    rm -f "$RESULTS"/*
    copy_tree
    build_wheels
    install_wheels
    choose_variants
    say "tests/ortffi on $ORIN, beside the rest"
    test_binding &
    local binding=$! status=0
    prepare_model
    hear published "$ORIN"
    hear native "$ORIN"
    hear native "$NEWEST"
    hear stock "$ORIN"
    hear served "$ORIN"
    cat "$RESULTS/native.$ORIN" "$RESULTS/served.$ORIN"
    test_operators
    wait "$binding" || status=$?
    say "tests/ortffi on $ORIN:"
    grep -E '^(SKIPPED|FAILED|ERROR)|passed|failed' "$RESULTS/ortffi.log" || true
    [ "$status" = 0 ] || give_up "tests/ortffi failed; see $RESULTS/ortffi.log"
    say "arm64 speaks as this machine does"
}

# Mounts and processes of its own: when it ends, also early, none of either is left.
if [ "${1:-}" != inside ]; then
    check_machine
    exec unshare --mount --pid --fork --kill-child --mount-proc "${BASH_SOURCE[0]}" inside
fi
main
