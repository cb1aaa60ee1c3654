"""A model in training, by the loop that PyTorch's documents give for it."""

import contextlib

import torch
from torch.nn.parallel import DistributedDataParallel

from conformance.testees.python.errors import Unsupported
from conformance.testees.torch_ranks.model import parameters_of
from conformance.testees.torch_ranks.optimizer import optimizer_of, schedule_of

PRECISIONS = {"mixed_bfloat16": torch.bfloat16, "mixed_float16": torch.float16}


class Training:
    """A module wrapped by DistributedDataParallel, with all that a step takes.

    `module` is a Model, `request` a TrainingRequest. `passes`, `batches`, `windows` and `steps`
    count what was done: a loop of PyTorch is its user's, and so are its counters.
    """

    def __init__(self, module, request):
        self.module = module
        self.request = request
        self.model = DistributedDataParallel(
            module, find_unused_parameters=request.find_unused, static_graph=request.static_graph
        )
        self.optimizer = optimizer_of(module, request)
        self.schedule = schedule_of(self.optimizer, request)
        self.scaler = torch.amp.GradScaler(
            "cpu",
            init_scale=float(request.initial_scale),
            growth_interval=request.growth_steps,
            enabled=request.precision == "mixed_float16",
        )
        self.passes = self.batches = self.windows = self.steps = 0
        self._gradients = None
        self.optimizer.register_step_post_hook(self._count_step)

    @property
    def gradients(self):
        """What the last step took, before it was clipped."""
        if self._gradients is None:
            raise Unsupported("under no_sync each rank has its own, until a window is full")
        return self._gradients

    @property
    def skipped_steps(self):
        # https://docs.pytorch.org/docs/stable/generated/torch.optim.Optimizer.register_step_post_hook.html
        return self.windows - self.steps

    def train_pass(self, batches, stop_after=None):
        """Trains on (place, batch) each; whether it came to their end."""
        for place, batch in batches:
            if self.batches == stop_after:
                return False
            self.train_batch(place, batch)
        self.passes += 1
        return True

    def train_batch(self, place, batch):
        """As notes/amp_examples has it, with the batch's place in its pass."""
        # https://docs.pytorch.org/docs/stable/notes/amp_examples.html (gradient accumulation)
        if (place + 1) % self.request.accumulate:
            return self.train_alone(batch)
        self._backward(batch)
        self._step()

    def train_alone(self, batch):
        """Adds to the rank's own gradients."""
        with self.model.no_sync():
            self._backward(batch)
        self._gradients = None

    def _backward(self, batch):
        inputs, labels = batch
        with self._autocast():
            losses = [self.module.loss(self.model(inputs), labels) for _ in range(self.request.calls)]
        # https://docs.pytorch.org/docs/stable/notes/amp_examples.html (iters_to_accumulate); intents.md (train.create)
        self.scaler.scale(sum(losses) / len(losses) / self.request.accumulate).backward()
        self.batches += 1

    def _autocast(self):
        if self.request.precision not in PRECISIONS:
            return contextlib.nullcontext()
        return torch.autocast("cpu", dtype=PRECISIONS[self.request.precision])

    def _step(self):
        self.scaler.unscale_(self.optimizer)
        self._gradients = parameters_of(self.module, lambda parameter: parameter.grad)
        if self.request.clip_norm is not None:
            torch.nn.utils.clip_grad_norm_(self.module.parameters(), self.request.clip_norm)
        self.windows += 1
        self.scaler.step(self.optimizer)
        self.scaler.update()
        self.schedule.step()
        self.optimizer.zero_grad()

    def _count_step(self, *_):
        self.steps += 1
