#include "reference/collectives/nccl/nccl_group.h"

#include <utility>

#include "reference/base/error.h"

namespace lockstep {

NcclGroup::NcclGroup(std::shared_ptr<Rendezvous> rendezvous, int rank,
                     std::shared_ptr<NcclCommunicator> communicator,
                     Device& device, NcclRank::StreamOf stream_of)
    : InProcessGroup(std::move(rendezvous), rank, nullptr),
      communicator_(std::move(communicator)),
      place_(rank, device, std::move(stream_of)) {
  if (size() != communicator_->members()) {
    throw InvalidArgument(
        "[NcclGroup] wanted {} ranks, as NCCL connects, got {}",
        communicator_->members(), size());
  }
}

void NcclGroup::Reduce(const Reduction& reduction) {
  const std::vector<NcclTransfer> transfers =
      place_.Transfers(reduction.inputs(rank()), reduction.outputs(rank()));
  if (!transfers.empty()) {
    communicator_->AllReduceSum(rank(), transfers,
                                place_.stream(reduction.stream()));
  }
  if (reduction.divisor() == 1) return;
  reduction.Sum({{.input = false, .rank = rank()}}, {rank()},
                reduction.divisor());
}

void NcclGroup::Watch() const {
  communicator_->Watch(rank(), place_.stream(DeviceStream::kCompute));
}

}  // namespace lockstep
