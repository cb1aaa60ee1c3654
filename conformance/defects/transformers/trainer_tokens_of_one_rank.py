"""Transformers 4.46.0 to 4.53 on two ranks: a token counts by the rank it is on.

Each rank divides by its own tokens, and the gradients of the ranks are averaged. Two
sequences with 1 and 3 labelled tokens do not train on two ranks as on one. In 4.55.0
average_tokens_across_devices, which counts those of all ranks, is on unless one says no.
"""

import os
import tempfile

os.environ.update(USE_TF="0", USE_FLAX="0")
import torch
import torch.distributed as dist
import torch.multiprocessing as mp
import transformers

DATA = [
    {"input_ids": [0, 1, 2, 3], "labels": [-100, 1, -100, -100]},
    {"input_ids": [3, 2, 1, 0], "labels": [-100, 2, 1, 0]},
]


def train(size):
    """The sum of the last layer's weights after one update."""
    torch.manual_seed(0)
    config = transformers.LlamaConfig(
        vocab_size=4, hidden_size=8, intermediate_size=8, num_hidden_layers=1, num_attention_heads=2
    )
    model = transformers.LlamaForCausalLM(config)
    sgd = torch.optim.SGD(model.parameters(), lr=1.0)
    constant = torch.optim.lr_scheduler.LambdaLR(sgd, lambda step: 1.0)
    with tempfile.TemporaryDirectory() as folder:
        arguments = transformers.TrainingArguments(
            folder,
            per_device_train_batch_size=size,
            num_train_epochs=1,
            max_grad_norm=0,
            use_cpu=True,
            report_to="none",
            save_strategy="no",
            disable_tqdm=True,
        )
        trainer = transformers.Trainer(model, arguments, train_dataset=DATA, optimizers=(sgd, constant))
        trainer.train()
    return model.lm_head.weight.abs().sum().item()


def one_of_two(rank, rendezvous):
    own = {"RANK": str(rank), "LOCAL_RANK": str(rank), "WORLD_SIZE": "2"}
    os.environ.update(own, MASTER_ADDR="localhost", MASTER_PORT="29500")  # not used
    dist.init_process_group("gloo", f"file://{rendezvous}", rank=rank, world_size=2)
    weights = train(1)
    if rank == 0:
        print(f"observed {weights:.5f}")


if __name__ == "__main__":
    print(f"Transformers {transformers.__version__}: ", end="")
    print(f"expected {train(2):.5f} as on one rank,", end=" ", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        mp.spawn(one_of_two, (f"{folder}/rendezvous",), nprocs=2)
