"""A calibration as JSON, a part of schemas/recordings.schema.json."""
from benchmarks.gate.calibration import Calibration


def from_json(content):
    """The Calibration of parsed JSON that fits the schema."""
    return Calibration(content['machine'], {
        (each['entry'], each['metric']): each['half_width'] for each in content['half_widths']})


def to_json(calibration):
    return {'machine': calibration.machine, 'half_widths': [
        {'entry': entry, 'metric': metric, 'half_width': value}
        for (entry, metric), value in calibration.half_widths.items()]}
