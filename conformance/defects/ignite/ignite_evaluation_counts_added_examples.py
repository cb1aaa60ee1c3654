"""Ignite: what is evaluated with auto_dataloader on several processes has added examples in it.

By design: the docstring of auto_dataloader says "if no sampler provided by user, a `torch
DistributedSampler`_ is setup.", that of DistributedSampler, of drop_last: "If ``False``, the
sampler will add extra indices to make the data evenly divisible across the replicas. Default:
``False``."
Expected of one process: 7 examples with a mean loss of 16. Observed on two and four: 8 examples,
the first one twice, 14.5.
"""

import ignite
import ignite.distributed as idist
import torch
from ignite.engine import Engine
from ignite.metrics import Loss

EXAMPLES = torch.tensor([1.0, 1.0, 2.0, 2.0, 1.0, 4.0, 1.0])


def evaluate(rank):
    loader = idist.auto_dataloader(EXAMPLES, batch_size=4, shuffle=False)
    evaluator = Engine(lambda engine, batch: (2 * batch, torch.zeros_like(batch)))
    Loss(torch.nn.functional.mse_loss).attach(evaluator, "loss")
    evaluator.run(loader)
    count = idist.all_reduce(sum(len(batch) for batch in loader))
    if rank == 0:
        loss, world = evaluator.state.metrics["loss"], idist.get_world_size()
        print(
            f"Ignite {ignite.__version__}, {world} processes: expected a loss of 16 over 7",
            f"examples, observed {loss} over {count}",
            flush=True,
        )


if __name__ == "__main__":
    evaluate(0)
    for processes in (2, 4):
        with idist.Parallel(backend="gloo", nproc_per_node=processes) as parallel:
            parallel.run(evaluate)
