"""Sources that are not prepared."""

import json
import re

import pytest

from service import __main__ as command_line
from service.errors import ModelError
from service.extras import advice
from service.preparation import store
from service.preparation.refusal import NotPreparedError
from tests.service.preparation.store_bench import REAL_PROGRAM, STYLE, warnings_of
from tests.small_kokoro import write_small_kokoro


@pytest.mark.parametrize(("rewriting", "reason"), [
    ("unknown", "parts are recognized, at node the node; nearest miss: an Add at another"),
    ("higher", "sounds different: log-spectral distance"),
    ("longer", "other durations"),
    ("infinite", "not finite"),
])  # fmt: skip
def test_a_source_that_is_refused_is_used_as_it_is_with_one_line_and_not_tried_again(bench, caplog, rewriting, reason):
    kokoro = bench.load(rewriting)
    assert kokoro.prepared.variant is None
    assert reason in kokoro.prepared.detail
    assert kokoro.infer([5], STYLE, 1.0).samples.size == (12 + 6 + 12) * 600
    kokoro.close()
    bench.load(rewriting).close()
    assert bench.n_rewritings == 1
    assert [path.name for path in bench.folder().iterdir()] == ["manifest.json"]
    messages = warnings_of(caplog)
    assert len(messages) == 2  # one at each start
    assert all(reason in message and "used as it is" in message for message in messages)
    assert not any("\n" in message for message in messages)


def test_without_the_packages_for_it_the_line_says_how_to_install_them(bench, caplog, monkeypatch):
    monkeypatch.setattr(store, "REQUIRED", ("onnx_ir", "absent_package"))
    bench.load("faithful").close()
    assert advice("prepare") in caplog.text
    assert "four times slower" in caplog.text
    assert not bench.cache.exists()


def test_a_cache_that_cannot_be_written_is_named_and_the_source_used(bench, caplog):
    bench.cache.write_text("a file in the place of a folder")
    bench.load("faithful").close()
    (message,) = warnings_of(caplog)
    assert str(bench.prepared) in message
    assert "set cache_dir" in message
    assert bench.n_rewritings == 0


def test_a_missing_source_is_an_error_and_not_a_reason_to_do_without(bench):
    bench.source.unlink()
    with pytest.raises(ModelError, match=r"small\.onnx cannot be read: No such file"):
        bench.load("faithful")


def test_prepare_prints_reason_and_node_of_a_refusal_and_does_not_try_again(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(store, "PROGRAM", REAL_PROGRAM)
    source = write_small_kokoro(tmp_path / "small.onnx")
    command = ["prepare", "--model", str(source), "--cache-dir", str(tmp_path)]
    for number in range(2):
        assert command_line.main(command) == 1
        *lines, complaint = capsys.readouterr().err.splitlines()
        assert ("recognizing its parts" in lines) is (number == 0)
        assert "0 quantized convolutions are recognized, and at least 80 are needed" in complaint
        assert re.search(r", at node \w+.*; nearest miss: .* \(noted in .*json\)$", complaint)


def test_a_refusal_in_an_earlier_form_of_the_manifest_counts_as_absent(bench):
    bench.load("unknown").close()
    path = bench.folder() / "manifest.json"
    manifest = json.loads(path.read_text())
    assert manifest["refusal"]["node"] == "the node"
    earlier = {"recipe": manifest.pop("cache_key"), "proof": manifest.pop("parity"), **manifest}
    path.write_text(json.dumps(earlier))
    with pytest.raises(NotPreparedError, match="there is a hole in the graph"):
        bench.prepare("failing")
