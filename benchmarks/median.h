// The middle of some samples; of an even number, the mean of the two there.
//
//   Median({3, 1, 2});      // 2
//   Median({4, 3, 1, 2});   // 2.5
#ifndef LOCKSTEP_BENCHMARKS_MEDIAN_H_
#define LOCKSTEP_BENCHMARKS_MEDIAN_H_

#include <algorithm>
#include <cstddef>
#include <vector>

namespace lockstep::benchmarks {

// REQUIRES: at least one sample.
inline double Median(std::vector<double> samples) {
  std::ranges::sort(samples);
  const size_t middle = samples.size() / 2;
  if (samples.size() % 2 == 1) return samples[middle];
  return (samples[middle - 1] + samples[middle]) / 2;
}

}  // namespace lockstep::benchmarks

#endif  // LOCKSTEP_BENCHMARKS_MEDIAN_H_
