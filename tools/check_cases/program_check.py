"""Checks that a program says what operations.md allows, with names that exist."""
import json

# Names bound in these blocks stay visible behind them.
TRANSPARENT = {'strategy.scope', 'gradient.tape', 'program.try'}
# Nobody can say how often, or where, these blocks run.
WITHOUT_OBSERVATIONS = {'dataset.map', 'strategy.merge_call', 'manager.create'}
OWN_FIELDS = {'let', 'observe', 'step'}
GIVEN_NAMES = {'mirrored': {'strategy'}, 'default': set()}


class ProgramCheck:
    """Walks one program. `problems`: texts; `used_steps`, `observations`: names."""

    def __init__(self, steps, given):
        self._steps = steps
        self._given = set(GIVEN_NAMES[given['strategy']])
        self._unread = {}
        self.problems = []
        self.used_steps = set()
        self.observations = []

    def run(self, program, path='program'):
        self._block(program, path, set(self._given))
        for name, place in self._unread.items():
            self.problems.append("%s: '%s' is never used" % (place, name))

    def _block(self, program, path, names):
        """Checks steps in order; `names` grows with what they bind."""
        for index, step in enumerate(program):
            self._step(step, '%s[%d]' % (path, index), names)

    def _step(self, step, path, names):
        name = step['step']
        if name not in self._steps:
            self._problem(path, 'unknown step %s' % name)
            return
        self.used_steps.add(name)
        spec = self._steps[name]
        self._arguments(step, spec, path)
        inner = names if name in TRANSPARENT else set(names)
        self._outer_names(step, spec, path, names)
        inner |= self._bindings(step, spec)
        if 'program' in step:
            before = len(self.observations)
            self._block(step['program'], path + '.program', inner)
            if name in WITHOUT_OBSERVATIONS and len(self.observations) > before:
                self._problem(path, 'the block of %s observes nothing' % name)
        self._inner_names(step, spec, path, inner)
        self._results(step, spec, path, names)

    def _arguments(self, step, spec, path):
        for argument in step:
            if argument not in spec.arguments and argument not in OWN_FIELDS:
                self._problem(path, "%s has no argument '%s'" % (step['step'], argument))
        for argument, wanted in spec.arguments.items():
            if argument in step:
                if not _fits(step[argument], wanted):
                    self._problem(path, '%s is no %s: %s' % (
                        argument, _describe(wanted), json.dumps(step[argument])))
            elif not wanted.optional:
                self._problem(path, "the argument '%s' is missing" % argument)

    def _bindings(self, step, spec):
        bound = set()
        for argument, wanted in spec.arguments.items():
            if argument not in step:
                continue
            if wanted.type == 'binding':
                bound.add(step[argument])
            elif wanted.type == 'bindings' and 'program' in spec.arguments:
                bound |= set(step[argument])
        return bound

    def _outer_names(self, step, spec, path, names):
        for argument, wanted in spec.arguments.items():
            if argument in step and not self._is_inner(step, argument, wanted):
                self._check_names(_names_in(step[argument], wanted.type), path, names)

    def _inner_names(self, step, spec, path, names):
        for argument, wanted in spec.arguments.items():
            if argument in step and self._is_inner(step, argument, wanted):
                self._check_names(_names_in(step[argument], wanted.type), path, names)

    @staticmethod
    def _is_inner(step, argument, wanted):
        """Seen from behind the block: what it returns, and a tape's target."""
        return wanted.type == 'result' or (step['step'] == 'gradient.tape' and argument == 'target')

    def _check_names(self, used, path, names):
        for name in used:
            root = name.split('.')[0]
            self._unread.pop(root, None)
            if root not in names:
                self._problem(path, "nothing is called '%s' here" % root)

    def _results(self, step, spec, path, names):
        for field in ('let', 'observe'):
            if field in step and not spec.gives_something:
                self._problem(path, '%s gives nothing to %s' % (step['step'], field))
        if 'let' in step:
            names.add(step['let'])
            if 'observe' not in step:
                self._unread[step['let']] = path
        if 'observe' in step:
            self.observations.append(step['observe'])

    def _problem(self, path, text):
        self.problems.append('%s: %s' % (path, text))


def _describe(wanted):
    if wanted.choices:
        return 'choice of %s' % ', '.join(wanted.choices)
    return wanted.type


def _is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _is_literal(value, texts=False):
    if isinstance(value, list):
        return all(_is_literal(item, texts) for item in value)
    return _is_number(value) or isinstance(value, bool) or (texts and isinstance(value, str))


def _is_literal_structure(value):
    if isinstance(value, dict):
        return bool(value) and all(_is_literal_structure(item) for item in value.values())
    return _is_literal(value, texts=True)


def _is_value(value):
    return isinstance(value, str) or _is_literal(value)


def _is_names(value):
    return isinstance(value, list) and all(isinstance(item, str) for item in value)


def _is_result(value):
    if isinstance(value, dict):
        return bool(value) and all(_is_result(item) for item in value.values())
    return isinstance(value, str) or (isinstance(value, list) and all(_is_result(item) for item in value))


_FITS = {
    'name': lambda v: isinstance(v, str),
    'value': _is_value,
    'literal': _is_literal_structure,
    'structure': lambda v: _is_value(v) or _is_result(v),
    'names': _is_names,
    'values': lambda v: isinstance(v, list) and all(_is_value(item) for item in v),
    'bindings': lambda v: isinstance(v, dict) and all(_is_value(item) for item in v.values()),
    'integer': lambda v: isinstance(v, (int, str)) and not isinstance(v, bool),
    'number': _is_number,
    'boolean': lambda v: isinstance(v, bool),
    'text': lambda v: isinstance(v, str),
    'program': lambda v: isinstance(v, list) and bool(v),
    'binding': lambda v: isinstance(v, str),
    'result': _is_result,
}


def _fits(value, wanted):
    if wanted.choices:
        return value in wanted.choices
    return _FITS[wanted.type](value)


_NAMING = {'name', 'value', 'structure', 'names', 'values', 'bindings', 'integer', 'result'}


def _names_in(value, kind):
    """The names that an argument of this type uses."""
    if kind not in _NAMING:
        return []
    if isinstance(value, str):
        return [value]
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        return [name for item in value for name in _names_in(item, kind)]
    return []
