#include "reference/distribute/input/delivered_steps.h"

#include <memory>
#include <span>
#include <utility>

#include "reference/data/prefetch_stream.h"

namespace lockstep::distribute_internal {
namespace {

using data_internal::PrefetchStream;
using data_internal::Stream;
using data_internal::StreamPtr;

// A step, and where its copies end.
struct MarkedStep {
  Step step;
  CopyMarks copied;
};

class MarkingStream final : public Stream<MarkedStep> {
 public:
  MarkingStream(StreamPtr<Step> placed, const Placement& placement)
      : placed_(std::move(placed)), placement_(placement) {}

  int64_t Next(std::span<MarkedStep> out) override {
    MarkedStep& marked = out.front();
    if (placed_->Next({&marked.step, 1}) == 0) return 0;
    marked.copied = placement_.MarkCopies();
    return 1;
  }

 private:
  const StreamPtr<Step> placed_;
  const Placement placement_;
};

class DeliveringStream final : public Stream<Step> {
 public:
  DeliveringStream(StreamPtr<MarkedStep> marked, const Placement& placement)
      : marked_(std::move(marked)), placement_(placement) {}

  int64_t Next(std::span<Step> out) override {
    MarkedStep marked;
    if (marked_->Next({&marked, 1}) == 0) return 0;
    placement_.Deliver(marked.copied);
    out.front() = std::move(marked.step);
    return 1;
  }

 private:
  const StreamPtr<MarkedStep> marked_;
  const Placement placement_;
};

}  // namespace

StreamPtr<Step> DeliverSteps(StreamPtr<Step> placed,
                             const Placement& placement) {
  auto marked = std::make_unique<MarkingStream>(std::move(placed), placement);
  auto ahead = std::make_unique<PrefetchStream<MarkedStep>>(std::move(marked),
                                                            /*buffer_size=*/1);
  return std::make_unique<DeliveringStream>(std::move(ahead), placement);
}

}  // namespace lockstep::distribute_internal
