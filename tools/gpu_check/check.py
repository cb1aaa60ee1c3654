"""Runs packed GPU tests and benchmarks, and writes one folder of results.

    python3 check.py --output=results            # everything
    python3 check.py --output=results --only='*nccl*'

Needs Python 3.8, a GPU with its driver, and CUDA's libraries in /usr/local/cuda or in PyTorch's wheels.
Writes summary.md and summary.json, log.txt with all that was printed, and what the benchmarks wrote.
Exit status: 0 everything passed, 1 something did not, 2 it could not begin.
"""
import argparse
import fnmatch
import glob
import json
import os
import platform
import subprocess
import sys
import time
import xml.etree.ElementTree

PASSED, FAILED, SKIPPED, TIMED_OUT, NOT_RUN = 'passed', 'failed', 'skipped', 'timed out', 'not run'


def parse_arguments(arguments):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--output', required=True, help='folder for the results; made when it is not there')
    parser.add_argument('--only', default='*', help='names to run, with * and ? [%(default)s]')
    parser.add_argument('--deadline', type=float, default=480, help='seconds for everything [%(default)s]')
    parser.add_argument('--each', type=float, default=120, help='seconds for one test at most [%(default)s]')
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
            'kernel': platform.release(), 'cpus': os.cpu_count(), 'python': platform.python_version()}


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


class Check:
    """Runs programs of the package `root` one after another, as long as there is time."""

    def __init__(self, root, output, environment, deadline, each):
        self._root = root
        self._output = output
        self._environment = environment
        self._end = time.monotonic() + deadline
        self._each = each
        self._log = open(os.path.join(output, 'log.txt'), 'w', encoding='utf-8')
        self.results = []

    def run_test(self, name):
        report = os.path.join(self._output, 'report.xml')
        result = self._run(name, name, ['--gtest_output=xml:' + report], self._each)
        cases = count_cases(report)
        if cases is not None:
            result['cases'], result['failed_cases'], result['skipped_cases'] = cases
            os.remove(report)
        elif result['result'] == PASSED:
            result['result'] = FAILED  # it ended before its report
        if result['result'] == PASSED and cases[2]:
            result['result'] = SKIPPED

    def run_program(self, program):
        arguments = [word.replace('{output}', self._output) for word in program['arguments']]
        self._run(program['name'], program['binary'], arguments, program['seconds'])

    def _run(self, name, binary, arguments, seconds):
        result = {'name': name, 'result': NOT_RUN, 'seconds': 0.0}
        self.results.append(result)
        seconds = min(seconds, self._end - time.monotonic())
        if seconds > 0:
            start = time.monotonic()
            result['result'] = self._result_of([os.path.join(self._root, 'bin', binary), *arguments], seconds)
            result['seconds'] = round(time.monotonic() - start, 2)
        print('%-10s %6.1f s  %s' % (result['result'], result['seconds'], name), flush=True)
        return result

    def _result_of(self, command, seconds):
        self._log.write('\n$ %s\n' % ' '.join(command))
        self._log.flush()
        try:
            done = subprocess.run(command, cwd=os.path.join(self._root, 'data'), env=self._environment,
                                  stdout=self._log, stderr=subprocess.STDOUT, timeout=seconds)
        except subprocess.TimeoutExpired:
            return TIMED_OUT
        return PASSED if done.returncode == 0 else FAILED

    def close(self):
        self._log.close()


def make_environment(root, output, found):
    folders = [os.path.join(root, 'lib')] + sorted({folder for folder in found.values() if folder})
    temporary = os.path.join(output, 'tmp')
    os.makedirs(temporary, exist_ok=True)
    return dict(os.environ, LD_LIBRARY_PATH=':'.join(folders), LOCKSTEP_REQUIRE_GPU='1', TEST_TMPDIR=temporary,
                TEST_SRCDIR=os.path.join(root, 'data'))


def summary_text(summary):
    lines = ['# GPU check of %s' % summary['commit'], '', *('- ' + gpu for gpu in summary['machine']['gpus']), '',
             '| program | result | seconds | cases | failed | skipped |', '|---|---|---|---|---|---|']
    for result in summary['results']:
        lines.append('| %s | %s | %.1f | %s | %s | %s |' % (
            result['name'], result['result'], result['seconds'],
            *(result.get(key, '') for key in ('cases', 'failed_cases', 'skipped_cases'))))
    return '\n'.join(lines) + '\n'


def write_summary(output, summary):
    with open(os.path.join(output, 'summary.json'), 'w', encoding='utf-8') as stream:
        json.dump(summary, stream, indent=2)
        stream.write('\n')
    with open(os.path.join(output, 'summary.md'), 'w', encoding='utf-8') as stream:
        stream.write(summary_text(summary))


def run_all(root, manifest, options, found):
    check = Check(root, options.output, make_environment(root, options.output, found), options.deadline, options.each)
    for name in manifest['tests']:
        if fnmatch.fnmatch(name, options.only):
            check.run_test(name)
    for program in manifest['programs']:
        if fnmatch.fnmatch(program['name'], options.only):
            check.run_program(program)
    check.close()
    return check.results


def main(arguments, root=os.path.dirname(os.path.abspath(__file__))):
    options = parse_arguments(arguments)
    options.output = os.path.abspath(options.output)
    os.makedirs(options.output, exist_ok=True)
    with open(os.path.join(root, 'manifest.json'), encoding='utf-8') as stream:
        manifest = json.load(stream)
    found = find_libraries(manifest['cuda_libraries'], cuda_folders())
    if missing := sorted(name for name, folder in found.items() if folder is None):
        print('[gpu_check] not on this machine: %s. They are looked for in $CUDA_HOME/lib64, /usr/local/cuda/lib64 and '
              "the folders nvidia/*/lib of this Python's packages" % ', '.join(missing), file=sys.stderr)
        return 2
    results = run_all(root, manifest, options, found)
    write_summary(options.output, {'commit': manifest['commit'], 'machine': machine(), 'libraries': found,
                                   'results': results})
    passed = sum(result['result'] == PASSED for result in results)
    print('%d of %d passed; see %s' % (passed, len(results), os.path.join(options.output, 'summary.md')))
    return 0 if results and passed == len(results) else 1


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
