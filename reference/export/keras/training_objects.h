// What a model is trained by, in .keras files: optimizers, their schedules,
// losses and metrics as Keras writes them.
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

// Errors: Unimplemented for classes of one's own.
Json OptimizerObject(const Optimizer& optimizer);
Json LossObject(const losses::Loss& loss);

// A name, or what these made or Keras did; made in the scope that is open.
// Errors: Unimplemented for classes and settings that are not offered, with
// their names; InvalidArgument for what is none.
std::shared_ptr<Optimizer> MakeOptimizer(const Json& object);
std::shared_ptr<const losses::Loss> MakeLoss(const Json& object);

// Names of a list of metrics, each a name or an object of a class. Errors:
// InvalidArgument for what is no list of them.
std::vector<std::string> MetricNames(const Json& list);

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_EXPORT_KERAS_TRAINING_OBJECTS_H_
