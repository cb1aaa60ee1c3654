"""Variables that a partitioner divides: a ShardedVariable, of which tapes and optimizers take the parts."""


def is_divided(variable):
    return hasattr(variable, "variables")


def shards_of(variable):
    """The parts of a variable: it is its own where it is whole."""
    return list(variable.variables) if is_divided(variable) else [variable]


def all_shards(variables):
    """The parts of all variables, one after another."""
    return [shard for variable in variables for shard in shards_of(variable)]
