"""Reads conformance/operations.md: the steps, and what each wants and gives.

    steps = operations.parse(text)
    steps['dataset.batch'].arguments['size'].type     # 'integer'
"""
import collections
import re

Argument = collections.namedtuple('Argument', ['type', 'choices', 'optional'])
Step = collections.namedtuple('Step', ['arguments', 'gives_something'])

TYPES = {'name', 'value', 'literal', 'structure', 'names', 'values', 'bindings', 'integer', 'number', 'boolean',
         'text', 'choice', 'program', 'binding', 'result'}

HEADING = re.compile(r'### `([a-z]+\.[a-z_]+)`$')
ROW = re.compile(r'\| (\w+) \| ([^|]+) \| [^|]*\|$')


class Malformed(Exception):
    """The document does not follow its own form; the text says where."""


def parse(text):
    """Name -> Step for every heading of level 3, in order."""
    steps = {}
    for name, lines in _sections(text):
        if name in steps:
            raise Malformed('%s is described twice' % name)
        steps[name] = _parse_step(name, lines)
    if not steps:
        raise Malformed('no step is described')
    return steps


def _sections(text):
    name, lines = None, []
    for line in text.split('\n'):
        if not line.startswith('#'):
            lines.append(line)
            continue
        if name:
            yield name, lines
        match = HEADING.match(line)
        if line.startswith('###') and not match:
            raise Malformed('no name of a step: %s' % line)
        name, lines = match and match.group(1), []
    if name:
        yield name, lines


def _parse_step(name, lines):
    arguments = {}
    for line in lines:
        match = ROW.match(line)
        if match and match.group(1) != 'argument':
            arguments[match.group(1)] = _parse_type(name, match.group(2))
        elif line.startswith('|') and not match and not line.startswith('|---'):
            raise Malformed('%s: no row of arguments: %s' % (name, line))
    gives = [line for line in lines if line.startswith('Gives: ')]
    if len(gives) != 1:
        raise Malformed('%s: one line begins with "Gives: "' % name)
    return Step(arguments, not gives[0].startswith('Gives: nothing'))


def _parse_type(name, text):
    optional = bool(re.search('[,;] optional$', text))
    text = re.sub('[,;] optional$', '', text)
    kind, _, choices = text.partition(': ')
    if kind not in TYPES or (kind == 'choice') != bool(choices):
        raise Malformed('%s: unknown type %r' % (name, text))
    return Argument(kind, choices.split(', ') if choices else None, optional)
