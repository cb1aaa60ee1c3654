// The options of Model::Fit, Evaluate and Predict.
#ifndef LOCKSTEP_REFERENCE_TRAINING_MODEL_FIT_OPTIONS_H_
#define LOCKSTEP_REFERENCE_TRAINING_MODEL_FIT_OPTIONS_H_

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "reference/training/batches/training_data.h"
#include "reference/training/events/callback.h"

namespace lockstep {

// What the chief prints during training.
enum class Verbose {
  kLines,   // one line per epoch on stdout; on a terminal also a progress bar
  kSilent,  // nothing
};

// The epochs after which the model is validated.
//
//   .validation_freq = 2         // the second, the fourth, ...
//   .validation_freq = {1, 10}   // the first and the tenth
class ValidationFrequency {
 public:
  ValidationFrequency(int every) : every_(every) {}  // NOLINT
  ValidationFrequency(std::initializer_list<int> epochs) : epochs_(epochs) {}

  // `epoch` counts from 0. Errors: InvalidArgument for a frequency below 1.
  bool Includes(int epoch) const;

 private:
  int every_ = 1;
  std::set<int> epochs_;
};

struct FitOptions {
  // Of arrays, over all replicas; 32 if it is not given. InvalidArgument for other
  // data, which is made of batches.
  std::optional<int64_t> batch_size = std::nullopt;
  int epochs = 1;         // the number of the last one
  int initial_epoch = 0;  // the number of epochs that were trained before
  bool shuffle = true;    // shuffles arrays, differently in each epoch
  // The number of batches per epoch. Default: all batches of the data. If it is
  // given, the next epoch continues where the last one stopped, and training ends
  // with the data. Required for infinite data, as is validation_steps; else
  // InvalidArgument.
  std::optional<int64_t> steps_per_epoch = std::nullopt;
  std::optional<TrainingData> validation_data = std::nullopt;
  // The last part of arrays is used for validation and not for training; 0: none.
  double validation_split = 0;
  std::optional<int64_t> validation_steps = std::nullopt;
  ValidationFrequency validation_freq = 1;
  // The weight in the loss of examples with a label; 1 for other labels.
  std::map<int64_t, double> class_weight = {};
  std::vector<CallbackPtr> callbacks = {};
  Verbose verbose = Verbose::kLines;
};

struct EvaluateOptions {
  std::optional<int64_t> batch_size = std::nullopt;  // as FitOptions'
  std::optional<int64_t> steps = std::nullopt;
  // The loss includes the weights' penalties, as in Keras.
  bool penalties = true;
  std::vector<CallbackPtr> callbacks = {};
};

using PredictOptions = EvaluateOptions;

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_TRAINING_MODEL_FIT_OPTIONS_H_
