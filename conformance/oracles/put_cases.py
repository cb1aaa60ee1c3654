"""Puts some of the cases to a framework's testee, by //conformance:run."""
import json
import os
import subprocess
import sys
import tempfile
import time

JUDGE = 'conformance/run'
COULD_NOT_RUN = 2
# A framework computes with threads of its own, and on a crowded machine its answers come too late.
JOBS = max(1, (os.cpu_count() or 1) // 2)


class NotPut(Exception):
    """The cases could not be put; the text is the end of what the judge said."""


def put(files, wanted, name, title, place):
    """The result of the cases whose ids are `wanted`, which is also written to `place`. Raises NotPut.

    `files` is what agreements.load_case_files gave. How far it is goes to stderr, behind `title`, in a single line where that is no terminal.
    """
    with tempfile.TemporaryDirectory() as folder:
        for path, document in files:
            write_some(os.path.join(folder, path), document, wanted)
        # A folder that `bazel run` names would take the place of ours.
        environment = {key: value for key, value in os.environ.items() if key != 'BUILD_WORKING_DIRECTORY'}
        command = [os.path.abspath(JUDGE), '--testee=' + name, '--cases=' + folder, '--json=' + place, '--verbose',
                   '--jobs=%d' % JOBS]
        with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              text=True) as judge:
            said = follow(judge.stdout, wanted, title)
    if judge.returncode >= COULD_NOT_RUN:
        raise NotPut('[Record] %s: %s' % (name, ''.join(said[-20:])))
    with open(place, encoding='utf-8') as stream:
        return json.load(stream)


def write_some(path, document, wanted):
    """The file with the wanted cases alone; no file without one."""
    cases = [case for case in document['cases'] if case['id'] in wanted]
    if cases:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, 'w', encoding='utf-8') as stream:
            json.dump({'topic': document['topic'], 'cases': cases}, stream)


def follow(lines, wanted, title):
    """Tells how many of the cases the lines have told of, as it goes on where a person looks; returns the lines."""
    started, done, said = time.monotonic(), 0, []

    def tell(lead, end):
        print('%s%s: %d of %d cases, %d s' % (lead, title, done, len(wanted), time.monotonic() - started), end=end,
              file=sys.stderr, flush=True)
    looked_at = sys.stderr.isatty()
    for line in lines:
        said.append(line)
        done += line.split(':')[0] in wanted
        if looked_at:
            tell('\r', '')
    tell('\r' * looked_at, '\n')
    return said
