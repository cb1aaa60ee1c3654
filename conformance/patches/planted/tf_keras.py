"""Bugs for Keras 2, and TensorFlow under it."""

from conformance.patches import tensorflow_bugs
from conformance.patches.patch import Patches, instead_of

patches = Patches("tf_keras 2.21.0, tensorflow_cpu 2.21.0")
patches.take("tf_keras", tensorflow_bugs.DATASET_BUGS)


@patches.patch("equivalence/batches/a_full_batch_trains_as_one")
def gradients_stay_apart():
    """An optimizer applies each replica's own gradients."""
    from tf_keras.src.optimizers import utils

    instead_of(utils, "all_reduce_sum_gradients")(lambda original, pairs: list(pairs))


@patches.patch("equivalence/batches/a_full_batch_trains_as_one")
def losses_are_of_one_replica():
    """compute_average_loss divides by the batch of the replica."""
    tensorflow_bugs.divide_losses_by_the_replica_batch()


@patches.patch("equivalence/clipping/a_long_gradient_is_shortened")
def gradients_are_not_clipped():
    """An optimizer clips nothing."""
    from tf_keras.src.optimizers.optimizer import _BaseOptimizer

    instead_of(_BaseOptimizer, "_clip_gradients")(lambda original, self, gradients: gradients)


@patches.patch("equivalence/buffers/synchronized_normalization_trains_as_on_one")
def moments_stay_apart():
    """A synchronized batch normalization takes the moments of its replica."""
    import tf_keras

    @instead_of(tf_keras.layers.BatchNormalization, "__init__")
    def init(original, self, *arguments, **options):
        original(self, *arguments, **options | {"synchronized": False})


@patches.patch("equivalence/predictions/no_example_is_predicted_twice")
def padding_is_gathered():
    """Strategy.gather gives the last row twice where rows are odd."""
    tensorflow_bugs.repeat_the_last_gathered_row()


@patches.patch("equivalence/tokens/the_measured_loss_is_over_tokens")
def metrics_count_padding():
    """The metric Mean ignores its weights."""
    import tf_keras

    @instead_of(tf_keras.metrics.Mean, "update_state")
    def update(original, self, values, sample_weight=None):
        return original(self, values)


@patches.patch("equivalence/loss_scale/a_scaled_loss_takes_the_same_step")
def gradients_stay_scaled():
    """get_unscaled_gradients leaves the scale in the gradients."""
    from tf_keras.src.mixed_precision import loss_scale_optimizer

    for kind in (loss_scale_optimizer.LossScaleOptimizer, loss_scale_optimizer.LossScaleOptimizerV3):
        instead_of(kind, "get_unscaled_gradients")(lambda original, self, gradients: gradients)
