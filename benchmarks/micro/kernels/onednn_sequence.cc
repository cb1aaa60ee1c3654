#include "benchmarks/micro/kernels/onednn_sequence.h"

#include <algorithm>

#include "reference/kernels/cpu/onednn_engine.h"

namespace lockstep::benchmarks {

using dnnl::memory;

memory::dims ImageDims(const Shape& nhwc) {
  return {nhwc[0], nhwc[3], nhwc[1], nhwc[2]};
}

const dnnl::engine& OneDnnSequence::Engine() {
  return kernels_internal::OneDnnEngine();
}

bool OneDnnSequence::Computes(DType dtype) {
  return dtype != DType::kBFloat16 || kernels_internal::HasAvx512();
}

memory OneDnnSequence::Wrap(const Tensor& tensor, const memory::dims& dims,
                            memory::format_tag tag) {
  tensors_.push_back(tensor);
  return kernels_internal::OneDnnMemory(
      {dims, kernels_internal::OneDnnType(tensor.dtype()), tag},
      tensor.raw_data());
}

memory::desc OneDnnSequence::Any(const memory& array) {
  const memory::desc desc = array.get_desc();
  return {desc.dims(), desc.data_type(), memory::format_tag::any};
}

memory OneDnnSequence::New(const memory::desc& desc) {
  memory array(desc, Engine());
  std::fill_n(static_cast<char*>(array.get_data_handle()), desc.get_size(), 0);
  return array;
}

memory OneDnnSequence::As(const memory& array, const memory::desc& wanted) {
  if (array.get_desc() == wanted) return array;
  memory copy = New(wanted);
  Deliver(array, copy);
  return copy;
}

memory OneDnnSequence::For(const memory& array, const memory::desc& made) {
  return array.get_desc() == made ? array : New(made);
}

void OneDnnSequence::Deliver(const memory& written, const memory& array) {
  if (written == array) return;
  Add(dnnl::reorder(written, array),
      {{DNNL_ARG_FROM, written}, {DNNL_ARG_TO, array}});
}

void OneDnnSequence::Add(const dnnl::primitive& primitive,
                         Arguments arguments) {
  calls_.emplace_back(primitive, std::move(arguments));
}

void OneDnnSequence::AddReluMask(const memory& y, const memory& dy,
                                 const memory& dx) {
  constexpr auto kUseY = dnnl::algorithm::eltwise_relu_use_dst_for_bwd;
  const memory::desc desc = y.get_desc();
  const dnnl::eltwise_forward::primitive_desc forward(
      {dnnl::prop_kind::forward_training, kUseY, desc, 0, 0}, Engine());
  const dnnl::eltwise_backward::primitive_desc mask({kUseY, desc, desc, 0, 0},
                                                    Engine(), forward);
  Add(dnnl::eltwise_backward(mask),
      {{DNNL_ARG_DST, y}, {DNNL_ARG_DIFF_DST, dy}, {DNNL_ARG_DIFF_SRC, dx}});
}

dnnl::primitive_attr OneDnnSequence::WithRelu() {
  dnnl::post_ops relu;
  relu.append_eltwise(1, dnnl::algorithm::eltwise_relu, 0, 0);
  dnnl::primitive_attr attributes;
  attributes.set_post_ops(relu);
  return attributes;
}

void OneDnnSequence::Run() const {
  dnnl::stream& stream = kernels_internal::OneDnnStream();
  for (const auto& [primitive, arguments] : calls_) {
    primitive.execute(stream, arguments);
  }
}

}  // namespace lockstep::benchmarks
