"""The gate as a user starts it, on the program of process/paced_program_testing.py, for tests."""
import contextlib
import io
import os
import shlex
import tempfile
from unittest import mock

from benchmarks.gate import gate, recording_file
from benchmarks.gate.live.process.process_testing import ProcessTest


class Ran:
    """How the gate ended, as subprocess tells it."""

    def __init__(self, arguments):
        with contextlib.redirect_stdout(io.StringIO()) as out, contextlib.redirect_stderr(io.StringIO()) as error:
            self.returncode = gate.main(arguments)
        self.stdout, self.stderr = out.getvalue(), error.getvalue()


class LiveGateCase(ProcessTest):
    """Within this process: loading the statistics takes a second."""

    def setUp(self):
        super().setUp()
        os.mkdir(self.path('tmp'))
        for patch in (mock.patch.dict(os.environ, BUILD_WORKING_DIRECTORY=self.folder, TMPDIR=self.path('tmp'),
                                      XDG_CACHE_HOME=self.path('cache')),
                      mock.patch.object(tempfile, 'tempdir', self.path('tmp'))):
            patch.start()
            self.addCleanup(patch.stop)

    def words(self, *options, baseline=(), candidate=()):
        sides = [f'--{side}={shlex.join(self.program(*words))}'
                 for side, words in (('baseline', baseline), ('candidate', candidate))]
        return [*sides, '--arguments=', *options]

    def gate(self, *options, **sides):
        return self.run_gate(*self.words(*options, **sides))

    def run_gate(self, *arguments):
        ran = Ran(arguments)
        self.assertEqual(os.listdir(self.path('tmp')), [], 'temporary files are left')
        return ran

    def recorded(self, name='r.json'):
        return recording_file.load(self.path(name))[0]
