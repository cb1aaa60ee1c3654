"""A training loop as JAX's documents have it: one jitted step over the global batch.

The loss is a mean over arrays that are divided over the mesh, the weights are on every
device: that gradients are combined, and how, is the compiler's work.
"""

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import optax

from conformance.testees.jax.intents.optimizer import optimizer_of, schedule_of, steps_taken
from conformance.testees.jax.per_replica import sharding

DTYPES = {"float32": jnp.float32, "mixed_bfloat16": jnp.bfloat16}


class State(NamedTuple):
    """What changes while a model is trained, but for its place in the data."""

    trained: Any
    frozen: Any
    buffers: Any
    optimizer: Any


class Training:
    """A model in training; `request` is a TrainingRequest.

    `passes` and `batches` are how many of them it was trained on.
    """

    def __init__(self, model, request, mesh):
        self.model = model
        self._calls = request.calls
        self._accumulates = request.accumulate > 1
        self._dtype = DTYPES[request.precision]
        self.schedule = schedule_of(request)
        self._optimizer = optimizer_of(request, self.schedule)
        initial = jax.jit(self._optimizer.init, out_shardings=sharding(mesh))
        self._optimizer_state = initial(model.trained)
        self._step = jax.jit(self._next_state)
        self._predict = jax.jit(self._outputs)
        self._last_gradients = None
        self.passes = 0
        self.batches = 0

    @property
    def state(self):
        model = self.model
        return State(model.trained, model.frozen, model.buffers, self._optimizer_state)

    @state.setter
    def state(self, state):
        model = self.model
        model.trained, model.frozen, model.buffers, self._optimizer_state = state

    @property
    def steps_taken(self):
        return steps_taken(self._optimizer_state)

    @property
    def gradients(self):
        """Those of the last batch, or what MultiSteps has put together so far."""
        if self._accumulates:
            return self._optimizer_state.acc_grads
        return self._last_gradients

    def train_on(self, batch):
        self.state, self._last_gradients = self._step(self.state, batch)
        self.batches += 1

    def predict(self, inputs):
        return self._predict(self.state, inputs)

    def _next_state(self, state, batch):
        trained, frozen, buffers, optimizer = state
        with_gradients = jax.value_and_grad(self.model.loss, has_aux=True)
        (_, buffers), gradients = with_gradients(trained, frozen, buffers, batch, self._dtype, self._calls)
        updates, optimizer = self._optimizer.update(gradients, optimizer, trained)
        trained = optax.apply_updates(trained, updates)
        return State(trained, frozen, buffers, optimizer), gradients

    def _outputs(self, state, inputs):
        return self.model.predict(*state[:3], inputs, self._dtype)
