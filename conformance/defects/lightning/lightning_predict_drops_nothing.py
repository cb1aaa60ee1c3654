"""Lightning: predict has the examples of a loader with drop_last=True that it is to leave out.

By design: Lightning sets drop_last=False for prediction; its warning for batch samplers of the
user's (pytorch_lightning/utilities/data.py) says: "Lightning would normally set `drop_last=False`
to ensure all samples are returned, but for custom samplers it can't guarantee this." Expected of a
loader of 5 examples in batches of 4 that drops the last: 4 outputs, as test counts 4. Observed: 5
on one process, and 5 on two with batches of 2; no example is added there.
"""

import logging
import warnings

import pytorch_lightning as pl
import torch
import torch.distributed as dist
from torch.utils.data import DataLoader

warnings.simplefilter("ignore")
logging.getLogger("pytorch_lightning").setLevel(logging.ERROR)
NAMES = ("logger", "enable_checkpointing", "enable_progress_bar", "enable_model_summary")
QUIET = dict.fromkeys(NAMES, False) | {"accelerator": "cpu", "strategy": "ddp_spawn"}


class Double(pl.LightningModule):
    def __init__(self):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.tensor(2.0))
        self.own = []

    def test_step(self, batch, _):
        self.log("count", float(len(batch)), reduce_fx="sum", sync_dist=True)

    def predict_step(self, batch, _):
        self.own.append((batch * self.weight).tolist())

    def on_predict_epoch_end(self):
        outputs = [None] * self.trainer.world_size
        dist.all_gather_object(outputs, self.own)
        self.print(
            pl.__version__,
            self.trainer.world_size,
            "processes, predictions: expected",
            "2, 4, 6, 8, observed",
            outputs,
            flush=True,
        )


if __name__ == "__main__":
    for devices in (1, 2):
        loader = DataLoader([1.0, 2.0, 3.0, 4.0, 8.0], 4 // devices, drop_last=True)
        (measured,) = pl.Trainer(devices=devices, **QUIET).test(Double(), loader, verbose=False)
        print(pl.__version__, devices, "processes, test: expected 4, observed", measured["count"])
        trainer = pl.Trainer(devices=devices, **QUIET)
        trainer.predict(Double(), loader, return_predictions=False)
