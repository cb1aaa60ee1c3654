// Elements from a function of the user's.
#ifndef LOCKSTEP_REFERENCE_DATA_SOURCES_GENERATOR_H_
#define LOCKSTEP_REFERENCE_DATA_SOURCES_GENERATOR_H_

#include <functional>
#include <optional>

#include "reference/data/dataset_node.h"

namespace lockstep::data_internal {

// `start` is called once a pass, on the first read; what it returns is called
// until it gives nothing. Errors: InvalidArgument for an empty function.
NodePtr MakeGenerator(
    std::function<std::function<std::optional<Structure>()>()> start,
    SpecStructure element_spec);

}  // namespace lockstep::data_internal

#endif  // LOCKSTEP_REFERENCE_DATA_SOURCES_GENERATOR_H_
