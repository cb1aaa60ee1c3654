// What BERT computes between its matrix products: layer normalization and GELU.
#include <memory>

#include "benchmarks/micro/kernels/kernel_pair.h"
#include "benchmarks/micro/kernels/onednn_sequence.h"
#include "reference/kernels/cpu/onednn_engine.h"
#include "reference/kernels/elementwise/gelu.h"
#include "reference/kernels/normalization/layer_norm.h"
#include "reference/tensor/host_tensor.h"

namespace lockstep::benchmarks {
namespace {

using dnnl::memory;
using kernels_internal::DescribeGradient;
using kernels_internal::DescribePrimitive;
using kernels_internal::DescribeSameLayout;
using Flags = dnnl::normalization_flags;
using Tag = memory::format_tag;

constexpr auto kGelu = dnnl::algorithm::eltwise_gelu_tanh;
constexpr auto kForm = kernels::GeluForm::kTanh;
constexpr float kLayerNormEpsilon = 1e-3f;

memory RowsIn(OneDnnSequence& calls, const Tensor& x) {
  return calls.Wrap(x, {x.dim(0), x.dim(1)}, Tag::ab);
}

KernelRuns GeluRuns(const Shape& shape, bool backward) {
  const Tensor x = WholeNumbers(shape, 1), dy = WholeNumbers(shape, 2);
  const Tensor out = EmptyOnHost(shape);
  const auto calls = std::make_shared<OneDnnSequence>();
  const memory in = RowsIn(*calls, x);
  if (!backward) {
    calls->AddFunction(kGelu, in, RowsIn(*calls, out));
    return {[=] { return std::vector{kernels::Gelu(x, kForm)}; },
            OneDnnRun(calls, {out})};
  }
  calls->AddFunctionGradient(kGelu, in, RowsIn(*calls, dy),
                             RowsIn(*calls, out));
  return {[=] { return std::vector{kernels::GeluBackward(x, dy, kForm)}; },
          OneDnnRun(calls, {out})};
}

// Of both passes.
struct LayerNormArrays {
  explicit LayerNormArrays(const Shape& shape)
      : x(WholeNumbers(shape, 1)),
        dy(WholeNumbers(shape, 2)),
        gamma(Tensor::Full(Shape{shape[1]}, 2.0f, CurrentHost())),
        beta(Tensor::Full(Shape{shape[1]}, 0.37f, CurrentHost())),
        y(EmptyOnHost(shape)),
        dx(EmptyOnHost(shape)),
        dgamma(EmptyOnHost(Shape{shape[1]})),
        dbeta(EmptyOnHost(Shape{shape[1]})),
        mean(EmptyOnHost(Shape{shape[0]})),
        variance(EmptyOnHost(Shape{shape[0]})) {}

  Tensor x, dy, gamma, beta;
  Tensor y, dx, dgamma, dbeta, mean, variance;
};

dnnl::layer_normalization_forward::primitive_desc DescribeLayerNorm(
    const memory::desc& rows) {
  return DescribeSameLayout(rows, [](const auto&... both) {
    return DescribePrimitive<dnnl::layer_normalization_forward>(
        {}, dnnl::prop_kind::forward_training, both..., kLayerNormEpsilon,
        Flags::use_scale | Flags::use_shift);
  });
}

// The arguments of both passes.
OneDnnSequence::Arguments LayerNormArguments(OneDnnSequence& calls,
                                             const LayerNormArrays& a) {
  const auto wrap = [&](const Tensor& vector) {
    return calls.Wrap(vector, {vector.dim(0)}, Tag::a);
  };
  return {{DNNL_ARG_SRC, RowsIn(calls, a.x)},
          {DNNL_ARG_SCALE, wrap(a.gamma)},
          {DNNL_ARG_SHIFT, wrap(a.beta)},
          {DNNL_ARG_MEAN, wrap(a.mean)},
          {DNNL_ARG_VARIANCE, wrap(a.variance)}};
}

void AddLayerNorm(OneDnnSequence& calls, const LayerNormArrays& a) {
  OneDnnSequence::Arguments arguments = LayerNormArguments(calls, a);
  const memory y = RowsIn(calls, a.y);
  arguments.emplace(DNNL_ARG_DST, y);
  calls.Add(dnnl::layer_normalization_forward(DescribeLayerNorm(y.get_desc())),
            arguments);
}

KernelRuns LayerNormForward(const Shape& shape) {
  const LayerNormArrays a(shape);
  const auto calls = std::make_shared<OneDnnSequence>();
  AddLayerNorm(*calls, a);
  return {[=] {
            return std::vector{
                kernels::LayerNorm(a.x, a.gamma, a.beta, kLayerNormEpsilon).y};
          },
          OneDnnRun(calls, {a.y})};
}

KernelRuns LayerNormBackward(const Shape& shape) {
  const LayerNormArrays a(shape);
  OneDnnSequence forward;
  AddLayerNorm(forward, a);
  forward.Run();  // writes the moments
  const auto calls = std::make_shared<OneDnnSequence>();
  OneDnnSequence::Arguments arguments = LayerNormArguments(*calls, a);
  const memory dx = RowsIn(*calls, a.dx);
  const memory::desc rows = dx.get_desc();
  const auto gradient = DescribeSameLayout(rows, [&](const auto&... both) {
    return DescribeGradient<dnnl::layer_normalization_backward>(
        {}, DescribeLayerNorm(rows), dnnl::prop_kind::backward, both..., rows,
        kLayerNormEpsilon, Flags::use_scale | Flags::use_shift);
  });
#if DNNL_VERSION_MAJOR >= 3
  arguments.erase(DNNL_ARG_SHIFT);  // an input in oneDNN 2 only
#endif
  arguments.insert(
      {{DNNL_ARG_DIFF_DST, RowsIn(*calls, a.dy)},
       {DNNL_ARG_DIFF_SRC, dx},
       {DNNL_ARG_DIFF_SCALE, calls->Wrap(a.dgamma, {shape[1]}, Tag::a)},
       {DNNL_ARG_DIFF_SHIFT, calls->Wrap(a.dbeta, {shape[1]}, Tag::a)}});
  calls->Add(dnnl::layer_normalization_backward(gradient), arguments);
  const auto saved =
      kernels::LayerNorm(a.x, a.gamma, a.beta, kLayerNormEpsilon).saved;
  return {[=] {
            const auto d = kernels::LayerNormBackward(saved, a.dy);
            return std::vector{d.x, d.gamma, d.beta};
          },
          OneDnnRun(calls, {a.dx, a.dgamma, a.dbeta})};
}

}  // namespace

std::vector<KernelPair> TransformerPairs() {
  const Shape inner{1024, 512}, rows{1024, 128};
  // A fast tanh may lose some roundings; sums over rows are float32 in oneDNN.
  const double gelu = 64 * kRounding, norm = 1024 * kRounding;
  return {{PairName("GeluTanh", "forward", inner),
           [=] { return GeluRuns(inner, false); }, gelu},
          {PairName("GeluTanh", "backward", inner),
           [=] { return GeluRuns(inner, true); }, gelu},
          {PairName("LayerNorm", "forward", rows),
           [=] { return LayerNormForward(rows); }, norm},
          {PairName("LayerNorm", "backward", rows),
           [=] { return LayerNormBackward(rows); }, norm}};
}

}  // namespace lockstep::benchmarks
