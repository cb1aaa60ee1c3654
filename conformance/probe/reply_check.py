"""What a reply has to be beside its schema: an answer to what was asked."""
from conformance.probe import programs
from conformance.probe.message_check import Problem


def problems(message, seq, program, declared):
    """Of a reply that its schema allows, to a program that was sent with `seq`."""
    found = []
    if message["seq"] != seq:
        found.append(Problem(
            f"at $.seq: {message['seq']}, but the program came with {seq}",
            "copy seq from the command; answer each program once, in order"))
    if "observations" in message:
        found += _of_observations(message["observations"], program)
    elif "error" in message:
        found += _of_step(message["error"]["at_step"], "$.error.at_step", program)
    else:
        found += _of_unsupported(message["unsupported"]["step"], program, declared)
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


def _of_step(step, place, program):
    if step not in programs.step_names(program):
        yield Problem(
            f"at {place}: the program has no step '{step}'",
            "name the innermost step that failed as the program writes it")


def _of_unsupported(step, program, declared):
    yield from _of_step(step, "$.unsupported.step", program)
    if step in declared:
        yield Problem(
            f"at $.unsupported.step: '{step}' stands among the declared steps",
            "declare no step that cannot be done; or, when only these arguments are lacking, "
            "leave it so and say in the reason which")
