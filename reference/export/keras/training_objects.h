// Optimizers, their schedules, losses and metrics as in the compile_config of
// .keras files.
//
//   Json adam = OptimizerObject(Adam());
//   // {"module": "keras.optimizers", "class_name": "Adam",
//   //  "config": {"name": "adam", "learning_rate": 0.001, ...}, ...}
//   MakeOptimizer(adam);
#ifndef LOCKSTEP_REFERENCE_EXPORT_KERAS_TRAINING_OBJECTS_H_
#define LOCKSTEP_REFERENCE_EXPORT_KERAS_TRAINING_OBJECTS_H_

#include <memory>
#include <string>
#include <vector>

#include "reference/base/json.h"
#include "reference/losses/loss.h"
#include "reference/optimizers/optimizer.h"

namespace lockstep {

// Errors: Unimplemented for custom classes.
Json OptimizerObject(const Optimizer& optimizer);
Json LossObject(const losses::Loss& loss);

// `object` is a name, or an object that the functions above or Keras wrote. The
// optimizer is created in the current scope. Errors: Unimplemented, with its
// name, for a class or setting that is not supported; InvalidArgument for
// anything else.
std::shared_ptr<Optimizer> MakeOptimizer(const Json& object);
std::shared_ptr<const losses::Loss> MakeLoss(const Json& object);

// The names in a list of metrics, each a name or an object. Errors:
// InvalidArgument if it is not such a list.
std::vector<std::string> MetricNames(const Json& list);

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_EXPORT_KERAS_TRAINING_OBJECTS_H_
