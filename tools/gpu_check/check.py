"""Runs packed GPU tests and benchmarks, and writes one folder of results and one archive of it.

    python3 -m tarfile -e gpu_check.tar.xz               # unpacks without xz or tar
    python3 gpu_check/check.py --output=results          # everything
    python3 gpu_check/check.py --output=results --only='*nccl*'
    python3 gpu_check/check.py --output=results --stretch=3   # a slow machine: three times as long for each
    python3 gpu_check/check.py --output=results --data=datasets  # where the package came without the full data

A machine that is there for an hour, or for ten minutes at a time, answers most in this order:

    python3 gpu_check/check.py --output=first --group=first      # tests: device, collectives, training, kernels
    python3 gpu_check/check.py --output=second --group=second    # workloads, conformance, all-reduce, networks
    python3 gpu_check/check.py --output=third --group=third      # ours and PyTorch's in turns
    python3 gpu_check/check.py --output=fourth --group=fourth --data=datasets   # accuracy, layers, sanitizers

Needs Python 3.8, a GPU with its driver, and CUDA's libraries in /usr/local/cuda or in PyTorch's wheels. What
compares with PyTorch needs a Python 3.10 with it, and is left out without; so is what needs compute-sanitizer,
and what needs the full Fashion-MNIST. What needs several GPUs is not applicable where there is one.
Each program has its own time limit, so one that hangs or dies costs the next ones nothing. Writes summary.md and
summary.json, both with a verdict on each promise for GPUs, log.txt with all that was printed, and what the
benchmarks wrote. They are rewritten after each program, so the results so far survive any end of the check.
Exit status: 0 everything passed or was left out, 1 something did not pass or a promise is not met, 2 it could
not begin, 3 there is no GPU, 130 and 143 it was stopped by SIGINT or SIGTERM.
"""

import argparse
import collections
import fnmatch
import json
import os
import signal
import sys

from tools.gpu_check import driver, full_data, machine, result_archive, summary, verdicts
from tools.gpu_check.outcome import FINE, PASSED
from tools.gpu_check.program_runner import ProgramRunner
from tools.gpu_check.run_results import RunResults
from tools.gpu_check.time_plan import TimePlan

GROUPS = ("first", "second", "third", "fourth")

# Folders of CUDA's libraries by name, the folder of the full data or None, and driver.Driver.
FoundMachine = collections.namedtuple("FoundMachine", "libraries data driver")


class Stopped(Exception):
    """The check was interrupted; `number` is the signal's."""

    def __init__(self, number):
        super().__init__("stopped by " + signal.Signals(number).name)
        self.number = number


def positive(text):
    number = float(text)
    if not number > 0:
        raise argparse.ArgumentTypeError("wanted more than 0, got %s" % text)
    return number


def parse_arguments(arguments):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--output", required=True, help="folder for the results; made when it is not there")
    parser.add_argument("--archive", help="file for all of them together [OUTPUT.tar.gz]")
    parser.add_argument("--group", choices=GROUPS, help="a part of the programs [all, in this order]")
    parser.add_argument("--only", default="*", help="names to run, with * and ? [%(default)s]")
    parser.add_argument(
        "--stretch", type=positive, default=1, metavar="N", help="times each program's seconds [%(default)s]"
    )
    parser.add_argument("--deadline", type=positive, help="seconds for everything, whatever --stretch is [no end]")
    parser.add_argument("--data", help="folder that holds fashion_mnist/, for the full data [that of the package]")
    return parser.parse_args(arguments)


def find_data(root, names, given):
    """(folder of the full data or None, what is wrong with the given one or None)."""
    folder = os.path.join(root, full_data.BESIDE) if given is None else os.path.abspath(given)
    missing = full_data.find(folder, names)[1]
    if not missing:
        return folder, None
    return None, None if given is None else full_data.problem(folder, missing)


def why_not_begin(found, wrong_data):
    """(status, words) where the check cannot begin; else None."""
    if wrong_data:
        return 2, wrong_data
    missing = sorted(name for name, folder in found.libraries.items() if folder is None)
    if missing:
        return 2, (
            "not on this machine: %s. They are looked for in $CUDA_HOME/lib64, /usr/local/cuda/lib64 and "
            "the folders nvidia/*/lib of this Python's packages" % ", ".join(missing)
        )
    return (3, "there is no GPU: %s" % found.driver.problem) if found.driver.problem else None


