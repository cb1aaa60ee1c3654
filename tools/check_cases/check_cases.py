"""Fails where a conformance case is malformed, unsourced, vague or not written as others are.

    ./bazelw run //tools/check_cases              prints one line a problem:
        conformance/cases/input/rebatch.json: input/rebatch/x: states: no full stop at the end
    ./bazelw run //tools/check_cases -- --fix     rewrites files that are only written differently
"""
import json
import os
import re
import struct
import sys

import jsonschema

from tools import source_tree
from tools.check_cases import case_format
from tools.check_cases import check_conventions
from tools.check_cases import operations
from tools.check_cases import sentence
from tools.check_cases.program_check import ProgramCheck

FOLDER = 'conformance'
AREAS = {'strategy', 'input', 'values', 'reduce', 'loss', 'gradient', 'optimizer', 'metrics', 'variables',
         'checkpoint', 'export', 'training', 'callbacks', 'preprocessing', 'precision', 'multi_worker',
         'parameter_server', 'tf1', 'liveness', 'errors'}
LEVELS = ['required', 'recommended', 'decision', 'observed']
# What a case of a level has to cite one of.
CITED_KINDS = {'required': 'document', 'recommended': 'document', 'decision': 'decision'}
DECISIONS = 'docs/design.md'
LONGEST_CLAIM = 60


def case_files(root):
    """Paths relative to root, sorted; in a test's runfiles they are links."""
    return sorted(os.path.relpath(os.path.join(folder, name), root)
                  for folder, _, names in os.walk(os.path.join(root, FOLDER, 'cases'))
                  for name in names if name.endswith('.json'))


def files_beside(root):
    """The other files that are written in the same form."""
    folder = os.path.join(FOLDER, 'deviations')
    names = os.listdir(os.path.join(root, folder)) if os.path.isdir(os.path.join(root, folder)) else []
    paths = ['%s/%s.json' % (FOLDER, name) for name in ('sources', 'conventions', 'testees')]
    paths += sorted(os.path.join(folder, name) for name in names if name.endswith('.json'))
    return [path for path in paths if os.path.exists(os.path.join(root, path))]


class CaseChecks:
    """Checks all cases below root/conformance; `problems` holds the texts."""

    def __init__(self, root):
        self._root = root
        self._schema = self._read_json('schemas/case_file.schema.json')
        self._sources = self._read_sources()
        self._conventions = check_conventions.load_values(root)
        self._steps = operations.parse(self._read('operations.md'))
        self._used_steps = set()
        self._places = {}  # (kind, text that is unique) -> where it stands
        self._cited = set()
        self._decisions = self._read_decisions()
        self.problems = []

    def run(self):
        for path in case_files(self._root):
            self._check_file(path)
        for step in self._steps:
            if step not in self._used_steps:
                self.problems.append('%s/operations.md: no case uses %s' % (FOLDER, step))
        for source in self._sources:
            if source not in self._cited:
                self.problems.append('%s/sources.json: no case cites %s' % (FOLDER, source))
        return self.problems

    def _read(self, path):
        with open(os.path.join(self._root, FOLDER, path), encoding='utf-8') as stream:
            return stream.read()

    def _read_json(self, path):
        return case_format.load(self._read(path))

    def _read_sources(self):
        document = self._read_json('sources.json')
        jsonschema.validate(document, self._read_json('schemas/sources.schema.json'))
        return {source['id']: source for source in document['sources']}

    def _read_decisions(self):
        """The headings of the file of decisions, as GitHub makes anchors of them."""
        path = os.path.join(self._root, DECISIONS)
        if not os.path.exists(path):
            return set()
        with open(path, encoding='utf-8') as stream:
            headings = re.findall('^#+ (.*)$', stream.read(), re.MULTILINE)
        return {re.sub(r'[^\w -]', '', heading.lower()).replace(' ', '-') for heading in headings}

    def _check_file(self, path):
        text = self._read(os.path.relpath(path, FOLDER))
        try:
            document = case_format.load(text)
        except ValueError as error:
            self.problems.append('%s: %s' % (path, error))
            return
        errors = sorted(jsonschema.Draft7Validator(self._schema).iter_errors(document), key=str)
        for error in errors:
            place = ''.join('[%s]' % json.dumps(step) for step in error.absolute_path)
            self.problems.append('%s: at %s: %s' % (path, place, error.message[:200]))
        if errors:
            return
        if text != case_format.dump(document):
            self.problems.append('%s: not written as the tool writes it: '
                                 './bazelw run //tools/check_cases -- --fix' % path)
        self._once('topic', document['topic'], path, lambda text: self.problems.append('%s: %s' % (path, text)))
        for case in document['cases']:
            self._check_case(path, case)

    def _check_case(self, path, case):
        def problem(text):
            self.problems.append('%s: %s: %s' % (path, case['id'], text))
        self._check_id(path, case, problem)
        self._check_states(path, case, problem)
        self._check_cites(case, problem)
        program = ProgramCheck(self._steps, case['given'])
        program.run(case['program'])
        self._used_steps |= program.used_steps
        for text in program.problems:
            problem(text)
        check_expectations(case, program.observations, sorted(program.used_steps), problem)
        check_when(case['expect'], self._conventions, problem)

    def _once(self, kind, text, path, problem):
        place = self._places.setdefault((kind, text), path)
        if place is not path:
            problem('the %s stands in %s too: %s' % (kind, place, text))
        else:
            self._places[(kind, text)] = str(path) + ' '

    def _check_id(self, path, case, problem):
        prefix = path[len(FOLDER + '/cases/'):-len('.json')] + '/'
        claim = case['id'].split('/')[-1]
        self._once('id', case['id'], path, problem)
        if case['id'] != prefix + claim:
            problem('the id does not follow its file, wanted %s<claim>' % prefix)
        if prefix.split('/')[0] not in AREAS:
            problem('no area: %s' % prefix.split('/')[0])
        if len(claim) > LONGEST_CLAIM:
            problem('the claim is longer than %d characters' % LONGEST_CLAIM)

    def _check_states(self, path, case, problem):
        states = case['states']
        self._once('statement', states, path, problem)
        for text in sentence.problems(states):
            problem('states: ' + text)

    def _check_cites(self, case, problem):
        kinds = set()
        for cite in case['cites']:
            source = self._sources.get(cite['source'])
            if not source:
                problem('cites: unknown source %s' % cite['source'])
                continue
            self._cited.add(cite['source'])
            kinds.add(source['kind'])
            if 'anchors' in source and cite['anchor'] not in source['anchors']:
                problem('cites: %s has no anchor %s' % (cite['source'], cite['anchor']))
            pattern = source.get('anchor_pattern')
            if pattern and not re.fullmatch(pattern, cite['anchor']):
                problem('cites: no anchor of %s: %s' % (cite['source'], cite['anchor']))
            if source['kind'] == 'decision' and cite['anchor'] not in self._decisions:
                problem('cites: %s has no heading #%s' % (DECISIONS, cite['anchor']))
        levels = {case['level']} | {expectation.get('level', case['level']) for expectation in case['expect']}
        for level in sorted(levels & set(CITED_KINDS)):
            if CITED_KINDS[level] not in kinds:
                problem('cites: what is of level %s cites a %s' % (level, CITED_KINDS[level]))


