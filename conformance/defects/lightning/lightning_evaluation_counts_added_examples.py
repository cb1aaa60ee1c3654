"""Lightning: on several processes validate and test count the examples that its sampler has added.

By design: its warning (pytorch_lightning/trainer/connectors/data_connector.py) says that "it is
recommended to use `Trainer(devices=1, num_nodes=1)` to ensure each sample/batch gets evaluated
exactly once. Otherwise, multi-device settings use `DistributedSampler` that replicates some samples
to make sure all devices have same batch size in case of uneven inputs." Expected of one process:
7 examples with a mean loss of 16. Observed on two and four: 8 examples, the first one twice, 14.5.
"""

import logging
import warnings

import pytorch_lightning as pl
import torch
from torch.utils.data import DataLoader

warnings.simplefilter("ignore")
logging.getLogger("pytorch_lightning").setLevel(logging.ERROR)
NAMES = ("logger", "enable_checkpointing", "enable_progress_bar", "enable_model_summary")
QUIET = dict.fromkeys(NAMES, False) | {"accelerator": "cpu", "strategy": "ddp_spawn"}


class Squares(pl.LightningModule):
    def __init__(self):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.tensor(2.0))

    def test_step(self, batch, _):
        options = {"on_epoch": True, "sync_dist": True}
        self.log("loss", (self.weight * batch).square().mean(), batch_size=len(batch), **options)
        self.log("count", float(len(batch)), reduce_fx="sum", **options)

    validation_step = test_step


if __name__ == "__main__":
    examples = [1.0, 1.0, 2.0, 2.0, 1.0, 4.0, 1.0]
    for name, devices in (("test", 1), ("test", 2), ("test", 4), ("validate", 2)):
        measure = getattr(pl.Trainer(devices=devices, **QUIET), name)
        (observed,) = measure(Squares(), DataLoader(examples, 4 // devices), verbose=False)
        print(
            f"Lightning {pl.__version__}, {devices} processes, {name}: expected a loss of 16",
            f"over 7 examples, observed {observed['loss']} over {observed['count']}",
            flush=True,
        )
