// The models and the batch of benchmarks/peers/exchange/keras_model_files.py, by which
// files are held against Keras' and TensorFlow's.
#ifndef LOCKSTEP_REFERENCE_TRAINING_EXPORT_EXCHANGE_MODELS_H_
#define LOCKSTEP_REFERENCE_TRAINING_EXPORT_EXCHANGE_MODELS_H_

#include <string_view>
#include <vector>

#include "reference/tensor/tensor.h"
#include "reference/training/export/keras/keras_model.h"
#include "reference/training/model/model.h"

namespace lockstep {

struct ExchangeBatch {
  Tensor images;  // [8, 6, 6, 1]
  Tensor labels;  // [8]
};

ExchangeBatch MakeExchangeBatch();

// "functional" (a skip connection, a normalization, a model in the model) or
// "sequential"; not compiled. Errors: InvalidArgument for other names.
Model MakeExchangeModel(std::string_view name);

// With Adam, and cross-entropy of logits, as the script does; what Keras is
// told of it.
void CompileForExchange(const Model& model);
KerasCompileConfig ExchangeCompileConfig();

// Losses of that many steps, each on the whole batch.
std::vector<double> TrainSteps(const Model& model, int steps);

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_TRAINING_EXPORT_EXCHANGE_MODELS_H_
