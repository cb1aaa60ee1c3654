// A function that makes the data of fit where it is read: on the workers of a
// ParameterServerStrategy, which a dataset cannot be sent to.
//
//   const DatasetCreator train("train", [&](const InputContext& context) {
//     return Dataset::FromTensorSlices({x, y}).Shuffle(1000).Repeat().Batch(
//         context.GetPerReplicaBatchSize(64));
//   });
//   model.Fit(train, {.epochs = 3, .steps_per_epoch = 100});
//
// Layers that prepare data belong into the function. Each worker reads all that
// the function makes, in an order of its own if it is shuffled. Other strategies
// call it as DistributeDatasetsFromFunction does.
#ifndef LOCKSTEP_REFERENCE_TRAINING_BATCHES_DATASET_CREATOR_H_
#define LOCKSTEP_REFERENCE_TRAINING_BATCHES_DATASET_CREATOR_H_

#include <string>
#include <utility>

#include "reference/base/error.h"
#include "reference/distribute/input/distributed_dataset.h"

namespace lockstep {

class DatasetCreator {
 public:
  // Workers know the function by its name. Errors: InvalidArgument for an empty
  // function or name.
  DatasetCreator(std::string name, DatasetFunction function)
      : name_(std::move(name)), function_(std::move(function)) {
    if (function_ && !name_.empty()) return;
    throw InvalidArgument(
        "[DatasetCreator] requires a name and a function, got {}",
        name_.empty() ? "no name" : "an empty function");
  }

  const std::string& name() const { return name_; }
  const DatasetFunction& function() const { return function_; }

 private:
  std::string name_;
  DatasetFunction function_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_TRAINING_BATCHES_DATASET_CREATOR_H_
