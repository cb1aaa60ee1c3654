// The elements for which a function of the user's holds.
#ifndef LOCKSTEP_REFERENCE_DATA_TRANSFORMATIONS_FILTER_H_
#define LOCKSTEP_REFERENCE_DATA_TRANSFORMATIONS_FILTER_H_

#include <functional>

#include "reference/data/dataset_node.h"

namespace lockstep::data_internal {

// Errors: InvalidArgument for an empty function.
NodePtr MakeFilter(NodePtr input,
                   std::function<bool(const Structure&)> predicate);

}  // namespace lockstep::data_internal

#endif  // LOCKSTEP_REFERENCE_DATA_TRANSFORMATIONS_FILTER_H_