def _steps_that_may_fail(expectation):
    steps = expectation.get('at_step', [])
    return [steps] if isinstance(steps, str) else steps


def check_expectations(case, observations, used_steps, problem):
    """What the schema cannot say of a case's expectations."""
    levels = []
    named = set()
    for expectation in case['expect']:
        levels.append(expectation.get('level', case['level']))
        if LEVELS.index(levels[-1]) < LEVELS.index(case['level']):
            problem('expect: %s is more than the case\'s level' % levels[-1])
        other = expectation.get('same_as', {}).get('observation')
        for name in filter(None, (expectation.get('observation'), other)):
            named.add(name)
            if name not in observations:
                problem("expect: no step observes '%s'" % name)
        for number in _numbers(expectation.get('equals')):
            if not _is_exact(number):
                problem('expect: %r is no float32, so nothing equals it: use close' % number)
    if case['level'] not in levels:
        problem('expect: nothing is %s' % case['level'])
    for expectation in case['expect']:
        for step in _steps_that_may_fail(expectation):
            if step not in used_steps:
                problem('expect: the program has no step %s' % step)
    for name in observations:
        if name not in named:
            problem("nothing is expected of the observation '%s'" % name)
        if observations.count(name) > 1:
            problem("'%s' is observed by two steps" % name)


def check_when(expectations, conventions, problem):
    """Whom each expectation is for; beside an error there is nothing else for the same testees."""
    for expectation in expectations:
        for text in check_conventions.when_problems(expectation.get('when', {}), conventions):
            problem('expect: ' + text)
        others = [other for other in expectations if other is not expectation]
        if 'error' in expectation and not all(check_conventions.exclude_each_other(
                expectation.get('when', {}), other.get('when', {})) for other in others):
            problem('expect: nothing but the error of a program that ends with one')


def _numbers(value):
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        for item in value:
            yield from _numbers(item)
    elif isinstance(value, float):
        yield value


def _is_exact(number):
    return struct.unpack('f', struct.pack('f', number))[0] == number


def check(root):
    return CaseChecks(root).run()


def fix(root):
    """Rewrites case files in their right form. Returns no problems."""
    for path in case_files(root) + files_beside(root):
        place = os.path.join(root, path)
        with open(place, encoding='utf-8') as stream:
            text = stream.read()
        formatted = case_format.dump(case_format.load(text))
        if formatted != text:
            with open(place, 'w', encoding='utf-8') as stream:
                stream.write(formatted)
    return []


if __name__ == '__main__':
    sys.exit(source_tree.run(fix if '--fix' in sys.argv[1:] else check))
