"""Runs packed GPU tests and benchmarks, and writes one folder of results.

    python3 check.py --output=results            # everything
    python3 check.py --output=results --only='*nccl*'

Needs Python 3.8, a GPU with its driver, and CUDA's libraries in /usr/local/cuda or in PyTorch's wheels. What
compares with PyTorch needs a Python 3.10 with it, and is left out without; so is what needs compute-sanitizer.
Writes summary.md and summary.json, log.txt with all that was printed, and what the benchmarks wrote.
Exit status: 0 everything passed or was left out, 1 something did not pass, 2 it could not begin, 3 there is no GPU.
"""
import argparse
import ctypes
import fnmatch
import glob
import importlib.util
import json
import os
import platform
import shutil
import signal
import subprocess
import sys
import time
import xml.etree.ElementTree

PASSED, FAILED, SKIPPED, TIMED_OUT, NOT_RUN = 'passed', 'failed', 'skipped', 'timed out', 'not run'
LEFT_OUT = 'left out'  # what it needs is not on this machine: no failure


def parse_arguments(arguments):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--output', required=True, help='folder for the results; made when it is not there')
    parser.add_argument('--only', default='*', help='names to run, with * and ? [%(default)s]')
    parser.add_argument('--deadline', type=float, default=480, help='seconds for everything [%(default)s]')
    parser.add_argument('--each', type=float, default=60, help='seconds for one test at most [%(default)s]')
    return parser.parse_args(arguments)


def cuda_folders(search=None):
    """Folders that may hold CUDA's libraries: an installation's, and those of PyTorch's wheels."""
    folders = [os.path.join(os.environ[name], 'lib64') for name in ('CUDA_HOME',) if name in os.environ]
    folders.append('/usr/local/cuda/lib64')
    for folder in search or sys.path:
        folders += sorted(glob.glob(os.path.join(folder, 'nvidia', '*', 'lib')))
    return [folder for folder in folders if os.path.isdir(folder)]


def find_libraries(names, folders):
    """Name -> the first folder that holds it, or None."""
    return {name: next((folder for folder in folders if os.path.exists(os.path.join(folder, name))), None)
            for name in names}


def find_tool(name):
    """The path of one of CUDA's programs, or None."""
    folders = [os.environ.get('PATH', '')] + [os.path.join(os.environ[variable], 'bin')
                                              for variable in ('CUDA_HOME',) if variable in os.environ]
    folders.append('/usr/local/cuda/bin')
    for folder in sys.path:
        folders += sorted(glob.glob(os.path.join(folder, 'nvidia', '*', 'bin')))
    return shutil.which(name, path=os.pathsep.join(folders))


def why_no_gpu():
    """Why the driver shows no GPU, in words; None where it shows one."""
    try:
        driver = ctypes.CDLL('libcuda.so.1')
    except OSError as error:
        return 'no driver: %s' % error
    count = ctypes.c_int(0)
    status = driver.cuInit(0) or driver.cuDeviceGetCount(ctypes.byref(count))
    if status != 0:
        return 'the driver answers with error %d' % status
    return None if count.value > 0 else 'the driver counts 0 GPUs'


def output_of(*command):
    """What a command prints, or why it printed nothing."""
    try:
        return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              timeout=60).stdout.strip()
    except (OSError, subprocess.TimeoutExpired) as error:
        return str(error)


def machine():
    """What the results were made on."""
    query = '--query-gpu=name,driver_version,memory.total,compute_cap'
    return {'gpus': output_of('nvidia-smi', query, '--format=csv,noheader').splitlines(),
            'kernel': platform.release(), 'cpus': os.cpu_count(), 'python': platform.python_version(),
            'torch': output_of(sys.executable, '-c', 'import torch; print(torch.__version__)').splitlines()[-1:]}


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


