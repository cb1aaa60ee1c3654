#include "reference/kernels/convolution/cuda/convolution_graph.h"

#include <algorithm>
#include <array>
#include <optional>

#include "reference/base/error.h"
#include "reference/kernels/convolution/cuda/engine_plan.h"

namespace lockstep::cuda {

using kernels_internal::ConvolutionPass;
using kernels_internal::ConvolutionShape;

namespace {

constexpr int64_t kAlignment = 16;  // bytes, of every tensor's first element

// The names of the attributes of one pass's operation.
struct PassAttributes {
  cudnnBackendDescriptorType_t operation;
  cudnnBackendAttributeName_t x, filter, y, windows, alpha, beta;
};

constexpr PassAttributes kForward = {
    CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR,
    CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_X,
    CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_W,
    CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_Y,
    CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_CONV_DESC,
    CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_ALPHA,
    CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_BETA};
constexpr PassAttributes kBackwardData = {
    CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_DATA_DESCRIPTOR,
    CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DX,
    CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_W,
    CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DY,
    CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_CONV_DESC,
    CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_ALPHA,
    CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_BETA};
constexpr PassAttributes kBackwardFilter = {
    CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_FILTER_DESCRIPTOR,
    CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_X,
    CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DW,
    CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DY,
    CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_CONV_DESC,
    CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_ALPHA,
    CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_BETA};

const PassAttributes& AttributesOf(ConvolutionPass pass) {
  if (pass == ConvolutionPass::kForward) return kForward;
  return pass == ConvolutionPass::kBackwardData ? kBackwardData
                                                : kBackwardFilter;
}

// Strides of channels-last images whose sizes are in the order N, C, H, W.
std::vector<int64_t> ChannelsLast(const std::vector<int64_t>& nchw) {
  const int64_t channels = nchw[1];
  const int64_t row = channels * nchw[3];
  return {row * nchw[2], 1, row, channels};
}

std::vector<int64_t> SizesOfY(const ConvolutionShape& shape, int64_t images) {
  return {images, shape.outputs, shape.rows.count, shape.columns.count};
}

}  // namespace

cudnnDataType_t CudnnType(DType dtype) {
  switch (dtype) {
    case DType::kFloat32:
      return CUDNN_DATA_FLOAT;
    case DType::kBFloat16:
      return CUDNN_DATA_BFLOAT16;
    case DType::kFloat16:
      return CUDNN_DATA_HALF;
    default:
      throw InvalidArgument("[Conv2D] type must be float32 or 16 bits, got {}",
                            DTypeName(dtype));
  }
}

ConvolutionGraph::ConvolutionGraph(cudnnHandle_t handle,
                                   const Signature& signature)
    : handle_(handle),
      signature_(signature),
      graph_(CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR) {
  if (signature.pass == ConvolutionPass::kForward) {
    AddForward();
  } else {
    AddConvolution(AddTensor(kConvolutionY,
                             SizesOfY(signature.shape, signature.images),
                             TypeOfY(), false));
  }
  graph_.Set(CUDNN_ATTR_OPERATIONGRAPH_HANDLE, handle);
  graph_.SetDescriptors(CUDNN_ATTR_OPERATIONGRAPH_OPS, operations_);
  graph_.Finish();
}

cudnnDataType_t ConvolutionGraph::TypeOfY() const {
  return signature_.wide ? CUDNN_DATA_FLOAT : CudnnType(signature_.dtype);
}

BackendDescriptor& ConvolutionGraph::Add(cudnnBackendDescriptorType_t type) {
  return parts_.emplace_back(type);
}

BackendDescriptor& ConvolutionGraph::AddTensor(int64_t id,
                                               const std::vector<int64_t>& nchw,
                                               cudnnDataType_t type,
                                               bool is_virtual) {
  BackendDescriptor& tensor = Add(CUDNN_BACKEND_TENSOR_DESCRIPTOR);
  tensor.Set(CUDNN_ATTR_TENSOR_UNIQUE_ID, id);
  tensor.Set(CUDNN_ATTR_TENSOR_DATA_TYPE, type);
  tensor.SetNumbers(CUDNN_ATTR_TENSOR_DIMENSIONS, nchw);
  tensor.SetNumbers(CUDNN_ATTR_TENSOR_STRIDES, ChannelsLast(nchw));
  tensor.Set(CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT, kAlignment);
  tensor.Set(CUDNN_ATTR_TENSOR_IS_VIRTUAL, is_virtual);
  tensor.Finish();
  return tensor;
}

BackendDescriptor& ConvolutionGraph::AddWindows() {
  const ConvolutionShape& shape = signature_.shape;
  BackendDescriptor& windows = Add(CUDNN_BACKEND_CONVOLUTION_DESCRIPTOR);
  windows.Set(CUDNN_ATTR_CONVOLUTION_COMP_TYPE, CUDNN_DATA_FLOAT);
  windows.Set(CUDNN_ATTR_CONVOLUTION_CONV_MODE, CUDNN_CROSS_CORRELATION);
  windows.Set(CUDNN_ATTR_CONVOLUTION_SPATIAL_DIMS, int64_t{2});
  windows.SetNumbers(CUDNN_ATTR_CONVOLUTION_DILATIONS, {1, 1});
  windows.SetNumbers(CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES,
                     {shape.strides[0], shape.strides[1]});
  windows.SetNumbers(CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS,
                     {shape.rows.before, shape.columns.before});
  windows.SetNumbers(CUDNN_ATTR_CONVOLUTION_POST_PADDINGS,
                     {shape.rows.after, shape.columns.after});
  windows.Finish();
  return windows;
}

void ConvolutionGraph::AddConvolution(const BackendDescriptor& y) {
  const ConvolutionShape& shape = signature_.shape;
  const cudnnDataType_t type = CudnnType(signature_.dtype);
  const PassAttributes& names = AttributesOf(signature_.pass);
  const BackendDescriptor& x =
      AddTensor(kConvolutionX,
                {signature_.images, shape.inputs, shape.height, shape.width},
                type, false);
  const BackendDescriptor& filter = AddTensor(
      kConvolutionFilter,
      {shape.outputs, shape.inputs, shape.filter_rows, shape.filter_columns},
      type, false);
  const BackendDescriptor& windows = AddWindows();
  BackendDescriptor& operation = Add(names.operation);
  operation.Set(names.x, x);
  operation.Set(names.filter, filter);
  operation.Set(names.y, y);
  operation.Set(names.windows, windows);
  operation.Set(names.alpha, 1.0f);
  operation.Set(names.beta, 0.0f);
  operation.Finish();
  operations_.push_back(operation.get());
}

const BackendDescriptor& ConvolutionGraph::AddPointwise(
    cudnnPointwiseMode_t mode, const BackendDescriptor& from,
    const BackendDescriptor* with, bool last) {
  const std::vector<int64_t> sizes =
      SizesOfY(signature_.shape, signature_.images);
  const BackendDescriptor& y =
      last ? AddTensor(kConvolutionY, sizes, TypeOfY(), false)
           : AddTensor(next_virtual_++, sizes, CUDNN_DATA_FLOAT, true);
  BackendDescriptor& pointwise = Add(CUDNN_BACKEND_POINTWISE_DESCRIPTOR);
  pointwise.Set(CUDNN_ATTR_POINTWISE_MODE, mode);
  pointwise.Set(CUDNN_ATTR_POINTWISE_MATH_PREC, CUDNN_DATA_FLOAT);
  if (mode == CUDNN_POINTWISE_RELU_FWD) {
    pointwise.Set(CUDNN_ATTR_POINTWISE_NAN_PROPAGATION, CUDNN_PROPAGATE_NAN);
  }
  pointwise.Finish();
  BackendDescriptor& operation =
      Add(CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR);
  operation.Set(CUDNN_ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR, pointwise);
  operation.Set(CUDNN_ATTR_OPERATION_POINTWISE_XDESC, from);
  if (with != nullptr) {
    operation.Set(CUDNN_ATTR_OPERATION_POINTWISE_BDESC, *with);
  }
  operation.Set(CUDNN_ATTR_OPERATION_POINTWISE_YDESC, y);
  operation.Finish();
  operations_.push_back(operation.get());
  return y;
}

void ConvolutionGraph::AddForward() {
  const bool plain = !signature_.bias && !signature_.relu;
  // A tensor that only the next operation reads is virtual: float32, without
  // memory.
  const BackendDescriptor* y =
      &AddTensor(plain ? kConvolutionY : next_virtual_++,
                 SizesOfY(signature_.shape, signature_.images),
                 plain ? TypeOfY() : CUDNN_DATA_FLOAT, !plain);
  AddConvolution(*y);
  if (signature_.bias) {
    const BackendDescriptor& bias =
        AddTensor(kConvolutionBias, {1, signature_.shape.outputs, 1, 1},
                  CudnnType(signature_.dtype), false);
    y = &AddPointwise(CUDNN_POINTWISE_ADD, *y, &bias, !signature_.relu);
  }
  if (signature_.relu) {
    AddPointwise(CUDNN_POINTWISE_RELU_FWD, *y, nullptr, true);
  }
}

std::vector<BackendDescriptor> ConvolutionGraph::Engines() const {
  std::vector<BackendDescriptor> allowed;
  for (const cudnnBackendHeurMode_t mode :
       {CUDNN_HEUR_MODE_A, CUDNN_HEUR_MODE_FALLBACK}) {
    for (BackendDescriptor& config : Ask(mode)) {
      if (IsAllowed(config)) allowed.push_back(std::move(config));
    }
  }
  return allowed;
}

std::vector<BackendDescriptor> ConvolutionGraph::Ask(
    cudnnBackendHeurMode_t mode) const {
  BackendDescriptor heuristics(CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR);
  heuristics.Set(CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH, graph_);
  heuristics.Set(CUDNN_ATTR_ENGINEHEUR_MODE, mode);
  if (!heuristics.TryFinish()) return {};
  int64_t count = 0;
  const auto get = [&](int64_t wanted, void* to) {
    return Succeeded(cudnnBackendGetAttribute(
                         heuristics.get(), CUDNN_ATTR_ENGINEHEUR_RESULTS,
                         CUDNN_TYPE_BACKEND_DESCRIPTOR, wanted, &count, to),
                     "[Conv2D] engines");
  };
  if (!get(0, nullptr)) return {};
  std::vector<BackendDescriptor> configs;
  std::vector<cudnnBackendDescriptor_t> raw;
  for (int64_t i = 0; i < count; ++i) {
    configs.emplace_back(CUDNN_BACKEND_ENGINECFG_DESCRIPTOR);
    raw.push_back(configs.back().get());
  }
  if (!get(count, raw.data())) return {};
  while (static_cast<int64_t>(configs.size()) > count) configs.pop_back();
  return configs;
}

bool ConvolutionGraph::IsAllowed(const BackendDescriptor& engine_config) const {
  const std::optional<BackendDescriptor> engine = EngineOf(engine_config);
  std::array<cudnnBackendNumericalNote_t, CUDNN_NUMERICAL_NOTE_TYPE_COUNT>
      notes{};
  int64_t count = 0;
  if (!engine ||
      !Succeeded(cudnnBackendGetAttribute(
                     engine->get(), CUDNN_ATTR_ENGINE_NUMERICAL_NOTE,
                     CUDNN_TYPE_NUMERICAL_NOTE,
                     static_cast<int64_t>(notes.size()), &count, notes.data()),
                 "[Conv2D] engine's notes")) {
    return false;  // its behaviour is unknown
  }
  return std::all_of(notes.begin(), notes.begin() + count, [&](auto note) {
    switch (note) {
      case CUDNN_NUMERICAL_NOTE_NONDETERMINISTIC:
      case CUDNN_NUMERICAL_NOTE_DOWN_CONVERT_INPUTS:
      case CUDNN_NUMERICAL_NOTE_REDUCED_PRECISION_REDUCTION:
      case CUDNN_NUMERICAL_NOTE_FFT:
        return false;
      case CUDNN_NUMERICAL_NOTE_TENSOR_CORE:
        return signature_.dtype != DType::kFloat32 || signature_.allow_tf32;
      case CUDNN_NUMERICAL_NOTE_WINOGRAD:
      case CUDNN_NUMERICAL_NOTE_WINOGRAD_TILE_4x4:
      case CUDNN_NUMERICAL_NOTE_WINOGRAD_TILE_6x6:
      case CUDNN_NUMERICAL_NOTE_WINOGRAD_TILE_13x13:
        return signature_.allow_winograd;
      default:
        return true;
    }
  });
}

}  // namespace lockstep::cuda
