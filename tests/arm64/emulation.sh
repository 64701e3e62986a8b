# shellcheck shell=bash
# How this machine runs programs for arm64. run.sh and tests/container/build.sh read this file; each
# has a function give_up of its own.

# Cortex-A76 has the dot products and nothing newer, like the Cortex-A78AE of Jetson Orin.
# shellcheck disable=SC2034
readonly ORIN=cortex-a76

# Programs start other programs, which are for arm64 too: the kernel has to know what to do with
# them. With the flag F it opens the emulator now, so that it need not be in the user land.
enable_emulation() {
    local formats=/proc/sys/fs/binfmt_misc
    [ -e "$formats/register" ] || mount -t binfmt_misc binfmt_misc "$formats" \
        || give_up "this kernel has no binfmt_misc; try modprobe binfmt_misc"
    [ -e "$formats/qemu-aarch64" ] || update-binfmts --enable qemu-aarch64
    grep -q '^flags:.*F' "$formats/qemu-aarch64" \
        || give_up "qemu-aarch64 is registered without the flag F; see update-binfmts --display"
}

# Before 8.2 qemu shows this machine's own /proc/cpuinfo, and ONNX Runtime's library, which looks
# there for the parts of an arm64 processor, ends the process when it finds none.
write_cpuinfo() {
    local processor
    for ((processor = 0; processor < $(nproc --all); processor++)); do
        printf '%s\t: %s\n' processor "$processor" \
            Features 'fp asimd aes pmull sha1 sha2 crc32 atomics fphp asimdhp asimdrdm lrcpc asimddp' \
            'CPU implementer' 0x41 'CPU architecture' 8 'CPU variant' 0x4 'CPU part' 0xd0b \
            'CPU revision' 1
        echo
    done
}
