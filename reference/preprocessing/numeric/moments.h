// The mean and the variance of columns of numbers, from parts in any order.
//
//   Moments a(2), b(2);
//   a.Add(std::array{1.0f, 10.0f, 3.0f, 20.0f});   // rows (1, 10), (3, 20)
//   b.Add(std::array{5.0f, 30.0f});
//   a.Merge(b);            // as if a had got all three rows
//   a.mean();              // {3, 20}
//   a.Variance();          // {8/3, 200/3}: of the population, as in Keras
//
// The state is a value: a count, and for each column the mean and the sum of
// squared deviations from it, in double. Workers that read different parts of
// the data can exchange it (FromParts) and agree on the moments of all data.
#ifndef LOCKSTEP_REFERENCE_PREPROCESSING_NUMERIC_MOMENTS_H_
#define LOCKSTEP_REFERENCE_PREPROCESSING_NUMERIC_MOMENTS_H_

#include <cstdint>
#include <span>
#include <vector>

namespace lockstep {

class Moments {
 public:
  // Of no rows. Errors: InvalidArgument for columns < 1.
  explicit Moments(int64_t columns);
  // Errors: InvalidArgument for lists of different lengths, no columns, and a
  // negative count.
  static Moments FromParts(int64_t count, std::vector<double> mean,
                           std::vector<double> squared_deviations);

  // Adds rows, one after the other in memory. Errors: InvalidArgument unless
  // they are whole rows.
  void Add(std::span<const float> rows);
  void Add(std::span<const double> rows);
  // Adds the rows of `other`. Errors: InvalidArgument for another number of
  // columns.
  void Merge(const Moments& other);

  int64_t columns() const { return static_cast<int64_t>(mean_.size()); }
  int64_t count() const { return count_; }  // of rows
  const std::vector<double>& mean() const { return mean_; }
  const std::vector<double>& squared_deviations() const { return squares_; }
  // Squared deviations divided by the count; 0 for no rows.
  std::vector<double> Variance() const;

 private:
  template <typename T>
  void AddRows(std::span<const T> rows);
  template <typename T>
  void AddBlocks(const T* rows, int64_t count);
  void MergeColumns(int64_t count, const double* mean, const double* squares);

  int64_t count_ = 0;
  std::vector<double> mean_;
  std::vector<double> squares_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_PREPROCESSING_NUMERIC_MOMENTS_H_
