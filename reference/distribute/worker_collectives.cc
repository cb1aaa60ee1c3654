#include "reference/distribute/worker_collectives.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "reference/base/error.h"
#include "reference/collectives/cross_device_ops.h"
#include "reference/kernels/movement/movement.h"
#include "reference/tensor/text_bytes.h"

namespace lockstep::distribute_internal {
namespace {

// Sums up to this size are sent with the announcements of the workers; larger
// ones are all-reduced.
constexpr size_t kSmallBytes = size_t{64} << 10;

Tensor OnHost(int64_t number) {
  return Tensor::Scalar<int64_t>(number, Device::Host());
}

// Sums over the workers, in place. REQUIRES: no other reference to the values.
PartialReduction AddUp(Device& device, const std::vector<TensorList>& all) {
  PartialReduction total;
  TensorList sums;
  for (const TensorList& list : all) {
    total.count += list.at(0).item<int64_t>();
    sums.insert(sums.end(), list.begin() + 1, list.end());
  }
  if (!sums.empty() && sums.size() != all.size()) {
    throw InvalidArgument(
        "[Reduce] all workers' values must have the same size and shape, got "
        "at most {} bytes on {} of {} workers",
        kSmallBytes, sums.size(), all.size());
  }
  if (!sums.empty()) total.sum = ReduceTo(device, ReduceOp::kSum, sums);
  return total;
}

}  // namespace

Tensor ReduceOverAll(const Replicas& replicas, std::string_view operation,
                     ReduceOp op, const std::vector<Tensor>& values,
                     const ReduceAxes& axes) {
  Device& device = *replicas.devices[0];
  const WorkerGroup::Call call = {.operation = operation,
                                  .parameter = static_cast<int>(op)};
  PartialReduction here;
  const auto all = replicas.workers->AllGather(call, [&] {
    here = ReducePartly(op, values, axes, device);
    TensorList list = {OnHost(here.count)};
    if (here.sum.bytes() <= kSmallBytes) list.push_back(here.sum);
    return list;
  });
  PartialReduction total = AddUp(device, all);
  if (!total.sum.defined()) {
    const auto sum = [&](Group& group, const CollectiveOptions& options) {
      total.sum =
          group.AllReduce(ReduceOp::kSum, {here.sum}, options).Wait()[0];
    };
    replicas.workers->Run(call, std::nullopt, sum);
  }
  return FinishReduction(op, total);
}

Tensor GatherFromAll(const Replicas& replicas,
                     const std::vector<Tensor>& values, int axis) {
  TensorList joined;
  for (const TensorList& list :
       replicas.workers->AllGather({.operation = "Gather", .parameter = axis},
                                   [&] { return values; })) {
    joined.insert(joined.end(), list.begin(), list.end());
  }
  return kernels::Concat(
      collectives_internal::Reachable(joined, *replicas.devices[0]), axis);
}

namespace {

// All workers see the same announcements, so all of them throw or none.
void CheckSame(std::string_view operation, const std::vector<TensorList>& all) {
  for (size_t worker = 1; worker < all.size(); ++worker) {
    for (const int what : {0, 1}) {
      const std::string chiefs = TextOf(all[0].at(what));
      const std::string others = TextOf(all[worker].at(what));
      if (chiefs == others) continue;
      const Error error =
          what == 0 ? FailedPrecondition(
                          "[{}] all workers must use the same name; worker 0 "
                          "names '{}', "
                          "worker {} '{}'",
                          operation, chiefs, worker, others)
                    : InvalidArgument(
                          "[{}] all workers' values must have the same size "
                          "and shape; it is "
                          "{} on worker 0, {} on worker {}",
                          operation, chiefs, others, worker);
      throw error;
    }
  }
}

}  // namespace

Tensor ChiefsValue(const Replicas& replicas, std::string_view operation,
                   std::string_view name,
                   const std::function<Tensor()>& first_value) {
  Tensor value;
  CheckSame(operation,
            replicas.workers->AllGather({.operation = operation}, [&] {
              value = first_value();
              return TensorList{BytesOf(name), BytesOf(Describe(value))};
            }));
  const auto broadcast = [&](Group& group, const CollectiveOptions& options) {
    value = group.Broadcast({value}, 0, options).Wait()[0];
  };
  replicas.workers->Run({.operation = operation}, std::nullopt, broadcast);
  return value;
}

}  // namespace lockstep::distribute_internal
