#include "reference/collectives/nccl/nccl_group.h"

#include <utility>

#include "reference/base/error.h"

namespace lockstep {

NcclGroup::NcclGroup(std::shared_ptr<Rendezvous> rendezvous, int rank,
                     std::shared_ptr<NcclCommunicator> communicator,
                     Device& device, StreamOf stream_of)
    : InProcessGroup(std::move(rendezvous), rank, nullptr),
      communicator_(std::move(communicator)),
      device_(device),
      stream_of_(std::move(stream_of)) {
  if (size() != communicator_->members()) {
    throw InvalidArgument(
        "[NcclGroup] wanted {} ranks, as NCCL connects, got {}",
        communicator_->members(), size());
  }
}

void NcclGroup::CheckPlace(const Tensor& tensor) const {
  if (&tensor.device() == &device_) return;
  throw InvalidArgument("[AllReduce] rank {} is on {}, got a tensor on {}",
                        rank(), device_.name(), tensor.device().name());
}

std::vector<NcclTransfer> NcclGroup::Transfers(
    const Reduction& reduction) const {
  const TensorList& inputs = reduction.inputs(rank());
  TensorList& outputs = reduction.outputs(rank());
  std::vector<NcclTransfer> transfers;
  for (size_t i = 0; i < inputs.size(); ++i) {
    CheckPlace(inputs[i]);
    CheckPlace(outputs[i]);
    if (inputs[i].num_elements() == 0) continue;
    transfers.push_back({.in = inputs[i].raw_data(),
                         .out = outputs[i].mutable_raw_data(),
                         .count = inputs[i].num_elements(),
                         .dtype = inputs[i].dtype()});
  }
  return transfers;
}

void NcclGroup::Reduce(const Reduction& reduction) {
  const std::vector<NcclTransfer> transfers = Transfers(reduction);
  if (!transfers.empty()) {
    communicator_->AllReduceSum(rank(), transfers,
                                stream_of_(device_, reduction.stream()));
  }
  if (reduction.divisor() == 1) return;
  reduction.Sum({{.input = false, .rank = rank()}}, {rank()},
                reduction.divisor());
}

void NcclGroup::Watch() const {
  communicator_->Watch(rank(), stream_of_(device_, DeviceStream::kCompute));
}

}  // namespace lockstep
