"""Ray takes the files of deploy/ray, and the application their arguments."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

pytestmark = [
    pytest.mark.cluster,
    pytest.mark.filterwarnings("ignore:Using extra keyword arguments on `Field`"),  # in Ray
]


@pytest.mark.parametrize("name", ["serve.yaml", "serve-gpu.yaml", "rayservice.yaml"])
def test_ray_takes_the_file(repository: Path, name: str) -> None:
    from ray.serve.schema import ServeDeploySchema

    from service.cluster.serving import build

    config = yaml.safe_load((repository / "deploy/ray" / name).read_text(encoding="utf-8"))
    if "spec" in config:
        config = yaml.safe_load(config["spec"]["serveConfigV2"])
    deployed = ServeDeploySchema.model_validate(config)
    (application,) = deployed.applications
    assert application.import_path == "service.cluster.serving:build"
    arguments = config["applications"][0]["args"]
    arguments["settings"].pop("api_keys_file", None)  # it is on the nodes
    assert build(arguments) is not None
    assert config["http_options"]["request_timeout_s"] == 1800


def test_a_mistake_in_the_arguments_is_told_in_one_line() -> None:
    from service.cluster.serving import build
    from service.errors import SettingsError

    for arguments, named in (
        ({"replica": 2}, "replica"),
        ({"replicas": 0}, "replicas"),
        ({"replicas": 2, "autoscaling": {"max_replicas": 2}}, "not both"),
        ({"settings": {"voise": "x"}}, "voise"),
    ):
        with pytest.raises(SettingsError, match=named):
            build(arguments)
