#include "reference/collectives/hierarchical_copy_all_reduce.h"

#include <algorithm>

namespace lockstep {
namespace {

// The smallest number whose square is at least `ranks`.
int GroupSize(int ranks) {
  int size = 1;
  while (size * size < ranks) ++size;
  return size;
}

void SumGroup(int leader, int group, const Reduction& reduction) {
  std::vector<Reduction::Source> from;
  const int end = std::min(leader + group, reduction.ranks());
  for (int r = leader; r < end; ++r) from.push_back({.input = true, .rank = r});
  reduction.Sum(from, {leader}, 1);
}

void SumLeaders(int group, const Reduction& reduction) {
  std::vector<Reduction::Source> from;
  for (int r = 0; r < reduction.ranks(); r += group) {
    from.push_back({.input = false, .rank = r});
  }
  reduction.Sum(from, {0}, reduction.divisor());
}

}  // namespace

int HierarchicalCopyAllReduce::steps(int /*ranks*/) const { return 4; }

void HierarchicalCopyAllReduce::RunStep(int step, int rank,
                                        const Reduction& reduction) const {
  const int group = GroupSize(reduction.ranks());
  const int leader = rank / group * group;
  const bool leads = rank == leader;
  if (step == 0 && leads) SumGroup(leader, group, reduction);
  if (step == 1 && rank == 0) SumLeaders(group, reduction);
  if (step == 2 && leads && rank != 0) {
    reduction.Sum({{.input = false, .rank = 0}}, {rank}, 1);
  }
  if (step == 3 && !leads) {
    reduction.Sum({{.input = false, .rank = leader}}, {rank}, 1);
  }
}

}  // namespace lockstep
