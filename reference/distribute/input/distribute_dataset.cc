#include "reference/distribute/input/distribute_dataset.h"

#include <string_view>
#include <utility>

#include "reference/base/error.h"
#include "reference/distribute/input/collected_source.h"
#include "reference/distribute/input/placement.h"
#include "reference/distribute/input/rebatched_source.h"

namespace lockstep {
namespace {

void Check(std::string_view operation, const std::vector<Device*>& devices,
           const InputOptions& options) {
  if (devices.empty()) {
    throw InvalidArgument("[{}] there are no devices", operation);
  }
  const bool per_replica =
      options.replication_mode == InputReplicationMode::kPerReplica;
  if (options.place_dataset_on_device &&
      (!per_replica || options.fetch_to_device)) {
    throw InvalidArgument(
        "[{}] place_dataset_on_device wants replication mode kPerReplica and "
        "fetch_to_device false",
        operation);
  }
}

}  // namespace

DistributedDataset DistributeDataset(const std::vector<Device*>& devices,
                                     const Dataset& dataset,
                                     const InputOptions& options) {
  Check("DistributeDataset", devices, options);
  if (options.replication_mode == InputReplicationMode::kPerReplica) {
    throw Unimplemented(
        "[DistributeDataset] replication mode kPerReplica is only supported in "
        "`distribute_datasets_from_function`");
  }
  return DistributedDataset(distribute_internal::MakeRebatchedSource(
      dataset, {devices, options.fetch_to_device}));
}

DistributedDataset DistributeDatasetsFromFunction(
    const std::vector<Device*>& devices, const DatasetFunction& function,
    const InputOptions& options) {
  Check("DistributeDatasetsFromFunction", devices, options);
  if (!function) {
    throw InvalidArgument(
        "[DistributeDatasetsFromFunction] there is no function");
  }
  const int replicas = static_cast<int>(devices.size());
  const int pipelines =
      options.replication_mode == InputReplicationMode::kPerReplica ? replicas
                                                                    : 1;
  std::vector<Dataset> datasets;
  for (int id = 0; id < pipelines; ++id) {
    datasets.push_back(function(InputContext(pipelines, id, replicas)));
  }
  return DistributedDataset(distribute_internal::MakeCollectedSource(
      std::move(datasets), {devices, options.fetch_to_device},
      options.place_dataset_on_device));
}

}  // namespace lockstep
