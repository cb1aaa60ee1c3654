"""This machine: CUDA's libraries and programs, and the context of the results."""

import glob
import os
import platform
import shutil
import subprocess
import sys


def cuda_folders(search=None):
    """Folders that may hold CUDA's libraries: an installation's, and those of PyTorch's wheels."""
    folders = [os.path.join(os.environ[name], "lib64") for name in ("CUDA_HOME",) if name in os.environ]
    folders.append("/usr/local/cuda/lib64")
    for folder in search or sys.path:
        folders += sorted(glob.glob(os.path.join(folder, "nvidia", "*", "lib")))
    return [folder for folder in folders if os.path.isdir(folder)]


def find_libraries(names, folders):
    """Name -> the first folder that holds it, or None."""
    return {
        name: next((folder for folder in folders if os.path.exists(os.path.join(folder, name))), None) for name in names
    }


def find_tool(name):
    """The path of one of CUDA's programs, or None."""
    folders = [os.environ.get("PATH", "")] + [
        os.path.join(os.environ[variable], "bin") for variable in ("CUDA_HOME",) if variable in os.environ
    ]
    folders.append("/usr/local/cuda/bin")
    for folder in sys.path:
        folders += sorted(glob.glob(os.path.join(folder, "nvidia", "*", "bin")))
    return shutil.which(name, path=os.pathsep.join(folders))


def output_of(*command):
    """A command's output, or why there is none."""
    try:
        return subprocess.run(
            command, check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=60
        ).stdout.strip()
    except (OSError, subprocess.TimeoutExpired) as error:
        return str(error)


def describe():
    """The context of the results."""
    query = "--query-gpu=name,driver_version,memory.total,compute_cap"
    return {
        "gpus": output_of("nvidia-smi", query, "--format=csv,noheader").splitlines(),
        "kernel": platform.release(),
        "cpus": os.cpu_count(),
        "python": platform.python_version(),
        "torch": output_of(sys.executable, "-c", "import torch; print(torch.__version__)").splitlines()[-1:],
    }
