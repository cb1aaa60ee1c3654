#include "reference/export/saved_model/loading/operations/node_attributes.h"

#include <algorithm>

namespace lockstep::export_internal {

using saved_model::AttrValue;

std::optional<DType> SupportedType(int number) {
  switch (number) {
    case tensor_bundle::DT_BOOL:
      return DType::kBool;
    case tensor_bundle::DT_STRING:
      return DType::kString;
    default:
      return NumberType(number);
  }
}

std::optional<DType> NumberType(int number) {
  switch (number) {
    case tensor_bundle::DT_FLOAT:
      return DType::kFloat32;
    case tensor_bundle::DT_INT32:
      return DType::kInt32;
    case tensor_bundle::DT_INT64:
      return DType::kInt64;
    default:
      return std::nullopt;
  }
}

NodeAttributes::NodeAttributes(const saved_model::NodeDef& node)
    : node_(node),
      place_("[LoadSavedModel] " + node_place()),
      num_inputs_(static_cast<size_t>(std::ranges::count_if(
          node.input(),
          [](const std::string& input) { return !input.starts_with('^'); }))) {}

std::string NodeAttributes::node_place() const {
  return fmt::format("node '{}' ({})", node_.name(), node_.op());
}

void NodeAttributes::ExpectInputs(size_t count) const {
  if (num_inputs_ == count) return;
  throw DataLoss("{} has {} inputs, not {}", place_, num_inputs_, count);
}

const AttrValue* NodeAttributes::Find(const std::string& name,
                                      Kind kind) const {
  const auto found = node_.attr().find(name);
  if (found == node_.attr().end()) return nullptr;
  if (found->second.value_case() != kind) {
    throw DataLoss("{}: its attribute {} is of another kind", place_, name);
  }
  return &found->second;
}

const AttrValue& NodeAttributes::Get(const std::string& name, Kind kind) const {
  const AttrValue* value = Find(name, kind);
  if (value == nullptr) {
    throw DataLoss("{} has no attribute {}", place_, name);
  }
  return *value;
}

int64_t NodeAttributes::Integer(const std::string& name,
                                int64_t otherwise) const {
  const AttrValue* value = Find(name, AttrValue::kI);
  return value == nullptr ? otherwise : value->i();
}

bool NodeAttributes::Flag(const std::string& name, bool otherwise) const {
  const AttrValue* value = Find(name, AttrValue::kB);
  return value == nullptr ? otherwise : value->b();
}

std::string NodeAttributes::Text(const std::string& name,
                                 const std::string& otherwise) const {
  const AttrValue* value = Find(name, AttrValue::kS);
  return value == nullptr ? otherwise : value->s();
}

std::vector<int64_t> NodeAttributes::Integers(const std::string& name) const {
  const auto& list = Get(name, AttrValue::kList).list().i();
  return {list.begin(), list.end()};
}

std::vector<int64_t> NodeAttributes::Integers(
    const std::string& name, const std::vector<int64_t>& otherwise) const {
  return Find(name, AttrValue::kList) == nullptr ? otherwise : Integers(name);
}

std::vector<float> NodeAttributes::Floats(const std::string& name) const {
  const auto& list = Get(name, AttrValue::kList).list().f();
  return {list.begin(), list.end()};
}

std::vector<std::string> NodeAttributes::Texts(const std::string& name) const {
  const auto& list = Get(name, AttrValue::kList).list().s();
  return {list.begin(), list.end()};
}

const saved_model::TensorProto& NodeAttributes::Constant(
    const std::string& name) const {
  return Get(name, AttrValue::kTensor).tensor();
}

const std::string& NodeAttributes::Function(const std::string& name) const {
  return Get(name, AttrValue::kFunc).func().name();
}

DType NodeAttributes::Type(const std::string& name) const {
  const int number = Get(name, AttrValue::kType).type();
  const auto type = NumberType(number);
  if (!type) {
    throw Unimplemented(
        "{}: its {} is TensorFlow's type {}; only float32, int32 and int64 are "
        "supported",
        place_, name, number);
  }
  return *type;
}

DType NodeAttributes::Type(const std::string& name, DType otherwise) const {
  return Find(name, AttrValue::kType) == nullptr ? otherwise : Type(name);
}

DType NodeAttributes::AnyType(const std::string& name) const {
  const int number = Get(name, AttrValue::kType).type();
  const auto type = SupportedType(number);
  return type ? *type : Type(name);  // throws
}

void NodeAttributes::ExpectFloat(const std::string& name) const {
  const DType type = Type(name, DType::kFloat32);
  if (type == DType::kFloat32) return;
  throw Unimplemented("{}: its {} is {}; only float32 is supported", place_,
                      name, DTypeName(type));
}

}  // namespace lockstep::export_internal
