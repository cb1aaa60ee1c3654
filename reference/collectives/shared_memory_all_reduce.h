// The all-reduce between logical devices of one process, and the default one.
//
// Rank r owns the r-th N-th of the list: it adds up that part of all inputs, in
// rank order, and writes the result into every rank's output. One step; each
// byte of the list is read once on each of N inputs and written once to each of
// N outputs, which is the least there is, and the ranks share that equally.
#ifndef LOCKSTEP_REFERENCE_COLLECTIVES_SHARED_MEMORY_ALL_REDUCE_H_
#define LOCKSTEP_REFERENCE_COLLECTIVES_SHARED_MEMORY_ALL_REDUCE_H_

#include "reference/collectives/cross_device_ops.h"

namespace lockstep {

class SharedMemoryAllReduce : public CrossDeviceOps {
 public:
  std::string_view name() const override { return "SharedMemoryAllReduce"; }
  int steps(int ranks) const override;
  void RunStep(int step, int rank, const Reduction& reduction) const override;
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_COLLECTIVES_SHARED_MEMORY_ALL_REDUCE_H_