def chosen(manifest, options):
    """The programs to run, group by group."""
    wanted = [
        program
        for program in manifest["programs"]
        if options.group in (None, program["group"]) and fnmatch.fnmatch(program["name"], options.only)
    ]
    return sorted(wanted, key=lambda program: GROUPS.index(program["group"]))


def run_all(runner, programs, on_result):
    """Runs them one after another. Returns the Stopped that ended it, or None."""
    waiting = collections.deque(programs)
    try:
        while waiting:
            runner.run(waiting.popleft())
            on_result()
    except Stopped as why:
        for program in waiting:
            runner.skip(program, str(why))
        return why
    return None


def status_of(results, judged):
    """0 where nothing failed, something passed and no promise is broken, else 1."""
    passed = any(result["result"] == PASSED for result in results)
    kept = all(line["verdict"] != verdicts.NOT_MET for line in judged)
    return 0 if passed and kept and all(result["result"] in FINE for result in results) else 1


class Record:
    """What is known of this run, on disk."""

    def __init__(self, output, archive, manifest, gave):
        self._output = output
        self._archive = archive
        self._manifest = manifest
        self._gave = gave

    def write(self):
        """The summary as of now, and the archive with it."""
        run = RunResults(self._output, self._manifest, self._gave["results"], self._gave["gpus"])
        self._gave["verdicts"] = verdicts.of_run(run)
        summary.write(self._output, self._gave)
        result_archive.write(self._output, self._archive)

    def try_to_write(self):
        """The same between programs: a disk that is full now does not end the run."""
        try:
            self.write()
        except OSError as error:
            print("[gpu_check] the results so far could not be written: %s" % error, file=sys.stderr)


def run_and_record(runner, programs, record):
    """The Stopped that ended it, or None. What ran is on disk then, whatever was raised."""
    try:
        return run_all(runner, programs, record.try_to_write)
    finally:
        runner.close()
        record.write()


def prepare(runner, gave, found):
    """Says what there is, to people and in the log, and keeps the driver awake."""
    text = summary.machine_text(gave, machine.output_of("nvidia-smi"))
    idle = driver.hold_context(found.driver.library)
    print("%s\n%s" % (text, idle or "a context is kept open"), flush=True)
    runner.write(text + "\n")


def refuse(record, gave, refused):
    status, gave["refused"] = refused
    print("[gpu_check] " + gave["refused"], file=sys.stderr)
    record.write()
    return status


def stop(number, _):
    """What follows a signal is short, and is not to be interrupted by a second one."""
    for each in (signal.SIGINT, signal.SIGTERM):
        signal.signal(each, signal.SIG_IGN)
    raise Stopped(number)


def main(arguments, root=os.path.dirname(os.path.abspath(__file__))):
    options = parse_arguments(arguments)
    output = os.path.abspath(options.output)
    os.makedirs(output, exist_ok=True)
    with open(os.path.join(root, "manifest.json"), encoding="utf-8") as stream:
        manifest = json.load(stream)
    data, wrong_data = find_data(root, manifest["data_files"], options.data)
    found = FoundMachine(
        machine.find_libraries(manifest["cuda_libraries"], machine.cuda_folders()), data, driver.load()
    )
    gave = {
        "commit": manifest["commit"],
        "machine": machine.describe(),
        "driver": found.driver.folder,
        "gpus": found.driver.gpus,
        "libraries": found.libraries,
        "data": data,
        "results": [],
    }
    archive = os.path.abspath(options.archive) if options.archive else output + ".tar.gz"
    record = Record(output, archive, manifest, gave)
    refused = why_not_begin(found, wrong_data)
    if refused:
        return refuse(record, gave, refused)
    runner = ProgramRunner(root, output, found, TimePlan(options.deadline, options.stretch))
    gave["results"] = runner.results
    prepare(runner, gave, found)
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, stop)
    stopped = run_and_record(runner, chosen(manifest, options), record)
    print("%s; see %s, all of it in %s" % (summary.totals(gave), os.path.join(output, "summary.md"), archive))
    return 128 + stopped.number if stopped else status_of(gave["results"], gave["verdicts"])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
