"""A calibration as JSON: schemas/calibration.schema.json, format 1; within recordings without the format."""
import json
import os

from benchmarks.gate.calibration import Calibration
from benchmarks.gate.recording import Schedule
from reports import json_file

FORMAT = 1
SCHEMA = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'schemas', 'calibration.schema.json')


def load(path):
    """The Calibration of a file. Errors: ReportError for one that cannot be read or does not fit the schema."""
    return from_json(json_file.load(path, SCHEMA, figures=True))


def to_text(calibration):
    """The file's text. The same values give the same bytes; `load` gives them back."""
    return json.dumps({'format': FORMAT, **to_json(calibration)}, indent=1) + '\n'


def from_json(content):
    """The Calibration of parsed JSON that fits the schema; the first ones were of turns by the usual schedule."""
    half_widths = {(each['entry'], each['metric']): each['half_width'] for each in content['half_widths']}
    later = {'method': content['method']} if 'method' in content else {}
    if 'schedule' in content:
        later['schedule'] = schedule_from_json(content['schedule'])
    return Calibration(content['machine'], half_widths, **later)


def to_json(calibration):
    return {'machine': calibration.machine, 'method': calibration.method,
            'schedule': schedule_to_json(calibration.schedule), 'half_widths': [
                {'entry': entry, 'metric': metric, 'half_width': value}
                for (entry, metric), value in calibration.half_widths.items()]}


def schedule_from_json(content):
    return Schedule(**{**content, 'looks': tuple(content['looks'])})


def schedule_to_json(schedule):
    return {**vars(schedule), 'looks': list(schedule.looks)}