class Check:
    """Runs programs of the package `root` one after another, as long as there is time."""

    def __init__(self, root, output, environment, deadline):
        self._root = root
        self._output = output
        self._environment = environment
        self._end = time.monotonic() + deadline
        self._log = open(os.path.join(output, 'log.txt'), 'w+', encoding='utf-8', errors='replace')
        self.results = []

    def run_test(self, name, seconds):
        """Runs one GoogleTest program; returns the seconds it took."""
        report = os.path.join(self._output, 'report.xml')
        result = self._run(name, [self._binary(name), '--gtest_output=xml:' + report], seconds)
        cases = count_cases(report)
        if cases is not None:
            result['cases'], result['failed_cases'], result['skipped_cases'] = cases
            os.remove(report)
        elif result['result'] == PASSED:
            result.update(result=FAILED, why='it ended before its report')
        if result['result'] == PASSED and cases[2]:
            result.update(result=SKIPPED, why='%d cases were skipped' % cases[2])
        self._tell(result)
        return result['seconds']

    def run_program(self, program):
        """Runs one entry of programs.json."""
        missing = self._missing(program)
        if missing:
            result = {'name': program['name'], 'result': LEFT_OUT, 'seconds': 0.0, 'why': missing}
            self.results.append(result)
        else:
            environment = dict(self._environment)
            if 'script' in program:  # this Python has its own C++ library
                environment['LD_LIBRARY_PATH'] = os.environ.get('LD_LIBRARY_PATH', '')
            result = self._run(program['name'], self._command(program), program['seconds'], environment)
        self._tell(result)

    def _binary(self, name):
        return os.path.join(self._root, 'bin', name)

    @staticmethod
    def _missing(program):
        """What it needs that is not on this machine, in words."""
        if program.get('tool') and find_tool(program['tool'][0]) is None:
            return '%s is not on this machine' % program['tool'][0]
        module = program.get('module')
        if module and importlib.util.find_spec(module) is None:
            return 'Python package %s is not on this machine' % module
        return None

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
        prefix = [find_tool(tool[0]), *tool[1:]] if tool else []
        return [*prefix, self._binary(program['binary']), *arguments]

    def _run(self, name, command, seconds, environment=None):
        result = {'name': name, 'result': NOT_RUN, 'seconds': 0.0}
        self.results.append(result)
        left = self._end - time.monotonic()
        if min(seconds, left) <= 0:
            result['why'] = 'there was no time left'
            return result
        self._log.write('\n$ %s\n' % ' '.join(command))
        self._log.flush()
        before = self._log.seek(0, os.SEEK_END)
        start = time.monotonic()
        result['result'] = self._result_of(command, min(seconds, left), environment or self._environment)
        result['seconds'] = round(time.monotonic() - start, 2)
        if result['result'] != PASSED:
            result['why'] = self._last_line(before)
        return result

    def _result_of(self, command, seconds, environment):
        try:
            process = subprocess.Popen(command, cwd=data_folder(self._root), env=environment,
                                       stdout=self._log, stderr=subprocess.STDOUT, start_new_session=True)
        except OSError as error:
            self._log.write('%s\n' % error)
            self._log.flush()
            return FAILED
        try:
            return PASSED if process.wait(timeout=seconds) == 0 else FAILED
        except subprocess.TimeoutExpired:
            return TIMED_OUT
        finally:
            end_group(process)

    def _last_line(self, start):
        """The last line that says something of what was logged since."""
        self._log.seek(start)
        lines = [line.strip() for line in self._log if line.strip()]
        self._log.seek(0, os.SEEK_END)
        return lines[-1][:200] if lines else 'it said nothing'

    @staticmethod
    def _tell(result):
        print('%-10s %6.1f s  %s' % (result['result'], result['seconds'], result['name']), flush=True)

    def close(self):
        self._log.close()


