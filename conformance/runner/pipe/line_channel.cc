#include "conformance/runner/pipe/line_channel.h"

#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>

#include "conformance/runner/text/readable_text.h"
#include "reference/base/error.h"
#include "reference/base/signals/held_signals.h"

namespace lockstep {

void TextTail::Append(std::string_view text) {
  if (text.size() > longest_) {
    text_.clear();
    text.remove_prefix(text.size() - longest_);
    lost_ = true;
  }
  text_ += text;
  if (text_.size() > 2 * longest_) {
    text_.erase(0, text_.size() - longest_);
    lost_ = true;
  }
}

std::string TextTail::text() const {
  std::string_view tail = text_;
  const bool lost = lost_ || tail.size() > longest_;
  if (tail.size() > longest_) tail.remove_prefix(tail.size() - longest_);
  const size_t line_end = tail.find('\n');
  if (lost && line_end != tail.npos && line_end + 1 < tail.size()) {
    tail.remove_prefix(line_end + 1);
  }
  return std::string(tail);
}

namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

// Passes everything that is available to `take`. False at the end of the
// stream.
template <typename Take>
bool ReadAll(int descriptor, size_t most, const Take& take) {
  std::array<char, 1 << 16> buffer;
  for (size_t taken = 0; taken <= most;) {
    const ssize_t size = read(descriptor, buffer.data(), buffer.size());
    if (size == 0) return false;
    if (size < 0 && errno == EINTR) continue;
    if (size < 0) return errno == EAGAIN;
    take(std::string_view(buffer.data(), size));
    taken += size;
  }
  return true;
}

// Short, because a signal that arrives just before poll does not interrupt it.
constexpr milliseconds kMaxPollTime{100};

int MillisecondsUntil(LineChannel::Deadline deadline) {
  const auto left =
      std::chrono::ceil<milliseconds>(deadline - steady_clock::now());
  return static_cast<int>(
      std::clamp(left, milliseconds{0}, kMaxPollTime).count());
}

}  // namespace

void LineChannel::Send(std::string_view line) {
  to_send_.assign(line);
  to_send_ += '\n';
  sent_ = 0;
  Write();
}

ReadLine LineChannel::Read(Deadline deadline) {
  ReadLine read{LineStatus::kDeadline, ""};
  for (bool in_time = true;;) {
    ReadErr();
    ReadOut();
    if (TakeLine(read)) return read;
    if (!in_time) return read;
    if (options_.interrupted()) return {LineStatus::kInterrupted, ""};
    CheckLimits();
    if (exceeded_) return {*exceeded_, ""};
    Wait(deadline);
    in_time = steady_clock::now() < deadline;
  }
}

void LineChannel::CheckLimits() {
  constexpr int kOtherTimeByLooks = 4;
  const auto start = steady_clock::now();
  if (start < next_check_) return;
  exceeded_ = ExceededLimit();
  const auto end = steady_clock::now();
  next_check_ = end + std::max<steady_clock::duration>(
                          kMaxPollTime, kOtherTimeByLooks * (end - start));
}

std::optional<LineStatus> LineChannel::ExceededLimit() {
  constexpr milliseconds kForTheFolder{20};
  const ProcessLimits& limits = options_.limits;
  if (limits == ProcessLimits()) return std::nullopt;
  const ProcessUsage usage = child_.Usage(limits.processes);
  if (usage.memory > limits.memory) return LineStatus::kTooMuchMemory;
  if (usage.processes > limits.processes) return LineStatus::kTooManyProcesses;
  if (stderr_bytes_ > limits.output ||
      child_.BytesInFolder(kForTheFolder) > limits.output) {
    return LineStatus::kTooMuchOutput;
  }
  return std::nullopt;
}

bool LineChannel::TakeLine(ReadLine& read) {
  const size_t end = received_.find('\n', searched_);
  if (end != received_.npos && end <= options_.longest_line) {
    read = {LineStatus::kLine, received_.substr(0, end)};
    received_.erase(0, end + 1);
    searched_ = 0;
    return true;
  }
  searched_ = received_.size();
  if (received_.size() > options_.longest_line) {
    read = {LineStatus::kTooLong, ""};
    return true;
  }
  if (out_open_) return false;
  read = {LineStatus::kClosed, received_};
  return true;
}

void LineChannel::Wait(Deadline deadline) {
  const bool sends = reads_ && sent_ < to_send_.size();
  // poll ignores negative descriptors.
  std::array<pollfd, 4> watched = {
      {{.fd = child_.out(), .events = POLLIN, .revents = 0},
       {.fd = err_open_ ? child_.err() : -1, .events = POLLIN, .revents = 0},
       {.fd = sends ? child_.in() : -1, .events = POLLOUT, .revents = 0},
       {.fd = ended_ ? -1 : child_.end(), .events = POLLIN, .revents = 0}}};
  if (poll(watched.data(), watched.size(), MillisecondsUntil(deadline)) < 0) {
    if (errno == EINTR) return;
    throw SystemError(errno, "[LineChannel] cannot wait for the child");
  }
  if (watched[2].revents != 0) Write();
  if (watched[3].revents != 0) ended_ = true;
}

void LineChannel::Write() {
  const HeldSignals held({SIGPIPE});
  while (reads_ && sent_ < to_send_.size()) {
    const ssize_t size =
        write(child_.in(), to_send_.data() + sent_, to_send_.size() - sent_);
    if (size >= 0) {
      sent_ += size;
    } else if (errno == EAGAIN) {
      return;
    } else if (errno != EINTR) {
      reads_ = false;
    }
  }
}

void LineChannel::ReadOut() {
  if (!out_open_ || received_.size() > options_.longest_line) return;
  const size_t room = options_.longest_line - received_.size();
  out_open_ = ReadAll(child_.out(), room,
                      [&](std::string_view text) { received_ += text; });
  // A descendant may keep the pipe open; the child itself writes no more.
  if (ended_) out_open_ = false;
}

void LineChannel::ReadErr() {
  if (!err_open_) return;
  // Bounded, so that endless output does not delay the deadline.
  constexpr size_t kAtOnce = 1 << 20;
  err_open_ = ReadAll(child_.err(), kAtOnce, [&](std::string_view text) {
    stderr_.Append(text);
    stderr_bytes_ += static_cast<int64_t>(text.size());
  });
}

bool LineChannel::HasReadOfLastLine() const {
  int waiting = 0;
  if (ioctl(child_.in(), FIONREAD, &waiting) != 0) return true;
  return static_cast<size_t>(waiting) < sent_;
}

std::string LineChannel::StderrTail() {
  ReadErr();
  return ReadableText(stderr_.text());
}

}  // namespace lockstep
