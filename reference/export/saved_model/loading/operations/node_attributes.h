// The attributes of a graph's node, with defaults.
//
//   const NodeAttributes attributes(node);         // of a Conv2D
//   attributes.Integers("strides");                // {1, 2, 2, 1}
//   attributes.Text("data_format", "NHWC");
#ifndef LOCKSTEP_REFERENCE_EXPORT_SAVED_MODEL_LOADING_OPERATIONS_NODE_ATTRIBUTES_H_
#define LOCKSTEP_REFERENCE_EXPORT_SAVED_MODEL_LOADING_OPERATIONS_NODE_ATTRIBUTES_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "reference/base/error.h"
#include "reference/export/saved_model/saved_model.pb.h"
#include "reference/tensor/tensor.h"

namespace lockstep::export_internal {

// float32, int32 or int64 for TensorFlow's number; nullopt for other types.
std::optional<DType> NumberType(int number);
// Also bool or string.
std::optional<DType> SupportedType(int number);

// Errors begin with place(). Each getter's errors: DataLoss if the attribute is of
// another kind, or is missing and has no default.
class NodeAttributes {
 public:
  explicit NodeAttributes(const saved_model::NodeDef& node);

  // "[LoadSavedModel] node 'dense/MatMul' (MatMul)".
  const std::string& place() const { return place_; }

  // "node 'dense/MatMul' (MatMul)".
  std::string node_place() const;

  // The number of input tensors, without control inputs.
  size_t num_inputs() const { return num_inputs_; }
  // Errors: DataLoss if there are not `count` inputs.
  void ExpectInputs(size_t count) const;

  int64_t Integer(const std::string& name, int64_t otherwise) const;
  bool Flag(const std::string& name, bool otherwise = false) const;
  std::string Text(const std::string& name, const std::string& otherwise) const;
  std::vector<int64_t> Integers(const std::string& name) const;
  std::vector<int64_t> Integers(const std::string& name,
                                const std::vector<int64_t>& otherwise) const;
  std::vector<float> Floats(const std::string& name) const;
  std::vector<std::string> Texts(const std::string& name) const;
  const saved_model::TensorProto& Constant(const std::string& name) const;
  const std::string& Function(const std::string& name) const;
  // Errors: Unimplemented for other types than those of NumberType.
  DType Type(const std::string& name) const;
  DType Type(const std::string& name, DType otherwise) const;
  // The same for those of SupportedType.
  DType AnyType(const std::string& name) const;
  // Errors: Unimplemented if the type is not float32, the default.
  void ExpectFloat(const std::string& name) const;

 private:
  using Kind = saved_model::AttrValue::ValueCase;
  // nullptr if it is missing.
  const saved_model::AttrValue* Find(const std::string& name, Kind kind) const;
  const saved_model::AttrValue& Get(const std::string& name, Kind kind) const;

  const saved_model::NodeDef& node_;
  std::string place_;
  size_t num_inputs_;
};

}  // namespace lockstep::export_internal

#endif  // LOCKSTEP_REFERENCE_EXPORT_SAVED_MODEL_LOADING_OPERATIONS_NODE_ATTRIBUTES_H_
