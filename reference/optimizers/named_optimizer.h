// Optimizers by the names Keras knows them by.
#ifndef LOCKSTEP_REFERENCE_OPTIMIZERS_NAMED_OPTIMIZER_H_
#define LOCKSTEP_REFERENCE_OPTIMIZERS_NAMED_OPTIMIZER_H_

#include <memory>
#include <string_view>

#include "reference/optimizers/optimizer.h"

namespace lockstep {

// An optimizer with Keras' defaults, by its class's name in any case.
//
//   NamedOptimizer("adam")->learning_rate();   // 0.001
//
// Like any optimizer it is made in the scope of its strategy. Errors:
// InvalidArgument, with the names there are.
std::shared_ptr<Optimizer> NamedOptimizer(std::string_view name);

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_OPTIMIZERS_NAMED_OPTIMIZER_H_
