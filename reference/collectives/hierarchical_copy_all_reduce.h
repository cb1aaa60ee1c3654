// All-reduce in two levels, for machines whose devices form groups with fast
// links inside.
//
// Ranks form groups of ceil(sqrt(N)); the first of a group leads it. Leaders
// add up their group in rank order, rank 0 adds up the leaders, leaders copy
// that, their groups copy from them: four steps. 5 ranks are {0, 1, 2} and
// {3, 4}: ((x0 + x1) + x2) + (x3 + x4).
#ifndef LOCKSTEP_REFERENCE_COLLECTIVES_HIERARCHICAL_COPY_ALL_REDUCE_H_
#define LOCKSTEP_REFERENCE_COLLECTIVES_HIERARCHICAL_COPY_ALL_REDUCE_H_

#include "reference/collectives/cross_device_ops.h"

namespace lockstep {

class HierarchicalCopyAllReduce : public CrossDeviceOps {
 public:
  std::string_view name() const override { return "HierarchicalCopyAllReduce"; }
  int steps(int ranks) const override;
  void RunStep(int step, int rank, const Reduction& reduction) const override;
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_COLLECTIVES_HIERARCHICAL_COPY_ALL_REDUCE_H_
