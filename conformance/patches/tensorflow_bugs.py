"""Bugs that the patches of tensorflow, keras and tf_keras share. Each function plants one."""

from conformance.patches.patch import does_nothing, instead_of

# Patches are named by these functions; the others are helpers of planted/*.py.


def tail_is_dropped():
    """Dataset.batch drops a last partial batch."""
    import tensorflow as tf

    @instead_of(tf.data.Dataset, "batch")
    def batch(original, self, batch_size, **options):
        return original(self, batch_size, **options | {"drop_remainder": True})


def seeds_are_ignored():
    """Dataset.shuffle ignores its seed."""
    import tensorflow as tf

    @instead_of(tf.data.Dataset, "shuffle")
    def shuffle(original, self, buffer_size, **options):
        return original(self, buffer_size, **options | {"seed": 1})


def epochs_are_ignored():
    """Dataset.shuffle repeats the same order in every epoch."""
    import tensorflow as tf

    @instead_of(tf.data.Dataset, "shuffle")
    def shuffle(original, self, buffer_size, **options):
        return original(self, buffer_size, **options | {"reshuffle_each_iteration": False})


# (function that plants it, case that must notice), for Patches.take.
DATASET_BUGS = (
    (tail_is_dropped, "equivalence/loaders/length_counts_a_short_last_batch"),
    (seeds_are_ignored, "equivalence/shuffles/another_seed_gives_another_order"),
    (epochs_are_ignored, "equivalence/shuffles/a_second_epoch_has_another_order"),
)


def divide_losses_by_the_replica_batch():
    """compute_average_loss divides by the batch size of the replica, not by the global one."""
    import tensorflow as tf

    @instead_of(tf.nn, "compute_average_loss")
    def average(original, per_example_loss, sample_weight=None, global_batch_size=None):
        replica_batch_size = tf.shape(per_example_loss)[0]
        return original(per_example_loss, sample_weight=sample_weight, global_batch_size=replica_batch_size)


def repeat_the_last_gathered_row():
    """MirroredStrategy.gather repeats the last row if the number of rows is odd."""
    import tensorflow as tf

    @instead_of(tf.distribute.MirroredStrategy, "gather")
    def gather(original, self, value, axis):
        return tf.constant(padded_to_even(original(self, value, axis)))


def padded_to_even(rows):
    """`rows`, with the last one repeated if their number is odd."""
    import numpy as np

    rows = np.asarray(rows)
    return np.concatenate([rows, rows[-1:]]) if len(rows) % 2 else rows


def skip_gradient_all_reduce():
    """A Keras 3 optimizer applies each replica's own gradients."""
    from keras.src.backend.tensorflow.optimizer import TFOptimizer

    @instead_of(TFOptimizer, "_all_reduce_sum_gradients")
    def keep(original, self, grads_and_vars):
        return list(grads_and_vars)


def keep_accumulators_after_a_step():
    """A Keras 3 optimizer does not clear its accumulated gradients after a step."""
    from keras.src.optimizers.base_optimizer import BaseOptimizer

    does_nothing(BaseOptimizer, "_backend_reset_gradient_accumulators")


def unsynchronize_batch_normalization():
    """BatchNormalization of Keras 3 ignores synchronized=True."""
    import keras

    @instead_of(keras.layers.BatchNormalization, "__init__")
    def init(original, self, *arguments, **options):
        original(self, *arguments, **options | {"synchronized": False})


def ignore_sample_weight():
    """The metric Mean of Keras 3 ignores sample_weight."""
    import keras

    @instead_of(keras.metrics.Mean, "update_state")
    def update(original, self, values, sample_weight=None):
        return original(self, values)


def weigh_batches_equally():
    """The metric Mean of Keras 3 averages the means of the batches."""
    import keras

    # Also drops the weights: one unweighted mean a batch.
    @instead_of(keras.metrics.Mean, "update_state")
    def update(original, self, values, sample_weight=None):
        return original(self, keras.ops.mean(values))


def skip_unscaling():
    """LossScaleOptimizer of Keras 3 applies gradients that are still scaled."""
    import keras

    # Cancels the division by the scale in the original.
    @instead_of(keras.optimizers.LossScaleOptimizer, "_stateful_handle_finite_grads")
    def handle(original, self, gradients, variables):
        return original(self, [gradient * self.dynamic_scale for gradient in gradients], variables)
