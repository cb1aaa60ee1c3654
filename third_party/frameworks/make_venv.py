"""Makes a Python environment of pinned packages: of the frameworks (TensorFlow, Keras, PyTorch, JAX), of the linters,
or of what makes the wheel.

It lands in the cache folder, under a name made from what it consists of, so that a
changed requirements.txt makes a new one and an unchanged one is used again:

  ${LOCKSTEP_CACHE_DIR:-${XDG_CACHE_HOME:-$HOME/.cache}/lockstep}/frameworks-<hash>     linters-<hash>, packaging-<hash>

Progress is on stderr; stdout has one line, the environment's Python:

  FRAMEWORKS_PYTHON=$(python3 third_party/frameworks/make_venv.py)
  $FRAMEWORKS_PYTHON -m benchmarks.peers.tensorflow_mirrored --help

The first call downloads about 1.1 GB and takes 3.7 GB of disk; for the linters, `make_venv.py linters`, 30 MB; for
the wheel, `make_venv.py packaging`, 20 MB.
"""

import argparse
import fcntl
import hashlib
import os
import pathlib
import platform
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
DONE = "complete"


def cache_dir(environment):
    """The project's cache folder as the environment variables ask for it."""
    if folder := environment.get("LOCKSTEP_CACHE_DIR"):
        return pathlib.Path(folder)
    if folder := environment.get("XDG_CACHE_HOME"):
        return pathlib.Path(folder, "lockstep")
    return pathlib.Path(environment.get("HOME", "/tmp"), ".cache", "lockstep")


def environment_name(kind, parts):
    """<kind>-<12 hex digits>: the same parts give the same name."""
    digest = hashlib.sha256("\0".join(parts).encode())
    return f"{kind}-{digest.hexdigest()[:12]}"


def say(text):
    print(f"[make_venv] {text}", file=sys.stderr, flush=True)


def build(folder, requirements, finish):
    """Makes the environment in `folder`, replacing an unfinished one; finish(folder, python) does the rest."""
    if folder.exists():
        say(f"removing the unfinished {folder}")
        shutil.rmtree(folder)
    say(f"creating {folder} with Python {platform.python_version()}")
    subprocess.run([sys.executable, "-m", "venv", folder], check=True)
    python = folder / "bin" / "python"
    say(f"installing {requirements.relative_to(HERE.parent)}")
    # Compiled: each process of a testee imports thousands of modules, and would compile
    # them itself where PYTHONDONTWRITEBYTECODE is set.
    install = [python, "-m", "pip", "install", "--no-deps", "--quiet"]
    subprocess.run([*install, "-r", requirements], check=True, stdout=sys.stderr)
    finish(folder, python)
    (folder / DONE).touch()


def finish_frameworks(folder, python):
    torch_lib = next(folder.glob("lib/python*/site-packages/torch/lib"))
    say("writing stand-ins for the CUDA libraries that PyTorch names")
    stand_ins = [python, HERE / "cuda_stand_ins.py", torch_lib]
    subprocess.run(stand_ins, check=True, stdout=subprocess.DEVNULL)
    say("checking that all of it can be imported")
    check = "import jax, keras, optax, tensorflow, torch;assert not torch.cuda.is_available()"
    quiet = os.environ | {"TF_CPP_MIN_LOG_LEVEL": "3"}
    subprocess.run([python, "-c", check], check=True, env=quiet, capture_output=True)


def finish_linters(folder, python):
    subprocess.run([folder / "bin" / "ruff", "--version"], check=True, capture_output=True)
    subprocess.run([python, "-m", "mypy", "--version"], check=True, capture_output=True)


def finish_packaging(folder, python):
    subprocess.run([python, "-m", "auditwheel", "--version"], check=True, capture_output=True)


# What it consists of, and what is done once that is installed.
KINDS = {
    "frameworks": (HERE / "requirements.txt", finish_frameworks),
    "linters": (HERE.parent / "linters" / "requirements.txt", finish_linters),
    "packaging": (HERE.parent / "packaging" / "requirements.txt", finish_packaging),
}


def tools_missing():
    """The missing tools that the build needs, as Debian's package names."""
    wanted = {"gcc": "gcc", "objdump": "binutils"}
    missing = [package for tool, package in wanted.items() if not shutil.which(tool)]
    try:
        import ensurepip  # noqa: F401
    except ImportError:
        missing.append("python3-venv")
    return missing


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kind", nargs="?", choices=sorted(KINDS), default="frameworks", help="[frameworks]")
    kind = parser.parse_args().kind
    requirements, finish = KINDS[kind]
    parts = [requirements.read_text(), platform.python_version(), platform.machine()]
    folder = cache_dir(os.environ) / environment_name(kind, parts)
    folder.parent.mkdir(parents=True, exist_ok=True)
    with open(f"{folder}.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if (folder / DONE).exists():
            say(f"found {folder}")
        elif missing := tools_missing():
            parser.exit(1, f"[make_venv] missing: apt-get install {' '.join(missing)}\n")
        else:
            build(folder, requirements, finish)
    print(folder / "bin" / "python")


if __name__ == "__main__":
    try:
        main()
    except subprocess.CalledProcessError as error:
        sys.stderr.write((error.stderr or b"").decode(errors="replace"))
        sys.exit(f"[make_venv] failed: {error}")
