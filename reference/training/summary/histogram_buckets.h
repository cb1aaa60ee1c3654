// Counts values in buckets, for TensorBoard's histograms.
#ifndef LOCKSTEP_REFERENCE_TRAINING_SUMMARY_HISTOGRAM_BUCKETS_H_
#define LOCKSTEP_REFERENCE_TRAINING_SUMMARY_HISTOGRAM_BUCKETS_H_

#include <cstdint>
#include <vector>

#include "reference/tensor/tensor.h"

namespace lockstep::summary_internal {

// Values in [left, right); the last bucket includes `right`.
struct Bucket {
  double left;
  double right;
  double count;
};

// 30 buckets of equal width between the smallest and the largest element, as in
// tf.summary.histogram. If all elements are equal, the buckets have no width and the
// last has all elements. If there are no elements, there are 30 empty buckets at 0.
// Ignores elements that are not finite.
//
//   HistogramBuckets([0, 1, 2, 30])[0]   // {0, 1, 1}
//
// Errors: InvalidArgument for strings.
std::vector<Bucket> HistogramBuckets(const Tensor& values);

}  // namespace lockstep::summary_internal

#endif  // LOCKSTEP_REFERENCE_TRAINING_SUMMARY_HISTOGRAM_BUCKETS_H_
