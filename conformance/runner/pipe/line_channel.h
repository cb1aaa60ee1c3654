// Exchanges lines with a child process, with deadlines.
//
//   LineChannel channel(child);
//   channel.Send("{\"cmd\": \"start\", \"version\": 1}");
//   const ReadLine read = channel.Read(steady_clock::now() + 10s);
//   read.status;  // LineStatus::kLine
//   read.text;    // without its end
//
// Neither side can block the other: while Read waits for a line it continues to
// send, and reads stderr, of which it keeps the end.
#ifndef LOCKSTEP_CONFORMANCE_RUNNER_PIPE_LINE_CHANNEL_H_
#define LOCKSTEP_CONFORMANCE_RUNNER_PIPE_LINE_CHANNEL_H_

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "conformance/runner/pipe/child_process.h"

namespace lockstep {

// The end of a text of any length.
//
//   TextTail tail(8);
//   tail.Append("first\n");
//   tail.Append("last\n");
//   tail.text();  // "last\n": whole lines only, once the text is cut
class TextTail {
 public:
  explicit TextTail(size_t longest) : longest_(longest) {}

  void Append(std::string_view text);

  // At most `longest` bytes: the last lines, or the end of a longer line.
  std::string text() const;

 private:
  size_t longest_;
  std::string text_;  // at most twice the longest
  bool lost_ = false;
};

enum class LineStatus {
  kLine,           // a whole line
  kDeadline,       // no line until then
  kClosed,         // the process ended or closed its stdout
  kTooLong,        // exceeds the limit; nothing is read after that
  kTooMuchMemory,  // the child and its descendants exceed a limit
  kTooManyProcesses,
  kTooMuchOutput,
  kInterrupted,  // `interrupted` returned true
};

struct LineChannelOptions {
  size_t longest_line;
  // Checked ten times a second while Read waits, less often if a check is slow:
  // it takes at most a fifth of the time.
  ProcessLimits limits = {};
  // Called ten times a second while Read waits.
  std::function<bool()> interrupted = [] { return false; };
};

struct ReadLine {
  LineStatus status;
  std::string text;  // kClosed: the text after the last line end
};

class LineChannel {
 public:
  using Deadline = std::chrono::steady_clock::time_point;

  // REQUIRES: `child` outlives the channel.
  LineChannel(ChildProcess& child, LineChannelOptions options)
      : child_(child), options_(std::move(options)) {}

  // Queues a line; Read sends it. It is lost if the child no longer reads.
  void Send(std::string_view line);

  // The next line. With a deadline that has passed, only one that is already
  // available. An available line has precedence over any other status.
  ReadLine Read(Deadline deadline);

  // Whether the child has read a part of the last line.
  bool HasReadOfLastLine() const;

  // The last lines of stderr so far, as UTF-8 text.
  std::string StderrTail();

 private:
  bool TakeLine(ReadLine& read);
  void CheckLimits();
  std::optional<LineStatus> ExceededLimit();
  void Wait(Deadline deadline);
  void Write();
  void ReadOut();
  void ReadErr();

  ChildProcess& child_;
  const LineChannelOptions options_;
  std::string to_send_;  // from sent_ on
  size_t sent_ = 0;
  bool reads_ = true;  // the child has not closed its stdin
  std::string received_;
  size_t searched_ = 0;  // no line end before here
  bool out_open_ = true;
  bool err_open_ = true;
  bool ended_ = false;  // the child; its output can still be read
  TextTail stderr_{4096};
  int64_t stderr_bytes_ = 0;
  Deadline next_check_;
  std::optional<LineStatus> exceeded_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_CONFORMANCE_RUNNER_PIPE_LINE_CHANNEL_H_
