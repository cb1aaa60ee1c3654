"""Ignite: an Engine whose state was saved in the middle of a pass begins the DataLoader again from its start.

Expected: batches 3 and 4 follow 1 and 2. The document of ignite.engine ("Resuming the training")
has it that one can "resume the training from a checkpoint and approximately reproduce original
run's behaviour". That batches are skipped it says under "Dataflow synchronization", of
DeterministicEngine; an Engine skips none.
"""

from ignite.engine import Engine, Events

data = [1, 2, 3, 4]
seen = []


def engine():
    return Engine(lambda engine, batch: seen.append(batch))


if __name__ == "__main__":
    first = engine()
    first.add_event_handler(Events.ITERATION_COMPLETED(once=2), lambda engine: engine.terminate())
    first.run(data, max_epochs=1)
    state = {"epoch_length": 4, "max_epochs": 1, "iteration": 2}
    print("state saved:", first.state_dict())
    second = engine()
    second.load_state_dict(state)
    before = list(seen)
    second.run(data)
    print("expected [1, 2] [3, 4], observed", before, seen[len(before) :])
