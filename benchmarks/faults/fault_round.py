"""One round: start a job, inject a fault into one of its workers, and restart the job, which must finish."""

import dataclasses
import os
import random
import tempfile
import time

from benchmarks.faults import leftovers, round_check
from benchmarks.faults.injection import FAULTS
from benchmarks.faults.job import Job

# A run without a fault that takes longer counts as hung.
LONGEST_RUN = 300.0
# A fault happens at most this long before its target's first event.
BEFORE_START = 0.05
FAULTED, RESTARTED, UNDISTURBED = "faulted", "restarted", "undisturbed"
# A worker's last event -> what it is doing.
PHASES = {
    "started": "joining",
    "joined": "steps",
    "step": "steps",
    "saving": "saving",
    "saved": "steps",
    "trained": "ending",
    "ended": "ending",
}


@dataclasses.dataclass(frozen=True)
class Plan:
    """The plan of a round, drawn before it."""

    number: int
    fault: str
    workers: int
    target: int
    restarted: int  # workers of the second job
    moment: float  # 0 to 1: when, from the first words to the end
    after: str = ""  # or at one of the target's events of that name, `moment` says which


def draw(number, seed, faults, workers, after=""):
    """The same plan for the same numbers, whichever rounds came before."""
    generator = random.Random(f"{seed}/{number}")
    size = generator.choice(workers)
    return Plan(
        number,
        generator.choice(faults),
        size,
        generator.randrange(size),
        generator.choice(workers),
        generator.random(),
        after,
    )


@dataclasses.dataclass
class Round:
    """The outcome of a plan. Times in seconds; None where there is nothing to measure."""

    plan: Plan
    program: str
    phase: str = ""  # of the target: starting, or one of PHASES; '' where it had ended before
    problems: list = dataclasses.field(default_factory=list)
    hung: bool = False
    detected: float = None  # from the fault to the last other worker's error
    resumed: float = None  # from the restart to the first new step
    starting: float = None  # of that, until all programs ran
    steps_lost: int = None


@dataclasses.dataclass(frozen=True)
class Conditions:
    """The conditions of all rounds of an implementation.

    `command(directory, has_fault)`: a worker's words; `limit`: seconds within which all must have ended after a
    fault;
    `lengths`: number of workers -> seconds until a run's first words, and in all.
    """

    implementation: object
    command: object
    limit: float
    budget: object
    reference: round_check.Reference
    lengths: dict


def run(plan, conditions):
    """A Round. Errors: Interrupted, OSError. It leaves nothing behind in any case."""
    outcome = Round(plan, conditions.implementation.name)
    with tempfile.TemporaryDirectory(prefix="lockstep-faults-") as folder:
        directory = os.path.join(folder, "train")
        os.mkdir(directory)
        first = _faulted_job(outcome, conditions, directory, folder)
        second = _restarted_job(outcome, first, conditions, directory, folder)
        outcome.problems += [
            f"[checkpoints] {problem}"
            for problem in leftovers.of_checkpoints(directory, conditions.implementation.files)
        ]
        _measure_resumption(outcome, first, second)
        if outcome.problems:
            outcome.problems += last_words(FAULTED, first) + last_words(RESTARTED, second)
    return outcome


def start(conditions, num_workers, directory, folder, name):
    """A Job of that name, FAULTED or another; its files are in a folder of that name."""
    logs = os.path.join(folder, name)
    os.mkdir(logs)
    return Job(conditions.command(directory, name == FAULTED), num_workers, f"{os.getpid()}{logs}", logs)


def _faulted_job(outcome, conditions, directory, folder):
    plan, budget = outcome.plan, conditions.budget
    with start(conditions, plan.workers, directory, folder, FAULTED) as job:
        target = job.workers[plan.target]
        _await_moment(job, target, plan, conditions)
        others = [worker for worker in job.workers if worker is not target]
        fault = FAULTS[plan.fault](job, plan.target)
        fault_at, was_running = time.monotonic(), target.running
        fault.begin()
        limit = conditions.limit
        noticed = job.watch(budget, lambda: not any(worker.running for worker in others), limit, fault.tick)
        fault.end()
        if noticed:  # a process that was killed ends at once, one that wakes has as long as the others
            job.watch(budget, lambda: not target.running, limit)
        silent = {
            index: time.monotonic() - fault_at
            for index, worker in enumerate(job.workers)
            if worker.running and (noticed or worker is not target)
        }
        job.kill()
    outcome.hung = bool(silent)
    if was_running:
        outcome.phase = _phase(target, fault_at)
        _measure_detection(outcome, others, fault_at)
    elif target.status != 0:
        outcome.problems.append(f"[{FAULTED}] worker {plan.target} ended before its fault")
    spared = plan.target if was_running and not (fault.wakes and noticed) else None
    outcome.problems += [
        f"[{FAULTED}] {problem}"
        for problem in round_check.of_faulted(job, spared, silent, conditions)
        + leftovers.of_processes(job.mark, job.ports)
    ]
    return job


def _restarted_job(outcome, first, conditions, directory, folder):
    with start(conditions, outcome.plan.restarted, directory, folder, RESTARTED) as job:
        job.watch(conditions.budget, lambda: not job.running(), LONGEST_RUN)
        silent = {index: LONGEST_RUN for index, worker in enumerate(job.workers) if worker.running}
        job.kill()
    may_be = round_check.may_be_restored(first.workers)
    outcome.problems += [
        f"[{RESTARTED}] {problem}"
        for problem in round_check.of_resumed(job, silent, may_be, conditions)
        + leftovers.of_processes(job.mark, job.ports)
    ]
    return job


def _await_moment(job, target, plan, conditions):
    if plan.after:
        wanted = int(plan.moment * conditions.reference.count(plan.after)) + 1
        job.watch(conditions.budget, lambda: not target.running or target.count(plan.after) >= wanted, LONGEST_RUN)
        return
    first_words, end = conditions.lengths[plan.workers]
    earliest = max(0.0, first_words - BEFORE_START)
    job.watch(conditions.budget, lambda: not job.running(), earliest + plan.moment * (end - earliest))


def _phase(target, fault_at):
    before = [event["event"] for event in target.events if event["time"] <= fault_at and event["event"] in PHASES]
    return PHASES[before[-1]] if before else "starting"


def _measure_detection(outcome, others, fault_at):
    errors = [worker.last("error") for worker in others]
    if errors and all(errors):
        outcome.detected = max(error["time"] for error in errors) - fault_at


def _times(job, name):
    return [event["time"] for worker in job.workers for event in worker.events if event["event"] == name]


def _steps(job, *names):
    return [event["step"] for worker in job.workers for event in worker.events if event["event"] in names]


def _measure_resumption(outcome, first, second):
    if steps := _times(second, "step"):
        outcome.resumed = min(steps) - second.started
        outcome.starting = max(_times(second, "started")) - second.started
    if restored := _steps(second, "joined"):
        outcome.steps_lost = max(_steps(first, "step"), default=0) - min(restored)


def last_words(name, job):
    """The last event of each worker, and the end of its stderr."""
    lines = []
    for index, worker in enumerate(job.workers):
        said = worker.events[-1] if worker.events else "nothing"
        lines.append(f"  [{name}] worker {index}: status {worker.status}, said {said}")
        with open(worker.log, encoding="utf-8", errors="replace") as log:
            lines += [f"    {line.rstrip()}" for line in log.readlines()[-3:]]
    return lines
