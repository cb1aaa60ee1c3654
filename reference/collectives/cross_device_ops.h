// The all-reduce algorithms that ranks of one process choose from.
//
//   MirroredStrategyOptions options;
//   options.cross_device_ops = std::make_shared<ReductionToOneDevice>();
//
// InProcessGroup runs the rounds of the algorithm that is given here.
//
// | class                     | order in which values are added              |
// |---------------------------|----------------------------------------------|
// | SharedMemoryAllReduce     | replica 0, 1, 2, ...                         |
// | ReductionToOneDevice      | replica 0, 1, 2, ...                         |
// | HierarchicalCopyAllReduce | within groups of ceil(sqrt(N)), then groups  |
//
// The order depends on the number of replicas alone: same inputs, same bits.
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

  // "SharedMemoryAllReduce"; in names of benchmarks "shared_memory".
  virtual std::string_view name() const = 0;

  // An all-reduce over `ranks` is that many rounds; every rank does its share of
  // one before any rank begins the next.
  virtual int rounds(int ranks) const = 0;
  virtual void RunRound(int round, int rank,
                        const Reduction& reduction) const = 0;
};

// One tensor on `destination`: the sum or mean of `values` in order, wherever
// they lie; the mean of integers is float64. Errors: InvalidArgument for none,
// for shapes or dtypes that differ, and for bool and string values.
Tensor ReduceTo(Device& destination, ReduceOp op,
                const std::vector<Tensor>& values);

// `value` on each of `devices`; where it lies already, it is shared.
std::vector<Tensor> BroadcastTo(const std::vector<Device*>& devices,
                                const Tensor& value);

namespace collectives_internal {

// The tensors where work on `device` can read them: those of other memories are
// copied there.
std::vector<Tensor> Reachable(const std::vector<Tensor>& values,
                              Device& device);

// Errors: InvalidArgument when replica `other` brought other shapes or dtypes
// than replica 0.
void CheckSameSpecs(const std::vector<Tensor>& first,
                    const std::vector<Tensor>& others, int other);
// The same of lists that are known by their specs; `party` is "replica".
void CheckSameSpecs(const std::vector<TensorSpec>& first,
                    const std::vector<TensorSpec>& others,
                    std::string_view party, int other);

// Memory on `device` for the results of `values`.
std::vector<Tensor> EmptyLike(const std::vector<Tensor>& values,
                              Device& device);

}  // namespace collectives_internal

// The all-reduce between logical devices of one process, and the default one.
//
// Rank r owns the r-th N-th of the list: it adds up that part of all inputs, in
// rank order, and writes the result into every rank's output. One round; each
// byte of the list is read once on each of N inputs and written once to each of
// N outputs, which is the least there is, and the ranks share that equally.
class SharedMemoryAllReduce : public CrossDeviceOps {
 public:
  std::string_view name() const override { return "SharedMemoryAllReduce"; }
  int rounds(int ranks) const override;
  void RunRound(int round, int rank, const Reduction& reduction) const override;
};

// All-reduce by way of one device: rank 0 adds up all inputs in rank order,
// then every other rank copies the result. Two rounds; simple, and rank 0 does
// all the adding.
class ReductionToOneDevice : public CrossDeviceOps {
 public:
  std::string_view name() const override { return "ReductionToOneDevice"; }
  int rounds(int ranks) const override;
  void RunRound(int round, int rank, const Reduction& reduction) const override;
};

// All-reduce in two levels, for machines whose devices form groups with fast
// links inside.
//
// Ranks form groups of ceil(sqrt(N)); the first of a group leads it. Leaders
// add up their group in rank order, rank 0 adds up the leaders, leaders copy
// that, their groups copy from them: four rounds. 5 ranks are {0, 1, 2} and
// {3, 4}: ((x0 + x1) + x2) + (x3 + x4).
class HierarchicalCopyAllReduce : public CrossDeviceOps {
 public:
  std::string_view name() const override { return "HierarchicalCopyAllReduce"; }
  int rounds(int ranks) const override;
  void RunRound(int round, int rank, const Reduction& reduction) const override;
};

// Which all-reduce a strategy uses when its user names none.
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
