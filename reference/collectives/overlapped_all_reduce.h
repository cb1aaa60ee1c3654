// One rank's all-reduces that run beside what its device computes.
//
//   OverlappedAllReduce sums(&communicator, rank, &ops);
//   sums.Start(ReduceOp::kSum, {x});       // all ranks meet
//   ... kernels, queued beside the sum ...
//   sums.Start(ReduceOp::kSum, {y, z});
//   sums.Finish();                         // {{sum of x}, {sums of y and z}}
//
// On GPUs a rank's device does its part in its communication queue, behind what
// its compute queue was given before Start; Finish makes the compute queue wait
// for it, and the host never waits. On CPUs Start returns when the sum is made.
//
// The compute queue must not get memory that the other one still uses: the
// values, and the results, are held here until Finish, or the destructor, has
// made it wait. Other ranks' queues read and write the memory too; the
// communication queues wait for each other, so that the wait covers them.
#ifndef LOCKSTEP_REFERENCE_COLLECTIVES_OVERLAPPED_ALL_REDUCE_H_
#define LOCKSTEP_REFERENCE_COLLECTIVES_OVERLAPPED_ALL_REDUCE_H_

#include <deque>
#include <vector>

#include "reference/collectives/communicator.h"
#include "reference/collectives/cross_device_ops.h"
#include "reference/collectives/reduce_op.h"
#include "reference/device/device.h"
#include "reference/tensor/tensor.h"

namespace lockstep {

// Used by the rank's thread alone, on the device that is current when it is
// made.
class OverlappedAllReduce {
 public:
  // Both nullptr where there is one rank. REQUIRES: they outlive this.
  OverlappedAllReduce(Communicator* communicator, int rank,
                      const CrossDeviceOps* ops);
  ~OverlappedAllReduce();
  OverlappedAllReduce(const OverlappedAllReduce&) = delete;
  OverlappedAllReduce& operator=(const OverlappedAllReduce&) = delete;

  // Every rank starts the same lists in the same order.
  // Errors: those of Communicator::AllReduce.
  void Start(ReduceOp op, const std::vector<Tensor>& values);
  // The reduced lists in the order of their start, as if nothing had been
  // started. Errors: Internal, when the device fails.
  std::vector<std::vector<Tensor>> Finish();

 private:
  struct Part {
    std::vector<Tensor> inputs;
    std::vector<Tensor> results;
  };
  void Join();

  Communicator* const communicator_;
  const int rank_;
  const CrossDeviceOps* const ops_;
  Device& device_;
  std::deque<Part> parts_;  // other ranks look at them during a meeting
  bool joined_ = true;
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_COLLECTIVES_OVERLAPPED_ALL_REDUCE_H_
