// Spans of time of threads' activities, for a trace of a few training steps.
//
//   TraceTrack track;
//   {
//     TraceScope scope(&track);          // this thread's spans go to `track`
//     TraceSpan step("forward", "phase");
//     TraceSpan layer("conv2d", "layer");
//   }
//   track.spans();                       // conv2d, then forward around it
//
// Without a TraceScope a span costs one load of a thread-local pointer and two
// branches.
#ifndef LOCKSTEP_REFERENCE_BASE_TRACE_H_
#define LOCKSTEP_REFERENCE_BASE_TRACE_H_

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lockstep {

using TraceClock = std::chrono::steady_clock;

struct CompletedSpan {
  std::string name;
  std::string category;
  TraceClock::time_point start;
  TraceClock::time_point end;
  std::optional<int64_t> bytes = std::nullopt;  // that it processed
};

// The activities of one thread or device stream. Used by one thread at a time.
class TraceTrack {
 public:
  // The track of the calling thread; nullptr: not traced.
  static TraceTrack* Current() { return current_; }

  void Add(CompletedSpan span) { spans_.push_back(std::move(span)); }
  // In the order of their ends.
  const std::vector<CompletedSpan>& spans() const { return spans_; }
  // The name of the innermost open span; empty: none.
  std::string_view innermost() const;

 private:
  friend class TraceScope;
  friend class TraceSpan;

  static inline constinit thread_local TraceTrack* current_ = nullptr;

  std::vector<CompletedSpan> spans_;
  std::vector<CompletedSpan> open_;  // outermost first
};

// Sends the calling thread's spans to `track` during its lifetime; nullptr:
// nowhere.
class TraceScope {
 public:
  explicit TraceScope(TraceTrack* track) : previous_(TraceTrack::current_) {
    TraceTrack::current_ = track;
  }
  ~TraceScope() { TraceTrack::current_ = previous_; }
  TraceScope(const TraceScope&) = delete;
  TraceScope& operator=(const TraceScope&) = delete;

 private:
  TraceTrack* previous_;
};

// The time from construction to destruction. REQUIRES: ends before the scope.
class TraceSpan {
 public:
  TraceSpan(std::string_view name, std::string_view category)
      : track_(TraceTrack::Current()) {
    if (track_ != nullptr) [[unlikely]]
      Begin(name, category);
  }
  ~TraceSpan() {
    if (track_ != nullptr) [[unlikely]]
      End();
  }
  TraceSpan(const TraceSpan&) = delete;
  TraceSpan& operator=(const TraceSpan&) = delete;

  // Whether it is recorded, and details are worth computing.
  bool wanted() const { return track_ != nullptr; }
  // REQUIRES: wanted(), and no span within it is open.
  void set_bytes(int64_t bytes) const { track_->open_.back().bytes = bytes; }

 private:
  void Begin(std::string_view name, std::string_view category) const;
  void End() const;

  TraceTrack* const track_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_BASE_TRACE_H_
