"""Tests how a job survives a fault of a worker: rounds of a fault and a restart, checked and measured.

./bazelw run //benchmarks/faults -- --help shows how; fault_options.py has the text.
"""

import dataclasses
import datetime
import json
import os
import platform
import subprocess
import sys
import tempfile
import time

from benchmarks.faults import fault_options, fault_round, figures, implementations, leftovers, round_check
from benchmarks.gate.process import machine
from benchmarks.gate.process.budget import Budget, Interrupted, Interruption, Progress
from reports import command
from reports.json_file import ReportError

CANNOT_RUN = 2
# How often a run without a fault is measured before the rounds.
UNDISTURBED_RUNS = 2
# Added to the stated timeouts, for busy machines.
SLACK = 10.0


class CannotRun(ReportError):
    """Nothing to test: the workers do not finish even without a fault."""


def worker_command(implementation, options, directory, has_fault):
    """A worker's command. Only a job with a fault gets timeouts that a busy machine may exceed by itself."""
    timeouts = [options.timeout, options.join_timeout] if has_fault else [0, 0]
    return [
        *implementation.command,
        f"--directory={directory}",
        f"--epochs={options.epochs}",
        f"--save_every={options.save_every}",
        f"--timeout={timeouts[0]:g}",
        f"--join_timeout={timeouts[1]:g}",
    ]


def limit_of(implementation, options):
    """Seconds after a fault by which all must have ended."""
    if options.limit is not None:
        return options.limit
    timeout = options.timeout or implementation.own_timeout
    if timeout is None:
        return fault_options.LONGEST
    return max(timeout + implementations.HEARTBEAT, options.join_timeout) + SLACK


def prepare(name, options, budget):
    """The Conditions of an implementation's rounds. Errors: CannotRun, Interrupted."""
    implementation = implementations.find(name, options.worker)
    conditions = fault_round.Conditions(
        implementation=implementation,
        budget=budget,
        limit=limit_of(implementation, options),
        reference=None,
        lengths={},
        command=lambda directory, has_fault: worker_command(implementation, options, directory, has_fault),
    )
    for size in sorted(set(options.workers)):
        # The first one finds nothing in memory yet; how long it takes matters where moments are drawn by time.
        for _ in range(1 if options.after else UNDISTURBED_RUNS):
            conditions = _after_undisturbed_run(conditions, size)
    return conditions


def _after_undisturbed_run(conditions, size):
    """With the run's length, and its numbers where they are the first."""
    with tempfile.TemporaryDirectory(prefix="lockstep-faults-") as folder:
        with fault_round.start(conditions, size, os.path.join(folder, "train"), folder, fault_round.UNDISTURBED) as job:
            job.watch(conditions.budget, lambda: not job.running(), fault_round.LONGEST_RUN)
            job.kill()
        if not all(worker.status == 0 and worker.last("ended") for worker in job.workers):
            raise CannotRun(
                "\n".join(
                    [
                        f"[faults] {size} workers do not get through without a fault:",
                        *fault_round.last_words(fault_round.UNDISTURBED, job),
                    ]
                )
            )
    reference = conditions.reference or round_check.Reference.of(job.workers[0])
    problems = [problem for worker in job.workers for problem in round_check.of_words(worker, reference)]
    problems += leftovers.of_processes(job.mark, job.ports)
    if problems:
        raise CannotRun(f"[faults] {size} workers without a fault: {problems[0]}")
    first_words = max(worker.events[0]["time"] for worker in job.workers) - job.started
    length = max(worker.ended_at for worker in job.workers) - job.started
    return dataclasses.replace(
        conditions, reference=reference, lengths=conditions.lengths | {size: (first_words, length)}
    )


class Report:
    """What the rounds found, on the terminal and in a file."""

    def __init__(self, options):
        self._options, self._rounds, self._failed = options, [], 0
        self._progress = Progress()
        self._output = command.output(options.json)
        self._begun = time.monotonic()
        self._date = datetime.datetime.now().astimezone().isoformat(timespec="seconds")

    def prepare(self, name):
        self._progress.show(f"{name}: runs without a fault ...")

    def add(self, outcome):
        """Reports a round; failures stay on the terminal."""
        self._rounds.append(outcome)
        plan = outcome.plan
        what = (
            f"{outcome.program}: worker {plan.target} of {plan.workers} {plan.fault} in {outcome.phase or 'no phase'}"
        )
        if outcome.problems:
            self._failed += 1
            self._progress.say(
                f"round {plan.number}: {what}, then {plan.restarted} workers; again with "
                f"--seed={self._options.seed} --only={plan.number}"
            )
            for problem in outcome.problems:
                self._progress.say(f"  {problem}")
        total = self._options.rounds * len(self._options.implementation)
        self._progress.show(
            f"[{len(self._rounds)}/{total}] {what}; {self._failed} failed, {time.monotonic() - self._begun:.0f} s"
        )

    def finish(self, complete):
        """The exit status."""
        self._progress.clear()
        with_fault = sum(bool(outcome.phase) for outcome in self._rounds)
        print(figures.table(self._rounds))
        print(
            f"{len(self._rounds)} rounds, {with_fault} with a fault before the end, {self._failed} failed; "
            f"seed {self._options.seed}, {time.monotonic() - self._begun:.0f} s"
        )
        self._output.write(json.dumps(self._result(complete), indent=1) + "\n")
        return 1 if self._failed else 0

    def _result(self, complete):
        described = {name: value for name, value in vars(self._options).items() if name != "json"}
        found = machine.fingerprint()
        context = {
            "date": self._date,
            "machine": platform.machine(),
            "cpu_model": found["cpu"],
            "num_cpus": os.cpu_count(),
            "gpus": [],
            "suite": "faults",
            "options": described,
            "rounds": len(self._rounds),
            "failed": self._failed,
            "complete": complete,
        }
        problems = {
            f"round {outcome.plan.number} of {outcome.program}": "\n".join(outcome.problems)
            for outcome in self._rounds
            if outcome.problems
        }
        return {
            "context": context,
            "benchmarks": figures.entries(self._rounds),
            "hung": figures.hangs(self._rounds),
            "problems": problems,
        }


def run(options):
    """The exit status."""
    report = Report(options)
    with Interruption() as interruption:
        budget = Budget(float("inf"), interruption)
        try:
            conditions = []
            for name in options.implementation:
                report.prepare(name)
                conditions.append(prepare(name, options, budget))
            for number in [options.only] if options.only else range(1, options.rounds + 1):
                plan = fault_round.draw(number, options.seed, options.faults, options.workers, options.after or "")
                for each in conditions:
                    report.add(fault_round.run(plan, each))
        except Interrupted as interrupted:
            print(f"[faults] stopped by {interrupted}", file=sys.stderr)
            report.finish(complete=False)
            return interrupted.exit_status
        except subprocess.CalledProcessError as error:
            raise CannotRun(f"[faults] {error}") from error
    return report.finish(complete=True)


def main(arguments=None):
    """Exit status, as --help says; errors go to stderr."""
    options = fault_options.parse(arguments)
    return command.run(lambda: run(options), on_error=CANNOT_RUN)


if __name__ == "__main__":
    sys.exit(main())
