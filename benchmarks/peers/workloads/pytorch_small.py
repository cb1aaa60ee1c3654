"""The small DenseNet and NCF in PyTorch: the models of the real ones, with few examples."""

import types

import torch

from benchmarks.peers.workloads import pytorch_densenet, pytorch_ncf, small_forms


def _workload(name, batch, item="image"):
    return types.SimpleNamespace(NAME=name, NEEDS_DATA=False, ITEM=item, BATCH_SIZE_PER_REPLICA=batch)


densenet = types.SimpleNamespace(
    workload=_workload("densenet_small", 8),
    add_flags=pytorch_densenet.add_flags,
    make_model=pytorch_densenet.make_model,
    make_optimizer=pytorch_densenet.make_optimizer,
    load=lambda arguments, part: small_forms.images(arguments.seed + (part == "test")),
)
ncf = types.SimpleNamespace(
    workload=_workload("ncf_small", 40, "rating"),
    add_flags=pytorch_ncf.add_flags,
    make_model=lambda: pytorch_ncf.Ncf(small_forms.NCF.users, small_forms.NCF.items),
    make_optimizer=lambda model, _: torch.optim.Adam(model.parameters(), 0.001, eps=1e-8, fused=True),
    loss=pytorch_ncf.loss,
    load=lambda arguments, part: small_forms.ratings(arguments.seed + (part == "test")),
)
