// Sums gradients over the replicas while the backward pass continues.
//
//   GradientBuckets buckets(GetReplicaContext(), weights.size());
//   tape.Gradient(loss, weights, buckets.on_ready());
//   Gradients sums = buckets.Finish();      // one per weight, in their order
//   optimizer.ApplyGradients(..., {.skip_gradients_aggregation = true});
//
// Gradients are collected into a bucket in the order in which they become
// ready. A full bucket is all-reduced at once, on a GPU concurrently with the
// backward pass. The first bucket is small, so that communication begins early.
// A gradient larger than a bucket goes with the gradients before it.
//
// The sums are those of one ReplicaContext::AllReduce of all gradients, bit by
// bit if the order of additions does not depend on the size of a list (with
// NCCL it may). Every replica must add the same gradients in the same order. If
// they differ, the errors are those of AllReduce.
#ifndef LOCKSTEP_REFERENCE_DISTRIBUTE_GRADIENT_BUCKETS_H_
#define LOCKSTEP_REFERENCE_DISTRIBUTE_GRADIENT_BUCKETS_H_

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "reference/autodiff/gradient_tape.h"
#include "reference/collectives/group.h"
#include "reference/device/device.h"
#include "reference/distribute/replica_context.h"

namespace lockstep {

// A bucket is full when it has that many bytes.
struct BucketSizes {
  int64_t first = int64_t{1} << 20;
  int64_t others = int64_t{25} << 20;
};

// Reduces all gradients together, at the end.
inline constexpr BucketSizes kOneBucket = {
    .first = std::numeric_limits<int64_t>::max(),
    .others = std::numeric_limits<int64_t>::max()};

// The default sizes on a GPU. One bucket on a CPU, which cannot reduce
// concurrently and pays for every barrier.
BucketSizes BucketSizesFor(const Device& device);

// For one backward pass, on the replica's thread.
class GradientBuckets {
 public:
  // Errors: InvalidArgument for a size below 1.
  GradientBuckets(ReplicaContext& replica, size_t sources,
                  const BucketSizes& sizes);
  GradientBuckets(ReplicaContext& replica, size_t sources);

  // Ignores nullopt. REQUIRES: source < sources, each at most once.
  // Errors: those of an all-reduce.
  void Add(size_t source, const std::optional<Tensor>& gradient);
  // Add, for GradientTape::Gradient. REQUIRES: `this` outlives it.
  GradientTape::OnReady on_ready();

  // Reduces what is left and waits for all reductions, on a GPU only in its
  // compute stream. The time of this call is a step's exposed communication.
  // nullopt for sources without a gradient. Errors: those of an all-reduce.
  Gradients Finish();

 private:
  void Reduce();

  Group& group_;
  const BucketSizes sizes_;
  const size_t sources_;
  int64_t capacity_;  // of the current bucket
  std::vector<Tensor> bucket_;
  int64_t bytes_ = 0;
  std::vector<size_t> order_;              // source of each added gradient
  std::vector<Pending<TensorList>> sums_;  // in the order of their start
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_DISTRIBUTE_GRADIENT_BUCKETS_H_
