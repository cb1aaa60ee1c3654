"""The command of a side: its words, the file that they start, and the surroundings it starts in."""
import hashlib
import os
import shlex
import shutil

from benchmarks.gate.recording import GateError, Side

# Bazel tells these to the gate and means the gate's own files.
BAZELS_OWN = ('BUILD_WORKING_DIRECTORY', 'BUILD_WORKSPACE_DIRECTORY', 'JAVA_RUNFILES', 'PYTHON_RUNFILES',
              'RUNFILES_DIR', 'RUNFILES_MANIFEST_FILE', 'RUNFILES_MANIFEST_ONLY', 'TEST_SRCDIR')


def words(text, option):
    """The words of a text as a shell would split it. Errors: GateError for an open quote."""
    try:
        return tuple(shlex.split(text))
    except ValueError as error:
        raise GateError(f'[gate] {option}={text!r}: {error}; wanted words as a shell reads them') from error


def command(text, option):
    """The words of a command. Errors: GateError for none, and for an open quote."""
    found = words(text, option)
    if not found:
        raise GateError(f'[gate] {option} is empty; wanted a command')
    return found


def users_folder(environment):
    """Where the user is, who may have come by `bazel run`."""
    return environment.get('BUILD_WORKING_DIRECTORY') or os.getcwd()


def side(command_words, folder, commit=''):
    """The Side of a command that is started in `folder`; one that is not found has no digest, and does not start."""
    path = _file(command_words, folder)
    return Side(command_words, commit, hashlib.sha256(_content(path)).hexdigest() if path else '')


def is_program(command_words, folder):
    """Whether there is a program of the first word's name."""
    return _file(command_words, folder) is not None


def is_result(command_words, folder):
    """Whether the words of a side are the name of a result, a JSON file."""
    return (len(command_words) == 1 and command_words[0].endswith('.json')
            and os.path.isfile(os.path.join(folder, command_words[0])))


def same_program(baseline, candidate, folder):
    """Whether both commands have the same words behind one program: one file, or copies of one.

    Copies of a script may differ in what lies beside them.
    """
    first, second = (_file(each, folder) for each in (baseline, candidate))
    if baseline[1:] != candidate[1:] or None in (first, second):
        return False
    if os.path.samefile(first, second):
        return True
    content = _content(first)
    return content == _content(second) and not content.startswith(b'#!')


def _content(path):
    with open(path, 'rb') as file:
        return file.read()


def surroundings(environment):
    """subprocess.Popen's options for a side: the user's folder, and the environment without what is the gate's."""
    kept = {name: value for name, value in environment.items() if name not in BAZELS_OWN}
    own = environment.get('RUNFILES_DIR')
    paths = environment.get('PYTHONPATH', '').split(os.pathsep)
    users = [path for path in paths if path and not (own and os.path.realpath(path).startswith(os.path.realpath(own)))]
    kept.pop('PYTHONPATH', None)
    if users:
        kept['PYTHONPATH'] = os.pathsep.join(users)
    return {'cwd': users_folder(environment), 'env': kept}


def _file(command_words, folder):
    """The file that the first word names, as execvp finds it; None where there is none."""
    name = command_words[0]
    if os.sep in name:
        name = os.path.join(folder, name)
    return shutil.which(name)
