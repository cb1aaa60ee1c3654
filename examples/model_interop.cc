// Exchanges model files with Keras, TensorFlow and safetensors, to compare
// results: benchmarks/peers/exchange/exchange_models.py runs it and them.
//
//   model_interop --write=DIR    trains --model for three steps of Adam under
//       --replicas, saves DIR/model.keras, .weights.h5 and .safetensors,
//       DIR/saved_model and DIR/keras2_weights, and prints what it predicts then and the losses of two
//       steps more, as JSON.
//   model_interop --read=DIR     loads DIR/model.keras, asks it for the same and
//       trains on; what the other files give, loaded into a model of its own,
//       is printed too.
#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "examples/exchange_program.h"
#include "reference/base/json.h"
#include "reference/export/keras/keras2_weights.h"
#include "reference/export/keras/keras_weights.h"
#include "reference/export/safetensors/safetensors.h"
#include "reference/export/saved_model/export_saved_model.h"
#include "reference/optimizers/optimizer.h"
#include "reference/training/exchange/exchange_models.h"
#include "reference/training/model/model_file.h"

namespace lockstep::examples {
namespace {

constexpr int kSteps = 3;
constexpr int kNext = 2;

struct Options {
  ExchangeOptions exchange = {.write = "", .read = "", .replicas = 0};
  std::string model = "functional";
};

Json Predictions(const Model& model, const std::string& name) {
  const Tensor rows = model.Predict(MakeExchangeBatch(name).inputs);
  Json predictions = Json::array();
  for (int64_t row = 0; row < rows.dim(0); ++row) {
    predictions.push_back(rows.Row(row).ToVector<float>());
  }
  return predictions;
}

Model Write(const Options& options) {
  const Model model = MakeExchangeModel(options.model);
  CompileForExchange(model, options.model);
  TrainSteps(model, kSteps, options.model);
  model.Save(options.exchange.write + "/model.keras");
  SaveKerasWeights(options.exchange.write + "/model.weights.h5", model,
                   &model.optimizer());
  SaveSafetensors(options.exchange.write + "/model.safetensors", model);
  ExportSavedModel(model, options.exchange.write + "/saved_model");
  // Weights of Keras 2 hold no vocabularies.
  if (options.model != "words") {
    SaveKeras2Weights(options.exchange.write + "/keras2_weights", model);
  }
  return model;
}

Model Read(const Options& options, Json& result) {
  const std::string file = options.exchange.read + "/model.keras";
  const Model model = LoadModel(file);
  const Model other = MakeExchangeModel(options.model);
  LoadKerasWeights(options.exchange.read + "/model.weights.h5", other);
  result["weights"] = Predictions(other, options.model);
  const Model named = LoadModel(file);
  LoadSafetensors(options.exchange.read + "/model.safetensors", named);
  result["safetensors"] = Predictions(named, options.model);
  return model;
}

Json Exchange(const Options& options) {
  std::unique_ptr<Strategy> owner;
  const StrategyScope scope =
      ExchangeStrategy(options.exchange.replicas, owner).Scope();
  Json result;
  const Model model =
      options.exchange.write.empty() ? Read(options, result) : Write(options);
  const ExchangeBatch batch = MakeExchangeBatch(options.model);
  const Logs logs = model.TestOnBatch({batch.inputs, batch.labels});
  result["predictions"] = Predictions(model, options.model);
  result["loss"] = logs.at("loss");
  result["accuracy"] = logs.at("accuracy");
  result["iterations"] = model.optimizer().iterations();
  if (model.optimizer().inner_optimizer() != nullptr) {
    result["loss_scale"] = model.optimizer().loss_scale();
  }
  result["next_losses"] = TrainSteps(model, kNext, options.model);
  return result;
}

constexpr char kExamples[] =
    "Examples:\n"
    "  bazel-bin/examples/model_interop --write=/tmp/ours --replicas=2\n"
    "  bazel-bin/examples/model_interop --read=/tmp/theirs --model=sequential\n"
    "\n"
    "Exit status: 0; 1 when something failed, 2 for a wrong command line.\n";

}  // namespace
}  // namespace lockstep::examples

int main(int argc, char** argv) {
  using namespace lockstep::examples;
  Options options;
  CLI::App app("Exchanges models with Keras and TensorFlow.", "model_interop");
  app.footer(kExamples);
  AddExchangeOptions(app, options.exchange, "folder to read from");
  app.add_option("--model", options.model, "which one is exchanged")
      ->check(CLI::IsMember(
          {"functional", "sequential", "scaled", "attention", "words"}))
      ->capture_default_str();
  return RunExchange(app, options.exchange, argc, argv,
                     [&] { return Exchange(options); });
}
