// Which elements Window, GroupByWindow and BucketBySequenceLength put together.
#ifndef LOCKSTEP_REFERENCE_DATA_GROUPING_GROUP_OPTIONS_H_
#define LOCKSTEP_REFERENCE_DATA_GROUPING_GROUP_OPTIONS_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "reference/tensor/nest.h"

namespace lockstep {

// The group, or the length, of an element.
using KeyFunction = std::function<int64_t(const Structure& element)>;

// Window k has the elements k * shift, k * shift + stride, ..., `size` of them.
struct WindowOptions {
  int64_t size = 1;
  std::optional<int64_t> shift = std::nullopt;  // else `size`
  int64_t stride = 1;
  bool drop_remainder = false;  // windows with fewer elements
};

// Bucket i has the lengths from boundaries[i - 1] to below boundaries[i], and
// batches of batch_sizes[i].
struct BucketOptions {
  std::vector<int64_t> boundaries = {};
  std::vector<int64_t> batch_sizes = {1};
  double padding = 0;
  bool drop_remainder = false;
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_DATA_GROUPING_GROUP_OPTIONS_H_
