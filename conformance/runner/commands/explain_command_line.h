// The program //conformance:explain: tells all that is known of one case.
//
//   ./bazelw run //conformance:explain -- input/rebatch/last_global_batch_is_split
//   ./bazelw run //conformance:explain -- reduce/gather/x --as=tensorflow
//
// What it says, where it is documented, its program, what is expected, and the
// known result of every implementation. With --as it runs the script that
// shows an implementation's deviation in the framework's own language.
#ifndef LOCKSTEP_CONFORMANCE_RUNNER_COMMANDS_EXPLAIN_COMMAND_LINE_H_
#define LOCKSTEP_CONFORMANCE_RUNNER_COMMANDS_EXPLAIN_COMMAND_LINE_H_

namespace lockstep {

// Returns the exit status: 0, that of the script with --as, or 2 when there is
// no such case, deviation or script.
int ExplainCommandLine(int argc, char** argv);

}  // namespace lockstep

#endif  // LOCKSTEP_CONFORMANCE_RUNNER_COMMANDS_EXPLAIN_COMMAND_LINE_H_
