#include "reference/export/saved_model/node_writer.h"

#include "reference/base/error.h"

namespace lockstep::export_internal {

int TypeNumber(DType dtype) {
  switch (dtype) {
    case DType::kFloat32:
      return tensor_bundle::DT_FLOAT;
    case DType::kInt32:
      return tensor_bundle::DT_INT32;
    case DType::kInt64:
      return tensor_bundle::DT_INT64;
    case DType::kString:
      return tensor_bundle::DT_STRING;
    case DType::kBool:
      return tensor_bundle::DT_BOOL;
    case DType::kUInt8:
      return tensor_bundle::DT_UINT8;
    default:
      throw Unimplemented(
          "[ExportSavedModel] tensors of type {} cannot be exported",
          DTypeName(dtype));
  }
}

tensor_bundle::TensorShapeProto ShapeProto(const Shape& shape) {
  tensor_bundle::TensorShapeProto proto;
  for (const int64_t dim : shape.dims()) proto.add_dim()->set_size(dim);
  return proto;
}

AttrValue TypeAttribute(int type) {
  AttrValue value;
  value.set_type(type);
  return value;
}

AttrValue TypesAttribute(const std::vector<int>& types) {
  AttrValue value;
  value.mutable_list();  // also if it is empty
  for (const int type : types) value.mutable_list()->add_type(type);
  return value;
}

AttrValue BoolAttribute(bool of) {
  AttrValue value;
  value.set_b(of);
  return value;
}

AttrValue IntAttribute(int64_t of) {
  AttrValue value;
  value.set_i(of);
  return value;
}

AttrValue TextAttribute(const std::string& of) {
  AttrValue value;
  value.set_s(of);
  return value;
}

AttrValue IntsAttribute(const std::vector<int64_t>& values) {
  AttrValue value;
  for (const int64_t of : values) value.mutable_list()->add_i(of);
  return value;
}

AttrValue FloatsAttribute(const std::vector<float>& values) {
  AttrValue value;
  value.mutable_list();
  for (const float of : values) value.mutable_list()->add_f(of);
  return value;
}

AttrValue TextsAttribute(const std::vector<std::string>& values) {
  AttrValue value;
  value.mutable_list();
  for (const std::string& of : values) value.mutable_list()->add_s(of);
  return value;
}

AttrValue FunctionAttribute(const std::string& name) {
  AttrValue value;
  value.mutable_func()->set_name(name);
  return value;
}

AttrValue ShapeAttribute(const Shape& shape) {
  AttrValue value;
  *value.mutable_shape() = ShapeProto(shape);
  return value;
}

AttrValue TensorAttribute(const Tensor& tensor) {
  AttrValue value;
  saved_model::TensorProto& proto = *value.mutable_tensor();
  proto.set_dtype(TypeNumber(tensor.dtype()));
  *proto.mutable_tensor_shape() = ShapeProto(tensor.shape());
  if (tensor.dtype() == DType::kString) {
    for (const std::string& text : tensor.span<std::string>()) {
      proto.add_string_val(text);
    }
  } else {
    const Tensor host = tensor.ToHost();
    proto.set_tensor_content(host.raw_data(), host.bytes());
  }
  return value;
}

saved_model::NodeDef MakeNode(const std::string& op, const std::string& name,
                              const std::vector<std::string>& inputs,
                              const Attributes& attributes) {
  saved_model::NodeDef node;
  node.set_op(op);
  node.set_name(name);
  for (const std::string& input : inputs) node.add_input(input);
  for (const auto& [key, value] : attributes)
    (*node.mutable_attr())[key] = value;
  return node;
}

std::string NodeWriter::Add(const std::string& op,
                            const std::vector<std::string>& inputs,
                            const Attributes& attributes,
                            const std::string& output) {
  const int before = used_[op]++;
  const std::string name = before == 0 ? op : op + "_" + std::to_string(before);
  *function_.add_node_def() = MakeNode(op, name, inputs, attributes);
  return name + ":" + output + ":0";
}

std::string NodeWriter::AddTyped(const std::string& op, DType dtype,
                                 const std::vector<std::string>& inputs,
                                 const std::string& output,
                                 Attributes attributes) {
  attributes.emplace_back("T", TypeAttribute(TypeNumber(dtype)));
  return Add(op, inputs, attributes, output);
}

std::string NodeWriter::Constant(const Tensor& value) {
  return Add("Const", {},
             {{"dtype", TypeAttribute(TypeNumber(value.dtype()))},
              {"value", TensorAttribute(value)}},
             "output");
}

std::string NodeWriter::Integers(const std::vector<int32_t>& values) {
  return Constant(Tensor::FromVector(
      values, Shape{static_cast<int64_t>(values.size())}, Device::Host()));
}

std::string NodeWriter::Cast(const std::string& x, DType from, DType to) {
  if (from == to) return x;
  return Add("Cast", {x},
             {{"SrcT", TypeAttribute(TypeNumber(from))},
              {"DstT", TypeAttribute(TypeNumber(to))},
              {"Truncate", BoolAttribute(false)}},
             "y");
}

}  // namespace lockstep::export_internal
