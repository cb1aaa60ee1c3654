"""All workers of a job, started together, and watched until they have ended or the time is over."""

import json
import os
import time

from benchmarks.faults.worker_process import MARK, WorkerProcess
from processes.ports import free_ports


class Job:
    """A context manager: whatever happens, its processes have ended after it.

    `command`: the command line, the same for all workers; TF_CONFIG identifies each. `folder`: for their stderr.
    Errors: OSError.
    """

    def __init__(self, command, num_workers, mark, folder):
        self.ports = free_ports(num_workers)
        self.mark = mark
        self.workers = []
        self.started = time.monotonic()
        try:
            for index in range(num_workers):
                log = os.path.join(folder, f"worker{index}.log")
                self.workers.append(WorkerProcess(command, self._environment(index), log))
        except BaseException:
            self.kill()
            raise

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.kill()

    def _environment(self, index):
        addresses = [f"127.0.0.1:{port}" for port in self.ports]
        task = {"type": "worker", "index": index}
        config = json.dumps({"cluster": {"worker": addresses}, "task": task})
        # Connections between workers must not go through a proxy.
        kept = {name: value for name, value in os.environ.items() if not name.lower().endswith("_proxy")}
        return {**kept, "TF_CONFIG": config, MARK: self.mark}

    def watch(self, budget, until, seconds, tick=None):
        """Reads the workers' events until `until()` holds; whether it did within so many seconds.

        `tick`: called regularly, returns the seconds until the next call. Errors: Interrupted.
        """
        end = time.monotonic() + seconds
        while not until():
            left = end - time.monotonic()
            if left <= 0:
                return False
            pause = min(left, tick()) if tick else left
            ready = budget.wait([file for worker in self.workers for file in worker.files()], pause)
            for worker in self.workers:
                worker.read(ready)
        return True

    def running(self):
        return [worker for worker in self.workers if worker.running]

    def kill(self):
        for worker in self.workers:
            worker.kill()
