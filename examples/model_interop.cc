// Writes and reads model files that Keras, TensorFlow and safetensors read and
// write, to hold both against each other: benchmarks/peers/exchange/exchange_models.py
// runs it beside them.
//
//   model_interop --write=DIR    trains --model for three steps of Adam under
//       --replicas, saves DIR/model.keras, .weights.h5 and .safetensors and
//       DIR/saved_model, and prints what it predicts then and the losses of two steps more, as JSON.
//   model_interop --read=DIR     loads DIR/model.keras, asks it for the same and
//       trains on; what the other files give, loaded into a model of its own,
//       is printed too.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "command_line/parse.h"
#include "command_line/program.h"
#include "reference/base/json.h"
#include "reference/distribute/mirrored_strategy.h"
#include "reference/training/export/exchange_models.h"
#include "reference/training/export/keras/keras_model.h"
#include "reference/training/export/keras/keras_weights.h"
#include "reference/training/export/safetensors/safetensors.h"
#include "reference/training/export/saved_model/export_saved_model.h"

namespace lockstep::examples {
namespace {

constexpr int kSteps = 3;
constexpr int kNext = 2;

struct Options {
  std::string write;
  std::string read;
  std::string model = "functional";
  int replicas = 0;
};

// Opens the scope of a strategy; of the default one for 0 replicas.
class Scope {
 public:
  explicit Scope(int replicas) {
    if (replicas == 0) return;
    SetLogicalCpuDevices(replicas);
    std::vector<std::string> devices;
    for (int i = 0; i < replicas; ++i) {
      devices.push_back(fmt::format("CPU:{}", i));
    }
    strategy_ = std::make_unique<MirroredStrategy>(devices);
    scope_ = std::make_unique<StrategyScope>(*strategy_);
  }

 private:
  std::unique_ptr<MirroredStrategy> strategy_;
  std::unique_ptr<StrategyScope> scope_;
};

Json Predictions(const Model& model) {
  const Tensor rows = model.Predict(MakeExchangeBatch().images);
  Json predictions = Json::array();
  for (int64_t row = 0; row < rows.dim(0); ++row) {
    predictions.push_back(rows.Row(row).ToVector<float>());
  }
  return predictions;
}

Model Write(const Options& options) {
  const Model model = MakeExchangeModel(options.model);
  CompileForExchange(model);
  TrainSteps(model, kSteps);
  SaveKerasModel(options.write + "/model.keras", model, ExchangeCompileConfig(),
                 &model.optimizer());
  SaveKerasWeights(options.write + "/model.weights.h5", model,
                   &model.optimizer());
  SaveSafetensors(options.write + "/model.safetensors", model);
  ExportSavedModel(model, options.write + "/saved_model");
  return model;
}

Model Read(const Options& options, Json& result) {
  const std::string file = options.read + "/model.keras";
  const Model model(LoadKerasModel(file).model.shared_impl());
  CompileForExchange(model);
  LoadKerasWeights(file, model, &model.optimizer());
  const Model other = MakeExchangeModel(options.model);
  LoadKerasWeights(options.read + "/model.weights.h5", other);
  result["weights"] = Predictions(other);
  const Model named(LoadKerasModel(file).model.shared_impl());
  LoadSafetensors(options.read + "/model.safetensors", named);
  result["safetensors"] = Predictions(named);
  return model;
}

Json Exchange(const Options& options) {
  const Scope scope(options.replicas);
  Json result;
  const Model model =
      options.write.empty() ? Read(options, result) : Write(options);
  const ExchangeBatch batch = MakeExchangeBatch();
  const Logs logs = model.TestOnBatch({batch.images, batch.labels});
  result["predictions"] = Predictions(model);
  result["loss"] = logs.at("loss");
  result["accuracy"] = logs.at("accuracy");
  result["iterations"] = model.optimizer().iterations();
  result["next_losses"] = TrainSteps(model, kNext);
  return result;
}

constexpr char kExamples[] =
    "Examples:\n"
    "  bazel-bin/examples/model_interop --write=/tmp/ours --replicas=2\n"
    "  bazel-bin/examples/model_interop --read=/tmp/theirs --model=sequential\n"
    "\n"
    "Exit status: 0; 1 when something failed, 2 for a wrong command line.\n";

void Describe(CLI::App& app, Options& options) {
  app.footer(kExamples);
  auto* write = app.add_option("--write", options.write, "folder to save in");
  app.add_option("--read", options.read, "folder to read from")
      ->excludes(write);
  app.add_option("--model", options.model, "functional or sequential")
      ->check(CLI::IsMember({"functional", "sequential"}))
      ->capture_default_str();
  app.add_option("--replicas", options.replicas, "0: without a strategy")
      ->check(WholeNumber(0, 256))
      ->capture_default_str();
}

int Main(int argc, char** argv) {
  Options options;
  CLI::App app("Exchanges models with Keras and TensorFlow.", "model_interop");
  Describe(app, options);
  const auto status = ParseCommandLine(app, argc, argv, [&] {
    if (options.write.empty() == options.read.empty()) {
      throw CLI::RequiredError("--write or --read");
    }
  });
  if (status) return *status;
  EnterUsersFolder();
  Print("{}\n", Exchange(options).dump());
  return 0;
}

}  // namespace
}  // namespace lockstep::examples

int main(int argc, char** argv) {
  return lockstep::RunProgram(
      [&] { return lockstep::examples::Main(argc, argv); });
}
