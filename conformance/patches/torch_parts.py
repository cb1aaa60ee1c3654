"""Bugs in what libraries on PyTorch have from it: DistributedDataParallel, samplers, optimizers, schedules."""

from conformance.patches.patch import does_nothing, instead_of


def _hook_gradients(combined):
    """Has every DistributedDataParallel put `combined(gradients)`, a future's value, in the place of the mean."""
    from torch.nn.parallel import DistributedDataParallel

    @instead_of(DistributedDataParallel, "__init__")
    def init(original, self, *arguments, **options):
        original(self, *arguments, **options)
        self.register_comm_hook(None, lambda _, bucket: combined(bucket.buffer()))


def keep_gradients_apart():
    import torch

    def own(gradients):
        future = torch.futures.Future()
        future.set_result(gradients)
        return future

    _hook_gradients(own)


def sum_gradients():
    import torch.distributed as dist

    def total(gradients):
        return dist.all_reduce(gradients, async_op=True).get_future().then(lambda future: future.value()[0])

    _hook_gradients(total)


def keep_buffers_apart():
    from torch.nn.parallel import DistributedDataParallel

    does_nothing(DistributedDataParallel, "_sync_buffers")


def ignore_epochs():
    from torch.utils.data.distributed import DistributedSampler

    does_nothing(DistributedSampler, "set_epoch")


def ignore_seeds():
    from torch.utils.data.distributed import DistributedSampler

    @instead_of(DistributedSampler, "__init__")
    def init(original, self, *arguments, **options):
        original(self, *arguments, **options)
        self.seed = 0


def drop_the_tail():
    from torch.utils.data.distributed import DistributedSampler

    @instead_of(DistributedSampler, "__init__")
    def init(original, self, *arguments, **options):
        original(self, *arguments, **options | {"drop_last": True})


def lose_momentum():
    import torch

    @instead_of(torch.optim.Optimizer, "load_state_dict")
    def load(original, self, state):
        original(self, {**state, "state": {}})


def lose_schedule():
    from torch.optim.lr_scheduler import LambdaLR

    does_nothing(LambdaLR, "load_state_dict")


def clip_nothing():
    import torch

    def norm(parameters, *_, **__):
        return torch.zeros(())

    torch.nn.utils.clip_grad_norm_ = norm
