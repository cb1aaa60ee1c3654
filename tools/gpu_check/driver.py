"""NVIDIA's driver on this machine: where it is, how many GPUs it shows, and a context that keeps it awake."""

import collections
import ctypes
import os
import subprocess

LIBRARY = "libcuda.so.1"
# Where containers and virtual machines mount it without telling the loader.
MOUNTED = ("/usr/local/nvidia/lib64", "/usr/local/nvidia/lib", "/usr/lib/wsl/lib")

# `folder` is where the library was loaded from; `problem` says why there is no GPU, None where there is one.
Driver = collections.namedtuple("Driver", "library folder gpus problem")


def tell_loader(mounted=MOUNTED, run=subprocess.run):
    """Lets the loader and `ldconfig -p`, which torch.compile runs, find a driver that is mounted."""
    folders = [folder for folder in mounted if os.path.exists(os.path.join(folder, LIBRARY))]
    if folders and os.geteuid() == 0:
        run(["ldconfig", *folders], check=False)
    return folders


def loaded_from(name):
    """The folder of a library that this process has loaded; None for one that it has not."""
    with open("/proc/self/maps", encoding="utf-8") as stream:
        paths = [line.split(None, 5)[5].rstrip("\n") for line in stream if "/" in line]
    # The mapped file has the full version in its name: libcuda.so.1 is a link to it.
    stem = name.partition(".so")[0] + ".so"
    return next((os.path.dirname(path) for path in paths if os.path.basename(path).startswith(stem)), None)


def _count(library):
    """(number of GPUs, why there is none)."""
    count = ctypes.c_int(0)
    status = library.cuInit(0) or library.cuDeviceGetCount(ctypes.byref(count))
    if status != 0:
        return 0, "the driver answers with error %d" % status
    return count.value, None if count.value > 0 else "the driver counts 0 GPUs"


def load(mounted=MOUNTED):
    """The Driver of this machine."""
    problem = None
    for path in [LIBRARY] + [os.path.join(folder, LIBRARY) for folder in tell_loader(mounted)]:
        try:
            library = ctypes.CDLL(path)
        except OSError as error:
            problem = problem or "no driver: %s" % error
            continue
        gpus, problem = _count(library)
        return Driver(library, os.path.dirname(path) or loaded_from(LIBRARY), gpus, problem)
    return Driver(None, None, 0, problem)


def hold_context(library):
    """Opens the first GPU's context until this process ends: else the driver starts again for each program.

    Returns what went wrong, in words; None for nothing.
    """
    device, context = ctypes.c_int(0), ctypes.c_void_p()
    status = library.cuDeviceGet(ctypes.byref(device), 0) or library.cuDevicePrimaryCtxRetain(
        ctypes.byref(context), device
    )
    return None if status == 0 else "no context is kept open: error %d" % status
