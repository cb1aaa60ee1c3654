"""How many rows the batches have that a program distributes: what they ask of the conventions.

    conventions_met(case['program'], 3)      {'sizes': set(), 'result': {'end_of_data'}}

It follows the steps of datasets and of the files that they read, and the reading of inputs, as operations.md says what
they do, and nothing else of a program. A block counts as run once, that of `program.repeat` as often as it says; that of
`dataset.filter` as keeping everything. Files count as read one after another, by whichever policy workers divide them.
What a model reads it divides by itself, and has to train as on one device: no convention decides of that; nor of what
a loader is told to do with the rest, nor where each example is to be measured once.
"""
import collections
import fnmatch
import itertools

FULL, END = 'indivisible_batch', 'end_of_data'
# Reading on tells nothing new: repeated data begin again long before.
MOST = 1000
LOADER_READERS = ('loader.elements', 'train.epoch', 'train.micro_step', 'train.no_sync')
FILE_SOURCES = ('text_lines', 'fixed_length_records', 'tf_records')

# `rows`: the size of the first axis, None of a scalar. `full`: not what a batch's size left over.
Element = collections.namedtuple('Element', ['rows', 'full'])


def conventions_met(program, replicas):
    """Observation -> the conventions that decide of what is distributed or read before it, or by it."""
    walk = _Walk(replicas)
    walk.run(program)
    return walk.met_before


class _Walk:

    def __init__(self, replicas):
        self._replicas = replicas
        self._names = {}  # a dataset or an input: its elements; an iterator: an iterator over them
        self._files = {}  # what is written in each: a text, or a list of records
        self._met = set()
        self.met_before = {}

    def run(self, program):
        for step in program:
            self._run_step(step)

    def _run_step(self, step):
        kind, of = step['step'], step.get('of')
        value = None
        if kind.startswith('file.'):
            self._files[step['file']] = step['text'] if 'text' in step else step['records']
        elif kind == 'loader.create':
            value = _loader_batches(step, self._replicas)
        elif kind == 'loader.skip':
            value = self._names.get(of, [])[step['batches']:]
        elif kind in LOADER_READERS:
            self._read_loader(self._names.get(step.get('loader', of), []))
        elif kind.startswith('dataset.'):
            value = self._dataset(kind.split('.')[1], step)
        elif isinstance(of, str) and of in self._names:
            value = self._input(kind, self._names[of])
        if 'let' in step:
            self._names.pop(step['let'], None)
            if value is not None:
                self._names[step['let']] = value
        self._run_block(kind, step)
        if 'observe' in step:
            self.met_before.setdefault(step['observe'], set()).update(self._met)

    def _run_block(self, kind, step):
        for round_ in range(min(self._number(step['times']), MOST) if kind == 'program.repeat' else 1):
            if kind == 'program.repeat' and 'as' in step:
                self._names[step['as']] = round_
            self.run(step.get('program', []))

    def _input(self, kind, value):
        if kind == 'strategy.distribute_dataset':
            self._meet(FULL, (e for e in value if e.full and e.rows is not None and e.rows % self._replicas))
            return value
        if kind == 'input.iterator':
            return iter(value)
        if kind in ('input.next', 'input.next_as_optional'):
            self._meet(END, (e for e in itertools.islice(value, 1) if not e.full))
        elif kind in ('input.elements', 'input.batch_sizes', 'input.count_batches', 'input.for_each'):
            self._meet(END, (e for e in value if not e.full))
        return None

    def _read_loader(self, value):
        self._meet(FULL, (e for e in value if e.full and e.rows % self._replicas))
        self._meet(END, (e for e in value if not e.full))

    def _meet(self, convention, elements):
        if self._replicas > 1 and any(elements):
            self._met.add(convention)

    def _number(self, value):
        """Of names it knows counters alone: a function's dataset has others, and is not divided."""
        return self._names.get(value, 1) if isinstance(value, str) else value

    def _dataset(self, kind, step):
        if kind == 'zip':
            return min((self._names.get(name, []) for name in step['of']), key=len)
        if kind in FILE_SOURCES:
            return [Element(None, True) for file in step.get('files', []) for _ in self._read(file, step)]
        if kind == 'list_files':
            return sorted(file for file in self._files if any(fnmatch.fnmatch(file, p) for p in step['patterns']))
        if kind == 'interleave':
            source = next(inner for inner in step['program'] if 'named' in inner)
            return [Element(None, True) for file in self._names.get(step['of'], []) for _ in self._read(file, source)]
        elements = self._names.get(step['of'], []) if 'of' in step else _source(kind, step, self._number)
        if kind in ('batch', 'padded_batch'):
            return list(_batches(elements, self._number(step['size']), step.get('drop_remainder', False)))
        if kind == 'repeat':
            return list(itertools.islice(itertools.cycle(elements), len(elements) * step.get('count', MOST)))
        if kind == 'unbatch':
            return [Element(None, True)] * sum(element.rows or 0 for element in elements)
        if kind == 'concatenate':
            return elements + self._names.get(step['other'], [])
        if kind == 'take':
            return elements[:step['count']]
        if kind == 'skip':
            return elements[step['count']:]
        if kind == 'shard':
            return elements[self._number(step['index'])::max(self._number(step['num_shards']), 1)]
        return elements


    def _read(self, file, source):
        """The records in a file."""
        content = self._files.get(file, '')
        if isinstance(content, list):
            return content
        if 'record_bytes' not in source:
            return content.splitlines()
        return content[source.get('header_bytes', 0):len(content) - source.get('footer_bytes', 0):source['record_bytes']]


def _source(kind, step, number):
    if kind == 'range':
        return [Element(None, True)] * (number(step['stop']) - number(step.get('start', 0)))
    value = step['elements' if kind == 'from_generator' else 'value']
    while isinstance(value, dict):
        value = next(iter(value.values()))
    rows = [value] if kind == 'from_tensors' else value
    return [Element(len(row) if isinstance(row, list) else None, True) for row in rows]


def _loader_batches(step, replicas):
    """A loader whose rest was spoken of has none."""
    size = step['batch'] * (replicas if step.get('batch_of') == 'replica' else 1)
    examples = [Element(None, True)] * len(step['inputs'])
    return list(_batches(examples, size, step.get('drop_last', False) or 'uneven' in step))


def _batches(elements, size, drop_remainder):
    for start in range(0, len(elements), max(size, 1)):
        rows = len(elements[start:start + size])
        if rows == size or not drop_remainder:
            yield Element(rows, rows == size)
