// The models and batches of benchmarks/peers/exchange/keras_model_files.py, to compare
// our files with Keras' and TensorFlow's.
#ifndef LOCKSTEP_REFERENCE_TRAINING_EXCHANGE_EXCHANGE_MODELS_H_
#define LOCKSTEP_REFERENCE_TRAINING_EXCHANGE_EXCHANGE_MODELS_H_

#include <string_view>
#include <vector>

#include "reference/export/keras/keras_model.h"
#include "reference/tensor/tensor.h"
#include "reference/training/model/model.h"

namespace lockstep {

struct ExchangeBatch {
  // Images [8, 6, 6, 1]; for "attention" tokens and for "words" words [8, 3].
  Tensor inputs;
  Tensor labels;  // [8]
};

// Makes a model that is not compiled: "functional" (with a skip connection, a
// normalization and a nested model), "sequential", "scaled" (the same, with a loss
// scale that grows), "attention" or "words" (with learned vocabularies and bins).
// Errors: InvalidArgument for other names.
Model MakeExchangeModel(std::string_view name);
ExchangeBatch MakeExchangeBatch(std::string_view name = "functional");

// Compiles the model as the script does, with Adam and cross-entropy of logits.
// ExchangeCompileConfig describes this for Keras; it has no loss scale.
void CompileForExchange(const Model& model,
                        std::string_view name = "functional");
KerasCompileConfig ExchangeCompileConfig();

// Trains `steps` steps on the whole batch. Returns their losses.
std::vector<double> TrainSteps(const Model& model, int steps,
                               std::string_view name = "functional");

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_TRAINING_EXCHANGE_EXCHANGE_MODELS_H_
