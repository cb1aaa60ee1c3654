#include "reference/distribute/per_replica.h"

#include <algorithm>

namespace lockstep {

Nest<PerReplica<Tensor>> Regroup(const PerReplica<Structure>& values) {
  if (values.size() == 0) {
    throw InvalidArgument("[Regroup] there are no replicas' values");
  }
  std::vector<std::vector<Tensor>> leaves;  // [replica][leaf]
  for (int replica = 0; replica < values.size(); ++replica) {
    if (!values[replica].SameFormAs(values[0])) {
      throw InvalidArgument(
          "[Regroup] replicas hold the same structure; replica {} and replica "
          "0 differ in theirs",
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

PerReplica<Structure> Ungroup(const Nest<PerReplica<Tensor>>& nest) {
  int replicas = 0;
  nest.ForEach([&](const PerReplica<Tensor>& leaf) {
    replicas = std::max(replicas, leaf.size());
  });
  std::vector<Structure> values;
  for (int replica = 0; replica < replicas; ++replica) {
    values.push_back(distribute_internal::ComponentOf(nest, replica));
  }
  return PerReplica<Structure>(std::move(values));
}

}  // namespace lockstep
