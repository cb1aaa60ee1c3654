// Ranks of one process on GPUs whose all-reduce is NCCL's.
//
// The ranks come together as those of any group in a process, so that a rank
// that fails or calls something else is an error on all before NCCL is called.
// Then each gives its list to NCCL, in its device's compute stream or,
// overlapped, the communication stream; the mean is divided there afterwards.
// NCCL chooses the order of additions by the number of ranks, the size and the
// links between the GPUs: the same bits in every run on one machine, not on
// every machine. What was queued must end within the communicator's own
// deadline.
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
  // when the rendezvous is of another number of ranks.
  NcclGroup(std::shared_ptr<Rendezvous> rendezvous, int rank,
            std::shared_ptr<NcclCommunicator> communicator, Device& device,
            NcclRank::StreamOf stream_of);

  std::string_view algorithm() const override { return "NcclAllReduce"; }
  void Check() const override { communicator_->Check(); }
  void Watch() const override;

 protected:
  // Errors: InvalidArgument for memory of another device than the rank's;
  // those of NcclCommunicator.
  void Reduce(const Reduction& reduction) override;

 private:
  const std::shared_ptr<NcclCommunicator> communicator_;
  const NcclRank place_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_COLLECTIVES_NCCL_NCCL_GROUP_H_
