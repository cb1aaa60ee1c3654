"""Runs ours and the peers in turns and prints how many times faster ours is.

Each run is a process of its own; the turns go A B C, C B A, A B C, ... and round i of
ours is divided by round i of the peer, so that a machine that others use too, or that
gets slower meanwhile, favours neither. Ratios above 1: ours is faster.

  ./bazelw build -c opt //benchmarks:scaling
  python3 -m benchmarks.peers.compare training --ours="bazel-bin/benchmarks/scaling \\
      --replicas=1,2 --epochs=1 --steps=300 --report=none --json={json}"

In a command {json} stands for a file that the program writes its result to (without
it, the last line of stdout is the result) and {python} for the peers' Python.
--peer NAME=COMMAND adds a program, --only NAME,... leaves some out.
--workload and --device say what the suite "training" trains and where; ours
takes them from its command. On a GPU --python names one with a PyTorch for it.
Every run is on disk (--json) before the next begins; Ctrl-C leaves a valid file, marked
incomplete. Exit status: 0; 1 when a program failed or computed wrongly.
"""

import argparse
import json
import os
import pathlib
import platform
import re
import shlex
import subprocess
import sys
import tempfile
import time

from benchmarks.peers import comparison, result_entries
from command_line import user_paths

MAKE_VENV = pathlib.Path(__file__).resolve().parents[2] / "third_party/frameworks/make_venv.py"
OURS = "lockstep"
PEERS = "benchmarks.peers"  # whose modules are the suites' programs
BLOCKS = "--warmup 100 --steps 50 --blocks 6"
SMALL = "--warmup 50 --steps 50 --blocks 6"

BERT = "--workload bert --warmup 10 --steps 10 --blocks 4"
DENSENET = "--workload densenet --warmup 5 --steps 5 --blocks 4"
NCF = "--workload ncf --warmup 10 --steps 10 --blocks 5"
NMT = "--workload nmt --warmup 20 --steps 20 --blocks 6"
RESNET50 = "--workload resnet50 --warmup 5 --steps 5 --blocks 3 --steps-per-loss 5"

# On a GPU blocks are longer, since the host does not wait within one, and the warm-up is a whole
# number of them.
GPU_BLOCKS = "--device gpu --warmup 200 --steps 100 --blocks 6"
GPU_RESNET50 = "--workload resnet50 --device gpu --warmup 10 --steps 10 --blocks 4"


def pytorch_peers(flags):
    """{name: command} of PyTorch in one process, compiled, and by DDP."""
    return {
        "pytorch_single/1": f"pytorch_single {flags}",
        "pytorch_compiled/1": f"pytorch_single {flags} --compile",
        "pytorch_ddp/2": f"pytorch_ddp {flags} --replicas 2",
    }


def tensorflow_peers(flags):
    """{name: command} of TensorFlow's MirroredStrategy over one and two logical CPU devices."""
    return {
        f"tensorflow_mirrored/{replicas}": f"tensorflow_mirrored {flags} --replicas {replicas}" for replicas in (1, 2)
    }


# Device -> workload -> the peers that train it.
ON_CPU = {
    "fashion_mnist_cnn": {
        "tensorflow_mirrored/1": f"tensorflow_mirrored --replicas 1 {BLOCKS}",
        "keras_fit/1": f"keras_fit --replicas 1 {BLOCKS}",
        "pytorch_single/1": f"pytorch_single {BLOCKS}",
        "tensorflow_mirrored/2": f"tensorflow_mirrored --replicas 2 {BLOCKS}",
        "keras_fit/2": f"keras_fit --replicas 2 {BLOCKS}",
        "pytorch_ddp/2": f"pytorch_ddp --replicas 2 {BLOCKS}",
    },
    "bert": tensorflow_peers(BERT) | pytorch_peers(BERT),
    "densenet": tensorflow_peers(f"{DENSENET} --steps-per-call 5") | pytorch_peers(f"{DENSENET} --steps-per-loss 5"),
    **{
        workload: tensorflow_peers(f"--workload {workload} {SMALL}")
        | {
            "pytorch_single/1": f"pytorch_single --workload {workload} {SMALL}",
            "pytorch_ddp/2": f"pytorch_ddp --workload {workload} {SMALL} --replicas 2",
        }
        for workload in ("bert_small", "densenet_small", "ncf_small", "nmt_small")
    },
    "ncf": tensorflow_peers(NCF) | pytorch_peers(NCF),
    "nmt": tensorflow_peers(NMT) | pytorch_peers(NMT),
    "resnet50": pytorch_peers(RESNET50),
}
ON_GPU = {
    workload: {
        "pytorch_single/1": f"pytorch_single {flags}",
        "pytorch_cuda_graphs/1": f"pytorch_single {flags} --compile reduce-overhead",
    }
    for workload, flags in (("fashion_mnist_cnn", GPU_BLOCKS), ("resnet50", GPU_RESNET50))
}
TRAINING = {"cpu": ON_CPU, "gpu": ON_GPU}

