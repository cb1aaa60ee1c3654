#include "reference/collectives/shared_memory_all_reduce.h"

namespace lockstep {

int SharedMemoryAllReduce::steps(int /*ranks*/) const { return 1; }

void SharedMemoryAllReduce::RunStep(int /*step*/, int rank,
                                    const Reduction& reduction) const {
  std::vector<Reduction::Source> from;
  std::vector<int> to;
  for (int r = 0; r < reduction.ranks(); ++r) {
    from.push_back({.input = true, .rank = r});
    to.push_back(r);
  }
  reduction.Sum(from, to, reduction.divisor(), rank, reduction.ranks());
}

}  // namespace lockstep
