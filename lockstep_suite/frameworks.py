"""Which frameworks the testees need, and which of them are installed here."""

import importlib.metadata
import importlib.util

# Testee -> distribution on PyPI -> module that it must have. Others than these need nothing but the wheel.
NEEDED = {
    "tensorflow": {"tensorflow": "tensorflow", "keras": "keras"},
    "keras": {"tensorflow": "tensorflow", "keras": "keras"},
    "tf_keras": {"tensorflow": "tensorflow", "tf_keras": "tf_keras"},
    "pytorch_ddp": {"torch": "torch"},
    "pytorch_ddp_drop_last": {"torch": "torch"},
    "jax": {"jax": "jax", "flax": "flax", "optax": "optax", "orbax-checkpoint": "orbax.checkpoint", "grain": "grain"},
    "accelerate": {"torch": "torch", "accelerate": "accelerate"},
    "accelerate_replica_batches": {"torch": "torch", "accelerate": "accelerate"},
    "transformers_trainer": {"torch": "torch", "transformers": "transformers", "accelerate": "accelerate"},
    "lightning": {"torch": "torch", "pytorch-lightning": "pytorch_lightning", "torchmetrics": "torchmetrics"},
    "ignite": {"torch": "torch", "pytorch-ignite": "ignite"},
}


class Missing(Exception):
    """A testee needs packages that this Python does not have."""


def has(module):
    try:
        return importlib.util.find_spec(module) is not None
    except ModuleNotFoundError:  # of a parent
        return False


def missing(testee):
    """Distributions that the testee needs and that are not installed, sorted."""
    return sorted(name for name, module in NEEDED.get(testee, {}).items() if not has(module))


def require(testee):
    """Errors: Missing, with the command that installs them."""
    if absent := missing(testee):
        raise Missing(f"[Run] the testee {testee} needs {', '.join(absent)}: pip install {' '.join(absent)}")


def versions():
    """Installed distribution -> version, of all that some testee uses."""
    found = {}
    for name in sorted({name for needed in NEEDED.values() for name in needed}):
        try:
            found[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            continue
    return found
