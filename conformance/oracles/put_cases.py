"""Puts some of the cases to a framework's testee, by //conformance:run."""
import json
import os
import tempfile

from conformance.oracles import judge


def put(files, wanted, name, title, place):
    """The result of the cases whose ids are `wanted`, which is also written to `place`. Errors: judge.NotRun.

    `files` is what agreements.load_case_files gave. How far it is goes to stderr, behind `title`.
    """
    with tempfile.TemporaryDirectory() as folder:
        for path, document in files:
            write_some(os.path.join(folder, path), document, wanted)
        judge.run(['--testee=' + name, '--cases=' + folder, '--json=' + os.path.abspath(place),
                   '--jobs=%d' % judge.JOBS], wanted, title, judge.own_environment())
    with open(place, encoding='utf-8') as stream:
        return json.load(stream)


def write_some(path, document, wanted):
    """The file with the wanted cases alone; no file without one."""
    cases = [case for case in document['cases'] if case['id'] in wanted]
    if cases:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, 'w', encoding='utf-8') as stream:
            json.dump({'topic': document['topic'], 'cases': cases}, stream)
