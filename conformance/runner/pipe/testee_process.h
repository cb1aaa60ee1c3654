// One life of a testee: a process from its start to its end.
#ifndef LOCKSTEP_CONFORMANCE_RUNNER_PIPE_TESTEE_PROCESS_H_
#define LOCKSTEP_CONFORMANCE_RUNNER_PIPE_TESTEE_PROCESS_H_

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "conformance/runner/pipe/child_process.h"
#include "conformance/runner/pipe/line_channel.h"
#include "conformance/runner/testee.h"

namespace lockstep {

struct Outcome {
  Answer answer;
  // It is no reply, and may come from the case before: an end before this one
  // was read, or a line that may have been written earlier.
  bool may_be_late = false;
};

// A process that gave a problem for an answer is not to be asked again. All
// that wait for it throw Interrupted where the options' `interrupted` says so.
class TesteeProcess {
 public:
  // Errors: those of ChildProcess.
  TesteeProcess(const std::vector<std::string>& command,
                LineChannelOptions options)
      : child_(command), channel_(child_, std::move(options)) {}

  // What it declares, or TimedOut, Crashed or ProtocolError.
  std::variant<TesteeDeclaration, Answer> Start(
      std::chrono::milliseconds deadline);

  Outcome Ask(int64_t seq, const Request& request,
              std::chrono::milliseconds deadline);

  // Has it end by itself; after `grace` it is as it is. Returns what it said
  // instead.
  std::optional<Answer> Stop(std::chrono::milliseconds grace);

 private:
  // What it did unasked: its end, or a line.
  std::optional<Answer> FindStray();
  Outcome ReadReply(const std::string& line, int64_t seq,
                    const Request& request);
  // The answer that a read without a line stands for.
  Answer ProblemOfRead(LineStatus status, std::chrono::milliseconds deadline);
  ProtocolError Problem(const std::string& what);

  ChildProcess child_;
  LineChannel channel_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_CONFORMANCE_RUNNER_PIPE_TESTEE_PROCESS_H_
