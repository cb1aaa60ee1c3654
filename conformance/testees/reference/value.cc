#include "conformance/testees/reference/value.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>
#include <type_traits>

#include "reference/data/ragged/ragged.h"

namespace lockstep::conformance {
namespace {

// Numbers that JSON does not have, as texts.
constexpr const char* kNaN = "NaN";
constexpr const char* kInfinity = "Infinity";
constexpr const char* kMinusInfinity = "-Infinity";

Json NumberToJson(double number) {
  if (std::isnan(number)) return kNaN;
  if (std::isinf(number)) return number > 0 ? kInfinity : kMinusInfinity;
  return number;
}

std::optional<double> NumberNamed(const Json& literal) {
  constexpr double kInf = std::numeric_limits<double>::infinity();
  if (literal == kNaN) return std::numeric_limits<double>::quiet_NaN();
  if (literal == kInfinity) return kInf;
  if (literal == kMinusInfinity) return -kInf;
  return std::nullopt;
}

template <typename T>
Json ElementToJson(const T& element) {
  if constexpr (kIsNarrowFloat<T> || std::is_floating_point_v<T>) {
    return NumberToJson(static_cast<double>(element));
  } else {
    return element;
  }
}

// Replaces non-finite numbers of JSON that a step created.
Json WithNumbersAsTexts(Json json) {
  if (json.is_number_float()) return NumberToJson(json.get<double>());
  if (json.is_structured()) {
    for (Json& item : json) item = WithNumbersAsTexts(std::move(item));
  }
  return json;
}

// The elements from `offset` on, as lists nested like the axes from `axis` on.
template <typename T>
Json NestedLists(const Tensor& tensor, int axis, int64_t& offset) {
  if (axis == tensor.rank()) return ElementToJson(tensor.at<T>(offset++));
  Json list = Json::array();
  for (int64_t i = 0; i < tensor.dim(axis); ++i) {
    list.push_back(NestedLists<T>(tensor, axis + 1, offset));
  }
  return list;
}

void CheckFitsInReply(int64_t values) {
  if (values > ObservedList::kMaxObserved) {
    throw ResourceExhausted(
        "[Observe] a reply has at most {} values, this would have {} or more",
        ObservedList::kMaxObserved, values);
  }
}

int64_t CountValues(const Json& json) {
  int64_t count = 1;
  if (json.is_structured()) {
    for (const Json& item : json) count += CountValues(item);
  }
  return count;
}

Shape LiteralShape(const Json& literal) {
  std::vector<int64_t> dims;
  for (const Json* level = &literal; level->is_array();
       level = &level->front()) {
    dims.push_back(static_cast<int64_t>(level->size()));
    if (level->empty()) break;
  }
  return Shape(dims);
}

template <typename T>
T ElementOf(const Json& literal) {
  if (literal.is_array()) throw ProgramError("a literal is not regular");
  if constexpr (std::is_same_v<T, std::string>) {
    if (literal.is_string()) return literal.get<std::string>();
  } else if constexpr (std::is_same_v<T, bool>) {
    if (literal.is_boolean()) return literal.get<bool>();
  } else if constexpr (kIsNarrowFloat<T> || std::is_floating_point_v<T>) {
    const auto named = NumberNamed(literal);
    if (named || literal.is_number()) {
      return static_cast<T>(named ? *named : literal.get<double>());
    }
  } else if (literal.is_number()) {
    return literal.get<T>();
  }
  throw ProgramError(
      fmt::format("a literal contains {}, which is not a value of its "
                  "type; non-finite floats are \"NaN\", \"Infinity\" "
                  "and \"-Infinity\"",
                  literal.dump()));
}

template <typename T>
void CollectElements(const Json& literal, const Shape& shape, int axis,
                     std::vector<T>& elements) {
  if (axis == shape.rank()) {
    elements.push_back(ElementOf<T>(literal));
    return;
  }
  if (!literal.is_array() ||
      static_cast<int64_t>(literal.size()) != shape[axis]) {
    throw ProgramError("a literal is not regular");
  }
  for (const Json& item : literal) {
    CollectElements(item, shape, axis + 1, elements);
  }
}

size_t ParseIndex(std::string_view text) {
  size_t index = 0;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), index);
  if (error != std::errc() || end != text.data() + text.size()) {
    throw ProgramError(fmt::format("'{}' is not an index of a tuple", text));
  }
  return index;
}

const Structure& ItemOf(const Structure& structure, std::string_view key) {
  const bool is_dict = structure.kind() == NestKind::kDict;
  const bool exists =
      is_dict
          ? std::ranges::find(structure.keys(), key) != structure.keys().end()
          : !structure.is_leaf() && ParseIndex(key) < structure.size();
  if (!exists) {
    throw ProgramError(fmt::format("a structure has no part '{}'", key));
  }
  return is_dict ? structure[key] : structure[ParseIndex(key)];
}

Value ItemOf(const InputContext& context, std::string_view key) {
  const Json items = ToObservation(context);
  const auto item = items.find(key);
  if (item == items.end()) {
    throw ProgramError(fmt::format("an input context has no '{}'", key));
  }
  return item->get<int64_t>();
}

Json ItemOf(const Json& json, std::string_view key) {
  if (json.is_object() && json.contains(key)) return json[std::string(key)];
  if (json.is_array() && ParseIndex(key) < json.size()) {
    return json[ParseIndex(key)];
  }
  throw ProgramError(fmt::format("{} has no part '{}'", json.dump(), key));
}

