// Groups of one process's GPUs that reduce with NCCL.
//
// The ranks meet like those of any group in a process, so if a rank fails or
// calls something else, all get an error before NCCL is called. Then each
// queues its list in NCCL, in its device's compute stream or, overlapped, its
// communication stream; a mean is divided there afterwards. NCCL chooses the
// order of additions by the number of ranks, the size and the links between the
// GPUs: the bits are the same in every run on one machine, but not on every
// machine. Queued work must end within the communicator's deadline.
#ifndef LOCKSTEP_REFERENCE_COLLECTIVES_NCCL_NCCL_GROUP_H_
#define LOCKSTEP_REFERENCE_COLLECTIVES_NCCL_NCCL_GROUP_H_

#include <memory>
#include <string_view>

#include "reference/collectives/in_process_group.h"
#include "reference/collectives/nccl/nccl_communicator.h"
#include "reference/collectives/nccl/nccl_rank.h"
#include "reference/device/device.h"

namespace lockstep {

class NcclGroup final : public InProcessGroup {
 public:
  // Rank r is the communicator's member r, on `device`. Errors: InvalidArgument
  // if the rendezvous has another number of ranks.
  NcclGroup(std::shared_ptr<Rendezvous> rendezvous, int rank,
            std::shared_ptr<NcclCommunicator> communicator, Device& device,
            NcclRank::StreamOf stream_of);

  std::string_view algorithm() const override { return "NcclAllReduce"; }
  void Check() const override { communicator_->Check(); }
  void Watch() const override;

 protected:
  // Errors: InvalidArgument for memory that is not on the rank's device; those
  // of NcclCommunicator.
  void Reduce(const Reduction& reduction) override;

 private:
  const std::shared_ptr<NcclCommunicator> communicator_;
  const NcclRank place_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_COLLECTIVES_NCCL_NCCL_GROUP_H_
