"""Checks of the jobs of a round. Each function returns the problems, in words."""

import dataclasses


@dataclasses.dataclass(frozen=True)
class Reference:
    """The results of an uninterrupted run: the losses of its steps, in order, its last weights, its events' names."""

    losses: list
    weights: list
    names: list

    @classmethod
    def of(cls, worker):
        """As a worker reports it after all steps."""
        losses = [event["loss"] for event in worker.events if event["event"] == "step"]
        return cls(losses, worker.last("trained")["weights"], [event["event"] for event in worker.events])

    def count(self, name):
        """How many events of that name there are."""
        return self.names.count(name)


def of_words(worker, reference):
    """No step is missing or repeated, and all have the numbers of the uninterrupted run."""
    problems = [f"it said {line!r}, which is no event" for line in worker.garbage[:1]]
    step = None
    for event in worker.events:
        if event["event"] == "joined":
            step = event["step"]
        elif event["event"] == "step":
            if step is None or event["step"] != step + 1 or step >= len(reference.losses):
                return problems + [f"step {event['step']} came after step {step}"]
            step += 1
            if event["loss"] != reference.losses[step - 1]:
                wanted = reference.losses[step - 1]
                return problems + [f"step {step} had a loss of {event['loss']}, wanted {wanted}"]
        elif event["event"] == "trained":
            problems += _of_end(step, event["weights"], reference)
    return problems


def _of_end(step, weights, reference):
    if step != len(reference.losses):
        return [f"it was through after step {step}, wanted {len(reference.losses)}"]
    differing = [pair for pair in zip(weights, reference.weights) if pair[0] != pair[1]]
    if differing or len(weights) != len(reference.weights):
        got, wanted = differing[0] if differing else (len(weights), len(reference.weights))
        return [f"its last weights differ: {got}, wanted {wanted}"]
    return []


def of_end(worker, errors):
    """It finished, or ended with one of the errors that another worker's fault causes."""
    if worker.status == 0:
        return [] if worker.last("ended") else ["it ended with status 0 before it was through"]
    error = worker.last("error")
    if worker.status != 1 or error is None:
        return [_how_it_died(worker.status)]
    if error["class"] not in errors:
        wanted = " or ".join(errors) or "status 0"
        return [f"it ended with {error['class']}, wanted {wanted}: {error['message']}"]
    return []


def _how_it_died(status):
    return f"signal {-status} ended it" if status < 0 else f"it ended with status {status} and no word of an error"


def of_faulted(job, target, silent, conditions):
    """`target`: the number of a killed worker, whose end is not checked; None where all must end in order.

    `silent`: numbers of workers that had not ended in time.
    """
    problems = []
    for index, worker in enumerate(job.workers):
        found = of_words(worker, conditions.reference)
        if index in silent:
            found.append(f"it hung: it had not ended {silent[index]:.1f} s after the fault")
        elif index != target:
            found += of_end(worker, conditions.implementation.errors)
        problems += [f"worker {index} of {len(job.workers)}: {problem}" for problem in found]
    return problems


def may_be_restored(workers):
    """The steps whose checkpoint may be the latest, given the chief's events."""
    saved, begun = 0, None
    for event in workers[0].events:
        if event["event"] == "saving":
            begun = event["step"]
        elif event["event"] == "saved":
            saved, begun = event["step"], None
    return {saved} if begun is None else {saved, begun}


def of_resumed(job, silent, may_be, conditions):
    """All finished, from one of these steps on."""
    problems = []
    for index, worker in enumerate(job.workers):
        joined = worker.last("joined")
        found = of_words(worker, conditions.reference)
        if joined and joined["step"] not in may_be:
            wanted = " or ".join(map(str, sorted(may_be)))
            found.append(f"it went on from step {joined['step']}, the latest checkpoint is of step {wanted}")
        if index in silent:
            found.append(f"it hung: it was not through after {silent[index]:.0f} s")
        else:
            found += of_end(worker, ())
        problems += [f"worker {index} of {len(job.workers)}: {problem}" for problem in found]
    return problems
