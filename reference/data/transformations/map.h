// A function of the user's, element by element.
#ifndef LOCKSTEP_REFERENCE_DATA_TRANSFORMATIONS_MAP_H_
#define LOCKSTEP_REFERENCE_DATA_TRANSFORMATIONS_MAP_H_

#include <functional>
#include <optional>

#include "reference/data/dataset_node.h"

namespace lockstep::data_internal {

// Errors: InvalidArgument for an empty function, and for a result that has not
// the spec given.
NodePtr MakeMap(NodePtr input,
                std::function<Structure(const Structure&)> function,
                std::optional<SpecStructure> output_spec);

}  // namespace lockstep::data_internal

#endif  // LOCKSTEP_REFERENCE_DATA_TRANSFORMATIONS_MAP_H_
