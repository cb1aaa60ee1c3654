#include "reference/distribute/gradient_buckets.h"

#include <algorithm>
#include <utility>

#include "reference/base/check.h"
#include "reference/base/error.h"

namespace lockstep {

BucketSizes BucketSizesFor(const Device& device) {
  return device.kind() == DeviceKind::kGpu ? BucketSizes() : kOneBucket;
}

GradientBuckets::GradientBuckets(ReplicaContext& replica, size_t sources,
                                 const BucketSizes& sizes)
    : group_(replica.group()),
      sizes_(sizes),
      sources_(sources),
      capacity_(sizes.first) {
  const int64_t smallest = std::min(sizes.first, sizes.others);
  if (smallest < 1) {
    throw InvalidArgument(
        "[GradientBuckets] a bucket holds at least 1 byte, got {}", smallest);
  }
}

GradientBuckets::GradientBuckets(ReplicaContext& replica, size_t sources)
    : GradientBuckets(replica, sources, BucketSizesFor(*replica.devices()[0])) {
}

void GradientBuckets::Add(size_t source,
                          const std::optional<Tensor>& gradient) {
  LOCKSTEP_CHECK(source < sources_);
  if (!gradient) return;
  order_.push_back(source);
  bucket_.push_back(*gradient);
  bytes_ += static_cast<int64_t>(gradient->bytes());
  if (bytes_ >= capacity_) Reduce();
}

GradientTape::OnReady GradientBuckets::on_ready() {
  return [this](size_t source, const std::optional<Tensor>& gradient) {
    Add(source, gradient);
  };
}

void GradientBuckets::Reduce() {
  sums_.push_back(group_.AllReduce(ReduceOp::kSum, std::exchange(bucket_, {}),
                                   {.overlapped = true}));
  bytes_ = 0;
  capacity_ = sizes_.others;
}

Gradients GradientBuckets::Finish() {
  if (!bucket_.empty()) Reduce();
  Gradients gradients(sources_);
  auto source = order_.begin();
  for (Pending<TensorList>& bucket : sums_) {
    for (Tensor& sum : bucket.Wait()) gradients[*source++] = std::move(sum);
  }
  sums_.clear();
  return gradients;
}

}  // namespace lockstep
