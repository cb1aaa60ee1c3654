// The attributes of a graph's node, with what they are when they are left out.
//
//   const NodeAttributes attributes(node);         // of a Conv2D
//   attributes.Integers("strides");                // {1, 2, 2, 1}
//   attributes.Text("data_format", "NHWC");
#ifndef LOCKSTEP_REFERENCE_EXPORT_SAVED_MODEL_LOADING_NODE_ATTRIBUTES_H_
#define LOCKSTEP_REFERENCE_EXPORT_SAVED_MODEL_LOADING_NODE_ATTRIBUTES_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "reference/base/error.h"
#include "reference/export/saved_model/saved_model.pb.h"
#include "reference/tensor/tensor.h"

namespace lockstep::export_internal {

// float32, int32 or int64 by TensorFlow's number; nothing for others.
std::optional<DType> OfferedType(int number);

// All errors are led by place(). Of all getters: DataLoss for an attribute of
// another kind, and for one that is not there and has no default.
class NodeAttributes {
 public:
  explicit NodeAttributes(const saved_model::NodeDef& node);

  // "[LoadSavedModel] node 'dense/MatMul' (MatMul)".
  const std::string& place() const { return place_; }

  // Tensors that come in; those that only say what is first do not count.
  size_t num_inputs() const { return num_inputs_; }
  // Errors: DataLoss for another number.
  void ExpectInputs(size_t count) const;

  int64_t Integer(const std::string& name, int64_t otherwise) const;
  bool Flag(const std::string& name) const;  // else false
  std::string Text(const std::string& name, const std::string& otherwise) const;
  std::vector<int64_t> Integers(const std::string& name) const;
  std::vector<int64_t> Integers(const std::string& name,
                                const std::vector<int64_t>& otherwise) const;
  const saved_model::TensorProto& Constant(const std::string& name) const;
  const std::string& Function(const std::string& name) const;
  // Errors: Unimplemented for a type that is not offered.
  DType Type(const std::string& name) const;
  DType Type(const std::string& name, DType otherwise) const;
  // Errors: Unimplemented for another type than float32, which it is where it is
  // left out.
  void ExpectFloat(const std::string& name) const;

 private:
  using Kind = saved_model::AttrValue::ValueCase;
  // nullptr where it is not there.
  const saved_model::AttrValue* Find(const std::string& name, Kind kind) const;
  const saved_model::AttrValue& Get(const std::string& name, Kind kind) const;

  const saved_model::NodeDef& node_;
  std::string place_;
  size_t num_inputs_;
};

}  // namespace lockstep::export_internal

#endif  // LOCKSTEP_REFERENCE_EXPORT_SAVED_MODEL_LOADING_NODE_ATTRIBUTES_H_
