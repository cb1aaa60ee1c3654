"""Bugs for JAX, optax, Grain, Orbax and Flax."""

from conformance.patches.patch import Patches, instead_of

patches = Patches("jax 0.10.2, optax 0.2.8, grain 0.2.18, orbax-checkpoint 0.12.8, flax 0.12.8")


@patches.patch(
    "equivalence/batches/a_full_batch_trains_as_one", "equivalence/evaluation/the_loss_is_the_mean_over_all_examples"
)
def means_are_of_one_replica():
    """The mean of an array is that of its first device's half."""
    import jax.numpy as jnp

    @instead_of(jnp, "mean")
    def mean(original, array, *arguments, **options):
        return original(array[: (len(array) + 1) // 2], *arguments, **options)


@patches.patch("equivalence/loaders/each_example_is_read_once")
def replicas_read_the_same():
    """Every device has the first one's rows of a batch."""
    import jax
    import numpy as np

    @instead_of(jax, "make_array_from_process_local_data")
    def make(original, sharding, rows):
        first = jax.tree.map(lambda column: column[: len(column) // sharding.mesh.size], rows)
        return original(sharding, jax.tree.map(lambda column: np.concatenate([column] * sharding.mesh.size), first))


@patches.patch("equivalence/loaders/length_counts_a_short_last_batch")
def tail_is_dropped():
    """Grain's batch drops a last one that is not full."""
    import grain

    @instead_of(grain.MapDataset, "batch")
    def batch(original, self, batch_size, **options):
        return original(self, batch_size, **options | {"drop_remainder": True})


@patches.patch("equivalence/shuffles/another_seed_gives_another_order")
def seeds_are_ignored():
    """Grain's shuffle ignores its seed."""
    import grain

    instead_of(grain.MapDataset, "shuffle")(lambda original, self, seed=None: original(self, seed=0))


@patches.patch("equivalence/shuffles/a_second_epoch_has_another_order")
def epochs_are_ignored():
    """Grain's repeat has the same order in each pass."""
    import grain

    @instead_of(grain.MapDataset, "repeat")
    def repeat(original, self, num_epochs=None, **_):
        return original(self, num_epochs, reseed_each_epoch=False)


@patches.patch("equivalence/accumulation/a_window_equals_one_large_batch")
def windows_are_summed():
    """MultiSteps sums the gradients of a window."""
    import optax

    @instead_of(optax.MultiSteps, "__init__")
    def init(original, self, *arguments, **options):
        original(self, *arguments, **options | {"use_grad_mean": False})


@patches.patch("equivalence/clipping/a_long_gradient_is_shortened")
def gradients_are_not_clipped():
    """clip_by_global_norm clips nothing."""
    import optax

    instead_of(optax, "clip_by_global_norm")(lambda original, norm: optax.identity())


@patches.patch("equivalence/schedules/each_step_has_its_rate")
def rates_come_late():
    """join_schedules changes its schedule a step late."""
    import optax

    @instead_of(optax, "join_schedules")
    def join(original, schedules, boundaries):
        return original(schedules, [boundary + 1 for boundary in boundaries])


@patches.patch("equivalence/resume/momentum_continues")
def momentum_is_lost():
    """Orbax restores an optimizer's state as zeros."""
    import jax
    import orbax.checkpoint as ocp

    @instead_of(ocp.CheckpointManager, "restore")
    def restore(original, self, *arguments, **options):
        found = dict(original(self, *arguments, **options).items())
        state = found["state"]
        zeros = jax.tree.map(lambda array: array * 0, state.optimizer)
        return found | {"state": state._replace(optimizer=zeros)}


@patches.patch("equivalence/buffers/moments_follow_the_replicas")
def moments_do_not_move():
    """Flax's BatchNorm keeps its first moments."""
    from flax import nnx

    @instead_of(nnx.BatchNorm, "__init__")
    def init(original, self, features, **options):
        original(self, features, **options | {"momentum": 1.0})
