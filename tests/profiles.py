"""How many examples Hypothesis tries, chosen by `--hypothesis-profile`: `quick` or `thorough`.

`given` fixes that for its test, so every test takes it from here, after a profile is chosen. A test
says only where one example costs much more, or much less, than usual.
"""

from hypothesis import HealthCheck, given, settings  # noqa: TID251

__all__ = ["costly", "counted", "given", "many"]

# No test has a deadline: on a busy machine every one would be missed some day. Fixtures that live
# as long as a test function hold nothing that its examples change.
_CHECKS = [HealthCheck.too_slow, HealthCheck.function_scoped_fixture]


for _name, _n_examples in (("quick", 50), ("thorough", 100)):
    settings.register_profile(_name, deadline=None, max_examples=_n_examples, suppress_health_check=_CHECKS)
settings.load_profile("quick")


def costly(part=10, **more):
    """Return settings with one of so many examples; call it when a module is imported."""
    return settings(max_examples=max(1, settings().max_examples // part), **more)


def many(**more):
    """Return settings with five times as many examples."""
    return settings(max_examples=settings().max_examples * 5, **more)


def counted(n_examples):
    """Return settings with exactly so many examples, for a slow test of a proof that names a number."""
    return settings(max_examples=n_examples)
