#include "reference/export/keras/model_maker.h"

#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "reference/base/error.h"
#include "reference/export/keras/config_reader.h"
#include "reference/layers/model_impl.h"
#include "reference/layers/typed_input.h"

namespace lockstep::export_internal {
namespace {

// A field of an object. Errors: InvalidArgument if it is missing.
const Json& At(const Json& object, const char* key) {
  if (object.is_object()) {
    const auto found = object.find(key);
    if (found != object.end()) return *found;
  }
  throw InvalidArgument("[LoadModel] the config has an object without '{}'",
                        key);
}

const std::string& TextAt(const Json& object, const char* key) {
  const Json& value = At(object, key);
  if (value.is_string()) return value.get_ref<const std::string&>();
  throw InvalidArgument("[LoadModel] the config's '{}' is not a string", key);
}

const Json& ListAt(const Json& object, const char* key) {
  const Json& value = At(object, key);
  if (value.is_array()) return value;
  throw InvalidArgument("[LoadModel] the config's '{}' is not a list", key);
}

SymbolicTensor MakeInput(const Json& config) {
  ConfigReader reader("InputLayer", config);
  const Shape shape = reader.ShapeAt("batch_shape");
  const std::string type = reader.Text("dtype", "float32");
  reader.CheckAllRead();
  if (shape.rank() == 0) {
    throw InvalidArgument("[LoadModel] the input '{}' has no batch axis",
                          reader.name());
  }
  // Other inputs take numbers of any type.
  for (const DType dtype : {DType::kString, DType::kInt32, DType::kInt64}) {
    if (type == DTypeName(dtype)) {
      return Input(shape.Tail(), dtype, reader.name());
    }
  }
  return Input(shape.Tail(), reader.name());
}

Layer MakeSequential(const Json& config, const LayerRegistry& registry) {
  std::vector<Layer> layers;
  for (const Json& object : ListAt(config, "layers")) {
    if (TextAt(object, "class_name") == "InputLayer") {
      layers.push_back(MakeInput(At(object, "config")));
    } else {
      layers.push_back(MakeFromConfig(object, registry));
    }
  }
  const Layer model = MakeLayer<SequentialImpl>(layers, TextAt(config, "name"));
  const auto shape = config.find("build_input_shape");
  if (!model.built() && shape != config.end() && !shape->is_null()) {
    ConfigReader reader("Sequential", config);
    const Shape input = reader.ShapeAt("build_input_shape");
    if (input.rank() > 0) model.Build(input.WithDim(0, kUnknownDim));
  }
  return model;
}

// Result `tensor` of call `node` of a layer, as "keras_history" has it.
using History = std::tuple<std::string, int64_t, int64_t>;

History HistoryIn(const Json& list) {
  if (!list.is_array() || list.size() != 3 || !list[0].is_string() ||
      !IntegerIn(list[1]) || !IntegerIn(list[2])) {
    throw InvalidArgument(
        "[LoadModel] a tensor's history must be a layer's "
        "name and two numbers");
  }
  return {list[0].get<std::string>(), *IntegerIn(list[1]), *IntegerIn(list[2])};
}

bool IsHistory(const Json& value) {
  return value.is_array() && value.size() == 3 && value[0].is_string();
}

class FunctionalMaker {
 public:
  FunctionalMaker(const Json& config, const LayerRegistry& registry)
      : config_(config) {
    for (const Json& object : ListAt(config, "layers")) {
      AddLayer(object, registry);
    }
  }

  Layer Make() {
    while (!pending_.empty()) {
      const size_t before = pending_.size();
      std::erase_if(pending_, [&](Call& call) { return Run(call); });
      if (pending_.size() == before) {
        throw InvalidArgument(
            "[LoadModel] '{}' is called with a tensor that no layer returns",
            pending_.front().layer);
      }
    }
    return MakeLayer<ModelImpl>(
        SymbolicStructure(Ends(At(config_, "input_layers"))),
        SymbolicStructure(Ends(At(config_, "output_layers"))),
        TextAt(config_, "name"));
  }

 private:
  struct Call {
    std::string layer;
    int64_t node;
    const Json* arguments;
  };

