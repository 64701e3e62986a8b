"""The service as an application of Ray Serve: `serve deploy deploy/ray/serve.yaml`.

    applications:
      - name: kokoro
        import_path: service.cluster.serving:build
        args: {replicas: 2, settings: {voice: bf_emma}}

Ray's proxies need `service.cluster.proxy` besides; see docs/scaling.md.
"""

from __future__ import annotations

import logging
from typing import Any, cast

from fastapi import FastAPI
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator
from ray import serve
from ray.serve.config import AutoscalingConfig, AutoscalingPolicy, BackpressureConfig

from service.api.state import ServiceState
from service.cluster.drain_watch import DrainWatch
from service.cluster.metrics_exchange import MetricsExchange
from service.cluster.replica_header import ReplicaHeader
from service.errors import NotReadyError, SettingsError
from service.hosting import create_app
from service.settings import Settings, load_settings

logger = logging.getLogger(__name__)

_CLOSING_S = 5.0
"""Of the grace, for sessions that could not finish to be told and closed, before Ray ends all."""

_SESSION_IDLE_S = 300.0

POLICY = "service.cluster.speech_scaling:replicas_for_speech"


class ServingOptions(BaseModel):
    """The `args` of the application.

    Attributes:
        settings: of the service, by name. `KOKORO_*` variables of the nodes and the file that
            `KOKORO_CONFIG` names there give those that are missing, except `threads`,
            `max_requests`, `max_websockets` and `session_idle_s`.
        replicas: how many; not with `autoscaling`.
        autoscaling: fields of Ray's AutoscalingConfig. `target_ongoing_requests` counts utterances
            that are being spoken or wait, not open WebSockets. Delays before scaling down must be
            longer than `metrics_interval_s`, after which the numbers are known.
        cpus: processors of each replica, which are its threads too.
        gpus: GPUs of each replica.
        max_ongoing: requests and WebSockets that a replica has at a time.
        max_queued: requests that wait in each proxy for a replica; more get 503.
        retry_after_s: after which those may try again.
        grace_s: seconds that a replica has to finish when it is replaced or not needed any more.
    """

    model_config = ConfigDict(extra="forbid")

    settings: dict[str, Any] = Field(default_factory=dict)
    replicas: int = Field(1, ge=1)
    autoscaling: dict[str, Any] | None = None
    cpus: float = Field(1, gt=0)
    gpus: float = Field(0, ge=0)
    max_ongoing: int = Field(16, ge=1)
    max_queued: int = Field(32, ge=0)
    retry_after_s: int = Field(2, ge=1)
    grace_s: float = Field(60, ge=1)

    @model_validator(mode="after")
    def _either(self) -> ServingOptions:
        if self.autoscaling is not None and "replicas" in self.model_fields_set:
            raise ValueError("give replicas or autoscaling, not both")
        return self

    @model_validator(mode="after")
    def _informed(self) -> ServingOptions:
        if self.autoscaling is not None:
            config = AutoscalingConfig(**self.autoscaling)
            delays_s = {
                "downscale_delay_s": config.downscale_delay_s,
                "downscale_to_zero_delay_s": config.downscale_to_zero_delay_s,
            }
            for name, delay_s in delays_s.items():
                if delay_s is not None and delay_s <= config.metrics_interval_s:
                    raise ValueError(
                        f"{name} must be longer than metrics_interval_s, "
                        f"{config.metrics_interval_s:g} s, or replicas that speak would be stopped"
                    )
        return self


def build(args: dict[str, Any]) -> Any:
    """Return the application for Ray Serve.

    Args:
        args: see `ServingOptions`.

    Raises:
        SettingsError: an argument or a setting is unknown, malformed or out of range.
    """
    try:
        options = ServingOptions.model_validate(args)
    except ValidationError as error:
        places = (".".join(map(str, item["loc"])) or "args" for item in error.errors())
        told = (f"{name}: {item['msg']}" for name, item in zip(places, error.errors(), strict=True))
        raise SettingsError(f"args of the application: {'; '.join(told)}") from error
    fields = _fields(options)
    load_settings(fields)  # an error is told to who deploys, not in a replica's log
    if options.autoscaling is None:
        scaling: dict[str, Any] = {"num_replicas": options.replicas}
    else:
        policy = AutoscalingPolicy(policy_function=POLICY)
        scaling = {"autoscaling_config": AutoscalingConfig(**options.autoscaling, policy=policy)}
    deployment = serve.deployment(
        name="Kokoro",
        max_ongoing_requests=options.max_ongoing,
        max_queued_requests=options.max_queued,
        backpressure_config=BackpressureConfig(
            status_code=503, retry_after_s=options.retry_after_s
        ),
        ray_actor_options={"num_cpus": options.cpus, "num_gpus": options.gpus},
        graceful_shutdown_timeout_s=options.grace_s,
        graceful_shutdown_wait_loop_s=0.2,
        health_check_period_s=5,
        health_check_timeout_s=15,
        **scaling,
    )(serve.ingress()(Replica))
    return deployment.bind(fields, options.grace_s, options.max_ongoing)


def _fields(options: ServingOptions) -> dict[str, Any]:
    """Return the settings of a replica: its own limits never refuse what Ray lets in."""
    return {
        "threads": max(1, int(options.cpus)),
        "max_requests": options.max_ongoing,
        "max_websockets": options.max_ongoing,
        "session_idle_s": _SESSION_IDLE_S,
        **options.settings,
    }


class Replica:
    """A replica: a service of its own, with a model of its own.

    Args:
        fields: settings, by name.
        grace_s: seconds from the beginning of its drain until Ray ends it.
        max_ongoing: requests and WebSockets that it has at a time.
    """

    app: FastAPI
    """The application; Ray's ingress has it."""

    def __init__(self, fields: dict[str, Any], grace_s: float, max_ongoing: int) -> None:
        self._settings: Settings = load_settings(fields)
        self._sessions_s = max(grace_s - _CLOSING_S, grace_s / 2)
        self._max_ongoing = max_ongoing
        self._watch: DrainWatch | None = None

    def __serve_build_asgi_app__(self) -> FastAPI:  # Ray's name
        """Return the application, whose startup ends when the model speaks."""
        app = create_app(self._settings)
        state = cast("ServiceState", app.state.service)
        self._watch = DrainWatch(lambda: state.admission.end_sessions(self._sessions_s))
        context = serve.get_replica_context()
        replica = context.replica_id.unique_id
        app.add_middleware(ReplicaHeader, replica=replica)
        self._exchange = MetricsExchange(context.app_name, replica)
        self._exchange.start(state.metrics)
        return app

    @property
    def _service(self) -> ServiceState:
        return cast("ServiceState", self.app.state.service)

    def record_autoscaling_stats(self) -> dict[str, float]:
        """Return what `replicas_for_speech` counts."""
        admission = self._service.admission
        n_ongoing = admission.n_requests + admission.n_sessions
        return {
            "speaking": float(self._service.idleness.n_speaking),
            "full": float(n_ongoing >= self._max_ongoing),
        }

    def check_health(self) -> None:
        """Raise NotReadyError if the model does not speak; Ray then replaces the replica."""
        if not self._service.is_ready:
            raise NotReadyError("the model does not speak")
