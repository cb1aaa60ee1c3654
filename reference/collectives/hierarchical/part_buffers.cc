#include "reference/collectives/hierarchical/part_buffers.h"

#include <cstdint>
#include <vector>

#include "reference/base/error.h"
#include "reference/collectives/cross_device_ops.h"
#include "reference/collectives/reduction.h"

namespace lockstep::collectives_internal {

void CheckParts(const Topology& topology, const TensorList& parts) {
  const int replicas = topology.num_replicas_in_sync();
  if (static_cast<int>(parts.size()) != replicas) {
    throw InvalidArgument(
        "[ReduceScatter] wanted a part for each of {} ranks, got {} on worker "
        "{}",
        replicas, parts.size(), topology.worker().value());
  }
  for (int part = 1; part < replicas; ++part) {
    if (parts[part].dtype() == parts[0].dtype()) continue;
    throw InvalidArgument(
        "[ReduceScatter] parts are of one type, got {} for rank 0 and {} for "
        "rank {}",
        Describe(parts[0]), Describe(parts[part]), part);
  }
}

TensorList MakePartBuffers(const Topology& topology, const TensorList& parts,
                           TensorList* views) {
  std::vector<int64_t> elements(topology.num_workers());
  const auto worker_of = [&](size_t part) {
    return topology.WorkerOf(ReplicaId(static_cast<int>(part))).value();
  };
  for (size_t part = 0; part < parts.size(); ++part) {
    elements[worker_of(part)] += parts[part].num_elements();
  }
  TensorList buffers;
  for (const int64_t count : elements) {
    buffers.push_back(
        Tensor::Empty(Shape{count}, parts[0].dtype(), Device::Current()));
  }
  std::vector<int64_t> begin(topology.num_workers());
  for (size_t part = 0; part < parts.size(); ++part) {
    const int worker = worker_of(part);
    const int64_t end = begin[worker] + parts[part].num_elements();
    views->push_back(
        buffers[worker].Slice(begin[worker], end).Reshape(parts[part].shape()));
    begin[worker] = end;
  }
  return buffers;
}

Tensor ExchangeParts(Group& group, ReduceOp op, const TensorList& buffers,
                     const CollectiveOptions& options) {
  TensorList sent;
  for (const Tensor& buffer : buffers) {
    sent.push_back(op == ReduceOp::kSum
                       ? buffer
                       : buffer.Reshape(Shape{buffer.num_elements(), 1}));
  }
  return group.ReduceScatter(ReduceOp::kSum, sent, options).Wait();
}

Tensor TakePart(ReduceOp op, const Topology& topology, LocalIndex replica,
                const Tensor& sums, const TensorList& parts) {
  const int first = topology.GlobalId(LocalIndex(0)).value();
  const int rank = topology.GlobalId(replica).value();
  int64_t begin = 0;
  for (int part = first; part < rank; ++part) {
    begin += parts[part].num_elements();
  }
  const TensorList sum = {sums.Reshape(Shape{sums.num_elements()})
                              .Slice(begin, begin + parts[rank].num_elements())
                              .Reshape(parts[rank].shape())};
  if (op == ReduceOp::kSum) return sum[0].To(Device::Current());
  TensorList mean = EmptyLike(sum, sum[0].device());
  const Reduction division(op, {&sum}, {&mean});
  division.Sum({{.input = true, .rank = 0}}, {0},
               topology.num_replicas_in_sync());
  return mean[0].To(Device::Current());
}

}  // namespace lockstep::collectives_internal