  void AddLayer(const Json& object, const LayerRegistry& registry) {
    const std::string& name = TextAt(At(object, "config"), "name");
    if (TextAt(object, "class_name") == "InputLayer") {
      places_[{name, 0, 0}] = MakeInput(At(object, "config"));
      return;
    }
    if (!layers_.emplace(name, MakeFromConfig(object, registry)).second) {
      throw InvalidArgument("[LoadModel] two layers are named '{}'", name);
    }
    int64_t node = 0;
    for (const Json& call : ListAt(object, "inbound_nodes")) {
      CheckNoOptions(name, At(call, "kwargs"));
      pending_.push_back({name, node++, &ListAt(call, "args")});
    }
  }

  // Keyword arguments may only be defaults: no mask, not training.
  static void CheckNoOptions(const std::string& layer, const Json& options) {
    for (const auto& [key, value] : options.items()) {
      if (value.is_null() || value == false) continue;
      throw Unimplemented("[LoadModel] '{}' is called with {} = {}", layer, key,
                          value.is_primitive() ? value.dump() : "...");
    }
  }

  // Returns false if an argument is not available yet.
  bool Run(const Call& call) {
    const auto inputs = call.arguments->size() == 1
                            ? Arguments((*call.arguments)[0])
                            : Arguments(*call.arguments);
    if (!inputs) return false;
    const SymbolicStructure results =
        layers_.at(call.layer)(SymbolicStructure(*inputs));
    int64_t index = 0;
    results.ForEach([&](const SymbolicTensor& result) {
      places_[{call.layer, call.node, index++}] = result;
    });
    return true;
  }

  // The arguments of a call; nullopt if one is not available yet.
  std::optional<Nest<SymbolicTensor>> Arguments(const Json& value) const {
    if (value.is_array()) {
      std::vector<Nest<SymbolicTensor>> items;
      for (const Json& item : value) {
        auto argument = Arguments(item);
        if (!argument) return std::nullopt;
        items.push_back(std::move(*argument));
      }
      return Nest<SymbolicTensor>::Tuple(std::move(items));
    }
    if (value.is_object() &&
        value.value("class_name", Json()) != "__keras_tensor__") {
      return NamedArguments(value);
    }
    const auto found =
        places_.find(HistoryIn(At(At(value, "config"), "keras_history")));
    if (found == places_.end()) return std::nullopt;
    return Nest<SymbolicTensor>(found->second);
  }

  std::optional<Nest<SymbolicTensor>> NamedArguments(const Json& value) const {
    std::vector<std::pair<std::string, Nest<SymbolicTensor>>> items;
    for (const auto& [key, item] : value.items()) {
      auto argument = Arguments(item);
      if (!argument) return std::nullopt;
      items.emplace_back(key, std::move(*argument));
    }
    return Nest<SymbolicTensor>::Dict(std::move(items));
  }

  // The model's inputs or outputs.
  Nest<SymbolicTensor> Ends(const Json& value) const {
    if (IsHistory(value)) {
      const auto found = places_.find(HistoryIn(value));
      if (found != places_.end()) return found->second;
      throw InvalidArgument(
          "[LoadModel] the model's input or output {} is not a layer's result",
          value.dump());
    }
    if (value.is_array()) {
      std::vector<Nest<SymbolicTensor>> items;
      for (const Json& item : value) items.push_back(Ends(item));
      return Nest<SymbolicTensor>::Tuple(std::move(items));
    }
    std::vector<std::pair<std::string, Nest<SymbolicTensor>>> items;
    for (const auto& [key, item] : value.items()) {
      items.emplace_back(key, Ends(item));
    }
    return Nest<SymbolicTensor>::Dict(std::move(items));
  }

  const Json& config_;
  std::map<std::string, Layer> layers_;
  std::vector<Call> pending_;
  std::map<History, SymbolicTensor> places_;
};

}  // namespace

Layer MakeFromConfig(const Json& object, const LayerRegistry& registry) {
  const std::string& class_name = TextAt(object, "class_name");
  const Json& config = At(object, "config");
  if (class_name == "Sequential") return MakeSequential(config, registry);
  if (class_name == "Functional" || class_name == "Model") {
    return FunctionalMaker(config, registry).Make();
  }
  ConfigReader reader(class_name, config);
  const bool trainable = reader.Flag("trainable", true);
  Layer layer = registry.Make(reader);
  layer.SetTrainable(trainable);
  return layer;
}

}  // namespace lockstep::export_internal
