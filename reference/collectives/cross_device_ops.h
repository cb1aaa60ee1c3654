// The all-reduce algorithms that ranks of one process choose from.
//
//   MirroredStrategyOptions options;
//   options.cross_device_ops = std::make_shared<ReductionToOneDevice>();
//
// InProcessGroup runs the rounds of the algorithm.
//
// | class                     | order in which values are added              |
// |---------------------------|----------------------------------------------|
// | SharedMemoryAllReduce     | replica 0, 1, 2, ...                         |
// | ReductionToOneDevice      | replica 0, 1, 2, ...                         |
// | HierarchicalCopyAllReduce | within groups of ceil(sqrt(N)), then groups  |
//
// The order depends only on the number of replicas, so the same inputs give the
// same bits.
#ifndef LOCKSTEP_REFERENCE_COLLECTIVES_CROSS_DEVICE_OPS_H_
#define LOCKSTEP_REFERENCE_COLLECTIVES_CROSS_DEVICE_OPS_H_

#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "reference/collectives/nccl/nccl_api.h"
#include "reference/collectives/reduce_op.h"
#include "reference/collectives/reduction.h"
#include "reference/device/device.h"
#include "reference/tensor/tensor.h"

namespace lockstep {

class CrossDeviceOps {
 public:
  virtual ~CrossDeviceOps() = default;

  // "SharedMemoryAllReduce".
  virtual std::string_view name() const = 0;

  // The number of rounds of an all-reduce. Every rank completes its share of a
  // round before any rank begins the next.
  virtual int rounds(int ranks) const = 0;
  virtual void RunRound(int round, int rank,
                        const Reduction& reduction) const = 0;
};

// Returns the sum or mean of `values`, in order, on `destination`. The values
// may be on any device. The mean of integers is float64. Errors:
// InvalidArgument for no values, for shapes or dtypes that differ, and for bool
// and string values.
Tensor ReduceTo(Device& destination, ReduceOp op,
                const std::vector<Tensor>& values);

// Returns `value` on each of `devices`; the device that has it shares it.
std::vector<Tensor> BroadcastTo(const std::vector<Device*>& devices,
                                const Tensor& value);

namespace collectives_internal {

// Returns tensors that `device` can read: copies those in other memories to it.
std::vector<Tensor> Reachable(const std::vector<Tensor>& values,
                              Device& device);

// Errors: InvalidArgument if replica `other` has other shapes or dtypes than
// replica 0.
void CheckSameSpecs(const std::vector<Tensor>& first,
                    const std::vector<Tensor>& others, int other);
// The same for specs. `party` is "replica" or "worker".
void CheckSameSpecs(const std::vector<TensorSpec>& first,
                    const std::vector<TensorSpec>& others,
                    std::string_view party, int other);

// Memory on `device` for the results of `values`.
std::vector<Tensor> EmptyLike(const std::vector<Tensor>& values,
                              Device& device);

}  // namespace collectives_internal

// The default all-reduce between logical devices of one process.
//
// Rank r owns part r of N of the list: it adds up that part of all inputs, in
// rank order, and writes the result into every rank's output. One round, in
// which each input is read once and each output written once, and the ranks
// share that work equally.
class SharedMemoryAllReduce : public CrossDeviceOps {
 public:
  std::string_view name() const override { return "SharedMemoryAllReduce"; }
  int rounds(int ranks) const override;
  void RunRound(int round, int rank, const Reduction& reduction) const override;
};

// All-reduce through one device: rank 0 adds up all inputs in rank order, then
// every other rank copies the result. Two rounds. Simple, but rank 0 does all
// the additions.
class ReductionToOneDevice : public CrossDeviceOps {
 public:
  std::string_view name() const override { return "ReductionToOneDevice"; }
  int rounds(int ranks) const override;
  void RunRound(int round, int rank, const Reduction& reduction) const override;
};

// All-reduce in two levels, for machines whose devices form groups with fast
// links inside.
//
// Ranks form groups of ceil(sqrt(N)); the first rank of a group leads it. Four
// rounds: leaders add up their group in rank order, rank 0 adds up the leaders'
// sums, leaders copy the total, the other ranks copy it from their leader. 5
// ranks are {0, 1, 2} and {3, 4}: ((x0 + x1) + x2) + (x3 + x4).
class HierarchicalCopyAllReduce : public CrossDeviceOps {
 public:
  std::string_view name() const override { return "HierarchicalCopyAllReduce"; }
  int rounds(int ranks) const override;
  void RunRound(int round, int rank, const Reduction& reduction) const override;
};

// The default all-reduce of a strategy.
//
// | replicas on                        | all-reduce                           |
// |------------------------------------|--------------------------------------|
// | CPUs                               | SharedMemoryAllReduce                |
// | logical devices of one GPU         | SharedMemoryAllReduce, on the GPU    |
// | one GPU each                       | NCCL                                 |
// | several GPUs, some of them shared  | NCCL from 2.30 on with               |
// |                                    | NCCL_MULTI_RANK_GPU_ENABLE=1, else   |
// |                                    | HierarchicalCopyAllReduce            |
// | GPUs in a program without NCCL     | HierarchicalCopyAllReduce            |
enum class CrossDeviceOpsKind { kSharedMemory, kHierarchicalCopy, kNccl };

// gpus[replica] is the physical GPU of each; empty for CPUs.
CrossDeviceOpsKind ChooseCrossDeviceOps(
    std::span<const int> gpus, const std::optional<NcclFeatures>& nccl);

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_COLLECTIVES_CROSS_DEVICE_OPS_H_
