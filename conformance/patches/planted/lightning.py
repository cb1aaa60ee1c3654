"""Bugs for Lightning, and PyTorch under it."""

from conformance.patches import torch_parts
from conformance.patches.patch import Patches, does_nothing, instead_of

patches = Patches("pytorch-lightning 2.6.6, torchmetrics 1.9.0, torch 2.15.0")


@patches.patch("equivalence/gradients/the_gradient_is_that_of_the_global_batch")
def gradients_stay_apart():
    """Each replica steps by its own gradients."""
    torch_parts.keep_gradients_apart()


@patches.patch("equivalence/predictions/no_example_is_predicted_twice")
def predictions_are_padded():
    """The sampler for predictions pads the last batch, as that for training does."""
    from lightning_fabric.utilities.distributed import DistributedSamplerWrapper
    from pytorch_lightning.trainer.connectors import data_connector

    data_connector.UnrepeatedDistributedSamplerWrapper = DistributedSamplerWrapper


@patches.patch("equivalence/shuffles/a_second_epoch_has_another_order")
def epochs_are_ignored():
    """The Trainer tells its samplers no epoch."""
    torch_parts.ignore_epochs()


@patches.patch("equivalence/losses/the_loss_of_two_batches_is_their_mean")
def logs_keep_the_last_batch():
    """What is logged of a pass is its last batch."""
    from pytorch_lightning.trainer.connectors.logger_connector.result import _ResultMetric

    @instead_of(_ResultMetric, "update")
    def update(original, self, value, batch_size):
        self.reset()
        original(self, value, batch_size)


@patches.patch("equivalence/evaluation/accuracy_is_over_all_examples")
def metrics_stay_apart():
    """torchmetrics' states are not synchronized."""
    import torchmetrics

    does_nothing(torchmetrics.Metric, "_sync_dist")


@patches.patch("equivalence/evaluation/the_loss_is_the_mean_over_all_examples")
def logs_stay_apart():
    """sync_dist of a log does nothing."""
    from pytorch_lightning.strategies import DDPStrategy

    instead_of(DDPStrategy, "reduce")(lambda original, self, tensor, *_, **__: tensor)


@patches.patch("equivalence/resume/momentum_continues")
def momentum_is_lost():
    """An optimizer's state is not restored."""
    torch_parts.lose_momentum()


@patches.patch("equivalence/resume/a_training_continues_with_as_many_replicas")
def steps_are_not_restored():
    """A checkpoint's progress is not restored."""
    from pytorch_lightning.trainer.connectors.checkpoint_connector import _CheckpointConnector

    does_nothing(_CheckpointConnector, "restore_loops")


@patches.patch("equivalence/clipping/a_long_gradient_is_shortened")
def gradients_are_not_clipped():
    """gradient_clip_val clips nothing."""
    from pytorch_lightning.plugins.precision import Precision

    does_nothing(Precision, "clip_gradients")


@patches.patch("equivalence/accumulation/a_window_equals_one_large_batch")
def windows_are_summed():
    """A loss is not divided by the batches of a window."""
    from pytorch_lightning.loops.optimization.automatic import ClosureResult

    @instead_of(ClosureResult, "from_training_step_output")
    def make(original, output, normalize=1):
        return original(output, 1)


@patches.patch("equivalence/loss_scale/a_scaled_loss_takes_the_same_step")
def gradients_stay_scaled():
    """The scaler leaves its scale in the gradients."""
    from torch.amp import GradScaler

    @instead_of(GradScaler, "_unscale_grads_")
    def unscale(original, self, optimizer, inv_scale, found_inf, allow_fp16):
        return original(self, optimizer, inv_scale * self.get_scale(), found_inf, allow_fp16)


@patches.patch("equivalence/buffers/replicas_predict_the_same_for_equal_examples")
def modules_stay_apart():
    """A Trainer that predicts does not make the replicas' modules the same."""
    from pytorch_lightning.strategies import ddp

    does_nothing(ddp, "_sync_module_states")
