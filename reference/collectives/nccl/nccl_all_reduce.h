// The all-reduce between GPUs.
//
// One step: every rank gives its list to NCCL, in the reduction's queue of its
// device; the mean is divided there afterwards. NCCL chooses the order of
// additions by the number of ranks, the size and the links between the GPUs:
// the same bits in every run on one machine, not on every machine.
#ifndef LOCKSTEP_REFERENCE_COLLECTIVES_NCCL_NCCL_ALL_REDUCE_H_
#define LOCKSTEP_REFERENCE_COLLECTIVES_NCCL_NCCL_ALL_REDUCE_H_

#include <functional>
#include <memory>
#include <vector>

#include "reference/collectives/cross_device_ops.h"
#include "reference/collectives/nccl/nccl_communicator.h"
#include "reference/device/device.h"

namespace lockstep {

class NcclAllReduce final : public CrossDeviceOps {
 public:
  using StreamOf = std::function<NcclStream(const Device&, DeviceQueue)>;

  // Member r of the communicator is rank r, on devices[r].
  NcclAllReduce(std::unique_ptr<NcclCommunicator> communicator,
                std::vector<Device*> devices, StreamOf stream_of);

  std::string_view name() const override { return "NcclAllReduce"; }
  int steps(int ranks) const override;
  // Errors: InvalidArgument for another number of ranks, or memory of another
  // device than the rank's; those of NcclCommunicator.
  void RunStep(int step, int rank, const Reduction& reduction) const override;
  void RunAll(const Reduction& reduction) const override;
  void Check() const override { communicator_->Check(); }
  void Watch() const override;

 private:
  std::vector<NcclTransfer> Transfers(int rank,
                                      const Reduction& reduction) const;
  void CheckPlace(int rank, const Tensor& tensor) const;

  const std::unique_ptr<NcclCommunicator> communicator_;
  const std::vector<Device*> devices_;
  const StreamOf stream_of_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_COLLECTIVES_NCCL_NCCL_ALL_REDUCE_H_
