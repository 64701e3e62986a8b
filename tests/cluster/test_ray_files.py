"""Ray takes the files of deploy/ray, and the application their arguments."""

import pytest
import yaml

pytestmark = [
    pytest.mark.cluster,
    pytest.mark.filterwarnings("ignore:Using extra keyword arguments on `Field`"),  # in Ray
]


@pytest.mark.parametrize("name", ["serve.yaml", "serve-gpu.yaml", "rayservice.yaml"])
def test_ray_takes_the_file(repository, name):
    from ray.serve.schema import ServeDeploySchema

    from service.cluster.serving import build

    config = yaml.safe_load((repository / "deploy/ray" / name).read_text(encoding="utf-8"))
    if "spec" in config:
        config = yaml.safe_load(config["spec"]["serveConfigV2"])
    (application,) = ServeDeploySchema.model_validate(config).applications
    assert application.import_path == "service.cluster.serving:build"
    arguments = config["applications"][0]["args"]
    arguments["settings"].pop("api_keys_file", None)  # it is on the nodes
    assert build(arguments) is not None
    assert config["http_options"]["request_timeout_s"] == 1800


def test_a_mistake_in_the_arguments_is_told_in_one_line():
    from service.cluster.serving import build
    from service.errors import SettingsError

    build({"autoscaling": {"downscale_delay_s": 11}})
    for arguments, named in (
        # Delays before scaling down are longer than the numbers are old.
        ({"autoscaling": {"downscale_delay_s": 10}}, "downscale_delay_s must be longer than"),
        ({"autoscaling": {"downscale_to_zero_delay_s": 6}}, "downscale_to_zero_delay_s must be longer than"),
        ({"replica": 2}, "replica"), ({"replicas": 0}, "replicas"),
        ({"replicas": 2, "autoscaling": {"max_replicas": 2}}, "not both"), ({"settings": {"voise": "x"}}, "voise"),
    ):  # fmt: skip
        with pytest.raises(SettingsError, match=named):
            build(arguments)


@pytest.mark.parametrize(("speaking", "full", "n_queued", "n_wanted"), [
    ([3, 1], [0, 0], 0, 2),  # 2 utterances for each
    ([0, 0], [0, 0], 0, 0),
    ([0, 0], [1, 0.4], 2, 1),
    ([0, 0], [1, 0.5], 1, 3),  # of sessions that say nothing
    ([0, 0], [1, 1], 0, 0),
    ([8, 8], [1, 1], 2, 9),
    ([8], [1], 0, 4),
    ([0], [0], 0, 2),  # the other has told nothing yet
    ([], [], 1, 2),
])  # fmt: skip
def test_speech_decides_how_many_replicas_there_are(speaking, full, n_queued, n_wanted):
    from ray.serve.config import AutoscalingConfig, AutoscalingContext

    from service.cluster.speech_scaling import replicas_for_speech

    context = AutoscalingContext(
        deployment_id=None, deployment_name="Kokoro", app_name="kokoro",
        current_num_replicas=2, target_num_replicas=2, running_replicas=["a", "b"],
        total_num_requests=100.0, total_queued_requests=float(n_queued),
        aggregated_metrics={
            "speaking": dict(enumerate(speaking)), "full": dict(enumerate(full))
        },
        raw_metrics={},
        capacity_adjusted_min_replicas=0, capacity_adjusted_max_replicas=9,
        policy_state={}, last_scale_up_time=None, last_scale_down_time=None, current_time=0.0,
        config=AutoscalingConfig(target_ongoing_requests=2),
    )  # fmt: skip
    assert replicas_for_speech(context) == (n_wanted, {})
