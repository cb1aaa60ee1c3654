"""Judges whether a candidate is slower than a baseline: runs both in turns, or takes recordings of such runs.

./bazelw run //benchmarks:gate -- --help shows how; live/gate_options.py has the text.
"""
import os
import sys

from benchmarks.gate import recording_file, verdict
from benchmarks.gate.live import calibration_run, gate_options, gate_session
from benchmarks.gate.live.process.patience import Interrupted
from benchmarks.gate.report import history_files, report_files
from reports import command

CANNOT_JUDGE = 2


def judge_file(path):
    """(Verdict, Recordings, Calibration or None) of a file."""
    taken, calibration = recording_file.load(path if path == '-' else command.user_path(path))
    return verdict.judge(taken, calibration), taken, calibration


def run(options):
    """Does what the options say and reports it; the exit status, where it was interrupted the shell's for that."""
    if gate_options.is_history(options):
        return history_files.write(options)
    files = report_files.ReportFiles(options)
    record = command.output(options.record)
    try:
        if options.calibrate:
            return calibration_run.run(options, os.environ, record)
        judged = (gate_session.run(options, os.environ, record) if options.judge is None else judge_file(options.judge))
    except Interrupted as interrupted:
        print(f'[gate] stopped by {interrupted}', file=sys.stderr)
        return interrupted.exit_status
    files.write_all(*judged)
    return judged[0].exit_status


def main(arguments=None):
    """Exit status, as --help says; errors are told on stderr."""
    options = gate_options.parse(arguments)
    return command.run(lambda: run(options), on_error=CANNOT_JUDGE)


if __name__ == '__main__':
    sys.exit(main())