def end_group(process):
    """Ends the program and what it started: nothing may use the GPU under the next one."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    process.wait()


def make_environment(root, output, found):
    folders = [os.path.join(root, 'lib')] + sorted({folder for folder in found.values() if folder})
    temporary = os.path.join(output, 'tmp')
    os.makedirs(temporary, exist_ok=True)
    return dict(os.environ, LD_LIBRARY_PATH=':'.join(folders), LOCKSTEP_REQUIRE_GPU='1', TEST_TMPDIR=temporary,
                RUNFILES_DIR=os.path.dirname(data_folder(root)), TEST_SRCDIR=os.path.dirname(data_folder(root)))


def summary_text(summary):
    lines = ['# GPU check of %s' % summary['commit'], '', *('- ' + gpu for gpu in summary['machine']['gpus']), '',
             '| program | result | seconds | cases | failed | skipped | why |', '|---|---|---|---|---|---|---|']
    if 'refused' in summary:
        lines[2:2] = ['**Nothing was run**: ' + summary['refused'], '']
    for result in summary['results']:
        lines.append('| %s | %s | %.1f | %s | %s | %s | %s |' % (
            result['name'], result['result'], result['seconds'],
            *(result.get(key, '') for key in ('cases', 'failed_cases', 'skipped_cases')),
            result.get('why', '').replace('|', '\\|')))
    return '\n'.join(lines) + '\n'


def write_summary(output, summary):
    with open(os.path.join(output, 'summary.json'), 'w', encoding='utf-8') as stream:
        json.dump(summary, stream, indent=2)
        stream.write('\n')
    with open(os.path.join(output, 'summary.md'), 'w', encoding='utf-8') as stream:
        stream.write(summary_text(summary))


def run_all(root, manifest, options, found):
    check = Check(root, options.output, make_environment(root, options.output, found), options.deadline)
    left = manifest['tests_seconds']
    for name in manifest['tests']:
        if fnmatch.fnmatch(name, options.only):
            left -= check.run_test(name, min(options.each, left))
    for program in manifest['programs']:
        if fnmatch.fnmatch(program['name'], options.only):
            check.run_program(program)
    check.close()
    return check.results


def status_of(results):
    """0 where nothing failed and something passed, else 1."""
    passed = any(result['result'] == PASSED for result in results)
    return 0 if passed and all(result['result'] in (PASSED, LEFT_OUT) for result in results) else 1


def tell(results, output):
    counts = {}
    for result in results:
        counts[result['result']] = counts.get(result['result'], 0) + 1
    told = ', '.join('%d %s' % (count, result) for result, count in counts.items())
    print('%s; see %s' % (told or 'nothing was run', os.path.join(output, 'summary.md')))


def why_not_begin(found):
    """(status, words) where the check cannot begin; else None."""
    missing = sorted(name for name, folder in found.items() if folder is None)
    if missing:
        return 2, ('not on this machine: %s. They are looked for in $CUDA_HOME/lib64, /usr/local/cuda/lib64 and '
                   "the folders nvidia/*/lib of this Python's packages" % ', '.join(missing))
    no_gpu = why_no_gpu()
    return (3, 'there is no GPU: %s' % no_gpu) if no_gpu else None


def main(arguments, root=os.path.dirname(os.path.abspath(__file__))):
    options = parse_arguments(arguments)
    options.output = os.path.abspath(options.output)
    os.makedirs(options.output, exist_ok=True)
    with open(os.path.join(root, 'manifest.json'), encoding='utf-8') as stream:
        manifest = json.load(stream)
    found = find_libraries(manifest['cuda_libraries'], cuda_folders())
    summary = {'commit': manifest['commit'], 'machine': machine(), 'libraries': found, 'results': []}
    refused = why_not_begin(found)
    if refused:
        status, summary['refused'] = refused
        print('[gpu_check] ' + summary['refused'], file=sys.stderr)
        write_summary(options.output, summary)
        return status
    summary['results'] = run_all(root, manifest, options, found)
    write_summary(options.output, summary)
    tell(summary['results'], options.output)
    return status_of(summary['results'])


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
