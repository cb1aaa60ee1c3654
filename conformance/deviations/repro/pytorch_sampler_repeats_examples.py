"""PyTorch: DistributedSampler gives some examples twice where they do not divide.

Five examples on two ranks: expected each once, observed that rank 1 gets number 0 again.
With drop_last=True number 4 is left out instead. Public issue: pytorch/pytorch#25162.
"""

from torch.utils.data.distributed import DistributedSampler

for drop_last in (False, True):
    indices = [
        list(DistributedSampler(range(5), 2, rank, shuffle=False, drop_last=drop_last))
        for rank in range(2)
    ]
    print(f"drop_last={drop_last}: expected 0 to 4 once each, observed {indices}")
