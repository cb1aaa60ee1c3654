// All of one dataset, then all of another.
#ifndef LOCKSTEP_REFERENCE_DATA_TRANSFORMATIONS_CONCATENATE_H_
#define LOCKSTEP_REFERENCE_DATA_TRANSFORMATIONS_CONCATENATE_H_

#include "reference/data/dataset_node.h"

namespace lockstep::data_internal {

// Errors: InvalidArgument, when the spec is asked for,
// unless both have the same kind of element.
NodePtr MakeConcatenate(NodePtr first, NodePtr second);

}  // namespace lockstep::data_internal

#endif  // LOCKSTEP_REFERENCE_DATA_TRANSFORMATIONS_CONCATENATE_H_
