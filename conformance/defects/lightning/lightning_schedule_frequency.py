"""Lightning: the `frequency` of a schedule with interval "step" counts batches of the pass, not steps.

The docstring of LightningModule.configure_optimizers says of "frequency": "How many epochs/steps
should pass between calls to `scheduler.step()`. 1 corresponds to updating the learning rate after
every epoch/step.", and of "interval": "'step' updates it after a optimizer update."
TrainingEpochLoop._update_learning_rates compares it with batch_idx.
"""

import logging
import warnings

import pytorch_lightning as pl
import torch
from torch.utils.data import DataLoader

warnings.simplefilter("ignore")
logging.getLogger("pytorch_lightning").setLevel(logging.ERROR)
QUIET = dict.fromkeys(("logger", "enable_checkpointing", "enable_progress_bar", "enable_model_summary"), False)


class Rates(pl.LightningModule):
    def __init__(self, frequency):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.ones(()))
        self.frequency, self.rates = frequency, []

    def training_step(self, batch, _):
        return self.weight * batch.float().mean()

    def on_before_optimizer_step(self, optimizer):
        self.rates.append(optimizer.param_groups[0]["lr"])

    def configure_optimizers(self):
        optimizer = torch.optim.SGD(self.parameters(), 1.0)
        halved = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda calls: 0.5**calls)
        return [optimizer], [{"scheduler": halved, "interval": "step", "frequency": self.frequency}]


def rates(frequency, accumulate, batches, epochs):
    model = Rates(frequency)
    options = {"max_epochs": epochs, "accumulate_grad_batches": accumulate}
    pl.Trainer(accelerator="cpu", devices=1, **options, **QUIET).fit(model, DataLoader(range(batches)))
    return model.rates


if __name__ == "__main__":
    print(
        pl.__version__, "frequency 2, windows of 2 batches: expected", [1, 1, 0.5, 0.5], "observed", rates(2, 2, 8, 1)
    )
    print(
        pl.__version__, "frequency 2, windows of 3 batches: expected", [1, 1, 0.5, 0.5], "observed", rates(2, 3, 12, 1)
    )
    print(
        pl.__version__,
        "frequency 2, 3 batches a pass:     expected",
        [1, 1, 0.5, 0.5, 0.25, 0.25],
        "observed",
        rates(2, 1, 3, 2),
    )
