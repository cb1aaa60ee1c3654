#include "reference/export/keras/keras_model.h"

#include <ctime>

#include "reference/base/error.h"
#include "reference/base/files/file_bytes.h"
#include "reference/export/keras/archive.h"
#include "reference/export/keras/model_maker.h"
#include "reference/export/keras/weights_image.h"
#include "reference/layers/layer_config.h"

namespace lockstep {
namespace {

using export_internal::KerasArchive;

constexpr char kKerasVersion[] = "3.15.1";  // whose format this is

std::string Metadata() {
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  gmtime_r(&now, &utc);
  char date[32];
  std::strftime(date, sizeof(date), "%Y-%m-%d@%H:%M:%S", &utc);
  return Json{{"keras_version", kKerasVersion}, {"date_saved", date}}.dump();
}

Json CompileObject(const KerasCompileConfig& config) {
  return {{"optimizer", config.optimizer}, {"loss", config.loss},
          {"loss_weights", nullptr},       {"metrics", config.metrics},
          {"weighted_metrics", nullptr},   {"run_eagerly", false},
          {"steps_per_execution", 1},      {"jit_compile", false}};
}

KerasCompileConfig CompileConfigIn(const Json& object) {
  const auto found = object.find("compile_config");
  if (found == object.end() || !found->is_object()) return {};
  return {.optimizer = found->value("optimizer", Json()),
          .loss = found->value("loss", Json()),
          .metrics = found->value("metrics", Json())};
}

// Text that is not JSON is reported as damage.
Json ParseConfig(const std::string& text, const std::string& path) {
  try {
    return ParseJson(text, path + ", config.json");
  } catch (const Error& error) {
    throw DataLoss("[LoadKerasModel] {}", error.what());
  }
}

}  // namespace

void SaveKerasModel(const std::string& path, const Layer& model,
                    const KerasCompileConfig& compile_config,
                    const Optimizer* optimizer) {
  if (optimizer != nullptr && compile_config.optimizer.is_null()) {
    throw InvalidArgument(
        "[SaveKerasModel] an optimizer was given, but there is no optimizer in "
        "compile_config");
  }
  const std::string weights =
      export_internal::EncodeWeights(model.impl(), optimizer);
  Json config = LayerObject(model.impl());
  const bool is_compiled =
      !compile_config.optimizer.is_null() && !compile_config.loss.is_null();
  if (is_compiled) config["compile_config"] = CompileObject(compile_config);
  export_internal::WriteFileBytes(
      path, KerasArchive::Pack(Metadata(), config.dump(), weights,
                               export_internal::EncodeAssets(model.impl())));
}

KerasFile::KerasFile(const std::string& path) : path_(path) {
  const std::string bytes = export_internal::ReadFileBytes(path);
  const KerasArchive archive(bytes, path);
  config_ = ParseConfig(archive.config(), path);
  compile_config_ = CompileConfigIn(config_);
  weights_ = archive.weights();
  assets_ = archive.assets();
}

Layer KerasFile::MakeModel(const LayerRegistry& layers) const {
  // A damaged config must not create more weights than the file has.
  const WeightLimit limit(export_internal::CountElements(weights_, path_));
  return export_internal::MakeFromConfig(config_, layers);
}

void KerasFile::LoadWeights(const Layer& model, Optimizer* optimizer) const {
  export_internal::DecodeWeights(weights_, path_, model.impl(), optimizer,
                                 &assets_);
}

KerasModel LoadKerasModel(const std::string& path,
                          const LayerRegistry& layers) {
  const KerasFile file(path);
  const Layer model = file.MakeModel(layers);
  file.LoadWeights(model);
  return {model, file.compile_config()};
}

}  // namespace lockstep
