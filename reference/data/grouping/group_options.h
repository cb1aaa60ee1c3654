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
  // Batches that are not full, at the end.
  bool drop_remainder = false;
  // Pads the unknown dimensions of element_spec() to one less than the bucket's
  // boundary, not to the longest of the batch, so that there are few shapes.
  // Errors, when read: InvalidArgument for an element that is as long as the
  // last boundary, or longer.
  bool pad_to_bucket_boundary = false;
  // Batches as they are; it comes before pad_to_bucket_boundary. Errors, when
  // read: InvalidArgument for elements of unequal shape in one batch.
  bool no_padding = false;
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_DATA_GROUPING_GROUP_OPTIONS_H_
