#include "benchmarks/micro/kernels/onednn_sequence.h"

#include <algorithm>

#include "reference/kernels/cpu/onednn_engine.h"

namespace lockstep::benchmarks {

using dnnl::memory;
using kernels_internal::DescribeGradient;
using kernels_internal::DescribePrimitive;
using kernels_internal::DescribeSameLayout;

namespace {

dnnl::eltwise_forward::primitive_desc DescribeFunction(
    dnnl::algorithm function, const memory::desc& layout) {
  return DescribeSameLayout(layout, [&](const auto&... both) {
    return DescribePrimitive<dnnl::eltwise_forward>(
        {}, dnnl::prop_kind::forward_training, function, both...);
  });
}

dnnl::eltwise_backward FunctionGradient(dnnl::algorithm function,
                                        const memory::desc& layout) {
  const auto forward = DescribeFunction(function, layout);
  return dnnl::eltwise_backward(
      DescribeSameLayout(layout, [&](const auto&... both) {
        return DescribeGradient<dnnl::eltwise_backward>({}, forward, function,
                                                        both..., layout);
      }));
}

}  // namespace

memory::dims ImageDims(const Shape& nhwc) {
  return {nhwc[0], nhwc[3], nhwc[1], nhwc[2]};
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

memory OneDnnSequence::New(const memory::desc& desc) {
  memory array(desc, kernels_internal::OneDnnEngine());
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

void OneDnnSequence::AddFunction(dnnl::algorithm function, const memory& x,
                                 const memory& y) {
  Add(dnnl::eltwise_forward(DescribeFunction(function, x.get_desc())),
      {{DNNL_ARG_SRC, x}, {DNNL_ARG_DST, y}});
}

void OneDnnSequence::AddFunctionGradient(dnnl::algorithm function,
                                         const memory& x, const memory& dy,
                                         const memory& dx) {
  Add(FunctionGradient(function, x.get_desc()),
      {{DNNL_ARG_SRC, x}, {DNNL_ARG_DIFF_DST, dy}, {DNNL_ARG_DIFF_SRC, dx}});
}

void OneDnnSequence::AddReluMask(const memory& y, const memory& dy,
                                 const memory& dx) {
  constexpr auto kUseY = dnnl::algorithm::eltwise_relu_use_dst_for_bwd;
  Add(FunctionGradient(kUseY, y.get_desc()),
      {{DNNL_ARG_DST, y}, {DNNL_ARG_DIFF_DST, dy}, {DNNL_ARG_DIFF_SRC, dx}});
}

dnnl::primitive_attr OneDnnSequence::WithRelu() {
  dnnl::post_ops relu;
#if DNNL_VERSION_MAJOR >= 3
  relu.append_eltwise(dnnl::algorithm::eltwise_relu, 0, 0);
#else
  relu.append_eltwise(1, dnnl::algorithm::eltwise_relu, 0, 0);
#endif
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
