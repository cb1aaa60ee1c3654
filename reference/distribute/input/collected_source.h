// Steps made of whole elements: one dataset serves the replicas in turn, or
// each replica has a dataset of its own. Nothing is divided, and only for GPUs is
// a step made ahead (DeliverSteps).
#ifndef LOCKSTEP_REFERENCE_DISTRIBUTE_INPUT_COLLECTED_SOURCE_H_
#define LOCKSTEP_REFERENCE_DISTRIBUTE_INPUT_COLLECTED_SOURCE_H_

#include <vector>

#include "reference/data/dataset.h"
#include "reference/distribute/input/placement.h"
#include "reference/distribute/input/step_source.h"

namespace lockstep::distribute_internal {

// A step happens when any replica has an element; the others get one without
// rows. Replica r reads from datasets[r], or from the only dataset there is.
// With `run_on_device`, replica r's dataset runs with its device as the current
// one. REQUIRES: one dataset, or one a replica.
StepSourcePtr MakeCollectedSource(std::vector<Dataset> datasets,
                                  Placement placement, bool run_on_device);

}  // namespace lockstep::distribute_internal

#endif  // LOCKSTEP_REFERENCE_DISTRIBUTE_INPUT_COLLECTED_SOURCE_H_
