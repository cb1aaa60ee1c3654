// One all-reduce in progress, how its tensors are cut into pieces, and what
// adds them up on GPUs.
#ifndef LOCKSTEP_REFERENCE_COLLECTIVES_REDUCTION_H_
#define LOCKSTEP_REFERENCE_COLLECTIVES_REDUCTION_H_

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "reference/collectives/nccl/nccl_api.h"
#include "reference/collectives/reduce_op.h"
#include "reference/collectives/sum_kernel.h"
#include "reference/device/device.h"
#include "reference/tensor/tensor.h"

namespace lockstep {
class ControlPlane;
}  // namespace lockstep

namespace lockstep::collectives_internal {

class GpuSums;

// A list of tensors laid end to end and cut into pieces of equal size, so that
// many small tensors and one large one split equally well over the ranks.
//
//   PieceList pieces(gradients);                   // 64-byte units
//   pieces.ForEach(0, pieces.units() / 2, [&](size_t tensor, int64_t first,
//                                             int64_t count) {
//     // elements first .. first + count - 1 of gradients[tensor]
//   });
class PieceList {
 public:
  // One cache line: no two pieces share one, and pieces stay aligned.
  static constexpr int64_t kUnitBytes = 64;

  explicit PieceList(const std::vector<Tensor>& tensors) {
    starts_.reserve(tensors.size() + 1);
    for (const Tensor& tensor : tensors) {
      const auto bytes = static_cast<int64_t>(tensor.bytes());
      per_unit_.push_back(kUnitBytes /
                          static_cast<int64_t>(DTypeSize(tensor.dtype())));
      counts_.push_back(tensor.num_elements());
      starts_.push_back(starts_.back() + (bytes + kUnitBytes - 1) / kUnitBytes);
    }
  }

  int64_t units() const { return starts_.back(); }
  int64_t bytes() const { return units() * kUnitBytes; }

  // Calls body(tensor, first element, count) for all that lies in the units
  // begin .. end - 1, in order.
  template <typename Body>
  void ForEach(int64_t begin, int64_t end, const Body& body) const {
    if (begin >= end) return;
    const auto after = std::ranges::upper_bound(starts_, begin);
    for (size_t i = after - starts_.begin() - 1;
         i < counts_.size() && starts_[i] < end; ++i) {
      const int64_t first =
          std::max<int64_t>(begin - starts_[i], 0) * per_unit_[i];
      const int64_t last =
          std::min((end - starts_[i]) * per_unit_[i], counts_[i]);
      if (first < last) body(i, first, last - first);
    }
  }

 private:
  std::vector<int64_t> starts_{0};  // unit where each tensor starts; the end
  std::vector<int64_t> per_unit_;   // elements in a unit
  std::vector<int64_t> counts_;
};

}  // namespace lockstep::collectives_internal

namespace lockstep {

class Group;
class Rendezvous;

namespace collectives_internal {

// Sums that one GPU adds up.
struct GpuSum {
  // Pieces of one number of inputs and outputs. The pointers are of the devices
  // below, in their order.
  std::vector<SumArguments> pieces;
  std::vector<Device*> from;
  std::vector<Device*> to;
  Device* on = nullptr;  // does the work
  DeviceStream stream = DeviceStream::kCompute;
};

// What collectives ask the GPU backend, where a program has one. It registers
// itself while the program starts, as device/gpu_backend.h says.
class GpuCollectives {
 public:
  virtual ~GpuCollectives() = default;

  // Gives the sums to the stream of `on`: after what the same stream of every
  // device named was given by now, and before what it will be; no thread waits.
  // The order of additions is that of SumInto, whose bits these are.
  // Errors: ResourceExhausted; Internal.
  virtual void Sum(const GpuSum& sum) = 0;
  // The number of the machine's GPU that a logical one is on.
  virtual int PhysicalGpu(const Device& device) = 0;
  // Empty where there is no NCCL.
  virtual std::optional<NcclFeatures> Nccl() = 0;
  // A group that reduces by NCCL for each rank, rank r on devices[r]. Errors:
  // InvalidArgument where NCCL does not take them; Unimplemented without NCCL;
  // Unavailable, DeadlineExceeded and Internal when it cannot connect them.
  virtual std::vector<std::unique_ptr<Group>> MakeNccl(
      const std::vector<Device*>& devices,
      const std::shared_ptr<Rendezvous>& rendezvous) = 0;
  // The same between workers, each with `device` as its rank; all call it
  // together, and are connected within the limit. Errors also: those of the
  // control plane.
  virtual std::shared_ptr<GpuSums> MakeNcclBetween(
      ControlPlane& control, Device& device,
      std::chrono::milliseconds connect_limit) = 0;
};

// nullptr: none. Gives back the one before. REQUIRES: it lives as long as the
// process, or until another one is set.
GpuCollectives* SetGpuCollectives(GpuCollectives* collectives);
// Errors: Unimplemented, naming `operation`, where there is none.
GpuCollectives& CurrentGpuCollectives(const char* operation);

}  // namespace collectives_internal

// One all-reduce in progress: every rank's inputs and outputs,
// lists of the same dtypes and shapes on all of them.
class Reduction {
 public:
  // Entry r of each belongs to rank r and outlives the reduction; outputs hold
  // memory that nothing else uses. On GPUs the work is given to their `stream`.
  Reduction(ReduceOp op, std::vector<const std::vector<Tensor>*> inputs,
            std::vector<std::vector<Tensor>*> outputs,
            DeviceStream stream = DeviceStream::kCompute);

  int ranks() const { return static_cast<int>(inputs_.size()); }
  // What the sum is divided by: 1, or the number of ranks for the mean.
  int divisor() const { return op_ == ReduceOp::kMean ? ranks() : 1; }

  DeviceStream stream() const { return stream_; }

  // Ranks whose tensors go into or come out of a round.
  struct Source {
    bool input;  // what the rank brought, else its output so far
    int rank;
  };

  // What rank `rank` brought, and where its results go.
  const std::vector<Tensor>& inputs(int rank) const { return *inputs_[rank]; }
  std::vector<Tensor>& outputs(int rank) const { return *outputs_[rank]; }

  // to[*] = sum of from[0], from[1], ... over the part `part` of `parts` of the
  // list, divided by `divisor`, in the calling thread's team; on GPUs it is
  // queued on that of one of `to` (GpuCollectives).
  void Sum(const std::vector<Source>& from, const std::vector<int>& to,
           int divisor, int part = 0, int parts = 1) const;

 private:
  const std::vector<Tensor>& SourceList(const Source& source) const;
  collectives_internal::SumArguments PieceOf(const std::vector<Source>& from,
                                             const std::vector<int>& to,
                                             size_t tensor, int64_t element,
                                             int64_t count) const;
  void QueueSum(const std::vector<Source>& from, const std::vector<int>& to,
                int divisor, int part, int64_t first, int64_t last) const;

  ReduceOp op_;
  DeviceStream stream_;
  std::vector<const std::vector<Tensor>*> inputs_;
  std::vector<std::vector<Tensor>*> outputs_;
  collectives_internal::PieceList pieces_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_COLLECTIVES_REDUCTION_H_
