// An entry of a result file: its name, and the median of its samples.
#ifndef LOCKSTEP_BENCHMARKS_MEASUREMENT_RESULT_ENTRY_H_
#define LOCKSTEP_BENCHMARKS_MEASUREMENT_RESULT_ENTRY_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep::benchmarks {

// Builds the name of a benchmark entry: a path, then labelled parameters.
//
//   EntryName("Train").With("workload", "mnist_cnn").With("replicas", 2).str()
//   // "Train/workload:mnist_cnn/replicas:2"
//
// Parameters keep the order they were given in: the same entry always has the
// same name, and results of different runs can be compared by it.
class EntryName {
 public:
  // Errors: InvalidArgument for an empty path or one with a space.
  explicit EntryName(std::string_view path);

  // Errors: InvalidArgument when label or value is empty or holds a space, a
  // slash or a colon.
  EntryName& With(std::string_view label, std::string_view value);
  EntryName& With(std::string_view label, int64_t value);

  const std::string& str() const { return name_; }

 private:
  std::string name_;
};

// The median of samples; of an even number, the mean of the middle two.
//
//   Median({3, 1, 2});      // 2
//   Median({4, 3, 1, 2});   // 2.5
//
// REQUIRES: at least one sample.
inline double Median(std::vector<double> samples) {
  std::ranges::sort(samples);
  const size_t middle = samples.size() / 2;
  if (samples.size() % 2 == 1) return samples[middle];
  return (samples[middle - 1] + samples[middle]) / 2;
}

}  // namespace lockstep::benchmarks

#endif  // LOCKSTEP_BENCHMARKS_MEASUREMENT_RESULT_ENTRY_H_
