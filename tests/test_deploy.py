"""What is in deploy/ is what Kubernetes takes, and what the service understands."""

import copy
import importlib
import json
import re

import kubernetes_validate
import pytest
import yaml

from service.api.metrics import Metrics
from service.errors import SettingsError
from service.settings import ENVIRONMENT_PREFIX, Settings, load_settings

_LATEST = kubernetes_validate.latest_version()

OF_OTHERS = {"kustomize.config.k8s.io/v1beta1", "keda.sh/v1alpha1", "monitoring.coreos.com/v1", "ray.io/v1"}
"""Kinds that Kubernetes itself does not have. Of all of them the pods are validated; of KEDA and of
the Prometheus operator everything. The CRDs of KubeRay are in no package."""

_CANCEL_S = 5
"""Seconds that the service gives to what it has cancelled; see `service.api.admission`."""


def documents(repository):
    found = {}
    for path in sorted((repository / "deploy").rglob("*.yaml")):
        for document in yaml.safe_load_all(path.read_text(encoding="utf-8")):
            if "kind" in document:
                found[str(path.relative_to(repository / "deploy"))] = document
    return found


def pods(value):
    """Yield all pod templates in a document."""
    if isinstance(value, dict):
        if "containers" in value.get("spec", {}):
            yield value
        for each in value.values():
            yield from pods(each)
    elif isinstance(value, list):
        for each in value:
            yield from pods(each)


def validate(document):
    kubernetes_validate.validate(document, _LATEST, strict=True)


def test_kubernetes_takes_every_document_strictly(repository):
    found = documents(repository)
    assert len(found) >= 10
    n_pods = 0
    for name, document in found.items():
        if document["apiVersion"] not in OF_OTHERS:
            validate(document)
        for pod in pods(document):
            n_pods += 1
            validate({"apiVersion": "v1", "kind": "PodTemplate", "metadata": {"name": "x"}, "template": pod})
            spec = pod["spec"]
            assert (spec["enableServiceLinks"], spec["securityContext"]["runAsNonRoot"]) == (False, True), name
            for container in spec["containers"]:
                security = container["securityContext"]
                assert security["readOnlyRootFilesystem"] is True, name
                assert security["allowPrivilegeEscalation"] is False, name
                assert security["capabilities"] == {"drop": ["ALL"]}, name
                assert set(container["resources"]) == {"requests", "limits"}, name
                mounted = {mount["name"] for mount in container["volumeMounts"]}
                assert mounted == {volume["name"] for volume in spec["volumes"]}, name
    assert n_pods == 5


def test_a_misspelled_field_would_be_found(repository):
    document = copy.deepcopy(documents(repository)["kubernetes/deployment.yaml"])
    document["spec"]["template"]["spec"]["enableServiceLink"] = False
    with pytest.raises(kubernetes_validate.ValidationError, match="enableServiceLink"):
        validate(document)


@pytest.mark.thorough  # the import takes seconds
@pytest.mark.parametrize(("name", "module", "kind"), [
    ("scaledobject", "keda.v1alpha1", "ScaledObject"), ("servicemonitor", "prometheus_operator.v1", "ServiceMonitor"),
])  # fmt: skip
def test_operators_take_their_documents_strictly(repository, name, module, kind):
    document = documents(repository)[f"kubernetes/{name}.yaml"]
    # Made of the operators' CRDs. Megabytes of classes, so mypy must not see them.
    model = getattr(importlib.import_module(f"cloudcoil.models.{module}"), kind)

    def taken(document):
        return model.model_validate(document).model_dump(by_alias=True, exclude_unset=True, mode="json")

    assert taken(document) == document  # they drop what they do not know
    misspelled = copy.deepcopy(document)
    misspelled["spec"]["matchLabel"] = {}
    assert taken(misspelled) == document
    with pytest.raises(ValueError, match="spec"):
        taken({**document, "spec": []})


