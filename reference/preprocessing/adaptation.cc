#include "reference/preprocessing/adaptation.h"

#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <string>

#include "reference/autodiff/distribution_context.h"
#include "reference/base/error.h"
#include "reference/data/dataset_node.h"
#include "reference/data/sharding/auto_shard.h"
#include "reference/data/sharding/same_pass.h"

namespace lockstep::preprocessing_internal {
namespace {

Tensor FirstTensor(std::string_view operation, const Structure& element) {
  const Structure& first =
      element.kind() == NestKind::kTuple && element.size() > 0 ? element[0]
                                                               : element;
  if (!first.is_leaf() || first.leaf().dtype() == DType::kString) {
    throw InvalidArgument(
        "[{}] elements must be tensors of numbers, or tuples that start with "
        "one; select it with Dataset::Map",
        operation);
  }
  return first.leaf();
}

// What all workers have to call together.
std::string CallOf(const Adapting& adapting) {
  return fmt::format("Adapt of '{}'", adapting.layer);
}

}  // namespace

void CheckMayAdapt(std::string_view operation) {
  DistributionContext::Current().CheckOutsideRun(
      operation, "adapt the layer before Run, on the data of all replicas");
}

void CheckEnds(std::string_view operation, const Dataset& data) {
  if (data.cardinality() != kInfiniteCardinality) return;
  throw InvalidArgument(
      "[{}] the dataset has no end; limit it with Dataset::Take", operation);
}

void ForEachBatch(std::string_view operation, const Dataset& data,
                  const std::function<void(const Tensor&)>& add) {
  CheckMayAdapt(operation);
  CheckEnds(operation, data);
  for (const Structure& element : data) {
    const Tensor x = FirstTensor(operation, element);
    add(x.rank() == 1 ? x.Reshape(x.shape().Prepend(1)) : x);
  }
}

std::vector<std::vector<Tensor>> ReadParts(
    const Adapting& adapting, const Dataset& data,
    const std::function<std::vector<Tensor>(const Dataset& part)>& read) {
  CheckMayAdapt(adapting.operation);
  DistributionContext& context = DistributionContext::Current();
  const int64_t workers = context.num_workers();
  if (workers == 1) return {read(data)};
  const InputShard shard{
      .workers = workers, .worker = context.worker(), .replicas = workers};
  const std::string call = CallOf(adapting);
  // What fails here fails on all workers, so it happens where all notice it.
  std::optional<Dataset> part;
  Sharding sharding;
  std::vector<data_internal::NodePtr> pipelines;
  const auto begun = context.GatherFromWorkers(call, [&] {
    part = ShardElements(data, shard);
    sharding = DescribeSharding(data, shard);
    pipelines = {part->node()};
    return data_internal::AnnouncePass(sharding, pipelines);
  });
  data_internal::TakeSamePass(adapting.operation, begun, sharding, pipelines);
  return context.GatherFromWorkers(call, [&] { return read(*part); });
}

std::vector<Tensor> ReadSame(const Adapting& adapting,
                             const std::function<std::vector<Tensor>()>& read) {
  CheckMayAdapt(adapting.operation);
  const auto all =
      DistributionContext::Current().GatherFromWorkers(CallOf(adapting), read);
  for (size_t worker = 1; worker < all.size(); ++worker) {
    if (std::ranges::equal(all[worker], all[0], BitwiseEqual)) continue;
    throw FailedPrecondition(
        "[{}] a tensor must be the same on all workers, and that of worker {} "
        "differs from that of worker 0; give each worker its part as a Dataset "
        "with AutoShardPolicy::kOff",
        adapting.operation, worker);
  }
  return all[0];
}

}  // namespace lockstep::preprocessing_internal
