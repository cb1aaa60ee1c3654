#include "reference/export/keras/config_reader.h"

#include <memory>
#include <utility>
#include <vector>

#include "reference/base/error.h"

namespace lockstep {
namespace {

std::string Brief(const Json& value) {
  constexpr size_t kLongest = 100;
  const std::string text =
      value.dump(-1, ' ', false, Json::error_handler_t::replace);
  return text.size() <= kLongest ? text : text.substr(0, kLongest) + "...";
}

}  // namespace

ConfigReader::ConfigReader(std::string class_name, const Json& config)
    : class_name_(std::move(class_name)), config_(config) {
  if (!config.is_object()) {
    throw InvalidArgument("[LayerConfig] {} has no config", class_name_);
  }
  name_ = Text("name", "");
  if (name_.empty()) {
    throw InvalidArgument("[LayerConfig] {} has no name", class_name_);
  }
}

Error ConfigReader::Wrong(const std::string& key,
                          std::string_view wanted) const {
  const auto found = config_.find(key);
  return InvalidArgument("[LayerConfig] {} '{}': {} must be {}, got {}",
                         class_name_, name_, key, wanted,
                         found == config_.end() ? "nothing" : Brief(*found));
}

const Json* ConfigReader::Find(const std::string& key) {
  read_.insert(key);
  const auto found = config_.find(key);
  return found == config_.end() ? nullptr : &*found;
}

const Json& ConfigReader::At(const std::string& key) {
  static const Json none;
  const Json* found = Find(key);
  return found == nullptr ? none : *found;
}

std::optional<int64_t> ConfigReader::BoundedInteger(const Json& value) {
  const auto integer = IntegerIn(value);
  if (!integer || *integer > kLargestInteger || *integer < -kLargestInteger) {
    return std::nullopt;
  }
  return integer;
}

int64_t ConfigReader::Integer(const std::string& key) {
  const auto value = BoundedInteger(At(key));
  if (!value) throw Wrong(key, "an integer");
  return *value;
}

std::optional<int64_t> ConfigReader::FindInteger(const std::string& key) {
  const Json* value = Find(key);
  if (value == nullptr || value->is_null()) return std::nullopt;
  return Integer(key);
}

double ConfigReader::Number(const std::string& key, double otherwise) {
  const Json* value = Find(key);
  if (value == nullptr) return otherwise;
  if (!value->is_number()) throw Wrong(key, "a number");
  return value->get<double>();
}

bool ConfigReader::Flag(const std::string& key, bool otherwise) {
  const Json* value = Find(key);
  if (value == nullptr) return otherwise;
  if (!value->is_boolean()) throw Wrong(key, "true or false");
  return value->get<bool>();
}

std::string ConfigReader::Text(const std::string& key,
                               const std::string& otherwise) {
  const Json* value = Find(key);
  if (value == nullptr) return otherwise;
  if (!value->is_string()) throw Wrong(key, "a text");
  return value->get<std::string>();
}

std::array<int64_t, 2> ConfigReader::Pair(const std::string& key) {
  const Json& value = At(key);
  if (const auto both = BoundedInteger(value)) return {*both, *both};
  if (!value.is_array() || value.size() != 2 || !BoundedInteger(value[0]) ||
      !BoundedInteger(value[1])) {
    throw Wrong(key, "two integers");
  }
  return {*BoundedInteger(value[0]), *BoundedInteger(value[1])};
}

Shape ConfigReader::ShapeAt(const std::string& key) {
  const Json& value = At(key);
  if (!value.is_array() || value.size() > Shape::kMaxRank) {
    throw Wrong(key, "a shape");
  }
  std::vector<int64_t> dims;
  for (const Json& dim : value) {
    const auto known = BoundedInteger(dim);
    if (!dim.is_null() && (!known || *known < 0)) throw Wrong(key, "a shape");
    dims.push_back(known.value_or(kUnknownDim));
  }
  return Shape(dims);
}

RegularizerPtr ConfigReader::RegularizerAt(const std::string& key) {
  const Json* value = Find(key);
  if (value == nullptr || value->is_null()) return nullptr;
  const auto field = [](const Json& of, const char* name) {
    return of.is_object() ? of.value(name, Json()) : Json();
  };
  const Json class_name = field(*value, "class_name");
  const Json config = field(*value, "config");
  const Json l1 = field(config, "l1"), l2 = field(config, "l2");
  if (class_name == "L1" && l1.is_number()) {
    return std::make_shared<L1>(l1.get<double>());
  }
  if (class_name == "L2" && l2.is_number()) {
    return std::make_shared<L2>(l2.get<double>());
  }
  throw Unimplemented("[LayerConfig] {} '{}': {} is {}, neither L1 nor L2",
                      class_name_, name_, key, Brief(*value));
}

DTypePolicy ConfigReader::Policy() {
  const Json* value = Find("dtype");
  if (value == nullptr || value->is_null()) return "float32";
  if (value->is_object() && value->contains("config")) {
    const Json& config = (*value)["config"];
    if (config.is_object() && config.contains("name")) value = &config["name"];
  }
  if (!value->is_string()) throw Wrong("dtype", "a policy");
  // The type of the bins, which Keras writes for layers that have no policy.
  const bool has_bins =
      class_name_ == "Hashing" || class_name_ == "HashedCrossing";
  if (has_bins && *value == "int64") return "float32";
  return DTypePolicy(value->get_ref<const std::string&>());
}

namespace {

// Whether it is a default that Keras writes.
bool HasNoEffect(const std::string& key, const Json& value) {
  static const auto* neutral = new Json({{"trainable", true},
                                         {"data_format", "channels_last"},
                                         {"dilation_rate", {1, 1}},
                                         {"groups", 1},
                                         {"axis", -1},
                                         {"attention_axes", {1}},
                                         {"renorm_momentum", 0.99},
                                         {"negative_slope", 0.0},
                                         {"threshold", 0.0},
                                         {"momentum", 0.0},
                                         {"ema_momentum", 0.99},
                                         {"dtype", "float32"}});
  if (value.is_null() || (value == false && key != "trainable")) return true;
  if (key.ends_with("_initializer")) return true;
  if (key == "axis" && value == Json::array({-1})) return true;
  const auto found = neutral->find(key);
  return found != neutral->end() && *found == value;
}

}  // namespace

void ConfigReader::CheckAllRead() const {
  for (const auto& [key, value] : config_.items()) {
    if (read_.contains(key) || HasNoEffect(key, value)) continue;
    throw Unimplemented("[LayerConfig] {} '{}': {} {} is not supported",
                        class_name_, name_, key, Brief(value));
  }
}

}  // namespace lockstep
