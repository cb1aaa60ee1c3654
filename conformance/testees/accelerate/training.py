"""A training as the loop of a program that uses Accelerate."""

import contextlib

from conformance.testees.torch_ranks.model import parameters_of
from conformance.testees.torch_ranks.optimizer import optimizer_of, schedule_of


class Progress:
    """What a program counts itself and registers, so that it is saved with the rest."""

    def __init__(self):
        self.optimizer_steps = 0
        self.epochs = 0  # whole passes
        self.batches = 0  # of all passes
        self.place = 0  # batches of a loader's pass that is not over

    def state_dict(self):
        return vars(self).copy()

    def load_state_dict(self, state):
        vars(self).update(state)


class Training:
    """`model` is the user's module, `request` a TrainingRequest."""

    def __init__(self, model, request, accelerator):
        self.model = model
        self.request = request
        self.accelerator = accelerator
        self.progress = Progress()
        self.gradients = None
        optimizer = optimizer_of(model, request)
        self.prepared, self.optimizer, self.scheduler = accelerator.prepare(
            model, optimizer, schedule_of(optimizer, request)
        )
        accelerator.register_for_checkpointing(self.progress)
        self._left_unsynced = False
        self._train = self._train_by_tokens if model.request.over == "tokens" else self._train_each

    def train_on(self, batches):
        """Trains on these of this replica's batches; an iterable, read as it is needed."""
        self.prepared.train()
        self._train(iter(batches))

    def leave_unsynced(self, batch):
        """Adds a batch's gradients to the replica's own and combines nothing."""
        self.prepared.train()
        with self.accelerator.no_sync(self.prepared):
            self._backward(self._loss_of(batch))
        self._left_unsynced = True

    def _train_each(self, batches):
        for batch in batches:
            self.progress.batches += 1
            with self._window():
                self._backward(self._loss_of(batch))
                self._take_step()

    def _window(self):
        """`accumulate`, unless the program leaves batches unsynced by itself."""
        if self._left_unsynced:
            self._left_unsynced = False
            return contextlib.nullcontext()
        return self.accelerator.accumulate(self.prepared)

    def _train_by_tokens(self, batches):
        """As documented for samples of variable size: loads a window, counts, trains on it."""
        while window := _first(batches, self.request.accumulate):
            # https://huggingface.co/docs/accelerate/usage_guides/gradient_accumulation (samples of variable size)
            tokens = sum(self.model.tokens_in(labels) for _, labels in window)
            # https://huggingface.co/docs/accelerate/usage_guides/gradient_accumulation (samples of variable size)
            tokens = self.accelerator.gather(tokens).sum().item()
            for batch in window[:-1]:
                with self.accelerator.no_sync(self.prepared):
                    self._backward(self._token_loss_of(batch, tokens))
            self._backward(self._token_loss_of(window[-1], tokens))
            self._take_step()
            # intents.md (train.epoch, stop_after)
            self.progress.batches += len(window)

    def _loss_of(self, batch):
        inputs, labels = batch
        losses = [self.model.loss(self.prepared(inputs), labels) for _ in range(self.request.calls)]
        # intents.md (train.create, calls)
        return sum(losses) / len(losses)

    def _token_loss_of(self, batch, tokens):
        """What backward divides by the window and the replicas, it is multiplied by before."""
        inputs, labels = batch
        losses = self.model.data_loss(self.prepared(inputs), labels, reduction="sum")
        # https://huggingface.co/docs/accelerate/usage_guides/gradient_accumulation (samples of variable size)
        divided_later = self.request.accumulate * self.accelerator.num_processes
        # https://huggingface.co/docs/accelerate/usage_guides/gradient_accumulation (samples of variable size)
        return losses * divided_later / tokens + self.model.penalty()

    def _backward(self, loss):
        self.accelerator.backward(loss)
        self.gradients = parameters_of(self.model, lambda parameter: parameter.grad)

    def _take_step(self):
        steps = self.accelerator.sync_gradients
        if steps and self.request.clip_norm is not None:
            self.accelerator.clip_grad_norm_(self.prepared.parameters(), self.request.clip_norm)
        self.optimizer.step()
        self.scheduler.step()
        self.optimizer.zero_grad()
        # intents.md (train.progress, optimizer_steps)
        self.progress.optimizer_steps += steps


def _first(batches, count):
    return [batch for _, batch in zip(range(count), batches)]
