"""Runs packed GPU tests and benchmarks, and writes one folder of results.

    python3 check.py --output=results            # everything
    python3 check.py --output=results --only='*nccl*'
    python3 check.py --output=results --data=datasets    # where the package came without the full data

Needs Python 3.8, a GPU with its driver, and CUDA's libraries in /usr/local/cuda or in PyTorch's wheels. What
compares with PyTorch needs a Python 3.10 with it, and is left out without; so is what needs compute-sanitizer,
and what needs the full Fashion-MNIST.
Writes summary.md and summary.json, both with a verdict on each promise for GPUs, log.txt with all that was
printed, and what the benchmarks wrote.
Exit status: 0 everything passed or was left out, 1 something did not pass or a promise is not met, 2 it could
not begin, 3 there is no GPU.
"""
import argparse
import fnmatch
import json
import os
import sys

from tools.gpu_check import full_data, machine, summary, verdicts
from tools.gpu_check.outcome import LEFT_OUT, PASSED
from tools.gpu_check.program_runner import ProgramRunner
from tools.gpu_check.run_results import RunResults


def parse_arguments(arguments):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--output', required=True, help='folder for the results; made when it is not there')
    parser.add_argument('--data', help='folder that holds fashion_mnist/, for the full data [that of the package]')
    parser.add_argument('--only', default='*', help='names to run, with * and ? [%(default)s]')
    parser.add_argument('--deadline', type=float, default=480, help='seconds for everything [%(default)s]')
    parser.add_argument('--each', type=float, default=60, help='seconds for one test at most [%(default)s]')
    return parser.parse_args(arguments)


def find_data(root, names, asked):
    """(folder of the full data or None, what is wrong with the one that was asked for or None)."""
    folder = os.path.join(root, full_data.BESIDE) if asked is None else os.path.abspath(asked)
    missing = full_data.find(folder, names)[1]
    if not missing:
        return folder, None
    return None, None if asked is None else full_data.problem(folder, missing)


def why_not_begin(found):
    """(status, words) where the check cannot begin; else None."""
    missing = sorted(name for name, folder in found.items() if folder is None)
    if missing:
        return 2, ('not on this machine: %s. They are looked for in $CUDA_HOME/lib64, /usr/local/cuda/lib64 and '
                   "the folders nvidia/*/lib of this Python's packages" % ', '.join(missing))
    no_gpu = machine.why_no_gpu()
    return (3, 'there is no GPU: %s' % no_gpu) if no_gpu else None


def run_all(runner, manifest, options):
    def chosen(name):
        return fnmatch.fnmatch(name, options.only)

    tests = list(filter(chosen, manifest['tests']))
    if tests:
        runner.run_tests(tests, manifest['tests_seconds'], options.each)
    for program in manifest['programs']:
        if chosen(program['name']):
            runner.run_program(program)
    runner.close()
    return runner.results


def status_of(results, judged):
    """0 where nothing failed, something passed and no promise is broken, else 1."""
    passed = any(result['result'] == PASSED for result in results)
    kept = all(line['verdict'] != verdicts.NOT_MET for line in judged)
    return 0 if passed and kept and all(result['result'] in (PASSED, LEFT_OUT) for result in results) else 1


def main(arguments, root=os.path.dirname(os.path.abspath(__file__))):
    options = parse_arguments(arguments)
    output = os.path.abspath(options.output)
    os.makedirs(output, exist_ok=True)
    with open(os.path.join(root, 'manifest.json'), encoding='utf-8') as stream:
        manifest = json.load(stream)
    found = machine.find_libraries(manifest['cuda_libraries'], machine.cuda_folders())
    data, wrong_data = find_data(root, manifest['data_files'], options.data)
    gave = {'commit': manifest['commit'], 'machine': machine.describe(), 'libraries': found, 'data': data,
            'results': []}
    refused = (2, wrong_data) if wrong_data else why_not_begin(found)
    if refused:
        status, gave['refused'] = refused
        print('[gpu_check] ' + gave['refused'], file=sys.stderr)
    else:
        gave['results'] = run_all(ProgramRunner(root, output, found, data, options.deadline), manifest, options)
    gave['verdicts'] = verdicts.of_run(RunResults(output, manifest, gave['results']))
    summary.write(output, gave)
    if refused:
        return status
    print('%s; see %s' % (summary.told(gave), os.path.join(output, 'summary.md')))
    return status_of(gave['results'], gave['verdicts'])


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
