// Makes distributed datasets for the replicas on given devices. A strategy's
// member functions of the same names call these.
//
//   // Batches of the global batch size, divided among the replicas:
//   DistributeDataset(devices, dataset.Batch(128));
//
//   // Every replica gets whole elements of what the function makes:
//   DistributeDatasetsFromFunction(devices, [&](const InputContext& context) {
//     return dataset.Batch(context.GetPerReplicaBatchSize(128));
//   });
#ifndef LOCKSTEP_REFERENCE_DISTRIBUTE_INPUT_DISTRIBUTE_DATASET_H_
#define LOCKSTEP_REFERENCE_DISTRIBUTE_INPUT_DISTRIBUTE_DATASET_H_

#include <functional>
#include <vector>

#include "reference/data/dataset.h"
#include "reference/device/device.h"
#include "reference/distribute/input/distributed_dataset.h"
#include "reference/distribute/input/input_context.h"
#include "reference/distribute/input/input_options.h"

namespace lockstep {

using DatasetFunction = std::function<Dataset(const InputContext&)>;

// Each batch, short ones too, is divided by ceil(size / replicas); a replica
// for which no rows are left gets an empty batch. One replica gets the elements
// as they are. Errors: InvalidArgument for no devices, for
// place_dataset_on_device, and for elements without a batch axis, whatever the
// number of replicas and elements (behind a Map without an output_spec, whose
// function tells, when they are read); Unimplemented for kPerReplica.
DistributedDataset DistributeDataset(const std::vector<Device*>& devices,
                                     const Dataset& dataset,
                                     const InputOptions& options = {});

// `function` is called at once: once, or with kPerReplica once a replica, whose
// number is then the input pipeline's id. A step happens when any replica has
// an element; the others get a batch without rows. Errors: InvalidArgument for
// no devices, no function, or options that do not go together.
DistributedDataset DistributeDatasetsFromFunction(
    const std::vector<Device*>& devices, const DatasetFunction& function,
    const InputOptions& options = {});

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_DISTRIBUTE_INPUT_DISTRIBUTE_DATASET_H_
