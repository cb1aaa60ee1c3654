"""Bugs for TensorFlow, and Keras 3 on it."""

from conformance.patches import tensorflow_bugs
from conformance.patches.patch import Patches, instead_of

patches = Patches("tensorflow_cpu 2.21.0, keras 3.15.1")
patches.take("tensorflow", tensorflow_bugs.DATASET_BUGS)


@patches.patch("equivalence/batches/a_full_batch_trains_as_one")
def gradients_stay_apart():
    """An optimizer applies each replica's own gradients."""
    tensorflow_bugs.skip_gradient_all_reduce()


@patches.patch("equivalence/batches/a_full_batch_trains_as_one")
def losses_are_of_one_replica():
    """compute_average_loss divides by the batch of the replica."""
    tensorflow_bugs.divide_losses_by_the_replica_batch()


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
    tensorflow_bugs.keep_accumulators_after_a_step()


@patches.patch("equivalence/buffers/synchronized_moments_are_of_all_replicas")
def moments_stay_apart():
    """A synchronized batch normalization takes the moments of its replica."""
    tensorflow_bugs.unsynchronize_batch_normalization()


@patches.patch("equivalence/predictions/no_example_is_predicted_twice")
def padding_is_gathered():
    """Strategy.gather gives the last row twice where rows are odd."""
    tensorflow_bugs.repeat_the_last_gathered_row()


@patches.patch("equivalence/tokens/the_measured_loss_is_over_tokens")
def metrics_count_padding():
    """The metric Mean ignores its weights."""
    tensorflow_bugs.ignore_sample_weight()


@patches.patch("equivalence/evaluation/examples_that_do_not_divide_count_once")
def metrics_take_means_of_means():
    """The metric Mean counts a batch once, whatever it holds."""
    tensorflow_bugs.weigh_batches_equally()


@patches.patch("equivalence/loss_scale/a_scaled_loss_takes_the_same_step")
def gradients_stay_scaled():
    """A LossScaleOptimizer leaves its scale in the gradients."""
    tensorflow_bugs.skip_unscaling()
