"""Runs the programs of an unpacked package one after another, each in its time."""
import importlib.util
import os
import signal
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree

from tools.gpu_check import machine
from tools.gpu_check.outcome import FAILED, LEFT_OUT, NOT_RUN, PASSED, SKIPPED, TIMED_OUT
from tools.gpu_check.time_plan import TimePlan


def count_cases(path):
    """(run, failed, skipped) of a GoogleTest report; None where there is none."""
    try:
        root = xml.etree.ElementTree.parse(path).getroot()
    except (OSError, xml.etree.ElementTree.ParseError):
        return None
    cases = list(root.iter('testcase'))
    failed = sum(case.find('failure') is not None for case in cases)
    skipped = sum(case.find('skipped') is not None or case.get('result') == 'skipped' for case in cases)
    return len(cases), failed, skipped


def data_folder(root):
    """Where the files that programs read lie, as Bazel's runfiles do."""
    return os.path.join(root, 'data', 'lockstep')


def make_environment(root, output, found, full_data):
    """Of programs: `found` says where CUDA's libraries are, `full_data` where the images are, or None."""
    folders = [os.path.join(root, 'lib')] + sorted({folder for folder in found.values() if folder})
    temporary = os.path.join(output, 'tmp')
    os.makedirs(temporary, exist_ok=True)
    runfiles = os.path.dirname(data_folder(root))
    return dict(os.environ, LD_LIBRARY_PATH=':'.join(folders), LOCKSTEP_REQUIRE_GPU='1', TEST_TMPDIR=temporary,
                RUNFILES_DIR=runfiles, TEST_SRCDIR=runfiles, **({'LOCKSTEP_DATA_DIR': full_data} if full_data else {}))


def remove(path):
    """Of a file that may be there from an earlier run."""
    if os.path.exists(path):
        os.remove(path)


def last_line(lines):
    """The last one that says something, or ''."""
    said = [line.strip() for line in lines if line.strip()]
    return said[-1][:200] if said else ''


def end_group(process):
    """Ends the program and what it started: nothing may use the GPU under the next one."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    process.wait()


class ProgramRunner:
    """`results` has a dictionary of each program so far, also of those that did not run."""

    def __init__(self, root, output, found, full_data, deadline):
        self._root = root
        self._output = output
        self._full_data = full_data
        self._environment = make_environment(root, output, found, full_data)
        self._plan = TimePlan(deadline)
        self._log = open(os.path.join(output, 'log.txt'), 'w+', encoding='utf-8', errors='replace')
        self.results = []

    def run_tests(self, names, together, each):
        """Runs GoogleTest programs, which have `together` seconds for all and at most `each` for one."""
        self._plan.reserve(together)
        for name in names:
            self._run_test(name, each)

    def _run_test(self, name, seconds):
        report = os.path.join(self._output, 'report.xml')
        remove(report)
        command = [self._binary(name), '--gtest_output=xml:' + report]
        result = self._run(name, command, min(seconds, self._plan.left()))
        cases = count_cases(report)
        if cases is not None:
            result['cases'], result['failed_cases'], result['skipped_cases'] = cases
            remove(report)
        elif result['result'] == PASSED:
            result.update(result=FAILED, why='it ended before its report')
        if result['result'] == PASSED and cases[2]:
            result.update(result=SKIPPED, why='%d cases were skipped' % cases[2])
        self._tell(result)

    def run_program(self, program):
        """Runs one entry of programs.json."""
        self._plan.reserve(program['seconds'])
        missing = self._missing(program)
        if missing:
            result = {'name': program['name'], 'result': LEFT_OUT, 'seconds': 0.0, 'why': missing}
            self.results.append(result)
        else:
            self._remove_old(program)
            environment = dict(self._environment)
            if 'script' in program:  # this Python has its own C++ library
                environment['LD_LIBRARY_PATH'] = os.environ.get('LD_LIBRARY_PATH', '')
            result = self._run(program['name'], self._command(program), self._plan.left(), environment,
                               fails_on_stderr='tool' not in program)
        self._tell(result)

    def _binary(self, name):
        return os.path.join(self._root, 'bin', name)

    def _missing(self, program):
        """What it needs that is not on this machine, in words."""
        if program.get('data') == 'full' and self._full_data is None:
            return 'the full data is not here: --data=FOLDER says where it is'
        if program.get('tool') and machine.find_tool(program['tool'][0]) is None:
            return '%s is not on this machine' % program['tool'][0]
        module = program.get('module')
        if module and importlib.util.find_spec(module) is None:
            return 'Python package %s is not on this machine' % module
        return None

    def _remove_old(self, program):
        """What an earlier run left in the folder must not be read as this one's."""
        for word in program['arguments']:
            _, written, name = word.rpartition('={output}/')
            if written:
                remove(os.path.join(self._output, name))

    def _command(self, program):
        places = {'{output}': self._output, '{bin}': os.path.join(self._root, 'bin'),
                  '{data}': data_folder(self._root), '{python}': sys.executable,
                  '{libraries}': self._environment['LD_LIBRARY_PATH']}
        arguments = []
        for word in program['arguments']:
            for place, path in places.items():
                word = word.replace(place, path)
            arguments.append(word)
        if 'script' in program:
            return [sys.executable, os.path.join(places['{data}'], program['script']), *arguments]
        tool = program.get('tool', [])
        prefix = [machine.find_tool(tool[0]), *tool[1:]] if tool else []
        return [*prefix, self._binary(program['binary']), *arguments]

    def _run(self, name, command, seconds, environment=None, fails_on_stderr=False):
        """GoogleTest and compute-sanitizer say on stdout what failed, beside what the program logs on stderr."""
        result = {'name': name, 'result': NOT_RUN, 'seconds': 0.0}
        self.results.append(result)
        if seconds <= 0:
            result['why'] = 'there was no time left'
            return result
        self._log.write('\n$ %s\n' % ' '.join(command))
        self._log.flush()
        before = self._log.seek(0, os.SEEK_END)
        start = time.monotonic()
        with tempfile.TemporaryFile('w+', encoding='utf-8', errors='replace') as errors:
            result['result'] = self._result_of(command, seconds, environment or self._environment, errors)
            result['seconds'] = round(time.monotonic() - start, 2)
            told = [self._read_log(before), self._append_to_log(errors)]
        if result['result'] != PASSED:
            first, second = map(last_line, reversed(told) if fails_on_stderr else told)
            result['why'] = first or second or 'it said nothing'
        return result

    def _result_of(self, command, seconds, environment, errors):
        try:
            process = subprocess.Popen(command, cwd=data_folder(self._root), env=environment,
                                       stdout=self._log, stderr=errors, start_new_session=True)
        except OSError as error:
            errors.write('%s\n' % error)
            return FAILED
        try:
            return PASSED if process.wait(timeout=seconds) == 0 else FAILED
        except subprocess.TimeoutExpired:
            return TIMED_OUT
        finally:
            end_group(process)

    def _read_log(self, start):
        self._log.seek(start)
        return self._log.readlines()

    def _append_to_log(self, errors):
        """What a program wrote to stderr, behind what it wrote to stdout."""
        errors.seek(0)
        lines = errors.readlines()
        self._log.seek(0, os.SEEK_END)
        self._log.writelines(lines)
        self._log.flush()
        return lines

    @staticmethod
    def _tell(result):
        print('%-10s %6.1f s  %s' % (result['result'], result['seconds'], result['name']), flush=True)

    def close(self):
        self._log.close()
