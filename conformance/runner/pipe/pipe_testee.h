// An implementation behind a command that speaks the pipe protocol
// (docs/protocol.md).
//
//   PipeTestee testee({"python3", "testee.py"}, {.case_deadline = 20s});
//   testee.Start().implementation;     // "TensorFlow 2.21.0"
//   testee.Run(request);               // Observations, Failure, Unsupported
//   testee.Stop();
//
// Run gives TimedOut, Crashed or ProtocolError where the process gives no
// answer; then it is killed with all its descendants, and a fresh one has the
// next case. What it did wrong after its answer is a late problem of the case
// it answered, never of the next one: that is put to a fresh process again.
// One that does not start three times in a row is not started any more. One
// that takes more memory, processes or disk than it may is Crashed.
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

// "too much memory (--memory)"; empty for what exceeds no limit.
std::string ExceededLimitOf(LineStatus status);

struct Outcome {
  Answer answer;
  // It is no reply, and may come from the case before: an end before this one
  // was read, or a line that may have been written earlier.
  bool may_be_late = false;
};

// One life of a testee: a process from its start to its end.
// A process that gave a problem for an answer is not to be asked again. All
// that wait for it throw Interrupted where the options' `interrupted` says so.
class TesteeProcess {
 public:
  // Errors: those of ChildProcess.
  TesteeProcess(const std::vector<std::string>& command,
                const std::string& files, LineChannelOptions options)
      : child_(command,
               {.files = files, .longest_file = options.limits.output}),
        channel_(child_, std::move(options)) {}

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
  // Errors: InvalidArgument for what is no reply; DeadlineExceeded when it is
  // not read by then.
  Outcome ReadReply(const std::string& line, int64_t seq,
                    const Request& request, LineChannel::Deadline until);
  // The answer that stands for a line which cannot be read.
  Answer ProblemOfLine(const std::string& line, const Error& error,
                       std::chrono::milliseconds deadline);
  // The answer that a read without a line stands for.
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
  // Where the files are that the command names; it starts elsewhere.
  std::string files = ".";
  // True: Start and Run kill the process and throw Interrupted, at once.
  std::function<bool()> interrupted = [] { return false; };
};

class PipeTestee : public Testee {
 public:
  // REQUIRES: a program to start. It is started when it is needed first.
  explicit PipeTestee(std::vector<std::string> command,
                      PipeTesteeOptions options = {});

  // Errors of both: NotFound when there is no such program; Unavailable or
  // ResourceExhausted when the system cannot start it.
  const TesteeDeclaration& Start() override;
  std::optional<Answer> StartProblem() const override { return start_problem_; }
  Answer Run(const Request& request) override;

  void Stop() override;
  std::vector<LateProblem> TakeLateProblems() override;

 private:
  // The problem when there is no process to ask.
  std::optional<Answer> EnsureStarted();
  std::optional<Answer> StartProcess();
  Outcome Ask(const Request& request);
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
