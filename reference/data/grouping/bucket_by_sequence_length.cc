#include <fmt/core.h>

#include <algorithm>
#include <optional>
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

// The length of all sequences of a bucket; nothing for the longest of a batch.
std::optional<int64_t> PaddedLength(const BucketOptions& options,
                                    int64_t bucket) {
  if (!options.pad_to_bucket_boundary) return std::nullopt;
  const auto& boundaries = options.boundaries;
  if (bucket < std::ssize(boundaries)) return boundaries[bucket] - 1;
  throw InvalidArgument(
      "[{}] pad_to_bucket_boundary needs elements that are shorter than the "
      "last boundary{}",
      kOperation,
      boundaries.empty() ? "" : fmt::format(", {}", boundaries.back()));
}

NodePtr BatchOf(const BucketOptions& options, int64_t bucket,
                const NodePtr& window) {
  const int64_t size = options.batch_sizes[bucket];
  if (options.no_padding) {
    return MakeBatch(window, size, options.drop_remainder);
  }
  return MakePaddedBatch(window, size, options.padding, options.drop_remainder,
                         PaddedLength(options, bucket));
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
             return BatchOf(options, bucket, window);
           },
       .window_size =
           [options](int64_t bucket) { return options.batch_sizes[bucket]; }});
}

}  // namespace lockstep::data_internal
