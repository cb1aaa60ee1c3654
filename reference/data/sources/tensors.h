// One element: the tensors given.
#ifndef LOCKSTEP_REFERENCE_DATA_SOURCES_TENSORS_H_
#define LOCKSTEP_REFERENCE_DATA_SOURCES_TENSORS_H_

#include <string_view>

#include "reference/data/dataset_node.h"

namespace lockstep::data_internal {

// Errors: InvalidArgument for a tensor that holds nothing.
NodePtr MakeTensors(const Structure& element);

// Errors: InvalidArgument, led by `operation`, for a tensor that holds nothing.
void CheckDefined(std::string_view operation, const Structure& tensors);

}  // namespace lockstep::data_internal

#endif  // LOCKSTEP_REFERENCE_DATA_SOURCES_TENSORS_H_
