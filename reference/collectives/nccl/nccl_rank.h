// A rank's GPU as NCCL takes it: tensors as memory, streams as handles.
//
//   NcclRank rank(0, device, stream_of);
//   communicator.AllReduceSum(member, rank.Transfers(inputs, outputs),
//                             rank.stream(DeviceStream::kCompute));
#ifndef LOCKSTEP_REFERENCE_COLLECTIVES_NCCL_NCCL_RANK_H_
#define LOCKSTEP_REFERENCE_COLLECTIVES_NCCL_NCCL_RANK_H_

#include <functional>
#include <utility>
#include <vector>

#include "reference/collectives/group.h"
#include "reference/collectives/nccl/nccl_communicator.h"
#include "reference/device/device.h"

namespace lockstep {

class NcclRank {
 public:
  using StreamOf = std::function<NcclStream(const Device&, DeviceStream)>;

  NcclRank(int rank, Device& device, StreamOf stream_of)
      : rank_(rank), device_(device), stream_of_(std::move(stream_of)) {}

  NcclStream stream(DeviceStream stream) const {
    return stream_of_(device_, stream);
  }
  // One transfer per tensor, from inputs[i] to outputs[i], except for empty
  // ones. Errors: InvalidArgument for memory on another device. REQUIRES: the
  // lists have the same dtypes and shapes.
  std::vector<NcclTransfer> Transfers(const TensorList& inputs,
                                      TensorList& outputs) const;

 private:
  void CheckPlace(const Tensor& tensor) const;

  const int rank_;
  Device& device_;
  const StreamOf stream_of_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_COLLECTIVES_NCCL_NCCL_RANK_H_
