// Input of one process that has several input pipelines, as the hosts of a
// simulated pod have.
//
//   // Two pipelines with one replica each, of [0], [1] and of [5]:
//   JoinPipelines({{first, on_cpu_0}, {second, on_cpu_1}});
//                                     // ([0], [5]), then ([1], [])
//
// The replicas of a step are those of the first pipeline, then those of the
// second, and so on. There are steps while any pipeline has one; the replicas of
// the others get parts without rows.
//
// All pipelines begin the same pass: a shuffle that they share has the same
// order in each, as if every pipeline had a process of its own. An error in one
// pipeline is thrown after all have read, and that step is over for all.
//
// Errors, of a step: those of the pipelines, of the first that fails;
// InvalidArgument if a pipeline has no data left and the others' data have no
// batch axis.
#ifndef LOCKSTEP_REFERENCE_DISTRIBUTE_INPUT_JOINED_PIPELINES_H_
#define LOCKSTEP_REFERENCE_DISTRIBUTE_INPUT_JOINED_PIPELINES_H_

#include <vector>

#include "reference/distribute/input/delivery.h"
#include "reference/distribute/input/distributed_dataset.h"

namespace lockstep::distribute_internal {

struct InputPipeline {
  StepSourcePtr steps;
  Placement placement;  // of the replicas that it serves
};

// REQUIRES: at least one pipeline; each step has a part for every replica of its
// placement.
StepSourcePtr JoinPipelines(std::vector<InputPipeline> pipelines);

}  // namespace lockstep::distribute_internal

#endif  // LOCKSTEP_REFERENCE_DISTRIBUTE_INPUT_JOINED_PIPELINES_H_
