"""Bugs for Ignite, and PyTorch under it."""

from conformance.patches import torch_parts
from conformance.patches.patch import Patches, does_nothing, instead_of

patches = Patches("pytorch-ignite 0.5.5, torch 2.15.0")


@patches.patch("equivalence/gradients/the_gradient_is_that_of_the_global_batch")
def gradients_stay_apart():
    """Each replica steps by its own gradients."""
    torch_parts.keep_gradients_apart()


@patches.patch(
    "equivalence/evaluation/accuracy_is_over_all_examples",
    "equivalence/evaluation/the_loss_is_the_mean_over_all_examples",
)
def metrics_stay_apart():
    """A metric's sums are not reduced over the replicas."""
    import ignite.distributed as idist

    instead_of(idist, "all_reduce")(lambda original, tensor, *_, **__: tensor)


@patches.patch("equivalence/shuffles/a_second_epoch_has_another_order")
def epochs_are_ignored():
    """set_epoch of its sampler does nothing."""
    torch_parts.ignore_epochs()


@patches.patch("equivalence/loaders/padded_shares_are_equal")
def tail_is_dropped():
    """Its sampler leaves out what does not divide, where it should pad."""
    torch_parts.drop_the_tail()


@patches.patch("equivalence/resume/momentum_continues")
def momentum_is_lost():
    """An optimizer's state is not restored."""
    torch_parts.lose_momentum()


@patches.patch("equivalence/interruptions/an_epoch_that_was_over_is_not_repeated")
def epochs_are_not_restored():
    """An Engine's checkpoint does not say where it was."""
    from ignite.engine import Engine

    does_nothing(Engine, "load_state_dict")


@patches.patch("equivalence/accumulation/a_window_takes_one_step")
def windows_are_summed():
    """A loss is not divided by the batches of a window."""
    from ignite import engine

    @instead_of(engine, "supervised_training_step")
    def step(original, model, optimizer, loss_fn, *arguments):
        window = arguments[5]  # gradient_accumulation_steps
        return original(model, optimizer, lambda *of: loss_fn(*of) * window, *arguments)


@patches.patch("equivalence/losses/the_loss_of_two_batches_is_their_mean")
def losses_keep_the_last_batch():
    """The loss of a pass is that of its last batch."""
    from ignite.metrics import Loss

    @instead_of(Loss, "update")
    def update(original, self, output):
        self.reset()
        original(self, output)


@patches.patch("equivalence/batches/a_full_batch_trains_as_one")
def gradients_are_summed():
    """Gradients are summed over the replicas, not averaged."""
    torch_parts.sum_gradients()
