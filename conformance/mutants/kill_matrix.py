"""Which case notices which planted bug."""
import collections
import dataclasses
import os

import jinja2

KILLED, SURVIVED, DOES_NOT_BUILD = 'killed', 'survived', 'does not build'


@dataclasses.dataclass
class Row:
    """What became of one mutant."""
    mutant: object
    killed_by: list = dataclasses.field(default_factory=list)  # ids of cases, sorted
    build_error: str = ''

    @property
    def result(self):
        if self.build_error:
            return DOES_NOT_BUILD
        return KILLED if self.killed_by else SURVIVED

    @property
    def not_by(self):
        """Cases that the mutant's file names and that did not notice."""
        return [case for case in self.mutant.killed_by if case not in self.killed_by]

    @property
    def as_named(self):
        return self.result == KILLED and not self.not_by

    def count_by_topic(self):
        """Topic -> how many of its cases noticed."""
        return collections.Counter(case.rsplit('/', 1)[0] for case in self.killed_by)


def compare(mutant, baseline, results):
    """The row of a mutant whose run gave `results`, where the reference gave `baseline`."""
    return Row(mutant, sorted(case for case in baseline if results.get(case) != baseline[case]))


def summary(rows):
    counts = collections.Counter(row.result for row in rows)
    return ', '.join('%d %s' % (counts[result], result) for result in (KILLED, SURVIVED, DOES_NOT_BUILD))


def describe(row):
    """One line for the terminal."""
    if row.result == KILLED:
        text = 'killed by %d cases' % len(row.killed_by)
    else:
        text = row.result
    if row.result == KILLED and row.not_by:
        text += ', but not by ' + ', '.join(row.not_by)
    return '%s: %s' % (row.mutant.name, text)


def to_json(rows):
    return {'format': 1, 'summary': summary(rows), 'mutants': [
        {'name': row.mutant.name, 'file': row.mutant.file, 'states': row.mutant.states, 'result': row.result,
         'named': row.mutant.killed_by, 'killed_by': row.killed_by, 'not_by': row.not_by,
         'build_error': row.build_error} for row in rows]}


def to_markdown(rows):
    lines = ['# Planted bugs and the cases that notice them', '', summary(rows) + '.', '',
             '| mutant | what is wrong | result | noticed first by |', '|---|---|---|---|']
    for row in rows:
        first = row.mutant.killed_by[0] if row.mutant.killed_by else ''
        lines.append('| %s | %s | %s | %s |' % (
            row.mutant.name, row.mutant.states,
            'killed by %d' % len(row.killed_by) if row.killed_by else row.result, first))
    return '\n'.join(lines) + '\n'


def to_html(rows):
    """One page that needs no network."""
    topics = sorted({topic for row in rows for topic in row.count_by_topic()})
    folder = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'templates')
    environment = jinja2.Environment(loader=jinja2.FileSystemLoader(folder), autoescape=True,
                                     undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    return environment.get_template('kill_matrix.html.j2').render(
        rows=rows, topics=topics, summary=summary(rows))
