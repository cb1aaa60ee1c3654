// A testee in another process, which speaks the pipe protocol
// (docs/protocol.md).
//
//   PipeTestee testee({"python3", "testee.py"}, {.case_deadline = 20s});
//   testee.Start().implementation;     // "TensorFlow 2.21.0"
//   testee.Run(request);               // Observations, Failure, Unsupported
//   testee.Stop();
//
// If the process gives no answer, Run returns TimedOut, Crashed or
// ProtocolError, kills the process with all its descendants, and starts a fresh
// one for the next request. A mistake after an answer is a late problem of the
// answered request, never of the next one, which runs again in a fresh process.
// After three failed starts in a row it is not started again. A process that
// exceeds a limit of memory, processes or disk is Crashed.
#ifndef LOCKSTEP_CONFORMANCE_RUNNER_PIPE_PIPE_TESTEE_H_
#define LOCKSTEP_CONFORMANCE_RUNNER_PIPE_PIPE_TESTEE_H_

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "conformance/runner/pipe/child_process.h"
#include "conformance/runner/pipe/line_channel.h"
#include "conformance/runner/testee.h"
#include "reference/base/error.h"

namespace lockstep {

// "too much memory (--memory)"; empty if `status` is not about a limit.
std::string ExceededLimitOf(LineStatus status);

struct Outcome {
  Answer answer;
  // It is not a reply, and may belong to the previous request: the process
  // ended before it read this one, or the line may have been written earlier.
  bool may_be_late = false;
};

// One process of a testee, from its start to its end. After an answer that is
// not a reply, the process must not be used again. Every function that waits
// throws Interrupted if the options' `interrupted` returns true.
class TesteeProcess {
 public:
  // Errors: those of ChildProcess.
  TesteeProcess(const std::vector<std::string>& command,
                const std::string& files, LineChannelOptions options)
      : child_(command,
               {.files = files, .longest_file = options.limits.output}),
        channel_(child_, std::move(options)) {}

  // Its declaration, or TimedOut, Crashed or ProtocolError.
  std::variant<TesteeDeclaration, Answer> Start(
      std::chrono::milliseconds deadline);

  Outcome Run(int64_t seq, const Request& request,
              std::chrono::milliseconds deadline);

  // Asks it to end, and waits for `grace`. Returns the problem if it sends a
  // line instead.
  std::optional<Answer> Stop(std::chrono::milliseconds grace);

 private:
  // The problem if it ended or sent a line without a request.
  std::optional<Answer> FindStray();
  // Errors: InvalidArgument for a malformed reply; DeadlineExceeded if it is
  // not parsed in time.
  Outcome ReadReply(const std::string& line, int64_t seq,
                    const Request& request, LineChannel::Deadline until);
  // The answer for a line that cannot be parsed.
  Answer ProblemOfLine(const std::string& line, const Error& error,
                       std::chrono::milliseconds deadline);
  // The answer for a read without a line.
  Answer ProblemOfRead(LineStatus status, std::chrono::milliseconds deadline);
  ProtocolError Problem(const std::string& what);

  ChildProcess child_;
  LineChannel channel_;
};

struct PipeTesteeOptions {
  std::chrono::milliseconds start_deadline{120'000};
  std::chrono::milliseconds case_deadline{60'000};
  std::chrono::milliseconds stop_grace{2'000};
  ProcessLimits limits = {};
  // The folder of the files that the command names; it starts in another one.
  std::string files = ".";
  // If it returns true, Start and Run kill the process and throw Interrupted.
  std::function<bool()> interrupted = [] { return false; };
};

class PipeTestee : public Testee {
 public:
  // Starts the process when it is first needed. REQUIRES: `command` is not
  // empty.
  explicit PipeTestee(std::vector<std::string> command,
                      PipeTesteeOptions options = {});

  // Errors of Start and Run: NotFound if there is no such program; Unavailable
  // or ResourceExhausted if the system cannot start it.
  const TesteeDeclaration& Start() override;
  std::optional<Answer> StartProblem() const override { return start_problem_; }
  Answer Run(const Request& request) override;

  void Stop() override;
  std::vector<LateProblem> TakeLateProblems() override;

 private:
  // The problem if there is no process to use.
  std::optional<Answer> EnsureStarted();
  std::optional<Answer> StartProcess();
  Outcome RunInProcess(const Request& request);
  void Kill();

  const std::vector<std::string> command_;
  const PipeTesteeOptions options_;
  std::unique_ptr<TesteeProcess> process_;
  std::optional<std::string> answered_;  // token of the last request
  TesteeDeclaration declaration_;
  bool declared_ = false;
  int failed_starts_ = 0;  // in a row
  std::optional<Answer> start_problem_;
  int64_t seq_ = 0;
  std::vector<LateProblem> late_problems_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_CONFORMANCE_RUNNER_PIPE_PIPE_TESTEE_H_
