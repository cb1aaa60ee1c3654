"""What a reply has to be beside its schema: an answer to what was asked."""
from conformance.probe import programs
from conformance.probe.message_check import Problem


def problems(message, seq, program):
    """Of a reply that its schema allows, to a program that was sent with `seq`."""
    found = []
    if message["seq"] != seq:
        found.append(Problem(
            f"at $.seq: {message['seq']}, but the program came with {seq}",
            "copy seq from the command; answer each program once, in order"))
    if "observations" in message:
        found += _of_observations(message["observations"], program)
    elif "error" in message:
        found += _of_error(message["error"], program)
    else:
        found += _of_step(message["unsupported"]["step"], "$.unsupported.step", program)
    return found


def _of_observations(observations, program):
    wanted = programs.observation_names(program)
    for name in sorted(wanted - set(observations)):
        yield Problem(
            f"at $.observations: '{name}' is missing, though the program ran to its end",
            "report a value for every `observe`, also in blocks (an empty list where a block "
            "ran no time)")
    for name in sorted(set(observations) - wanted):
        yield Problem(
            f"at $.observations: no step of the program observes '{name}'",
            "report under the names after `observe`, not those after `let`")


def _of_error(error, program):
    if error["at_step"] == "testee":
        yield Problem(
            f"the testee itself failed: {error['class']}: {error['message']}",
            "mend it; what it cannot do it answers with \"unsupported\"")
    else:
        yield from _of_step(error["at_step"], "$.error.at_step", program)


def _of_step(step, place, program):
    if step not in programs.step_names(program):
        yield Problem(
            f"at {place}: the program has no step '{step}'",
            "name the innermost step that failed as the program writes it")
