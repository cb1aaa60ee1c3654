"""Steps that are the same for every framework: the program itself, and its files."""

import os
import time

from conformance.testees.python.errors import ProgramError, StepError
from conformance.testees.python.jobs import JOB
from conformance.testees.python.step_table import StepTable
from conformance.testees.python.worker_steps import is_worker

steps = StepTable()

MOST_ROUNDS = 1_000_000  # operations.md


@steps.step("program.repeat")
def repeat(call):
    rounds, times = [], call.integer("times")
    if not 0 <= times <= MOST_ROUNDS:
        wanted = f"0 to {MOST_ROUNDS} times"
        raise ProgramError(f"program.repeat runs {wanted}, got {times}")
    for counter in range(times):
        names = {call.argument("as"): counter} if call.has("as") else {}
        rounds.append(call.inner(**names))
        call.run_block(rounds[-1])
    call.observe_rounds(rounds)


@steps.step("program.when")
def when(call):
    if bool(call.value("of")):
        call.run_block(call.inner())


@steps.step("program.try")
def try_(call):
    try:
        call.run_block_here()
    except StepError as error:
        return error.error_class
    return None


@steps.step(JOB)
def run_job(call):
    raise ProgramError(f"{JOB} stands at the top of a program, not in a block")


@steps.step("program.pause")
def pause(call):
    if not call.has("worker") or is_worker(call):
        time.sleep(call.argument("seconds"))


@steps.step("file.list")
def files(call):
    return sorted(os.listdir(call.path(call.argument("folder"))))


@steps.step("file.newest")
def newest(call):
    folder = call.path(call.argument("folder"))
    entries = [entry for entry in os.scandir(folder) if entry.is_file()]
    if not entries:
        raise FileNotFoundError(f"no file is in {folder}")
    return call.relative(max(entries, key=lambda entry: entry.stat().st_ctime_ns).path)


@steps.step("file.flip_byte")
def flip_byte(call):
    path, at = call.path(call.argument("file")), call.argument("at")
    with open(path, "r+b") as stream:
        content = bytearray(stream.read())
        content[at] ^= 0xFF
        stream.seek(0)
        stream.write(content)