Json RowsToObservation(const Structure& ragged) {
  Json rows = Json::array();
  for (int64_t row = 0; row < RaggedRows(ragged); ++row) {
    rows.push_back(ToObservation(RaggedRow(ragged, row)));
  }
  return rows;
}

}  // namespace

Json ToObservation(const Tensor& tensor) {
  if (!tensor.defined()) return nullptr;
  CheckFitsInReply(tensor.num_elements());
  return VisitDType(tensor.dtype(), [&]<typename T>() {
    int64_t offset = 0;
    return NestedLists<T>(tensor, 0, offset);
  });
}

Json ToObservation(const Structure& structure) {
  if (structure.is_leaf()) return ToObservation(structure.leaf());
  if (IsRagged(structure)) return RowsToObservation(structure);
  const bool is_dict = structure.kind() == NestKind::kDict;
  Json json = is_dict ? Json::object() : Json::array();
  for (size_t i = 0; i < structure.size(); ++i) {
    Json item = ToObservation(structure.items()[i]);
    if (is_dict) {
      json[structure.keys()[i]] = std::move(item);
    } else {
      json.push_back(std::move(item));
    }
  }
  return json;
}

Json ToObservation(const PerReplica<Structure>& values) {
  Json json = Json::array();
  for (const Structure& value : values) json.push_back(ToObservation(value));
  return json;
}

Json ToObservation(const InputContext& context) {
  return {{"num_input_pipelines", context.num_input_pipelines()},
          {"input_pipeline_id", context.input_pipeline_id()},
          {"num_replicas_in_sync", context.num_replicas_in_sync()}};
}

Json ToObservation(const Value& value) {
  return std::visit(
      [](const auto& held) -> Json {
        using Held = std::decay_t<decltype(held)>;
        if constexpr (std::is_same_v<Held, LocalResults>) {
          return ToObservation(PerReplica<Structure>(held.values));
        } else if constexpr (std::is_same_v<Held, Structure> ||
                             std::is_same_v<Held, PerReplica<Structure>> ||
                             std::is_same_v<Held, InputContext>) {
          return ToObservation(held);
        } else if constexpr (std::is_same_v<Held, Json>) {
          return WithNumbersAsTexts(held);
        } else if constexpr (std::is_arithmetic_v<Held> ||
                             std::is_same_v<Held, std::string>) {
          return held;
        } else if constexpr (std::is_same_v<Held, Nothing>) {
          return nullptr;
        } else {
          throw ProgramError(
              "only values can be observed: read a dataset, or observe the "
              "value "
              "or the copies of a variable");
        }
      },
      value);
}

void ObservedList::Add(Json item) {
  count_ += CountValues(item);
  CheckFitsInReply(count_);
  values_.push_back(std::move(item));
}

Tensor ToTensor(const Json& literal, DType dtype) {
  return VisitDType(dtype, [&]<typename T>() {
    const Shape shape = LiteralShape(literal);
    std::vector<T> elements;
    CollectElements(literal, shape, 0, elements);
    return Tensor::FromVector(elements, shape);
  });
}

Structure ToStructure(const Json& literal, DType dtype) {
  if (!literal.is_object()) return ToTensor(literal, dtype);
  std::vector<std::pair<std::string, Structure>> items;
  for (const auto& [key, item] : literal.items()) {
    items.emplace_back(key, ToStructure(item, dtype));
  }
  return Structure::Dict(std::move(items));
}

int64_t RowsOf(const Structure& element) {
  if (element.is_leaf()) return element.leaf().dim(0);
  return IsRagged(element) ? RaggedRows(element) : RowsOf(element[size_t{0}]);
}

bool IsTrue(const Value& value) {
  if (const auto* given = std::get_if<bool>(&value)) return *given;
  if (const auto* counter = std::get_if<int64_t>(&value)) return *counter != 0;
  const auto* structure = std::get_if<Structure>(&value);
  if (!structure || !structure->is_leaf()) {
    throw ProgramError("a condition is a scalar, the same on all replicas");
  }
  return structure->leaf().Cast(DType::kBool).item<bool>();
}

Value ServerObject::PartOf(std::string_view key) const {
  throw ProgramError(fmt::format("a value has no part '{}'", key));
}

Value PartOf(const Value& value, std::string_view path) {
  const size_t dot = path.find('.');
  const std::string_view key = path.substr(0, dot);
  Value part;
  if (const auto* structure = std::get_if<Structure>(&value)) {
    part = ItemOf(*structure, key);
  } else if (const auto* values = std::get_if<PerReplica<Structure>>(&value)) {
    part = values->Map(
        [&](const Structure& own) -> Structure { return ItemOf(own, key); });
  } else if (const auto* context = std::get_if<InputContext>(&value)) {
    part = ItemOf(*context, key);
  } else if (const auto* json = std::get_if<Json>(&value)) {
    part = ItemOf(*json, key);
  } else if (const auto* object =
                 std::get_if<std::shared_ptr<ServerObject>>(&value)) {
    part = (*object)->PartOf(key);
  } else {
    throw ProgramError(fmt::format("a value has no part '{}'", key));
  }
  return dot == path.npos ? part : PartOf(part, path.substr(dot + 1));
}

}  // namespace lockstep::conformance
