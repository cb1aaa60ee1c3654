// All-reduce by way of one device: rank 0 adds up all inputs in rank order,
// then every other rank copies the result. Two steps; simple, and rank 0 does
// all the adding.
#ifndef LOCKSTEP_REFERENCE_COLLECTIVES_REDUCTION_TO_ONE_DEVICE_H_
#define LOCKSTEP_REFERENCE_COLLECTIVES_REDUCTION_TO_ONE_DEVICE_H_

#include "reference/collectives/cross_device_ops.h"

namespace lockstep {

class ReductionToOneDevice : public CrossDeviceOps {
 public:
  std::string_view name() const override { return "ReductionToOneDevice"; }
  int steps(int ranks) const override;
  void RunStep(int step, int rank, const Reduction& reduction) const override;
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_COLLECTIVES_REDUCTION_TO_ONE_DEVICE_H_
