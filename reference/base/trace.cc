#include "reference/base/trace.h"

namespace lockstep {

std::string_view TraceTrack::innermost() const {
  return open_.empty() ? std::string_view() : open_.back().name;
}

void TraceSpan::Begin(std::string_view name, std::string_view category) const {
  const TraceClock::time_point now = TraceClock::now();
  track_->open_.push_back({std::string(name), std::string(category), now, now});
}

void TraceSpan::End() const {
  track_->open_.back().end = TraceClock::now();
  track_->Add(std::move(track_->open_.back()));
  track_->open_.pop_back();
}

}  // namespace lockstep