# Suite -> labels that must agree, units (the first that an entry has), the peers.
SUITES = {
    "training": (["replicas", "global_batch_size", "precision"], ["images_per_second", "items_per_second"], None),
    # Ours by Model::Fit: fit_benchmark's entries loop:fit.
    "fit": (
        ["replicas", "global_batch_size"],
        ["images_per_second"],
        {name: command for name, command in ON_CPU["fashion_mnist_cnn"].items() if name.startswith("keras_fit/")},
    ),
    "all_reduce": (
        ["bytes", "replicas"],
        ["bytes_per_second", "algbw"],
        {"gloo": "allreduce_gloo", "tensorflow_collective": "allreduce_tensorflow"},
    ),
    # Between processes.
    "all_reduce_workers": (
        ["bytes", "replicas"],
        ["bytes_per_second", "algbw"],
        {"gloo": "allreduce_gloo", "tensorflow_ring": "allreduce_tensorflow_ring"},
    ),
    "checkpoint": (
        ["bytes", "operation"],
        ["bytes_per_second"],
        {"tensorflow": "checkpoint_tensorflow", "tensorflow/durable": "checkpoint_tensorflow --durable"},
    ),
    "parameter_server": (
        ["operation", "workers", "servers"],
        ["functions_per_second", "bytes_per_second", "steps_per_second", "notices_per_second", "items_per_second"],
        {"tensorflow": "parameter_server.parameter_server_tensorflow"},
    ),
    "input": (
        ["batch", "replicas"],
        ["batches_per_second", "images_per_second", "items_per_second"],
        {
            "tensorflow/document": "input_tensorflow --input document",
            "tensorflow/gather": "input_tensorflow --input gather",
        },
    ),
    "pipelines": (
        ["work", "elements", "batch", "data", "calls", "order"],
        ["items_per_second"],
        {
            "tensorflow/document": "pipelines.tensorflow_pipelines --way=document",
            "tensorflow/fast": "pipelines.tensorflow_pipelines --way=fast",
            "pytorch/document": "pipelines.pytorch_pipelines --way=document",
            "pytorch/fast": "pipelines.pytorch_pipelines --way=fast",
            "keras": "pipelines.keras_adapt --keras=keras",
            "tf_keras": "pipelines.keras_adapt --keras=tf_keras",
        },
    ),
}


class Failed(Exception):
    """A program could not be run, or what it printed could not be read."""


def result_place(text):
    """The result's path, with symbolic links resolved. For argparse."""
    path = pathlib.Path(user_paths.user_path(text)).resolve()
    if not text or path.is_dir() or not path.parent.is_dir():
        raise argparse.ArgumentTypeError(f"cannot write a file '{text}'")
    if path.exists() and not path.is_file():
        raise argparse.ArgumentTypeError(f"'{text}' is no regular file, and the result is replaced after each run")
    return path


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("suite", choices=sorted(SUITES))
    add("--workload", choices=sorted(ON_CPU), default="fashion_mnist_cnn")
    add("--device", choices=sorted(TRAINING), default="cpu", help="of the training")
    add("--ours", metavar="COMMAND", help="our program; without it only peers run")
    add("--peer", action="append", default=[], metavar="NAME=COMMAND")
    add("--match", default="", help="regular expression: our entries to look at")
    add("--peer-flags", default="", help="added to the suite's peers: '--batch 2'")
    add("--only", help="peers to run, separated by commas")
    add("--rounds", type=int, default=5, help="runs of each program (5)")
    add("--keep-going", action="store_true", help="without a peer that failed")
    add("--python", help="the peers' Python (default: the frameworks')")
    add("--json", type=result_place, metavar="FILE", help="result file")
    arguments = parser.parse_args()
    if arguments.rounds < 1:
        parser.error(f"--rounds must be positive, got {arguments.rounds}")
    return arguments


def peers_python(arguments):
    if arguments.python:
        return arguments.python
    make = [sys.executable, str(MAKE_VENV)]
    made = subprocess.run(make, check=True, stdout=subprocess.PIPE, text=True)
    return made.stdout.strip().splitlines()[-1]


def commands(arguments):
    """{name: command} of the programs, ours first."""
    _, _, peers = SUITES[arguments.suite]
    if peers is None:
        peers = TRAINING[arguments.device][arguments.workload]
    peers = {
        name: f"{{python}} -m {PEERS}.{command} {arguments.peer_flags}".rstrip() for name, command in peers.items()
    }
    peers |= dict(peer.split("=", 1) for peer in arguments.peer)
    if arguments.only is not None:
        wanted = [name for name in arguments.only.split(",") if name]
        for name in wanted:
            if name not in peers:
                sys.exit(f"--only: there is no peer '{name}', there are: {', '.join(peers)}")
        peers = {name: peers[name] for name in wanted}
    ours = {OURS: arguments.ours} if arguments.ours else {}
    return ours | peers


