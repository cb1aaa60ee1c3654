"""The model of `model.create` as a user of plain JAX writes it: functions of arrays."""

import dataclasses
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import optax

from conformance.testees.jax.per_replica import sharding

WEIGHTS = ("kernel", "bias", "table", "gamma", "beta")
ACTIVATIONS = {"relu": jax.nn.relu, "sigmoid": jax.nn.sigmoid, "tanh": jnp.tanh}


@dataclasses.dataclass
class Model:
    """What a ModelWish describes; weights and buffers are a dictionary a layer.

    The weights that are trained and those that are not are two trees, since JAX
    differentiates by an argument. All lie whole on every device of the mesh.
    """

    wish: Any
    trained: list
    frozen: list
    buffers: list

    @property
    def weights(self):
        return together(self.trained, self.frozen)

    def loss(self, trained, frozen, buffers, batch, dtype, calls):
        """(the batch's mean with the penalty, the buffers behind it), for jax.grad."""
        weights = together(trained, frozen)
        losses = []
        for _ in range(calls):
            outputs, buffers = self._outputs(weights, buffers, batch["inputs"], dtype)
            losses.append(self.data_loss(outputs, batch["labels"], batch.get("weights")))
        return sum(losses) / calls + self._penalty(weights), buffers

    def data_loss(self, outputs, labels, weights=None):
        """The mean over all examples, each times its weight, or all tokens that count."""
        if not self.wish.has_class_numbers:
            each = optax.losses.squared_error(outputs, labels)
            return jnp.mean(each if weights is None else each.mean(-1) * weights)
        each = optax.losses.softmax_cross_entropy_with_integer_labels(outputs, labels)
        return jnp.mean(each if weights is None else each * weights, where=self._counted(labels))

    def accuracy(self, outputs, labels):
        return jnp.mean(outputs.argmax(-1) == labels, where=self._counted(labels))

    def predict(self, trained, frozen, buffers, inputs, dtype):
        """The outputs, normalized by the moving moments."""
        moments = [layer or None for layer in buffers]
        weights = together(trained, frozen)
        for place, layer in self.wish.used_layers:
            inputs = _pass(layer, weights[place], inputs, dtype, moments[place])
        return inputs.astype(jnp.float32)

    def _outputs(self, weights, buffers, inputs, dtype):
        buffers = list(buffers)
        for place, layer in self.wish.used_layers:
            if buffers[place]:
                buffers[place] = _moved(layer, buffers[place], inputs)
            inputs = _pass(layer, weights[place], inputs, dtype)
        return inputs.astype(jnp.float32), buffers

    def _counted(self, labels):
        return None if self.wish.ignored is None else labels != self.wish.ignored

    def _penalty(self, weights):
        kernels = [layer["kernel"] for layer in weights if "kernel" in layer]
        return self.wish.l2 * sum(jnp.sum(kernel**2) for kernel in kernels)


def model_of(wish, mesh):
    """The model of a ModelWish, its arrays copied to every device of the mesh."""
    weights = [_weights(layer) for layer in wish.layers]
    trained = [layer.get("trainable", True) for layer in wish.layers]
    parts = (
        [own if is_trained else {} for own, is_trained in zip(weights, trained)],
        [{} if is_trained else own for own, is_trained in zip(weights, trained)],
        [_buffers(layer) for layer in wish.layers],
    )
    return Model(wish, *jax.device_put(parts, sharding(mesh)))


def together(trained, frozen):
    return [own | others for own, others in zip(trained, frozen)]


def _weights(layer):
    return {name: np.array(layer[name], np.float32) for name in WEIGHTS if name in layer}


def _buffers(layer):
    if layer["kind"] == "centering":
        return {"seen": np.float32(0), "moving_mean": np.zeros(layer["size"], np.float32)}
    if layer["kind"] != "batch_normalization":
        return {}
    features = len(layer["gamma"])
    return {"moving_mean": np.zeros(features, np.float32), "moving_variance": np.ones(features, np.float32)}


def _pass(layer, weights, inputs, dtype, moments=None):
    """A jitted program has one shape: who does not pass is chosen by jnp.where."""
    outputs = _apply(layer, weights, inputs, dtype, moments)
    return jnp.where(inputs[:, :1] > 0, outputs, inputs) if "where" in layer else outputs


def _apply(layer, weights, inputs, dtype, moments=None):
    weights = {name: array.astype(dtype) for name, array in weights.items()}
    if layer["kind"] == "embedding":
        return weights["table"][inputs]
    inputs = inputs.astype(dtype)
    if layer["kind"] == "centering":
        return inputs if moments is None else inputs - moments["moving_mean"].astype(dtype)
    if layer["kind"] == "batch_normalization":
        return _normalized(layer, inputs, moments) * weights["gamma"] + weights["beta"]
    outputs = inputs @ weights["kernel"] + weights.get("bias", 0)
    return ACTIVATIONS.get(layer.get("activation"), lambda x: x)(outputs)


def _normalized(layer, inputs, moments):
    """By moments that are given, else by the batch's own: the whole batch's, by jit."""
    given = {} if moments is None else _as(inputs.dtype, moments)
    return jax.nn.standardize(
        inputs,
        axis=tuple(range(inputs.ndim - 1)),
        mean=given.get("moving_mean"),
        variance=given.get("moving_variance"),
        epsilon=layer.get("epsilon", 0.001),
    )


def _as(dtype, moments):
    return {name: array.astype(dtype) for name, array in moments.items()}


def _moved(layer, moments, inputs):
    kept = layer.get("momentum", 0.9)
    inputs, axes = inputs.astype(jnp.float32), tuple(range(inputs.ndim - 1))
    batch = {"moving_mean": inputs.mean(axes), "moving_variance": inputs.var(axes)}
    moved = {name: kept * moments[name] + (1 - kept) * batch[name] for name in moments if name in batch}
    return {"seen": moments["seen"] + len(inputs)} | moved if "seen" in moments else moved
