#include "reference/distribute/per_replica.h"

#include <algorithm>
#include <utility>

#include "reference/base/check.h"
#include "reference/collectives/cross_device_ops.h"
#include "reference/kernels/reduction/reduce.h"

namespace lockstep {

Nest<PerReplica<Tensor>> Regroup(const PerReplica<Structure>& values) {
  if (values.size() == 0) {
    throw InvalidArgument("[Regroup] there are no values to regroup");
  }
  std::vector<std::vector<Tensor>> leaves;  // [replica][leaf]
  for (int replica = 0; replica < values.size(); ++replica) {
    if (!values[replica].SameFormAs(values[0])) {
      throw InvalidArgument(
          "[Regroup] all replicas must have the same structure; replica {} and "
          "replica 0 differ",
          replica);
    }
    leaves.push_back(values[replica].Flatten());
  }
  std::vector<PerReplica<Tensor>> regrouped;
  for (size_t leaf = 0; leaf < leaves[0].size(); ++leaf) {
    std::vector<Tensor> column;
    for (const std::vector<Tensor>& row : leaves) column.push_back(row[leaf]);
    regrouped.emplace_back(std::move(column));
  }
  return values[0].PackLike(regrouped);
}

}  // namespace lockstep

namespace lockstep::distribute_internal {
namespace {

// The number of elements reduced to one. REQUIRES: axes in range, as ReduceSum
// has checked.
int64_t CountAlong(const Tensor& value, const std::vector<int>& axes) {
  int64_t count = 1;
  for (int axis : axes)
    count *= value.dim(axis < 0 ? axis + value.rank() : axis);
  return count;
}

// Computed in float64 on the host, wherever the sum is: it is small, and the
// last step.
Tensor Divided(Tensor tensor, int64_t divisor) {
  Device& device = tensor.device();
  tensor = tensor.ToHost();
  VisitDType(tensor.dtype(), [&]<typename T>() {
    if constexpr (kIsFloat<T>) {
      T* data = tensor.mutable_data<T>();
      for (int64_t i = 0; i < tensor.num_elements(); ++i) {
        data[i] = static_cast<T>(static_cast<double>(data[i]) /
                                 static_cast<double>(divisor));
      }
    } else {
      LOCKSTEP_CHECK(!"means are floating");
    }
  });
  return tensor.To(device);
}

}  // namespace

PartialReduction ReducePartly(ReduceOp op, const std::vector<Tensor>& values,
                              const ReduceAxes& axes, Device& destination) {
  std::vector<Tensor> sums = PrepareForReduce(op, values);
  auto count = static_cast<int64_t>(sums.size());
  if (!axes.none()) {
    count = 0;
    for (Tensor& value : sums) {
      Tensor sum = kernels::ReduceSum(value, axes.axes());
      count += CountAlong(value, axes.axes());
      value = std::move(sum);
    }
  }
  return {ReduceTo(destination, ReduceOp::kSum, sums), count};
}

Tensor FinishReduction(ReduceOp op, const PartialReduction& all) {
  return op == ReduceOp::kMean ? Divided(all.sum, all.count) : all.sum;
}

Tensor ReduceOverReplicas(ReduceOp op, const std::vector<Tensor>& values,
                          const ReduceAxes& axes, Device& destination) {
  if (axes.none()) return ReduceTo(destination, op, values);
  return FinishReduction(op, ReducePartly(op, values, axes, destination));
}

}  // namespace lockstep::distribute_internal
