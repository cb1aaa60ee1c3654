// The models and the batch of benchmarks/peers/exchange/keras_model_files.py, by which
// files are held against Keras' and TensorFlow's.
#ifndef LOCKSTEP_REFERENCE_TRAINING_EXCHANGE_EXCHANGE_MODELS_H_
#define LOCKSTEP_REFERENCE_TRAINING_EXCHANGE_EXCHANGE_MODELS_H_

#include <string_view>
#include <vector>

#include "reference/export/keras/keras_model.h"
#include "reference/tensor/tensor.h"
#include "reference/training/model/model.h"

namespace lockstep {

struct ExchangeBatch {
  Tensor inputs;  // images [8, 6, 6, 1], of "attention" tokens [8, 3]
  Tensor labels;  // [8]
};

// "functional" (a skip connection, a normalization, a model in the model),
// "sequential", "scaled" (the same, with a loss scale that grows) or
// "attention" (of tokens); not compiled. Errors: InvalidArgument for others.
Model MakeExchangeModel(std::string_view name);
ExchangeBatch MakeExchangeBatch(std::string_view name = "functional");

// With Adam, and cross-entropy of logits, as the script does; what Keras is
// told of it where the loss has no scale.
void CompileForExchange(const Model& model,
                        std::string_view name = "functional");
KerasCompileConfig ExchangeCompileConfig();

// Losses of that many steps, each on the whole batch.
std::vector<double> TrainSteps(const Model& model, int steps,
                               std::string_view name = "functional");

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_TRAINING_EXCHANGE_EXCHANGE_MODELS_H_
