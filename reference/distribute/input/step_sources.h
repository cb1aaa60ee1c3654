// Where the steps of a distributed dataset come from: whole elements, or
// batches that are divided among the replicas.
#ifndef LOCKSTEP_REFERENCE_DISTRIBUTE_INPUT_STEP_SOURCES_H_
#define LOCKSTEP_REFERENCE_DISTRIBUTE_INPUT_STEP_SOURCES_H_

#include <vector>

#include "reference/data/dataset.h"
#include "reference/data/sharding/auto_shard.h"
#include "reference/distribute/input/delivery.h"
#include "reference/distribute/input/distributed_dataset.h"

namespace lockstep::distribute_internal {

// The same for parts of any number of rows; scalars stay.
SpecStructure WithUnknownRows(const SpecStructure& spec);

// Steps made of whole elements: one dataset serves the replicas in turn, or
// each replica has a dataset of its own. Nothing is divided, and only for GPUs
// is a step made ahead (DeliverSteps).
//
// A step happens when any replica has an element; the others get one without
// rows. Replica r reads from datasets[r], or from the only dataset there is.
// With `run_on_device`, replica r's dataset runs with its device as the current
// one. REQUIRES: one dataset, or one a replica.
StepSourcePtr MakeCollectedSource(std::vector<Dataset> datasets,
                                  Placement placement, bool run_on_device);

// Steps made by dividing the batches of one dataset among all replicas.
//
// A single replica gets the elements as they are. Errors: InvalidArgument for
// elements without a batch axis: at once where the dataset knows its spec, also
// an empty one, and when read behind a Map without an output_spec. As many
// steps as there are replicas are made ahead, on another thread unless making
// them is light; for GPUs one, which is copied there (DeliverSteps).
//
// On one of several workers the steps are made of its own parts (AutoShard,
// whose errors it has). REQUIRES: a device a replica of the worker.
StepSourcePtr MakeRebatchedSource(const Dataset& dataset,
                                  const InputShard& shard, Placement placement);

}  // namespace lockstep::distribute_internal

#endif  // LOCKSTEP_REFERENCE_DISTRIBUTE_INPUT_STEP_SOURCES_H_
