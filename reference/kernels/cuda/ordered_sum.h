// For tests: sums in the order of sum_lanes.h, by the host.
#ifndef LOCKSTEP_REFERENCE_KERNELS_CUDA_ORDERED_SUM_H_
#define LOCKSTEP_REFERENCE_KERNELS_CUDA_ORDERED_SUM_H_

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

namespace lockstep::cuda {

inline double OrderedSum(std::span<const double> terms, int lanes) {
  std::vector<double> sums(lanes);
  for (size_t i = 0; i < terms.size(); ++i) sums[i % lanes] += terms[i];
  for (int half = lanes / 2; half > 0; half /= 2) {
    for (int lane = 0; lane < half; ++lane) sums[lane] += sums[lane + half];
  }
  return sums[0];
}

// In pieces, if there are several, which then are added in 32 lanes.
inline double OrderedSum(std::span<const double> terms, int lanes,
                         size_t piece) {
  if (terms.size() <= piece) return OrderedSum(terms, lanes);
  std::vector<double> pieces;
  for (size_t begin = 0; begin < terms.size(); begin += piece) {
    const size_t length = std::min(piece, terms.size() - begin);
    pieces.push_back(OrderedSum(terms.subspan(begin, length), lanes));
  }
  return OrderedSum(pieces, 32);
}

}  // namespace lockstep::cuda

#endif  // LOCKSTEP_REFERENCE_KERNELS_CUDA_ORDERED_SUM_H_
