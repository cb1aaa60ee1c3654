// Steps made by dividing the batches of one dataset among all replicas.
#ifndef LOCKSTEP_REFERENCE_DISTRIBUTE_INPUT_REBATCHED_SOURCE_H_
#define LOCKSTEP_REFERENCE_DISTRIBUTE_INPUT_REBATCHED_SOURCE_H_

#include "reference/data/dataset.h"
#include "reference/distribute/input/placement.h"
#include "reference/distribute/input/step_source.h"

namespace lockstep::distribute_internal {

// A single replica gets the elements as they are. Errors: InvalidArgument for
// elements without a batch axis: at once where the dataset knows its spec, also
// an empty one, and when read behind a Map without an output_spec. As many steps as there are
// replicas are made ahead, on another thread unless making them is light; for
// GPUs one, which is copied there (DeliverSteps).
StepSourcePtr MakeRebatchedSource(const Dataset& dataset, Placement placement);

}  // namespace lockstep::distribute_internal

#endif  // LOCKSTEP_REFERENCE_DISTRIBUTE_INPUT_REBATCHED_SOURCE_H_
