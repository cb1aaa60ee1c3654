// Writes the nodes of a TensorFlow function.
//
//   FunctionDef function;
//   NodeWriter nodes(function);
//   nodes.AddFloat("Relu", {x}, "activations");   // "Relu:activations:0"
#ifndef LOCKSTEP_REFERENCE_EXPORT_SAVED_MODEL_NODE_WRITER_H_
#define LOCKSTEP_REFERENCE_EXPORT_SAVED_MODEL_NODE_WRITER_H_

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "reference/export/saved_model/saved_model.pb.h"
#include "reference/tensor/tensor.h"

namespace lockstep::export_internal {

using AttrValue = saved_model::AttrValue;
using Attributes = std::vector<std::pair<std::string, AttrValue>>;

inline constexpr int kResourceType = 20;  // DT_RESOURCE

// TensorFlow's number for a type.
int TypeNumber(DType dtype);
tensor_bundle::TensorShapeProto ShapeProto(const Shape& shape);

AttrValue TypeAttribute(int type);
AttrValue TypesAttribute(const std::vector<int>& types);
AttrValue BoolAttribute(bool value);
AttrValue IntAttribute(int64_t value);
AttrValue TextAttribute(const std::string& value);
AttrValue IntsAttribute(const std::vector<int64_t>& values);
AttrValue FloatsAttribute(const std::vector<float>& values);
AttrValue TextsAttribute(const std::vector<std::string>& values);
AttrValue FunctionAttribute(const std::string& name);
AttrValue ShapeAttribute(const Shape& shape);
// Numbers, or a list of strings.
AttrValue TensorAttribute(const Tensor& tensor);

// A node. `inputs` have the names that its graph or function uses.
saved_model::NodeDef MakeNode(const std::string& op, const std::string& name,
                              const std::vector<std::string>& inputs,
                              const Attributes& attributes);

class NodeWriter {
 public:
  explicit NodeWriter(saved_model::FunctionDef& function)
      : function_(function) {}

  // Adds a node. `output` is the name of the operation's result. Returns the name
  // by which other nodes of the function refer to it.
  std::string Add(const std::string& op, const std::vector<std::string>& inputs,
                  const Attributes& attributes, const std::string& output);

  // The same, with the attribute T.
  std::string AddTyped(const std::string& op, DType dtype,
                       const std::vector<std::string>& inputs,
                       const std::string& output, Attributes attributes = {});
  std::string AddFloat(const std::string& op,
                       const std::vector<std::string>& inputs,
                       const std::string& output, Attributes attributes = {}) {
    return AddTyped(op, DType::kFloat32, inputs, output, std::move(attributes));
  }

  std::string Constant(const Tensor& value);
  // Constants of int32.
  std::string Integers(const std::vector<int32_t>& values);
  // Of one value; of strings, int32, int64 or float32.
  template <typename T>
  std::string Scalar(const T& value) {
    return Constant(Tensor::Scalar(value, Device::Host()));
  }
  std::string Integer(int32_t value) { return Scalar(value); }
  std::string Float(float value) { return Scalar(value); }
  // Nothing if it has this type already.
  std::string Cast(const std::string& x, DType from, DType to);

 private:
  saved_model::FunctionDef& function_;
  std::map<std::string, int> used_;  // number of nodes by operation
};

}  // namespace lockstep::export_internal

#endif  // LOCKSTEP_REFERENCE_EXPORT_SAVED_MODEL_NODE_WRITER_H_
