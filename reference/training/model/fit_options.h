// How long and how often: what Model::Fit, Evaluate and Predict take beside the
// data.
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

// What is printed while a model is trained, on the chief of several workers.
enum class Verbose {
  kLines,   // a line an epoch on stdout; at a terminal a bar meanwhile
  kSilent,  // nothing
};

// Which epochs are followed by validation.
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
  int64_t batch_size = 32;  // of arrays, over all replicas
  int epochs = 1;           // the number of the last one
  int initial_epoch = 0;    // how many of them were trained before
  bool shuffle = true;      // arrays, anew each epoch
  // Batches of an epoch; by itself all that the data has. With it the data is
  // read on from epoch to epoch, and training ends where it does. Data without
  // an end needs it, and validation_steps; else InvalidArgument.
  std::optional<int64_t> steps_per_epoch = std::nullopt;
  std::optional<TrainingData> validation_data = std::nullopt;
  // The last part of arrays, which then is not trained on; 0: none.
  double validation_split = 0;
  std::optional<int64_t> validation_steps = std::nullopt;
  ValidationFrequency validation_freq = 1;
  // How much the examples of a label count in the loss; 1 for other labels.
  std::map<int64_t, double> class_weight = {};
  std::vector<CallbackPtr> callbacks = {};
  Verbose verbose = Verbose::kLines;
};

struct EvaluateOptions {
  int64_t batch_size = 32;
  std::optional<int64_t> steps = std::nullopt;
  // The loss has the penalties of the weights in it, as Keras has it.
  bool penalties = true;
  std::vector<CallbackPtr> callbacks = {};
};

using PredictOptions = EvaluateOptions;

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_TRAINING_MODEL_FIT_OPTIONS_H_
