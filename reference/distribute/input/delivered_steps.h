// Steps whose parts are copied to GPUs while the step before is computed.
#ifndef LOCKSTEP_REFERENCE_DISTRIBUTE_INPUT_DELIVERED_STEPS_H_
#define LOCKSTEP_REFERENCE_DISTRIBUTE_INPUT_DELIVERED_STEPS_H_

#include "reference/data/stream.h"
#include "reference/distribute/input/placement.h"
#include "reference/distribute/input/step_source.h"

namespace lockstep::distribute_internal {

// The steps of `placed`, which it places by `placement`, made one ahead on a
// thread of its own. Each is delivered to its devices as it is handed out.
data_internal::StreamPtr<Step> DeliverSteps(
    data_internal::StreamPtr<Step> placed, const Placement& placement);

}  // namespace lockstep::distribute_internal

#endif  // LOCKSTEP_REFERENCE_DISTRIBUTE_INPUT_DELIVERED_STEPS_H_
