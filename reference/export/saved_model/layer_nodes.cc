#include "reference/export/saved_model/layer_nodes.h"

#include <cctype>
#include <cmath>
#include <map>
#include <utility>

#include "reference/base/error.h"
#include "reference/export/saved_model/layer_call.h"
#include "reference/layers/layer_config.h"

namespace lockstep::export_internal {
namespace {

using Call = LayerCall;

// ASCII only.
std::string Upper(std::string text) {
  for (char& c : text) {
    c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  }
  return text;
}

std::string Reshape(const Call& call, const std::string& x, const Shape& dims) {
  return ReshapeTo(call, {x}, dims);
}

std::string AddActivation(const Call& call, const std::string& x) {
  // Keras activation -> TensorFlow operation and the name of its output.
  static const auto* ops =
      new std::map<std::string, std::pair<std::string, std::string>>(
          {{"relu", {"Relu", "activations"}},
           {"sigmoid", {"Sigmoid", "y"}},
           {"softmax", {"Softmax", "softmax"}},
           {"tanh", {"Tanh", "y"}}});
  const std::string name = call.config.at("activation").get<std::string>();
  if (name == "linear") return x;
  const auto found = ops->find(name);
  if (found == ops->end()) {
    throw Unimplemented(
        "[ExportSavedModel] '{}' has the activation {}, which cannot be "
        "exported",
        call.layer.name(), name);
  }
  const auto& [op, output] = found->second;
  return call.nodes.AddFloat(op, {x}, output);
}

std::string AddBias(const Call& call, const std::string& x) {
  if (!call.config.at("use_bias").get<bool>()) return x;
  return call.nodes.AddFloat("BiasAdd", {x, call.variables.at(1)}, "output");
}

std::string WriteDense(const Call& call) {
  const Shape& shape = call.shape();
  const int64_t inputs = shape[shape.rank() - 1];
  const bool matrix = shape.rank() == 2;
  const std::string x =
      matrix ? call.x() : Reshape(call, call.x(), Shape{inputs});
  const std::string product =
      call.nodes.AddFloat("MatMul", {x, call.variables.at(0)}, "product");
  const std::string y = AddBias(call, product);
  const int64_t units = call.config.at("units").get<int64_t>();
  if (matrix) return AddActivation(call, y);
  const Shape example = shape.Tail();
  return AddActivation(
      call, Reshape(call, y, example.WithDim(example.rank() - 1, units)));
}

// [1, rows, columns, 1]: a window size or stride for NHWC images.
AttrValue NhwcAttribute(const Json& rows_columns) {
  return IntsAttribute({1, rows_columns.at(0).get<int64_t>(),
                        rows_columns.at(1).get<int64_t>(), 1});
}

AttrValue PaddingAttribute(const Call& call) {
  return TextAttribute(Upper(call.config.at("padding").get<std::string>()));
}

std::string WriteConv2D(const Call& call) {
  const std::string y = call.nodes.AddFloat(
      "Conv2D", {call.x(), call.variables.at(0)}, "output",
      {{"strides", NhwcAttribute(call.config.at("strides"))},
       {"padding", PaddingAttribute(call)}});
  return AddActivation(call, AddBias(call, y));
}

std::string WritePool(const Call& call, const std::string& op) {
  return call.nodes.AddFloat(
      op, {call.x()}, "output",
      {{"ksize", NhwcAttribute(call.config.at("pool_size"))},
       {"strides", NhwcAttribute(call.config.at("strides"))},
       {"padding", PaddingAttribute(call)}});
}

std::string Mean(const Call& call, const std::string& x,
                 const std::vector<int32_t>& axes, bool keepdims) {
  return call.nodes.AddFloat("Mean", {x, call.nodes.Integers(axes)}, "output",
                             {{"Tidx", TypeAttribute(tensor_bundle::DT_INT32)},
                              {"keep_dims", BoolAttribute(keepdims)}});
}

std::string WriteZeroPadding2D(const Call& call) {
  // [[0, 0], [top, bottom], [left, right], [0, 0]]
  std::vector<int32_t> paddings = {0, 0};
  for (const Json& axis : call.config.at("padding")) {
    for (const Json& side : axis) paddings.push_back(side.get<int32_t>());
  }
  paddings.insert(paddings.end(), {0, 0});
  const std::string constant = call.nodes.Constant(
      Tensor::FromVector(paddings, Shape{4, 2}, Device::Host()));
  return call.nodes.AddFloat(
      "Pad", {call.x(), constant}, "output",
      {{"Tpaddings", TypeAttribute(tensor_bundle::DT_INT32)}});
}

std::string WriteAdd(const Call& call) {
  std::string sum = call.x();
  for (size_t i = 1; i < call.inputs.size(); ++i) {
    sum = call.nodes.AddFloat("AddV2", {sum, call.inputs[i].name}, "z");
  }
  return sum;
}

// Whole numbers become floating ones beside floating ones.
NodeResult WriteConcatenate(const Call& call) {
  DType dtype = call.dtype();
  for (const NodeResult& input : call.inputs) {
    if (input.dtype == DType::kFloat32) dtype = input.dtype;
  }
  std::vector<std::string> inputs;
  for (const NodeResult& input : call.inputs) {
    inputs.push_back(call.nodes.Cast(input.name, input.dtype, dtype));
  }
  inputs.push_back(call.nodes.Integer(call.config.at("axis").get<int32_t>()));
  const std::string joined = call.nodes.AddTyped(
      "ConcatV2", dtype, inputs, "output",
      {{"N", IntAttribute(static_cast<int64_t>(call.inputs.size()))},
       {"Tidx", TypeAttribute(tensor_bundle::DT_INT32)}});
  return {joined, {}, dtype};
}

NodeResult WriteFlatten(const Call& call) {
  const Shape dims{call.shape().Tail().num_elements()};
  return {ReshapeTo(call, call.inputs.at(0), dims), {}, call.dtype()};
}

NodeResult WriteIdentity(const Call& call) { return call.inputs.at(0); }

// x * gamma + beta, without gamma unless config.scale and without beta unless
// config.center.
std::string AddScaleAndOffset(const Call& call, std::string x) {
  size_t next = 0;
  if (call.config.at("scale").get<bool>()) {
    x = call.nodes.AddFloat("Mul", {x, call.variables.at(next++)}, "z");
  }
  if (call.config.at("center").get<bool>()) {
    x = call.nodes.AddFloat("AddV2", {x, call.variables.at(next++)}, "z");
  }
  return x;
}

// 1 / sqrt(variance + epsilon).
std::string InverseStddev(const Call& call, const std::string& variance) {
  const std::string epsilon =
      call.nodes.Float(call.config.at("epsilon").get<float>());
  const std::string sum =
      call.nodes.AddFloat("AddV2", {variance, epsilon}, "z");
  return call.nodes.AddFloat("Rsqrt", {sum}, "y");
}

std::string WriteBatchNormalization(const Call& call) {
  if (const int axis = call.config.at("axis").get<int>();
      axis != -1 && axis != call.shape().rank() - 1) {
    throw Unimplemented(
        "[ExportSavedModel] '{}' normalizes axis {}; only the last axis is "
        "supported",
        call.layer.name(), axis);
  }
  // The last two variables are the moving mean and the moving variance.
  const size_t moving_mean = call.variables.size() - 2;
  const std::string centered = call.nodes.AddFloat(
      "Sub", {call.x(), call.variables.at(moving_mean)}, "z");
  const std::string inverse =
      InverseStddev(call, call.variables.at(moving_mean + 1));
  return AddScaleAndOffset(
      call, call.nodes.AddFloat("Mul", {centered, inverse}, "z"));
}

std::string WriteLayerNormalization(const Call& call) {
  const std::vector<int32_t> last = {-1};
  const std::string mean = Mean(call, call.x(), last, /*keepdims=*/true);
  const std::string centered =
      call.nodes.AddFloat("Sub", {call.x(), mean}, "z");
  const std::string square = call.nodes.AddFloat("Square", {centered}, "y");
  const std::string variance = Mean(call, square, last, /*keepdims=*/true);
  const std::string inverse = InverseStddev(call, variance);
  return AddScaleAndOffset(
      call, call.nodes.AddFloat("Mul", {centered, inverse}, "z"));
}

// Inputs of a model without a type are float32, token ids included.
NodeResult WriteEmbedding(const Call& call) {
  const std::string rows = call.nodes.Add(
      "GatherV2",
      {call.variables.at(0), call.As(DType::kInt64), call.nodes.Integer(0)},
      {{"Tparams", TypeAttribute(tensor_bundle::DT_FLOAT)},
       {"Tindices", TypeAttribute(tensor_bundle::DT_INT64)},
       {"Taxis", TypeAttribute(tensor_bundle::DT_INT32)},
       {"batch_dims", IntAttribute(0)}},
      "output");
  return {rows};
}

std::string Einsum(const Call& call, const std::string& equation,
                   const std::string& a, const std::string& b) {
  return call.nodes.AddFloat(
      "Einsum", {a, b}, "output",
      {{"N", IntAttribute(2)}, {"equation", TextAttribute(equation)}});
}

// Multiplies by the variable at *next and, if config.use_bias, adds the one
// after it. Advances *next past both.
std::string AddProjection(const Call& call, const std::string& equation,
                          const std::string& x, size_t* next) {
  const std::string y = Einsum(call, equation, x, call.variables.at((*next)++));
  if (!call.config.at("use_bias").get<bool>()) return y;
  return call.nodes.AddFloat("AddV2", {y, call.variables.at((*next)++)}, "z");
}

// Inputs are query, value and optionally key, which defaults to value;
// variables are in the order query, key, value, output.
//
// In the equations: b: batch; p: query positions; q: key positions; h: heads;
// i, o: axes of size d and key_dim (or value_dim). In a projection, p is the
// input's own positions.
std::string WriteAttention(const Call& call) {
  size_t next = 0;
  const auto heads = [&](const NodeResult& x) {
    return AddProjection(call, "bpi,iho->bpho", x.name, &next);
  };
  const std::string query = heads(call.inputs.front());
  const std::string key = heads(call.inputs.back());
  const std::string value = heads(call.inputs.at(1));
  const double size = call.config.at("key_dim").get<double>();
  const std::string scaled = call.nodes.AddFloat(
      "Mul", {query, call.nodes.Float(static_cast<float>(1 / std::sqrt(size)))},
      "z");
  const std::string weights = call.nodes.AddFloat(
      "Softmax", {Einsum(call, "bqho,bpho->bhpq", key, scaled)}, "softmax");
  const std::string attended = Einsum(call, "bhpq,bqho->bpho", weights, value);
  return AddProjection(call, "bpho,hoi->bpi", attended, &next);
}

// Of layers that compute in float32: their inputs are cast.
LayerWriter OfFloats(
    const std::function<std::string(const Call& call)>& write) {
  return [write](const Call& call) -> NodeResult {
    std::vector<NodeResult> inputs = call.inputs;
    for (NodeResult& input : inputs) {
      const std::vector<NodeResult> one = {input};
      input.name = Call{call.layer, call.config, one, call.nodes, {}, ""}.As(
          DType::kFloat32);
      input.dtype = DType::kFloat32;
    }
    return {write({call.layer, call.config, inputs, call.nodes, call.variables,
                   call.table})};
  };
}

void AddFloatWriters(LayerWriters& writers) {
  const auto pool = [](const std::string& op) {
    return OfFloats([op](const Call& call) { return WritePool(call, op); });
  };
  writers["Activation"] =
      OfFloats([](const Call& call) { return AddActivation(call, call.x()); });
  writers["Add"] = OfFloats(WriteAdd);
  writers["AveragePooling2D"] = pool("AvgPool");
  writers["BatchNormalization"] = OfFloats(WriteBatchNormalization);
  writers["Conv2D"] = OfFloats(WriteConv2D);
  writers["Dense"] = OfFloats(WriteDense);
  writers["GlobalAveragePooling2D"] = OfFloats([](const Call& call) {
    return Mean(call, call.x(), {1, 2}, call.config.at("keepdims").get<bool>());
  });
  writers["LayerNormalization"] = OfFloats(WriteLayerNormalization);
  writers["MaxPooling2D"] = pool("MaxPool");
  writers["MultiHeadAttention"] = OfFloats(WriteAttention);
  writers["ReLU"] = OfFloats([](const Call& call) {
    return call.nodes.AddFloat("Relu", {call.x()}, "activations");
  });
  writers["ZeroPadding2D"] = OfFloats(WriteZeroPadding2D);
}

const LayerWriters& Writers() {
  static const auto* writers = [] {
    auto* made = new LayerWriters({{"Concatenate", WriteConcatenate},
                                   {"Dropout", WriteIdentity},
                                   {"Embedding", WriteEmbedding},
                                   {"Flatten", WriteFlatten},
                                   {"InputLayer", WriteIdentity}});
    AddFloatWriters(*made);
    AddNumberWriters(*made);
    AddWordWriters(*made);
    return made;
  }();
  return *writers;
}

}  // namespace

std::string LayerCall::As(DType wanted) const {
  const bool words = wanted == DType::kString;
  if (words == (dtype() == DType::kString)) {
    return nodes.Cast(x(), dtype(), wanted);
  }
  throw Unimplemented(
      "[ExportSavedModel] '{}' gets {}, which it cannot be exported for; give "
      "its Input a dtype",
      layer.name(), DTypeName(dtype()));
}

std::string ReshapeTo(const LayerCall& call, const NodeResult& x,
                      const Shape& dims) {
  std::vector<int32_t> sizes = {-1};
  for (const int64_t dim : dims.dims()) {
    if (dim == kUnknownDim) {
      throw Unimplemented(
          "[ExportSavedModel] '{}' has an unknown dimension other than the "
          "batch size, which cannot be exported",
          call.layer.name());
    }
    sizes.push_back(static_cast<int32_t>(dim));
  }
  const std::string shape = call.nodes.Integers(sizes);
  return call.nodes.AddTyped(
      "Reshape", x.dtype, {x.name, shape}, "output",
      {{"Tshape", TypeAttribute(tensor_bundle::DT_INT32)}});
}

NodeResult WriteLayer(const LayerImpl& layer,
                      const std::vector<NodeResult>& inputs,
                      const ReadVariable& read, const std::string& table,
                      NodeWriter& nodes) {
  const LayerConfig config = layer.Config();
  const auto writer = Writers().find(config.class_name);
  if (writer == Writers().end()) {
    throw Unimplemented(
        "[ExportSavedModel] '{}' is of the class {}, which cannot be exported",
        layer.name(), config.class_name);
  }
  if (layer.dtype_policy().compute_dtype() != DType::kFloat32) {
    throw Unimplemented(
        "[ExportSavedModel] '{}' computes in {}; only float32 is supported",
        layer.name(), DTypeName(layer.dtype_policy().compute_dtype()));
  }
  LayerCall call = {layer, config.config, inputs, nodes, {}, table};
  for (const VariablePtr& variable : layer.variables()) {
    call.variables.push_back(read(variable));
  }
  return writer->second(call);
}

}  // namespace lockstep::export_internal