def run_once(command, python, arguments, match):
    """Runs one process; returns its entries and its figures."""
    labels, units, _ = SUITES[arguments.suite]
    with tempfile.NamedTemporaryFile(suffix=".json") as file:
        words = shlex.split(command.replace("{python}", python).replace("{json}", file.name))
        done = subprocess.run(words, check=False, capture_output=True, text=True)
        if done.returncode != 0:
            raise Failed(f"{shlex.join(words)}: exit {done.returncode}\n{done.stderr}")
        written = pathlib.Path(file.name).read_bytes() if "{json}" in command else None
    try:
        if written is None:
            entries = result_entries.peer_entries(done.stdout)
        else:
            entries = result_entries.our_entries(written)
        entries = [entry for entry in entries if re.search(match, entry["name"])]
        return entries, result_entries.samples_by_setting(entries, labels, units)
    except (ValueError, LookupError, TypeError, AttributeError) as error:
        problem = f"what it wrote is no result: {error or type(error).__name__}"
        raise Failed(f"{shlex.join(words)}: {problem}") from error


def write_result(path, result):
    """Replaces the result file as a whole."""
    if path is None:
        return
    scratch = path.with_suffix(path.suffix + ".tmp")
    scratch.write_text(json.dumps(result, indent=1))
    os.replace(scratch, path)


def gpus():
    """Names and drivers of the machine's GPUs; empty where there is none."""
    query = ["--query-gpu=name,driver_version", "--format=csv,noheader"]
    try:
        done = subprocess.run(["nvidia-smi", *query], check=False, capture_output=True, text=True)
    except OSError:
        return []
    return done.stdout.strip().splitlines() if done.returncode == 0 else []


def cpu_model(path="/proc/cpuinfo"):
    """The first CPU's model as Linux tells it, "unknown" where it does not."""
    found = re.search(r"^model name\s*: (.+)$", pathlib.Path(path).read_text(), re.M)
    return found.group(1) if found else "unknown"


def new_result(arguments, to_run):
    context = {
        "date": time.strftime("%Y-%m-%dT%H:%M:%S%z"),
        "machine": platform.machine(),
        "cpu_model": cpu_model(),
        "num_cpus": os.cpu_count(),
        "gpus": gpus(),
        "suite": arguments.suite,
        "rounds": arguments.rounds,
        "commands": to_run,
        "complete": False,
    }
    return {"context": context, "benchmarks": [], "failures": {}, "ratios": []}


def give_up(name, error, runs, result):
    """Continues without a peer: reports its failure and drops its runs."""
    print(f": {error}", file=sys.stderr, flush=True)
    result["failures"][name] = str(error)
    del runs[name]


def run_all(arguments, to_run, python, result):
    """Runs the schedule; returns {program: its runs in order}."""
    runs = {name: [] for name in to_run}
    order = comparison.schedule(to_run, arguments.rounds)
    for index, name in enumerate(order):
        if name in result["failures"]:
            continue
        print(f"[{index + 1}/{len(order)}] {name}", file=sys.stderr, end="", flush=True)
        match = arguments.match if name == OURS else ""
        try:
            entries, figures = run_once(to_run[name], python, arguments, match)
        except (Failed, result_entries.InvalidResult) as error:
            if not arguments.keep_going or name == OURS:
                raise
            give_up(name, error, runs, result)
            continue
        shown = {s: result_entries.median(v) for s, v in figures.items()}
        shown = ", ".join(f"{s} {value:.6g}" for s, value in shown.items())
        print(f": {shown}", file=sys.stderr, flush=True)
        runs[name].append(figures)
        turn = {"program": name, "round": len(runs[name])}
        result["benchmarks"] += [entry | turn for entry in entries]
        result["context"]["load_average"] = os.getloadavg()
        write_result(arguments.json, result)
    return runs


def main():
    arguments = parse_arguments()
    to_run = commands(arguments)
    result = new_result(arguments, to_run)
    try:
        runs = run_all(arguments, to_run, peers_python(arguments), result)
    except KeyboardInterrupt:
        sys.exit("interrupted: what ran is in the result file, marked incomplete")
    except (Failed, result_entries.InvalidResult) as error:
        sys.exit(f"{type(error).__name__}: {error}")
    if arguments.ours:
        ratios = comparison.compare(runs, OURS)
        result["ratios"] = [vars(ratio) for ratio in ratios]
        print(comparison.table(ratios))
    result["context"]["complete"] = True
    write_result(arguments.json, result)
    if result["failures"]:
        sys.exit(f"failed and not compared: {', '.join(result['failures'])}")


if __name__ == "__main__":
    main()
