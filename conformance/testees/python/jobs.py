"""Programs that consist of jobs: operations.md, `job.run`."""

import tempfile

from conformance.testees.python.child_process import call_in_child
from conformance.testees.python.errors import ProgramError
from conformance.testees.python.failure import reply_or_failure

JOB = "job.run"


def has_jobs(program):
    """Whether a program is a list of jobs. Raises ProgramError where it has other steps too."""
    jobs = [step for step in program if step["step"] == JOB]
    if jobs and len(jobs) < len(program):
        raise ProgramError("a program with jobs consists of jobs")
    return bool(jobs)


def answer_jobs(testee, request):
    """The reply to a request of jobs, each run as a program in a process of its own.

    They share the program's folder. The first that does not end well is the reply.
    """
    observations = {}
    with tempfile.TemporaryDirectory(prefix="lockstep-jobs-") as folder:
        for job in request["program"]:
            part = _request_of(job, request, folder)
            reply = call_in_child(lambda part=part: reply_or_failure(lambda: testee.answer(part)))
            if "observations" not in reply:
                return reply
            observations |= reply["observations"]
    return {"observations": observations}


def _request_of(job, request, folder):
    most = request["given"].get("replicas", 1)
    replicas = job["replicas"]
    if not 1 <= replicas <= most:
        raise ProgramError(f"{JOB} has 1 to {most} replicas, as given, got {replicas}")
    given = request["given"] | {"replicas": replicas}
    return request | {"given": given, "program": job["program"], "folder": folder}
