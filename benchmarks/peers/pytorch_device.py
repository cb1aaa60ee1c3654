"""PyTorch's device: the CPU, or a GPU that a separate thread feeds."""

import torch

from benchmarks.peers.read_ahead import read_ahead

AHEAD = 4  # batches that lie ready for the GPU


def of(arguments):
    return torch.device("cuda" if arguments.device == "gpu" else "cpu")


def why_no_gpu():
    """Why there is no GPU, in words; None if there is one."""
    if torch.cuda.is_available():
        return None
    if torch.version.cuda is None:
        return f"PyTorch {torch.__version__} was built without CUDA"
    return f"PyTorch {torch.__version__} sees no GPU"


def allow_tf32(allowed):
    """Of float32 alone; cuDNN tries its algorithms and takes the fastest."""
    torch.backends.cuda.matmul.allow_tf32 = allowed
    torch.backends.cudnn.allow_tf32 = allowed
    torch.backends.cudnn.benchmark = True


def synchronize(device):
    """Waits for all that a GPU was given; nothing where there is none."""
    if device.type == "cuda":
        torch.cuda.synchronize(device)


def described():
    """The fields about the GPU that are reported with the figures."""
    return {
        "gpu": torch.cuda.get_device_name(),
        "cuda": torch.version.cuda,
        "cudnn": torch.backends.cudnn.version(),
        "peak_bytes": torch.cuda.max_memory_allocated(),
    }


def feed(batches, device):
    """The batches on the step's device; for a GPU a thread gathers them in pinned
    memory, and their copies are queued."""
    if device.type == "cpu":
        yield from batches
        return
    pinned = ((*(array.pin_memory() for array in arrays), size) for *arrays, size in batches)
    for *arrays, size in read_ahead(pinned, AHEAD):
        yield *(array.to(device, non_blocking=True) for array in arrays), size
