"""The callback of a training: it saves where the training ends, and ends it where a program says."""

from transformers import TrainerCallback

from conformance.testees.torch_ranks.model import parameters_of


class Interruption(TrainerCallback):
    """Ends a training that has had `stop_after` batches; None: ends none.

    With `behind_checkpoint` these are counted from the checkpoint on that it begins at.
    `batches` are all that it had; `gradients` those of the last step, which callbacks see
    once they were clipped.
    """

    def __init__(self, stop_after, behind_checkpoint=False):
        self._stop_after = stop_after
        self._behind_checkpoint = behind_checkpoint
        self._batches_of_step = 0
        self.batches = 0
        self.gradients = None

    def on_train_begin(self, args, state, control, train_dataloader=None, **_):
        self.batches = _batches_of_steps(state, train_dataloader)
        if self._behind_checkpoint:
            # intents.md (train.epoch, stop_after), by https://huggingface.co/docs/transformers/main_classes/callback
            self._stop_after += self.batches

    def on_pre_optimizer_step(self, args, state, control, model=None, **_):
        self.gradients = parameters_of(model.model, lambda parameter: parameter.grad)

    def on_substep_end(self, args, state, control, **others):
        self._batches_of_step += 1
        self._end_in_time(state, control, **others)

    def on_step_end(self, args, state, control, **others):
        self._batches_of_step = 0
        self._end_in_time(state, control, **others)
        if state.global_step >= state.max_steps:
            control.should_save = True

    def _end_in_time(self, state, control, train_dataloader=None, **_):
        # intents.md (train.epoch, stop_after), by https://huggingface.co/docs/transformers/main_classes/callback
        self.batches = _batches_of_steps(state, train_dataloader) + self._batches_of_step
        if self.batches == self._stop_after:
            control.should_training_stop = control.should_save = True


def _batches_of_steps(state, loader):
    """A state counts passes, by fractions, up to its last step."""
    # intents.md (train.epoch, stop_after), by https://huggingface.co/docs/transformers/main_classes/callback
    return round((state.epoch or 0) * len(loader))
