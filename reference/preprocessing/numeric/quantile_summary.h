// A short description of many numbers, from which quantiles are read.
//
//   QuantileSummary summary(/*epsilon=*/0.01);
//   summary.Add({5, 1, 3, 2, 4});
//   summary.Boundaries(2);    // {2.5}: half of the weight is at or below
//
// The numbers are those of Keras 3.15: a list of values with weights, at most
// about 1 / epsilon of them. Boundaries interpolate the value at each share of
// the whole weight. Of less numbers than bins, each but the largest is a
// boundary.
#ifndef LOCKSTEP_REFERENCE_PREPROCESSING_NUMERIC_QUANTILE_SUMMARY_H_
#define LOCKSTEP_REFERENCE_PREPROCESSING_NUMERIC_QUANTILE_SUMMARY_H_

#include <cstdint>
#include <vector>

namespace lockstep {

class QuantileSummary {
 public:
  // Errors: InvalidArgument for an epsilon outside (0, 1].
  explicit QuantileSummary(double epsilon);
  // That which has these values and weights. Errors: InvalidArgument for lists
  // of different lengths; as above.
  static QuantileSummary FromParts(double epsilon, std::vector<float> values,
                                   std::vector<float> weights);

  // NaN counts as larger than all numbers.
  void Add(std::vector<float> numbers);
  // Adds the numbers that `other` describes.
  void Merge(const QuantileSummary& other);

  // Divides the numbers into `bins` of equal weight: bins - 1 boundaries, in
  // ascending order, or less of few numbers. REQUIRES: bins >= 1.
  //
  // Keras returns one more for some numbers of bins, such as 49, since its
  // steps of 1 / bins do not add up to 1.
  std::vector<float> Boundaries(int64_t bins) const;

  // In ascending order, and their weights.
  const std::vector<float>& values() const { return values_; }
  const std::vector<float>& weights() const { return weights_; }

 private:
  // Puts the entries of `other` before its own, then sorts and compresses.
  void MergeBefore(const QuantileSummary& other);
  // Keeps one entry for each `step` of the whole weight, `count` of them.
  void Compress(double step, int64_t count);

  double epsilon_;
  std::vector<float> values_;
  std::vector<float> weights_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_PREPROCESSING_NUMERIC_QUANTILE_SUMMARY_H_
