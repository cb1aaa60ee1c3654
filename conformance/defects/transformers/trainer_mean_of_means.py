"""Transformers up to 4.45: with gradient accumulation a token counts by the company it is in.

Each small batch is averaged over its own tokens, and the averages are averaged. Two
sequences with 1 and 3 labelled tokens, one by one, do not train as both together.
huggingface/transformers#34191; fixed in 4.46.0. In 4.48.0 these averages are summed:
huggingface/transformers#35663, fixed in 4.48.1.
"""

import os
import tempfile

os.environ.update(USE_TF="0", USE_FLAX="0")
import torch
import transformers

DATA = [
    {"input_ids": [0, 1, 2, 3], "labels": [-100, 1, -100, -100]},
    {"input_ids": [3, 2, 1, 0], "labels": [-100, 2, 1, 0]},
]


def train(size, steps):
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
            gradient_accumulation_steps=steps,
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


together, one_by_one = train(2, 1), train(1, 2)
print(f"Transformers {transformers.__version__}: ", end="")
print(f"expected {together:.5f}, observed {one_by_one:.5f}")
