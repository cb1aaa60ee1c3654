"""The small DenseNet and NCF in PyTorch: the models of the real ones, with few examples."""

import types

import torch

from benchmarks.peers.workloads import pytorch_densenet, pytorch_ncf, small_forms


densenet = types.SimpleNamespace(
    workload=small_forms.DENSENET,
    add_flags=pytorch_densenet.add_flags,
    make_model=pytorch_densenet.make_model,
    make_optimizer=pytorch_densenet.make_optimizer,
    load=lambda arguments, part: small_forms.images(),
)
ncf = types.SimpleNamespace(
    workload=small_forms.NCF,
    add_flags=pytorch_ncf.add_flags,
    make_model=lambda: pytorch_ncf.Ncf(small_forms.NCF.users, small_forms.NCF.items),
    make_optimizer=lambda model, _: torch.optim.Adam(
        model.parameters(), small_forms.NCF.learning_rate, eps=small_forms.NCF.epsilon, fused=True
    ),
    loss=pytorch_ncf.loss,
    load=lambda arguments, part: small_forms.ratings(),
)
