#include "benchmarks/micro/bare_convolution.h"

#include <algorithm>
#include <dnnl.hpp>
#include <unordered_map>

#include "reference/kernels/cpu/onednn_engine.h"

namespace lockstep::benchmarks {
namespace {

using dnnl::memory;

memory::desc Any(memory::dims dims) {
  return {std::move(dims), memory::data_type::f32, memory::format_tag::any};
}

// An array of ones: what is in it does not change the time.
memory Ones(const memory::desc& desc, const dnnl::engine& engine) {
  memory array(desc, engine);
  std::fill_n(static_cast<float*>(array.get_data_handle()),
              desc.get_size() / sizeof(float), 1.0f);
  return array;
}

using Arguments = std::unordered_map<int, memory>;

}  // namespace

struct BareConvolution::Primitives {
  Primitives(std::array<int64_t, 4> x, int64_t outputs)
      : x_desc(Any({x[0], x[3], x[1], x[2]})),
        filter_desc(Any({outputs, x[3], 3, 3})),
        bias_desc(Any({outputs})),
        y_desc(Any({x[0], outputs, x[1] - 2, x[2] - 2})) {
    const memory::dims one{1, 1};
    const memory::dims zero{0, 0};
    const auto direct = dnnl::algorithm::convolution_direct;
    const dnnl::convolution_forward::primitive_desc forward_desc(
        {dnnl::prop_kind::forward_training, direct, x_desc, filter_desc,
         bias_desc, y_desc, one, zero, zero},
        engine);
    const dnnl::convolution_backward_weights::primitive_desc filter_gradient(
        {direct, x_desc, filter_desc, bias_desc, y_desc, one, zero, zero},
        engine, forward_desc);
    const dnnl::convolution_backward_data::primitive_desc data_gradient(
        {direct, x_desc, filter_desc, y_desc, one, zero, zero}, engine,
        forward_desc);
    forward = dnnl::convolution_forward(forward_desc);
    forward_arguments = {
        {DNNL_ARG_SRC, Ones(forward_desc.src_desc(), engine)},
        {DNNL_ARG_WEIGHTS, Ones(forward_desc.weights_desc(), engine)},
        {DNNL_ARG_BIAS, Ones(forward_desc.bias_desc(), engine)},
        {DNNL_ARG_DST, Ones(forward_desc.dst_desc(), engine)}};
    filter = dnnl::convolution_backward_weights(filter_gradient);
    filter_arguments = {
        {DNNL_ARG_SRC, Ones(filter_gradient.src_desc(), engine)},
        {DNNL_ARG_DIFF_DST, Ones(filter_gradient.diff_dst_desc(), engine)},
        {DNNL_ARG_DIFF_WEIGHTS,
         Ones(filter_gradient.diff_weights_desc(), engine)},
        {DNNL_ARG_DIFF_BIAS, Ones(filter_gradient.diff_bias_desc(), engine)}};
    data = dnnl::convolution_backward_data(data_gradient);
    data_arguments = {
        {DNNL_ARG_DIFF_DST, Ones(data_gradient.diff_dst_desc(), engine)},
        {DNNL_ARG_WEIGHTS, Ones(data_gradient.weights_desc(), engine)},
        {DNNL_ARG_DIFF_SRC, Ones(data_gradient.diff_src_desc(), engine)}};
  }

  // Before everything: primitives remember the width they were made for.
  kernels_internal::OneDnnThread single;
  dnnl::engine engine{dnnl::engine::kind::cpu, 0};
  dnnl::stream stream{engine};
  memory::desc x_desc, filter_desc, bias_desc, y_desc;
  dnnl::primitive forward, filter, data;
  Arguments forward_arguments, filter_arguments, data_arguments;
};

BareConvolution::BareConvolution(std::array<int64_t, 4> x, int64_t outputs)
    : primitives_(std::make_unique<Primitives>(x, outputs)) {}

BareConvolution::~BareConvolution() = default;

void BareConvolution::Forward() {
  primitives_->forward.execute(primitives_->stream,
                               primitives_->forward_arguments);
}

void BareConvolution::BackwardFilter() {
  primitives_->filter.execute(primitives_->stream,
                              primitives_->filter_arguments);
}

void BareConvolution::BackwardData() {
  primitives_->data.execute(primitives_->stream, primitives_->data_arguments);
}

}  // namespace lockstep::benchmarks
