// Runs a SavedModel on the arguments in a file, once on each replica, or makes one
// of a model file of Keras: benchmarks/peers/exchange/saved_models.py and
// prepared_models.py compare it with TensorFlow.
//
//   run_saved_model --model=exported --inputs=inputs.json --replicas=2
//   run_saved_model --model=model.keras --export=exported
//
// inputs.json: {"x": {"dtype": "float32", "shape": [1, 2], "values": [3, 4]}};
// Prints a list of such objects, the results of each replica.
#include <CLI/CLI.hpp>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "command_line/parse.h"
#include "command_line/program.h"
#include "examples/exchange_program.h"
#include "reference/base/json.h"
#include "reference/distribute/strategy.h"
#include "reference/export/keras/keras_model.h"
#include "reference/export/saved_model/export_saved_model.h"
#include "reference/export/saved_model/loading/load_saved_model.h"

namespace lockstep::examples {
namespace {

struct Options {
  std::string model, inputs, exported, signature = "serving_default";
  int replicas = 0;
};

using TensorsByName = std::map<std::string, Tensor>;

TensorsByName ReadInputs(const std::string& path) {
  const Json file = ReadJsonFile(path);
  TensorsByName tensors;
  for (const auto& [name, entry] : file.items()) {
    const auto dims = entry.at("shape").get<std::vector<int64_t>>();
    const Json& values = entry.at("values");
    const DType dtype = ParseDType(entry.at("dtype").get<std::string>());
    if (dtype == DType::kString) {
      tensors[name] = Tensor::FromVector(values.get<std::vector<std::string>>(),
                                         Shape(dims));
    } else {
      tensors[name] =
          Tensor::FromVector(values.get<std::vector<double>>(), Shape(dims))
              .Cast(dtype);
    }
  }
  return tensors;
}

Json ValuesOf(const Tensor& tensor) {
  if (tensor.dtype() == DType::kString) return tensor.ToVector<std::string>();
  return tensor.ToHost().Cast(DType::kFloat64).ToVector<double>();
}

Json ToJson(const TensorsByName& tensors) {
  Json json = Json::object();
  for (const auto& [name, tensor] : tensors) {
    const auto dims = tensor.shape().dims();
    json[name] = {{"dtype", DTypeName(tensor.dtype())},
                  {"shape", std::vector<int64_t>(dims.begin(), dims.end())},
                  {"values", ValuesOf(tensor)}};
  }
  return json;
}

Json RunModel(const Options& options) {
  std::unique_ptr<Strategy> owner;
  Strategy& strategy = ExchangeStrategy(options.replicas, owner);
  const StrategyScope scope = strategy.Scope();
  const SavedModel model =
      LoadSavedModel(options.model, {.signature = options.signature});
  const TensorsByName inputs = ReadInputs(options.inputs);
  const auto results = strategy.Run([&] { return model.Run(inputs); });
  Json json = Json::array();
  for (const TensorsByName& result : results) json.push_back(ToJson(result));
  return json;
}

constexpr char kExamples[] =
    "Example:\n"
    "  bazel-bin/examples/run_saved_model --model=exported "
    "--inputs=inputs.json\n"
    "\n"
    "Exit status: 0; 1 when something failed, 2 for a wrong command line.\n";

}  // namespace
}  // namespace lockstep::examples

int main(int argc, char** argv) {
  using namespace lockstep::examples;  // NOLINT: the whole program
  Options options;
  CLI::App app("Runs a SavedModel.", "run_saved_model");
  app.footer(kExamples);
  app.add_option("--model", options.model, "its folder")->required();
  auto* what = app.add_option_group("what", "one of them");
  what->add_option("--inputs", options.inputs, "JSON file of arguments");
  what->add_option("--export", options.exported,
                   "makes this SavedModel of the model, a .keras file");
  what->require_option(1);
  app.add_option("--signature", options.signature, "which function")
      ->capture_default_str();
  app.add_option("--replicas", options.replicas, "0: without a strategy")
      ->check(lockstep::WholeNumber(0, 256))
      ->capture_default_str();
  return lockstep::RunProgram([&] {
    if (const auto status = lockstep::ParseCommandLine(app, argc, argv)) {
      return *status;
    }
    lockstep::EnterUsersFolder();
    if (!options.exported.empty()) {
      lockstep::ExportSavedModel(lockstep::LoadKerasModel(options.model).model,
                                 options.exported);
      return 0;
    }
    lockstep::Print("{}\n", RunModel(options).dump());
    return 0;
  });
}
