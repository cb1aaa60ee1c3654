"""Has TensorBoard's two readers and TensorFlow's read event files of ours.

  ./bazelw build //examples:write_events
  FRAMEWORKS_PYTHON=$(python3 third_party/frameworks/make_venv.py)
  $FRAMEWORKS_PYTHON -m benchmarks.peers.files.read_events --ours=bazel-bin/examples/write_events

TensorBoard's Python reader is asked in this process, its default one, which is written in
Rust, over HTTP. Printed is a line a reader and kind of value. Exit status: 0 when all of
them saw what was written.
"""

import argparse
import contextlib
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import time
import urllib.parse
import urllib.request

FIRST_RUN, SECOND_RUN = range(5), range(3, 7)
START_SECONDS = 60


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ours", type=pathlib.Path, required=True, metavar="PROGRAM")
    return parser.parse_args()


def losses(steps, run):
    return [[step, 1 / (step + run)] for step in steps]


def close(got, wanted):
    """The same steps, and values that are equal in float32."""
    return len(got) == len(wanted) and all(
        a[0] == b[0] and abs(a[1] - b[1]) < 1e-7 for a, b in zip(got, wanted, strict=True)
    )


def evenly_spread(buckets, step):
    """Thirty buckets of two elements each: 0, 1, ..., 59 times the step."""
    if step == 0:
        return [bucket[2] for bucket in buckets] == [0] * 29 + [60]
    return [bucket[2] for bucket in buckets] == [2] * 30 and buckets[0][0] == 0 and buckets[-1][1] == 59 * step


def read_in_python(folder):
    """Checks of TensorBoard's Python reader, which shows every file's values."""
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
    from tensorboard.util import tensor_util

    accumulator = EventAccumulator(str(folder), size_guidance={"tensors": 0})
    accumulator.Reload()
    scalars = [
        [event.step, float(tensor_util.make_ndarray(event.tensor_proto))] for event in accumulator.Tensors("loss")
    ]
    histograms = [
        (event.step, tensor_util.make_ndarray(event.tensor_proto).tolist()) for event in accumulator.Tensors("weights")
    ]
    texts = [tensor_util.make_ndarray(event.tensor_proto).tolist() for event in accumulator.Tensors("notes")]
    yield "scalars", close(scalars, losses(FIRST_RUN, 1) + losses(SECOND_RUN, 2))
    yield "histograms", all(evenly_spread(rows, step) for step, rows in histograms)
    yield "texts", texts == [[b"run **1**"], [b"run **2**"]]


@contextlib.contextmanager
def serving(folder):
    """The address of a TensorBoard over the folder, whose reader is the Rust one."""
    command = [sys.executable, "-m", "tensorboard.main", "--logdir", str(folder)]
    command += ["--port", "0", "--load_fast", "true"]
    server = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    try:
        for line in server.stderr:
            found = re.search(r"http://\S+", line)
            if found:
                yield found.group(0)
                return
        sys.exit("[read_events] TensorBoard did not start")
    finally:
        server.terminate()
        server.wait()


def ask(address, plugin, tag=None):
    query = "?" + urllib.parse.urlencode({"run": ".", "tag": tag}) if tag else ""
    name = {"scalars": "scalars", "histograms": "histograms", "text": "text"}[plugin]
    url = urllib.parse.urljoin(address, f"data/plugin/{plugin}/{'tags' if not tag else name}")
    with urllib.request.urlopen(url + query, timeout=10) as reply:
        return json.load(reply)


def read_over_http(folder):
    """Checks of the Rust reader, which shows of a step the last run that had it."""
    with serving(folder) as address:
        deadline = time.monotonic() + START_SECONDS
        while not ask(address, "text") and time.monotonic() < deadline:
            time.sleep(0.2)
        scalars = [point[1:] for point in ask(address, "scalars", "loss")]
        histograms = [point[1:] for point in ask(address, "histograms", "weights")]
        texts = [point["text"] for point in ask(address, "text", "notes")]
    yield "scalars", close(scalars, losses(range(3), 1) + losses(SECOND_RUN, 2))
    yield "histograms", all(evenly_spread(rows, step) for step, rows in histograms)
    yield "texts", ["<strong>" in text for text in texts] == [True, True]


def read_in_tensorflow(folder):
    """Checks of TensorFlow's reader of one file after the other."""
    from tensorflow.compat.v1.train import summary_iterator

    scalars, versions = [], 0
    for file in sorted(folder.iterdir()):
        for event in summary_iterator(str(file)):
            versions += event.file_version == "brain.Event:2"
            for value in event.summary.value:
                if value.tag == "loss":
                    scalars.append([event.step, value.tensor.float_val[0]])
    yield "versions", versions == 2
    yield "scalars", close(scalars, losses(FIRST_RUN, 1) + losses(SECOND_RUN, 2))


def main():
    arguments = parse_arguments()
    readers = {
        "TensorBoard, Python": read_in_python,
        "TensorBoard, Rust": read_over_http,
        "TensorFlow": read_in_tensorflow,
    }
    all_good = True
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([arguments.ours.resolve(), folder], check=True)
        for name, read in readers.items():
            for kind, good in read(pathlib.Path(folder)):
                print(f"{name}: {kind} {'as written' if good else 'DIFFER'}", flush=True)
                all_good = all_good and good
    return 0 if all_good else 1


if __name__ == "__main__":
    sys.exit(main())
