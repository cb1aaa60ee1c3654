"""Writes what a run gave: summary.json, and summary.md for people."""
import json
import os


def text(summary):
    lines = ['# GPU check of %s' % summary['commit'], '', *('- ' + gpu for gpu in summary['machine']['gpus']), '',
             '| program | result | seconds | cases | failed | skipped | why |', '|---|---|---|---|---|---|---|']
    if 'refused' in summary:
        lines[2:2] = ['**Nothing was run**: ' + summary['refused'], '']
    for result in summary['results']:
        lines.append('| %s | %s | %.1f | %s | %s | %s | %s |' % (
            result['name'], result['result'], result['seconds'],
            *(result.get(key, '') for key in ('cases', 'failed_cases', 'skipped_cases')),
            result.get('why', '').replace('|', '\\|')))
    return '\n'.join(lines) + '\n'


def write(output, summary):
    with open(os.path.join(output, 'summary.json'), 'w', encoding='utf-8') as stream:
        json.dump(summary, stream, indent=2)
        stream.write('\n')
    with open(os.path.join(output, 'summary.md'), 'w', encoding='utf-8') as stream:
        stream.write(text(summary))


def told(results):
    """How many programs ended how."""
    counts = {}
    for result in results:
        counts[result['result']] = counts.get(result['result'], 0) + 1
    return ', '.join('%d %s' % (count, result) for result, count in counts.items()) or 'nothing was run'
