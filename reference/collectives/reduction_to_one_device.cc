#include "reference/collectives/reduction_to_one_device.h"

namespace lockstep {

int ReductionToOneDevice::steps(int ranks) const { return ranks == 1 ? 1 : 2; }

void ReductionToOneDevice::RunStep(int step, int rank,
                                   const Reduction& reduction) const {
  if (step == 1) {
    if (rank != 0) reduction.Sum({{.input = false, .rank = 0}}, {rank}, 1);
    return;
  }
  if (rank != 0) return;
  std::vector<Reduction::Source> from;
  for (int r = 0; r < reduction.ranks(); ++r) {
    from.push_back({.input = true, .rank = r});
  }
  reduction.Sum(from, {0}, reduction.divisor());
}

}  // namespace lockstep
