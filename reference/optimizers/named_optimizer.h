// Optimizers by Keras' names.
#ifndef LOCKSTEP_REFERENCE_OPTIMIZERS_NAMED_OPTIMIZER_H_
#define LOCKSTEP_REFERENCE_OPTIMIZERS_NAMED_OPTIMIZER_H_

#include <memory>
#include <string_view>

#include "reference/optimizers/optimizer.h"

namespace lockstep {

// An optimizer with Keras' defaults, by the name of its class in any case.
//
//   NamedOptimizer("adam")->learning_rate();   // 0.001
//
// Like any optimizer it must be made in the scope of its strategy. Errors:
// InvalidArgument, with the known names.
std::shared_ptr<Optimizer> NamedOptimizer(std::string_view name);

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_OPTIMIZERS_NAMED_OPTIMIZER_H_
