from collections.abc import Callable
from pathlib import Path

import pytest

from service.machine import read_board

Grow = Callable[[dict[str, str]], Path]

DPKG = """\
Package: libc6
Status: install ok installed
Version: 2.35-0ubuntu3.8
Description: GNU C Library
 Package: nvidia-jetpack
 Version: 9.9

Package: nvidia-jetpack
Status: {status}
Priority: standard
Version: 6.2.1+b38
Depends: nvidia-jetpack-runtime (= 6.2.1+b38)

Package: nvidia-l4t-core
Status: install ok installed
Version: 36.4.4-20250616085344
"""


def test_a_jetson_is_recognized(jetson):
    board = jetson.board
    assert board.model == "NVIDIA Jetson Orin Nano Engineering Reference Developer Kit Super"
    assert board.tegra
    assert (board.l4t, board.jetpack, board.power_mode) == ("36.4.7", "6.2.1", "MAXN_SUPER")


def test_packages_tell_where_there_is_no_release_file(grow):
    board = read_board(grow({"var/lib/dpkg/status": DPKG.format(status="install ok installed")}))
    assert (board.l4t, board.jetpack, board.tegra) == ("36.4.4", "6.2.1", True)


def test_a_package_that_was_removed_does_not_count(grow):
    status = DPKG.format(status="deinstall ok config-files").replace("36.4.4-", "36.3.0-")
    assert read_board(grow({"var/lib/dpkg/status": status})).jetpack == "6.0"


@pytest.mark.parametrize(
    ("line", "l4t", "jetpack"),
    [
        ("# R35 (release), REVISION: 4.1, GCID: 33958178, BOARD: t186ref", "35.4.1", "5.1.2"),
        ("# R35 (release), REVISION: 6.2, GCID: 1, BOARD: generic", "35.6.2", "5.1.5"),
        ("# R36 (release), REVISION: 3.0, GCID: 36191598, BOARD: generic", "36.3.0", "6.0"),
        ("# R36 (release), REVISION: 4.0, GCID: 37537400, BOARD: generic", "36.4.0", "6.1"),
        ("# R36 (release), REVISION: 4.3, GCID: 38968081, BOARD: generic", "36.4.3", "6.2"),
        ("# R36 (release), REVISION: 9.1", "36.9.1", "6.x"),
        ("# R38 (release), REVISION: 2.2, GCID: 42205042, BOARD: generic", "38.2.2", "7.0"),
        ("# R38 (release), REVISION: 4.0, GCID: 43443517, BOARD: generic", "38.4.0", "7.1"),
        ("# R39 (release), REVISION: 2.1, GCID: 13579, BOARD: generic", "39.2.1", "7.2.1"),
        ("# R99 (release), REVISION: 1.0", "99.1.0", ""),
        ("no such line", "", ""),
    ],
)
def test_the_release_tells_the_jetpack(grow, line, l4t, jetpack):
    board = read_board(grow({"etc/nv_tegra_release": line + "\n"}))
    assert (board.l4t, board.jetpack) == (l4t, jetpack)


@pytest.mark.parametrize(
    ("files", "model"),
    [
        ({"sys/devices/soc0/machine": "NVIDIA Jetson AGX Orin\n"}, "NVIDIA Jetson AGX Orin"),
        ({"sys/class/dmi/id/product_name": "PowerEdge R650\n"}, "PowerEdge R650"),
        ({"proc/cpuinfo": "processor\t: 0\nmodel name\t: AMD EPYC\n"}, "AMD EPYC"),
        ({}, ""),
    ],
)
def test_the_model_is_looked_for_in_several_places(grow, files, model):
    board = read_board(grow({"proc/version": "", **files}))
    assert board.model == model
    assert not board.tegra


@pytest.mark.parametrize(
    "files",
    [
        {"proc/device-tree/compatible": "nvidia,p4071-0000+p3834-0008\0nvidia,tegra264\0"},
        {"sys/devices/soc0/family": "Tegra\n"},
        {"proc/sys/kernel/osrelease": "5.15.148-tegra\n"},
    ],
)
def test_tegra_is_seen_in_a_container_too(grow, files):
    assert read_board(grow(files)).tegra


@pytest.mark.parametrize(
    ("status", "mode"), [("pmode:0000", "15W"), ("pmode:0009", "mode 9"), ("", ""), ("pmode:", "")]
)
def test_the_power_mode_has_its_name(grow, status, mode):
    conf = "# < POWER_MODEL ID=0 NAME=EXAMPLE >\n< POWER_MODEL ID=0 NAME=15W >\n"
    root = grow({"var/lib/nvpmodel/status": status, "etc/nvpmodel.conf": conf})
    assert read_board(root).power_mode == mode


def test_this_machine_can_be_read():
    assert read_board().model
