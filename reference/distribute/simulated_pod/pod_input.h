// What the input of a simulated TPU pod may be: no generators, static shapes,
// and no strings on its cores.
#ifndef LOCKSTEP_REFERENCE_DISTRIBUTE_SIMULATED_POD_POD_INPUT_H_
#define LOCKSTEP_REFERENCE_DISTRIBUTE_SIMULATED_POD_POD_INPUT_H_

#include "reference/data/dataset.h"
#include "reference/distribute/input/distributed_dataset.h"

namespace lockstep::pod_internal {

// Errors: Unimplemented for a pipeline that reads a generator, also in what the
// function of a FlatMap or Interleave returns for the first element. It is
// called with that element; its errors are thrown by the step that reads it.
void CheckNoGenerator(const Dataset& dataset);

// The same steps, each with the shapes of the pass's first:
//
//   ([0, 1] [2, 3])   ([4, 5] [6, 7])   ([8] [9])   // the last one throws
//
// Errors, of a step: those of `steps`; InvalidArgument for a part with another
// shape than the first part of the pass; Unimplemented for strings on a core,
// `on_cores`.
distribute_internal::StepSourcePtr CheckSteps(
    distribute_internal::StepSourcePtr steps, bool on_cores);

}  // namespace lockstep::pod_internal

#endif  // LOCKSTEP_REFERENCE_DISTRIBUTE_SIMULATED_POD_POD_INPUT_H_
