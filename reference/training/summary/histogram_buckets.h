// How often values lie where, for TensorBoard's histograms.
#ifndef LOCKSTEP_REFERENCE_TRAINING_SUMMARY_HISTOGRAM_BUCKETS_H_
#define LOCKSTEP_REFERENCE_TRAINING_SUMMARY_HISTOGRAM_BUCKETS_H_

#include <cstdint>
#include <vector>

#include "reference/tensor/tensor.h"

namespace lockstep::summary_internal {

// From `left` up to `right`, which belongs to the next one; the last one has
// its right edge too.
struct Bucket {
  double left;
  double right;
  double count;
};

// 30 buckets of one width between the smallest and the largest element, as
// tf.summary.histogram makes them; of equal elements all are in the last of 30
// buckets without width, and of none there are 30 empty ones at 0. Elements
// that are not finite are left out.
//
//   HistogramBuckets([0, 1, 2, 30])[0]   // {0, 1, 1}
//
// Errors: InvalidArgument for strings.
std::vector<Bucket> HistogramBuckets(const Tensor& values);

}  // namespace lockstep::summary_internal

#endif  // LOCKSTEP_REFERENCE_TRAINING_SUMMARY_HISTOGRAM_BUCKETS_H_
