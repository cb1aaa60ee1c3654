"""Lightning up to 2.0.2: without a seed the ranks of DDP train on the same examples.

The sampler of a loader that shuffles is wrapped, and each rank draws an order of its
own. Lightning-AI/pytorch-lightning#17713; fixed in 2.0.3.
"""

import logging
import warnings

import pytorch_lightning as pl
import torch

warnings.simplefilter("ignore")
logging.getLogger("pytorch_lightning").setLevel(logging.ERROR)


class Seen(pl.LightningModule):
    def __init__(self):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.ones(()))
        self.seen = []

    def training_step(self, batch, _):
        self.seen += batch.tolist()
        return self.weight * batch.float().mean()

    def on_train_end(self):
        found = self.all_gather(torch.tensor(self.seen)).flatten().tolist()
        if self.trainer.is_global_zero:
            print(f"Lightning {pl.__version__}: expected 16 different examples, ", end="")
            print(f"observed {len(set(found))}")

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), 0.1)


if __name__ == "__main__":
    quiet = dict.fromkeys(("logger", "enable_checkpointing", "enable_progress_bar"), False)
    trainer = pl.Trainer(accelerator="cpu", devices=2, strategy="ddp", max_epochs=1, **quiet)
    loader = torch.utils.data.DataLoader(range(16), batch_size=2, shuffle=True)
    trainer.fit(Seen(), loader)
