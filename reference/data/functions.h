// Functions of the program that datasets call, other than those that return
// datasets (dataset.h). Their results may be on any device.
#ifndef LOCKSTEP_REFERENCE_DATA_FUNCTIONS_H_
#define LOCKSTEP_REFERENCE_DATA_FUNCTIONS_H_

#include <functional>
#include <optional>

#include "reference/tensor/nest.h"

namespace lockstep {

// Returns the next element, or nothing at the end.
using Generator = std::function<std::optional<Structure>()>;

using MapFunction = std::function<Structure(const Structure& element)>;
using FilterFunction = std::function<bool(const Structure& element)>;

// What a step of Scan makes of a state and an element.
struct ScanStep {
  Structure state;   // for the next step
  Structure output;  // the element
};
using ScanFunction =
    std::function<ScanStep(const Structure& state, const Structure& element)>;

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_DATA_FUNCTIONS_H_
