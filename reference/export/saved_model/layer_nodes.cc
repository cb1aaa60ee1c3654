#include "reference/export/saved_model/layer_nodes.h"

#include <cctype>
#include <cmath>
#include <map>
#include <utility>

#include "reference/base/error.h"
#include "reference/layers/layer_config.h"

namespace lockstep::export_internal {
namespace {

// One call of a layer, and where to write its nodes.
struct Call {
  const LayerImpl& layer;
  const Json& config;
  const std::vector<NodeResult>& inputs;
  NodeWriter& nodes;
  std::vector<std::string> variables;  // values, in the order of variables()

  const std::string& x() const { return inputs.at(0).name; }
  const Shape& shape() const { return inputs.at(0).shape; }
};

std::string Upper(std::string text) {
  for (char& c : text) c = static_cast<char>(std::toupper(c));
  return text;
}

// Any batch size; other axes must be known.
std::string Reshape(const Call& call, const std::string& x,
                    const Shape& example) {
  std::vector<int32_t> dims = {-1};
  for (const int64_t dim : example.dims()) {
    if (dim == kUnknownDim) {
      throw Unimplemented("[ExportSavedModel] '{}' has an unknown axis",
                          call.layer.name());
    }
    dims.push_back(static_cast<int32_t>(dim));
  }
  const std::string shape = call.nodes.Integers(dims);
  return call.nodes.AddFloat(
      "Reshape", {x, shape}, "output",
      {{"Tshape", TypeAttribute(tensor_bundle::DT_INT32)}});
}

std::string Activated(const Call& call, const std::string& x) {
  static const auto* kinds =
      new std::map<std::string, std::pair<std::string, std::string>>(
          {{"relu", {"Relu", "activations"}},
           {"sigmoid", {"Sigmoid", "y"}},
           {"softmax", {"Softmax", "softmax"}},
           {"tanh", {"Tanh", "y"}}});
  const std::string name = call.config.at("activation").get<std::string>();
  if (name == "linear") return x;
  const auto kind = kinds->find(name);
  if (kind == kinds->end()) {
    throw Unimplemented("[ExportSavedModel] '{}' has the activation {}",
                        call.layer.name(), name);
  }
  const auto& [op, output] = kind->second;
  return call.nodes.AddFloat(op, {x}, output);
}

std::string WithBias(const Call& call, const std::string& x) {
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
  const std::string y = WithBias(call, product);
  const int64_t units = call.config.at("units").get<int64_t>();
  return Activated(
      call,
      matrix ? y
             : Reshape(call, y, shape.Tail().WithDim(shape.rank() - 2, units)));
}

// [1, rows, columns, 1]: batch and channels have windows of 1.
AttrValue Windows(const Json& pair) {
  return IntsAttribute(
      {1, pair.at(0).get<int64_t>(), pair.at(1).get<int64_t>(), 1});
}

AttrValue PaddingAttribute(const Call& call) {
  return TextAttribute(Upper(call.config.at("padding").get<std::string>()));
}

std::string WriteConv2D(const Call& call) {
  const std::string y =
      call.nodes.AddFloat("Conv2D", {call.x(), call.variables.at(0)}, "output",
                          {{"strides", Windows(call.config.at("strides"))},
                           {"padding", PaddingAttribute(call)}});
  return Activated(call, WithBias(call, y));
}

std::string WritePool(const Call& call, const std::string& op) {
  return call.nodes.AddFloat(op, {call.x()}, "output",
                             {{"ksize", Windows(call.config.at("pool_size"))},
                              {"strides", Windows(call.config.at("strides"))},
                              {"padding", PaddingAttribute(call)}});
}

std::string Mean(const Call& call, const std::string& x,
                 const std::vector<int32_t>& axes, bool keepdims) {
  return call.nodes.AddFloat("Mean", {x, call.nodes.Integers(axes)}, "output",
                             {{"Tidx", TypeAttribute(tensor_bundle::DT_INT32)},
                              {"keep_dims", BoolAttribute(keepdims)}});
}

std::string WritePadding(const Call& call) {
  std::vector<int32_t> sides = {0, 0};
  for (const Json& axis : call.config.at("padding")) {
    for (const Json& side : axis) sides.push_back(side.get<int32_t>());
  }
  sides.insert(sides.end(), {0, 0});
  const std::string paddings = call.nodes.Constant(
      Tensor::FromVector(sides, Shape{4, 2}, Device::Host()));
  return call.nodes.AddFloat(
      "Pad", {call.x(), paddings}, "output",
      {{"Tpaddings", TypeAttribute(tensor_bundle::DT_INT32)}});
}

std::string WriteAdd(const Call& call) {
  std::string sum = call.x();
  for (size_t i = 1; i < call.inputs.size(); ++i) {
    sum = call.nodes.AddFloat("AddV2", {sum, call.inputs[i].name}, "z");
  }
  return sum;
}

std::string WriteConcatenate(const Call& call) {
  std::vector<std::string> inputs;
  for (const NodeResult& input : call.inputs) inputs.push_back(input.name);
  inputs.push_back(call.nodes.Integer(call.config.at("axis").get<int32_t>()));
  return call.nodes.AddFloat(
      "ConcatV2", inputs, "output",
      {{"N", IntAttribute(static_cast<int64_t>(call.inputs.size()))},
       {"Tidx", TypeAttribute(tensor_bundle::DT_INT32)}});
}

// x * gamma + beta, without those that the layer does not have.
std::string Scaled(const Call& call, std::string x, size_t* next) {
  if (call.config.at("scale").get<bool>()) {
    x = call.nodes.AddFloat("Mul", {x, call.variables.at((*next)++)}, "z");
  }
  if (call.config.at("center").get<bool>()) {
    x = call.nodes.AddFloat("AddV2", {x, call.variables.at((*next)++)}, "z");
  }
  return x;
}

// 1 / sqrt(variance + epsilon).
std::string InverseDeviation(const Call& call, const std::string& variance) {
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
  const size_t moments = call.variables.size() - 2;
  const std::string centred =
      call.nodes.AddFloat("Sub", {call.x(), call.variables.at(moments)}, "z");
  const std::string inverse =
      InverseDeviation(call, call.variables.at(moments + 1));
  size_t next = 0;
  return Scaled(call, call.nodes.AddFloat("Mul", {centred, inverse}, "z"),
                &next);
}

std::string WriteLayerNormalization(const Call& call) {
  const std::vector<int32_t> last = {-1};
  const std::string mean = Mean(call, call.x(), last, /*keepdims=*/true);
  const std::string centred = call.nodes.AddFloat("Sub", {call.x(), mean}, "z");
  const std::string square = call.nodes.AddFloat("Square", {centred}, "y");
  const std::string variance = Mean(call, square, last, /*keepdims=*/true);
  const std::string inverse = InverseDeviation(call, variance);
  size_t next = 0;
  return Scaled(call, call.nodes.AddFloat("Mul", {centred, inverse}, "z"),
                &next);
}

// All inputs are float32, also tokens.
std::string WriteEmbedding(const Call& call) {
  const AttrValue real = TypeAttribute(tensor_bundle::DT_FLOAT);
  const AttrValue whole = TypeAttribute(tensor_bundle::DT_INT64);
  const std::string tokens = call.nodes.Add(
      "Cast", {call.x()},
      {{"SrcT", real}, {"DstT", whole}, {"Truncate", BoolAttribute(false)}},
      "y");
  return call.nodes.Add("GatherV2",
                        {call.variables.at(0), tokens, call.nodes.Integer(0)},
                        {{"Tparams", real},
                         {"Tindices", whole},
                         {"Taxis", TypeAttribute(tensor_bundle::DT_INT32)},
                         {"batch_dims", IntAttribute(0)}},
                        "output");
}

std::string Einsum(const Call& call, const std::string& equation,
                   const std::string& a, const std::string& b) {
  return call.nodes.AddFloat(
      "Einsum", {a, b}, "output",
      {{"N", IntAttribute(2)}, {"equation", TextAttribute(equation)}});
}

// Multiplies by the next kernel and adds the next bias, if the layer uses them.
std::string Projected(const Call& call, const std::string& equation,
                      const std::string& x, size_t* next) {
  const std::string y = Einsum(call, equation, x, call.variables.at((*next)++));
  if (!call.config.at("use_bias").get<bool>()) return y;
  return call.nodes.AddFloat("AddV2", {y, call.variables.at((*next)++)}, "z");
}

// In the equations: b batch; p, q positions; h heads; i, o sizes.
std::string WriteAttention(const Call& call) {
  size_t next = 0;
  const auto heads = [&](const NodeResult& x) {
    return Projected(call, "bpi,iho->bpho", x.name, &next);
  };
  const std::string query = heads(call.inputs.front());
  const std::string key = heads(call.inputs.back());
  const std::string value = heads(call.inputs.at(1));
  const double size = call.config.at("key_dim").get<double>();
  const std::string scaled = call.nodes.AddFloat(
      "Mul", {query, call.nodes.Float(static_cast<float>(1 / std::sqrt(size)))},
      "z");
  const std::string scores = call.nodes.AddFloat(
      "Softmax", {Einsum(call, "bqho,bpho->bhpq", key, scaled)}, "softmax");
  const std::string attended = Einsum(call, "bhpq,bqho->bpho", scores, value);
  return Projected(call, "bpho,hoi->bpi", attended, &next);
}

using Writer = std::function<std::string(const Call& call)>;

const std::map<std::string, Writer>& Writers() {
  static const auto* writers = new std::map<std::string, Writer>(
      {{"Activation", [](const Call& c) { return Activated(c, c.x()); }},
       {"Add", WriteAdd},
       {"AveragePooling2D",
        [](const Call& c) { return WritePool(c, "AvgPool"); }},
       {"BatchNormalization", WriteBatchNormalization},
       {"Concatenate", WriteConcatenate},
       {"Conv2D", WriteConv2D},
       {"Dense", WriteDense},
       {"Dropout", [](const Call& c) { return c.x(); }},
       {"Embedding", WriteEmbedding},
       {"Flatten",
        [](const Call& c) {
          return Reshape(c, c.x(), Shape{c.shape().Tail().num_elements()});
        }},
       {"GlobalAveragePooling2D",
        [](const Call& c) {
          return Mean(c, c.x(), {1, 2}, c.config.at("keepdims").get<bool>());
        }},
       {"InputLayer", [](const Call& c) { return c.x(); }},
       {"LayerNormalization", WriteLayerNormalization},
       {"MaxPooling2D", [](const Call& c) { return WritePool(c, "MaxPool"); }},
       {"MultiHeadAttention", WriteAttention},
       {"ReLU",
        [](const Call& c) {
          return c.nodes.AddFloat("Relu", {c.x()}, "activations");
        }},
       {"ZeroPadding2D", WritePadding}});
  return *writers;
}

}  // namespace

std::string WriteLayer(const LayerImpl& layer,
                       const std::vector<NodeResult>& inputs,
                       const ReadVariable& read, NodeWriter& nodes) {
  const LayerConfig config = layer.Config();
  const auto writer = Writers().find(config.class_name);
  if (writer == Writers().end()) {
    throw Unimplemented(
        "[ExportSavedModel] '{}' is of the class {}, which cannot be exported",
        layer.name(), config.class_name);
  }
  if (layer.dtype_policy().compute_dtype() != DType::kFloat32) {
    throw Unimplemented(
        "[ExportSavedModel] '{}' has the policy {}: only "
        "float32 is supported",
        layer.name(), layer.dtype_policy().name());
  }
  Call call = {layer, config.config, inputs, nodes, {}};
  for (const VariablePtr& variable : layer.variables()) {
    call.variables.push_back(read(variable));
  }
  return writer->second(call);
}

}  // namespace lockstep::export_internal
