"""A history as text for a terminal."""
from benchmarks.gate.report import columns, history_overview


def render(name, lines, notes=()):
    """The text of Lines sorted by date, with a line end behind each line. `name`: of the history; `notes`: what was
    skipped on reading."""
    overview = history_overview.of(name, lines)
    text = [overview.title]
    for section in overview.sections:
        text += ['', f'against {section.anchor}', f'  on {section.machine}', *_indented(section.rows)]
        if section.changes:
            text += ['  changes of the level', *_indented(section.changes, 4)]
        if section.notes:
            text += ['  notes', *_indented(section.notes, 4)]
    if overview.left_out:
        text += ['', f'{overview.left_out} older anchors left out']
    return '\n'.join([*text, *notes]) + '\n'


def _indented(rows, width=2):
    return [' ' * width + line for line in columns.aligned(rows)]
