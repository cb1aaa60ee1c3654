"""Bugs for TensorFlow, and Keras 3 on it."""

from conformance.patches import tensorflow_parts
from conformance.patches.patch import Patches, instead_of

patches = Patches("tensorflow_cpu 2.21.0, keras 3.15.1")
patches.take("tensorflow", tensorflow_parts.OF_DATASETS)


@patches.patch("equivalence/batches/a_full_batch_trains_as_one")
def gradients_stay_apart():
    """An optimizer applies each replica's own gradients."""
    tensorflow_parts.keep_gradients_apart()


@patches.patch("equivalence/batches/a_full_batch_trains_as_one")
def losses_are_of_one_replica():
    """compute_average_loss divides by the batch of the replica."""
    tensorflow_parts.average_over_one_replica()


@patches.patch("equivalence/resume/momentum_continues")
def momentum_is_lost():
    """A checkpoint's restore leaves the slots of an optimizer at 0."""
    import tensorflow as tf

    @instead_of(tf.train.Checkpoint, "restore")
    def restore(original, self, path, *arguments, **options):
        status = original(self, path, *arguments, **options)
        for variable in self.optimizer.variables:
            if "momentum" in variable.path:
                variable.assign(tf.zeros(variable.shape))
        return status


@patches.patch("equivalence/resume/steps_continue_counting")
def steps_are_not_restored():
    """A checkpoint's restore leaves the optimizer's steps at 0."""
    import tensorflow as tf

    @instead_of(tf.train.Checkpoint, "restore")
    def restore(original, self, path, *arguments, **options):
        status = original(self, path, *arguments, **options)
        self.optimizer.iterations.assign(0)
        return status


@patches.patch("equivalence/accumulation/two_windows_take_two_steps")
def windows_go_on():
    """An optimizer keeps what it has accumulated when a window is over."""
    tensorflow_parts.count_windows_on()


@patches.patch("equivalence/buffers/synchronized_moments_are_of_all_replicas")
def moments_stay_apart():
    """A synchronized batch normalization takes the moments of its replica."""
    tensorflow_parts.keep_moments_apart()


@patches.patch("equivalence/predictions/no_example_is_predicted_twice")
def padding_is_gathered():
    """Strategy.gather gives the last row twice where rows are odd."""
    tensorflow_parts.gather_padding()


@patches.patch("equivalence/tokens/the_measured_loss_is_over_tokens")
def metrics_count_padding():
    """The metric Mean ignores its weights."""
    tensorflow_parts.weigh_nothing()


@patches.patch("equivalence/evaluation/examples_that_do_not_divide_count_once")
def metrics_take_means_of_means():
    """The metric Mean counts a batch once, whatever it holds."""
    tensorflow_parts.count_batches_alike()


@patches.patch("equivalence/loss_scale/a_scaled_loss_takes_the_same_step")
def gradients_stay_scaled():
    """A LossScaleOptimizer leaves its scale in the gradients."""
    tensorflow_parts.keep_gradients_scaled()
