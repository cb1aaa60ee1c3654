#include "reference/collectives/nccl/nccl_rank.h"

#include <cstddef>

#include "reference/base/error.h"

namespace lockstep {

void NcclRank::CheckPlace(const Tensor& tensor) const {
  if (&tensor.device() == &device_) return;
  throw InvalidArgument("[AllReduce] rank {} is on {}, got a tensor on {}",
                        rank_, device_.name(), tensor.device().name());
}

std::vector<NcclTransfer> NcclRank::Transfers(const TensorList& inputs,
                                              TensorList& outputs) const {
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

}  // namespace lockstep
