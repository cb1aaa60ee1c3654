#include <algorithm>
#include <utility>

#include "reference/base/error.h"
#include "reference/data/grouping/grouping.h"
#include "reference/data/transformations/transformations.h"

namespace lockstep::data_internal {
namespace {

constexpr auto kOperation = "BucketBySequenceLength";

void Check(const BucketOptions& options) {
  const auto& boundaries = options.boundaries;
  if (!std::ranges::is_sorted(boundaries, std::ranges::less_equal())) {
    throw InvalidArgument("[{}] boundaries must increase", kOperation);
  }
  if (options.batch_sizes.size() != boundaries.size() + 1) {
    throw InvalidArgument(
        "[{}] there must be one batch size more than boundaries, got {} and {}",
        kOperation, options.batch_sizes.size(), boundaries.size());
  }
  for (const int64_t size : options.batch_sizes) {
    if (size >= 1) continue;
    throw InvalidArgument("[{}] batch sizes must be positive, got {}",
                          kOperation, size);
  }
}

}  // namespace

NodePtr MakeBucketBySequenceLength(NodePtr input, KeyFunction length,
                                   const BucketOptions& options) {
  if (!length) throw InvalidArgument("[{}] there is no function", kOperation);
  Check(options);
  return MakeGroupByWindow(
      std::move(input),
      {.key =
           [length = std::move(length), options](const Structure& element) {
             const auto above =
                 std::ranges::upper_bound(options.boundaries, length(element));
             return above - options.boundaries.begin();
           },
       .reduce =
           [options](int64_t bucket, const NodePtr& window) {
             return MakePaddedBatch(window, options.batch_sizes[bucket],
                                    options.padding, options.drop_remainder);
           },
       .window_size =
           [options](int64_t bucket) { return options.batch_sizes[bucket]; }});
}

}  // namespace lockstep::data_internal
