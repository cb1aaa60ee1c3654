"""Bugs for PyTorch."""

from conformance.patches import torch_parts
from conformance.patches.patch import Patches, does_nothing, instead_of

patches = Patches("torch 2.15.0")


@patches.patch("equivalence/gradients/the_gradient_is_that_of_the_global_batch")
def gradients_stay_apart():
    """Each replica steps by its own gradients."""
    torch_parts.keep_gradients_apart()


@patches.patch("equivalence/batches/a_full_batch_trains_as_one")
def gradients_are_summed():
    """Gradients are summed over the replicas, not averaged."""
    torch_parts.sum_gradients()


@patches.patch(
    "equivalence/shuffles/a_second_epoch_has_another_order", "equivalence/shuffles/an_epoch_has_the_order_of_its_number"
)
def epochs_are_ignored():
    """set_epoch of a DistributedSampler does nothing."""
    torch_parts.ignore_epochs()


@patches.patch("equivalence/shuffles/another_seed_gives_another_order")
def seeds_are_ignored():
    """A DistributedSampler shuffles by no seed."""
    torch_parts.ignore_seeds()


@patches.patch("equivalence/loaders/padded_shares_are_equal")
def tail_is_dropped():
    """A DistributedSampler leaves out what does not divide, where it should pad."""
    torch_parts.drop_the_tail()


@patches.patch("equivalence/resume/momentum_continues")
def momentum_is_lost():
    """An optimizer's state is not restored."""
    torch_parts.lose_momentum()


@patches.patch("equivalence/resume/a_schedule_continues")
def schedule_begins_again():
    """A schedule's step is not restored."""
    torch_parts.lose_schedule()


@patches.patch("equivalence/clipping/a_long_gradient_is_shortened")
def gradients_are_not_clipped():
    """clip_grad_norm_ clips nothing."""
    torch_parts.clip_nothing()


@patches.patch("equivalence/loss_scale/a_scaled_loss_takes_the_same_step")
def gradients_stay_scaled():
    """A GradScaler leaves its scale in the gradients."""
    from torch.amp import GradScaler

    @instead_of(GradScaler, "_unscale_grads_")
    def unscale(original, self, optimizer, inv_scale, found_inf, allow_fp16):
        return original(self, optimizer, inv_scale * self.get_scale(), found_inf, allow_fp16)


@patches.patch("equivalence/waiting/a_replica_with_more_batches_continues")
def nobody_stands_in_for_who_is_done():
    """Join has no shadow of a replica that has no batch left."""
    from torch.nn.parallel.distributed import _DDPJoinHook

    does_nothing(_DDPJoinHook, "main_hook")
