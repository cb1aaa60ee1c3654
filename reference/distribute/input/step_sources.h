// Sources of steps: whole elements, or batches divided among the replicas.
#ifndef LOCKSTEP_REFERENCE_DISTRIBUTE_INPUT_STEP_SOURCES_H_
#define LOCKSTEP_REFERENCE_DISTRIBUTE_INPUT_STEP_SOURCES_H_

#include <cstdint>
#include <span>
#include <vector>

#include "reference/data/dataset.h"
#include "reference/data/sharding/auto_shard.h"
#include "reference/distribute/input/delivery.h"
#include "reference/distribute/input/distributed_dataset.h"

namespace lockstep::distribute_internal {

// The same spec with an unknown number of rows; scalars are unchanged.
SpecStructure WithUnknownRows(const SpecStructure& spec);

// Steps until the longest of several inputs ends, each with a number of steps or
// kInfiniteCardinality or kUnknownCardinality.
int64_t Longest(std::span<const int64_t> cardinalities);

// Steps made of whole elements: one dataset serves the replicas in turn, or
// each replica has its own dataset. Nothing is divided, and a step is made
// ahead only for GPUs (DeliverSteps).
//
// There is a step while any replica has an element; the others get one without
// rows. Replica r reads from datasets[r], or from the only dataset. With
// `run_on_device`, replica r's dataset runs with its device as the current one.
// REQUIRES: one dataset, or one per replica.
StepSourcePtr MakeCollectedSource(std::vector<Dataset> datasets,
                                  Placement placement, bool run_on_device);

// Steps made by dividing the batches of one dataset among all replicas.
//
// A single replica gets the elements unchanged. Errors: InvalidArgument for
// elements without a batch axis: at once if the spec is known, even of an empty
// dataset, and when read after a Map without an output_spec. Makes one step per
// replica ahead, on another thread unless making them is light; for GPUs one
// step, which is copied there (DeliverSteps).
//
// On one of several workers the steps consist of its own parts (AutoShard).
// Errors also: those of AutoShard. REQUIRES: one device per replica of the
// worker.
StepSourcePtr MakeRebatchedSource(const Dataset& dataset,
                                  const InputShard& shard, Placement placement);

}  // namespace lockstep::distribute_internal

#endif  // LOCKSTEP_REFERENCE_DISTRIBUTE_INPUT_STEP_SOURCES_H_
