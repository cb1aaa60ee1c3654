"""A column: what an implementation answered to all cases, small enough to be committed.

    {"testee": "jax", "implementation": "JAX 0.10.2, ...", "machine": "2 x ...", "day": "2026-11-24", "seconds": 140,
     "answered": {"required": [330, 445], ...}, "verdicts": {"passed": ["checkpoint/files/...", ...], ...}}
"""

import collections
import json


def of_result(result, machine):
    """A column of what //conformance:run wrote with --json."""
    verdicts = collections.defaultdict(list)
    counts = collections.defaultdict(lambda: [0, 0])
    for case in result['cases']:
        verdicts[case['verdict']].append(case['id'])
        counts[case['level']][0] += case['verdict'] != 'unsupported'
        counts[case['level']][1] += 1
    return {'testee': result['testee']['name'], 'implementation': result['testee']['implementation'],
            'machine': machine, 'day': result['started'][:10], 'seconds': round(result['duration_s']),
            'answered': dict(sorted(counts.items())),
            'verdicts': {verdict: sorted(ids) for verdict, ids in sorted(verdicts.items())}}


def dump(column):
    """JSON with an id a line, so that a change is seen as one."""
    return json.dumps(column, indent=1) + '\n'
