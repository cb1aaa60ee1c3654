"""The literals that a case's program leaves open and its `given` tells."""


def with_parameters(case):
    """The program as it is run.

    >>> with_parameters({'given': {'parameters': {'batch': 4}},
    ...                  'program': [{'step': 'dataset.batch', 'size': {'parameter': 'batch'}}]})
    [{'step': 'dataset.batch', 'size': 4}]
    """
    return _filled(case['program'], case['given'].get('parameters', {}))


def _filled(value, parameters):
    if isinstance(value, list):
        return [_filled(item, parameters) for item in value]
    if not isinstance(value, dict):
        return value
    if set(value) == {'parameter'} and value['parameter'] in parameters:
        return parameters[value['parameter']]
    return {key: _filled(item, parameters) for key, item in value.items()}