def test_the_kustomization_names_files_that_are_there(repository):
    folder = repository / "deploy/kubernetes"
    assert set(documents(repository)["kubernetes/kustomization.yaml"]) == {"apiVersion", "kind", "resources"}
    text = (folder / "kustomization.yaml").read_text(encoding="utf-8")
    for path in folder.glob("*.yaml"):
        assert path.name == "kustomization.yaml" or path.name in text


def test_the_deployment_sets_settings_that_there_are_and_drains_in_time(repository, monkeypatch):
    spec = documents(repository)["kubernetes/deployment.yaml"]["spec"]["template"]["spec"]
    (container,) = spec["containers"]
    for variable in container["env"]:
        monkeypatch.setenv(variable["name"], variable["value"])
    settings = load_settings()
    assert {v["name"] for v in container["env"]} <= {
        ENVIRONMENT_PREFIX + name.upper() for name in Settings.model_fields
    }
    assert settings.threads == int(container["resources"]["limits"]["cpu"])
    assert [port["containerPort"] for port in container["ports"]] == [settings.port]
    assert str(settings.api_keys_file) == "/etc/kokoro/keys"
    needed_s = container["lifecycle"]["preStop"]["sleep"]["seconds"] + settings.shutdown_timeout_s + _CANCEL_S
    assert spec["terminationGracePeriodSeconds"] > needed_s
    # What a Service named kokoro would set without enableServiceLinks: false.
    monkeypatch.setenv("KOKORO_PORT", "tcp://10.0.0.1:80")
    with pytest.raises(SettingsError, match="port"):
        load_settings()


def test_autoscalers_go_by_a_metric_that_there_is(repository):
    found = documents(repository)
    names = {family.name for family in Metrics(()).collect()}
    hpa = found["kubernetes/hpa.yaml"]["spec"]
    metric = hpa["metrics"][0]["pods"]["metric"]["name"]
    assert metric in names
    for name in ("scaledobject.yaml", "prometheus-adapter.yaml"):
        assert metric in (repository / "deploy/kubernetes" / name).read_text(encoding="utf-8")
    deployment = found["kubernetes/deployment.yaml"]
    assert hpa["scaleTargetRef"]["name"] == deployment["metadata"]["name"]
    assert found["kubernetes/scaledobject.yaml"]["spec"]["scaleTargetRef"] == {"name": "kokoro"}
    assert "replicas" not in deployment["spec"]


def test_the_nodes_of_ray_have_the_same_variables_everywhere(repository):
    lines = (repository / "deploy/ray/nodes.env").read_text(encoding="utf-8").splitlines()
    variables = [line for line in lines if line and not line.startswith("#")]
    assert len(variables) == 5
    image = (repository / "deploy/ray/Dockerfile").read_text(encoding="utf-8")
    assert all(line in image for line in variables if not line.startswith("RAY_AUTH_MODE"))


def test_alerts_and_panels_ask_for_metrics_that_there_are(repository):
    families = {family.name for family in Metrics(()).collect()}
    known = families | {f"{name}_{part}" for name in families for part in ("total", "bucket", "count", "sum")}
    (group,) = yaml.safe_load((repository / "deploy/prometheus/alerts.yaml").read_text(encoding="utf-8"))["groups"]
    board = json.loads((repository / "deploy/grafana/dashboard.json").read_text(encoding="utf-8"))
    asked = [rule["expr"] for rule in group["rules"]]
    asked += [target["expr"] for panel in board["panels"] for target in panel["targets"]]
    assert len(asked) > 20
    for expression in asked:
        names = set(re.findall(r"\b(?:kokoro|process)_\w+", expression))
        assert names, expression
        assert names <= known | {"process_resident_memory_bytes"}, expression
    assert len({panel["id"] for panel in board["panels"]}) == len(board["panels"])
    # Outcomes are codes of errors, all of which are in the documentation.
    outcomes = {code for expression in asked for listed in re.findall('outcome=~"(.+?)"', expression)
                for code in listed.split("|")}  # fmt: skip
    errors = (repository / "docs/errors.md").read_text(encoding="utf-8")
    assert outcomes
    assert all(f"`{code}`" in errors for code in outcomes)
