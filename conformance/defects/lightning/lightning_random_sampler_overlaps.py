"""Lightning: the ranks of DDP draw from a random sampler of the user's each by its own generator.

`Trainer(use_distributed_sampler=True)` wraps it (DistributedSamplerWrapper), and takes every second
index of an order that no other rank has: examples are trained on twice and others never. It is what
Lightning-AI/pytorch-lightning#17713 was for RandomSampler, fixed in 2.0.3 for that class alone.

Expected: 16 different examples a pass. The docstring of Trainer says of use_distributed_sampler:
"Whether to wrap the DataLoader's sampler with :class:`torch.utils.data.DistributedSampler`.";
nothing there says that ranks have to be given the same seed.
"""

import logging
import warnings

import pytorch_lightning as pl
import torch
from torch.utils.data import DataLoader, RandomSampler, SubsetRandomSampler, WeightedRandomSampler

warnings.simplefilter("ignore")
logging.getLogger("pytorch_lightning").setLevel(logging.ERROR)
QUIET = dict.fromkeys(("logger", "enable_checkpointing", "enable_progress_bar", "enable_model_summary"), False)


class Seen(pl.LightningModule):
    def __init__(self, what):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.ones(()))
        self.what, self.seen = what, []

    def training_step(self, batch, _):
        self.seen += batch.tolist()
        return self.weight * batch.float().mean()

    def predict_step(self, batch, _):
        self.seen += batch.tolist()

    def tell(self):
        found = self.all_gather(torch.tensor(self.seen)).flatten().tolist()
        if self.trainer.is_global_zero:
            print(
                f"{pl.__version__} {self.what}: expected 16 different examples, observed {len(set(found))}", flush=True
            )

    on_train_end = on_predict_end = tell

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), 0.1)


def trainer():
    return pl.Trainer(accelerator="cpu", devices=2, strategy="ddp", max_epochs=1, **QUIET)


if __name__ == "__main__":
    data = range(16)
    samplers = {
        "RandomSampler": RandomSampler(data),
        "SubsetRandomSampler": SubsetRandomSampler(data),
        "WeightedRandomSampler without replacement": WeightedRandomSampler([1.0] * 16, 16, replacement=False),
    }
    for name, sampler in samplers.items():
        trainer().fit(Seen("fit, " + name), DataLoader(data, 2, sampler=sampler))
    trainer().predict(Seen("predict, shuffle=True"), DataLoader(data, 2, shuffle=True))
