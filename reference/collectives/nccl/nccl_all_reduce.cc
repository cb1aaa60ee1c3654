#include "reference/collectives/nccl/nccl_all_reduce.h"

#include <utility>

#include "reference/base/error.h"

namespace lockstep {
namespace {

void Divide(int rank, const Reduction& reduction) {
  if (reduction.divisor() == 1) return;
  reduction.Sum({{.input = false, .rank = rank}}, {rank}, reduction.divisor());
}

}  // namespace

NcclAllReduce::NcclAllReduce(std::unique_ptr<NcclCommunicator> communicator,
                             std::vector<Device*> devices, StreamOf stream_of)
    : communicator_(std::move(communicator)),
      devices_(std::move(devices)),
      stream_of_(std::move(stream_of)) {}

int NcclAllReduce::steps(int /*ranks*/) const { return 1; }

void NcclAllReduce::CheckPlace(int rank, const Tensor& tensor) const {
  if (&tensor.device() == devices_[rank]) return;
  throw InvalidArgument("[AllReduce] rank {} is on {}, got a tensor on {}",
                        rank, devices_[rank]->name(), tensor.device().name());
}

std::vector<NcclTransfer> NcclAllReduce::Transfers(
    int rank, const Reduction& reduction) const {
  if (reduction.ranks() != communicator_->members()) {
    throw InvalidArgument(
        "[AllReduce] wanted {} ranks, as NCCL connects, got {}",
        communicator_->members(), reduction.ranks());
  }
  const std::vector<Tensor>& inputs = reduction.inputs(rank);
  std::vector<Tensor>& outputs = reduction.outputs(rank);
  std::vector<NcclTransfer> transfers;
  for (size_t i = 0; i < inputs.size(); ++i) {
    CheckPlace(rank, inputs[i]);
    CheckPlace(rank, outputs[i]);
    if (inputs[i].num_elements() == 0) continue;
    transfers.push_back({.in = inputs[i].raw_data(),
                         .out = outputs[i].mutable_raw_data(),
                         .count = inputs[i].num_elements(),
                         .dtype = inputs[i].dtype()});
  }
  return transfers;
}

void NcclAllReduce::RunStep(int /*step*/, int rank,
                            const Reduction& reduction) const {
  const std::vector<NcclTransfer> transfers = Transfers(rank, reduction);
  if (!transfers.empty()) {
    communicator_->AllReduceSum(rank, transfers,
                                stream_of_(*devices_[rank], reduction.queue()));
  }
  Divide(rank, reduction);
}

void NcclAllReduce::Watch() const {
  for (int rank = 0; rank < communicator_->members(); ++rank) {
    communicator_->Watch(rank,
                         stream_of_(*devices_[rank], DeviceQueue::kCompute));
  }
}

// One thread must give NCCL the work of all its ranks at once: the first rank's
// alone would wait for the others.
void NcclAllReduce::RunAll(const Reduction& reduction) const {
  std::vector<std::vector<NcclTransfer>> transfers;
  std::vector<NcclStream> streams;
  for (int rank = 0; rank < reduction.ranks(); ++rank) {
    transfers.push_back(Transfers(rank, reduction));
    streams.push_back(stream_of_(*devices_[rank], reduction.queue()));
  }
  if (!transfers[0].empty()) {
    communicator_->AllReduceSumTogether(transfers, streams);
  }
  for (int rank = 0; rank < reduction.ranks(); ++rank) Divide(rank, reduction);
}

}  // namespace lockstep
