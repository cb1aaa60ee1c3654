"""Lightning: predict with fewer examples than ranks ends with an AssertionError without words.

Expected: each example has its prediction (on two ranks one of them has none), or an error that says what is wrong.
UnrepeatedDistributedSampler asserts num_samples >= 1, with the reason as a comment: DDP could lock up. During predict
there is no DDP: the strategy wraps the model when fitting alone.
"""

import logging
import warnings

import pytorch_lightning as pl
import torch
from torch.utils.data import DataLoader

warnings.simplefilter("ignore")
logging.getLogger("pytorch_lightning").setLevel(logging.ERROR)
QUIET = dict.fromkeys(("logger", "enable_checkpointing", "enable_progress_bar", "enable_model_summary"), False)


class Same(pl.LightningModule):
    def __init__(self):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.ones(()))

    def predict_step(self, batch, _):
        return batch * self.weight


if __name__ == "__main__":
    trainer = pl.Trainer(accelerator="cpu", devices=2, strategy="ddp", **QUIET)
    print(trainer.predict(Same(), DataLoader([1.0])))
