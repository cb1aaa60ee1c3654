// One element for each row of axis 0 of all tensors together.
#ifndef LOCKSTEP_REFERENCE_DATA_SOURCES_TENSOR_SLICES_H_
#define LOCKSTEP_REFERENCE_DATA_SOURCES_TENSOR_SLICES_H_

#include "reference/data/dataset_node.h"

namespace lockstep::data_internal {

// Errors: InvalidArgument for no leaves, tensors that hold nothing, scalars,
// and tensors of different length.
NodePtr MakeTensorSlices(const Structure& tensors);

}  // namespace lockstep::data_internal

#endif  // LOCKSTEP_REFERENCE_DATA_SOURCES_TENSOR_SLICES_H_
