#include "reference/base/terminal.h"

#include <fmt/core.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <limits>
#include <string_view>

namespace lockstep {
namespace {

// A process that forwards signals to a program and to its group, as `timeout`
// does, sends each twice, faster than a person can.
constexpr int64_t kOneAndTheSame = 500'000'000;  // nanoseconds

constexpr int64_t kNotYet = std::numeric_limits<int64_t>::max();

// Atomic: two signals may be delivered to different threads.
std::atomic<int> noted{0};  // the signal's number
std::atomic<int64_t> noted_at{kNotYet};
static_assert(std::atomic<int64_t>::is_always_lock_free);

int64_t Now() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

// Takes effect when the handler returns.
void EndBy(int signal) {
  struct sigaction end = {};
  end.sa_handler = SIG_DFL;
  sigaction(signal, &end, nullptr);
  raise(signal);
}

void OnSignal(int signal) {
  int none = 0;
  if (noted.compare_exchange_strong(none, signal)) {
    noted_at = Now();
  } else if (signal != SIGHUP && Now() - noted_at > kOneAndTheSame) {
    EndBy(signal);
  }
}

}  // namespace

InterruptScope::InterruptScope() {
  noted = 0;
  noted_at = kNotYet;
  struct sigaction note = {};
  note.sa_handler = OnSignal;
  note.sa_flags = SA_RESTART;
  for (const int signal : kSignals) sigaddset(&note.sa_mask, signal);
  for (size_t i = 0; i < kSignals.size(); ++i) {
    sigaction(kSignals[i], nullptr, &before_[i]);
    if (before_[i].sa_handler != SIG_IGN) {
      sigaction(kSignals[i], &note, nullptr);
    }
  }
}

InterruptScope::~InterruptScope() {
  for (size_t i = 0; i < kSignals.size(); ++i) {
    sigaction(kSignals[i], &before_[i], nullptr);
  }
}

bool InterruptScope::requested() const { return noted != 0; }

int InterruptScope::exit_status() const { return 128 + noted; }

namespace {

constexpr int kWidth = 24;
constexpr auto kBetweenDraws = std::chrono::milliseconds(100);

std::FILE* TerminalOrNothing() {
  return isatty(STDERR_FILENO) ? stderr : nullptr;
}

std::string Bar(double share) {
  const int filled = static_cast<int>(share * kWidth);
  std::string bar(filled, '=');
  if (filled < kWidth) bar += '>';
  bar.resize(kWidth, ' ');
  return "[" + bar + "]";
}

// "1:02:03", "2:03".
std::string TimeLeft(double seconds) {
  const int64_t whole = static_cast<int64_t>(seconds + 0.5);
  if (whole >= 3600) {
    return fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60,
                       whole % 60);
  }
  return fmt::format("{}:{:02}", whole / 60, whole % 60);
}

std::string Bytes(double bytes) {
  constexpr std::array<std::string_view, 4> kUnits = {"B", "kB", "MB", "GB"};
  size_t unit = 0;
  for (; bytes >= 1000 && unit + 1 < kUnits.size(); ++unit) bytes /= 1000;
  return fmt::format("{:.{}f} {}", bytes, unit == 0 ? 0 : 1, kUnits[unit]);
}

}  // namespace

ProgressBar::ProgressBar(int64_t total, std::string unit)
    : ProgressBar(total, std::move(unit), TerminalOrNothing()) {}

ProgressBar::ProgressBar(int64_t total, std::string unit, std::FILE* out)
    : total_(total), unit_(std::move(unit)), out_(out) {}

ProgressBar::~ProgressBar() { Clear(); }

std::string ProgressBar::Amount(double units) const {
  return unit_ == "bytes" ? Bytes(units) : fmt::format("{:.0f}", units);
}

std::string ProgressBar::Line(double seconds) const {
  const double done = static_cast<double>(done_);
  const double rate = seconds > 0 ? done / seconds : 0;
  const std::string unit = unit_ == "bytes" ? "" : " " + unit_;
  std::string line = label_.empty() ? "" : label_ + " ";
  if (total_ <= 0) {
    return line + fmt::format("{}{}  {}/s", Amount(done), unit, Amount(rate));
  }
  const double total = static_cast<double>(total_);
  const double share = std::clamp(done / total, 0.0, 1.0);
  line += fmt::format("{} {:3.0f}%  {}/{}{}  {}/s", Bar(share), 100 * share,
                      Amount(done), Amount(total), unit, Amount(rate));
  if (rate > 0) line += "  ETA " + TimeLeft((total - done) / rate);
  return line;
}

void ProgressBar::Advance(int64_t count) {
  done_ += count;
  if (out_ == nullptr) return;
  const Clock::time_point now = Clock::now();
  if (now < next_draw_) return;
  next_draw_ = now + kBetweenDraws;
  const double seconds = std::chrono::duration<double>(now - start_).count();
  // Not fmt::print, which throws: a closed terminal must not end the program.
  std::fputs(fmt::format("\r{}\x1b[K", Line(seconds)).c_str(), out_);
  std::fflush(out_);
  drawn_ = true;
}

void ProgressBar::Clear() {
  if (!drawn_) return;
  std::fputs("\r\x1b[K", out_);
  std::fflush(out_);
  drawn_ = false;
  next_draw_ = Clock::now();
}

}  // namespace lockstep
