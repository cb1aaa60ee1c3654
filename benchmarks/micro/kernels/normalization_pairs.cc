// Batch normalization with what follows it in ResNet-50, and softmax.
#include <fmt/core.h>

#include <memory>

#include "benchmarks/micro/kernels/kernel_pair.h"
#include "benchmarks/micro/kernels/onednn_sequence.h"
#include "reference/kernels/cpu/onednn_engine.h"
#include "reference/kernels/normalization/batch_norm.h"
#include "reference/kernels/normalization/softmax.h"
#include "reference/tensor/host_tensor.h"

namespace lockstep::benchmarks {
namespace {

using dnnl::memory;
using kernels_internal::DescribeGradient;
using kernels_internal::DescribePrimitive;
using kernels_internal::DescribeSameLayout;
using kernels_internal::OneDnnSoftmax;
using kernels_internal::OneDnnSoftmaxGradient;
using Flags = dnnl::normalization_flags;
using Tag = memory::format_tag;

const kernels::BatchNormOptions kOptions{.epsilon = 1e-5, .relu = true};
const auto kEpsilon = static_cast<float>(kOptions.epsilon);
constexpr auto kSoftmax = dnnl::algorithm::softmax_accurate;

// Of both passes.
struct Arrays {
  Arrays(const Shape& shape, bool add, DType dtype)
      : x(WholeNumbers(shape, 1, dtype)),
        addend(add ? WholeNumbers(shape, 2, dtype) : Tensor()),
        gamma(Tensor::Full(Shape{shape[3]}, 2.0f, CurrentHost())),
        // No sum of it and others is near 0, where a rounding would decide
        // about the ReLU's mask.
        beta(Tensor::Full(Shape{shape[3]}, 0.37f, CurrentHost())),
        dy(WholeNumbers(shape, 3, dtype)),
        y(EmptyOnHost(shape, dtype)),
        mean(EmptyOnHost(Shape{shape[3]})),
        variance(EmptyOnHost(Shape{shape[3]})),
        dx(EmptyOnHost(shape, dtype)),
        dz(EmptyOnHost(shape, dtype)),
        dgamma(EmptyOnHost(Shape{shape[3]})),
        dbeta(EmptyOnHost(Shape{shape[3]})) {}

  Tensor x, addend, gamma, beta, dy;
  Tensor y, mean, variance, dx, dz, dgamma, dbeta;
};

// Without an addend oneDNN normalizes and cuts in one primitive; with one, the
// addition and the ReLU are a second one.
class OneDnnNorm {
 public:
  explicit OneDnnNorm(const Arrays& arrays) : a_(arrays) {
    AddForward();
    AddBackward();
  }

  void Forward() const { forward_.Run(); }
  void Backward() const { backward_.Run(); }

 private:
  bool adds() const { return a_.addend.defined(); }
  Flags flags() const {
    const Flags both = Flags::use_scale | Flags::use_shift;
    return adds() ? both : both | Flags::fuse_norm_relu;
  }
  memory Image(OneDnnSequence& calls, const Tensor& tensor) const {
    return calls.Wrap(tensor, ImageDims(tensor.shape()), Tag::nhwc);
  }
  memory Channels(OneDnnSequence& calls, const Tensor& tensor) const {
    return calls.Wrap(tensor, {tensor.dim(0)}, Tag::a);
  }
  // The inputs of both passes.
  OneDnnSequence::Arguments Common(OneDnnSequence& calls) const {
    OneDnnSequence::Arguments arguments{
        {DNNL_ARG_SRC, Image(calls, a_.x)},
        {DNNL_ARG_SCALE, Channels(calls, a_.gamma)},
        {DNNL_ARG_SHIFT, Channels(calls, a_.beta)},
        {DNNL_ARG_MEAN, Channels(calls, a_.mean)},
        {DNNL_ARG_VARIANCE, Channels(calls, a_.variance)}};
    if (!adds()) arguments.emplace(DNNL_ARG_WORKSPACE, signs_);
    return arguments;
  }

  void AddForward() {
    const memory y = Image(forward_, a_.y);
    desc_ = DescribeSameLayout(y.get_desc(), [&](const auto&... both) {
      return DescribePrimitive<dnnl::batch_normalization_forward>(
          {}, dnnl::prop_kind::forward_training, both..., kEpsilon, flags());
    });
    if (!adds()) signs_ = forward_.New(desc_.workspace_desc());
    OneDnnSequence::Arguments arguments = Common(forward_);
    arguments.emplace(DNNL_ARG_DST, y);
    forward_.Add(dnnl::batch_normalization_forward(desc_), arguments);
    if (!adds()) return;
    const auto sum = DescribePrimitive<dnnl::binary>(
        OneDnnSequence::WithRelu(), dnnl::algorithm::binary_add, y.get_desc(),
        y.get_desc(), y.get_desc());
    forward_.Add(dnnl::binary(sum),
                 {{DNNL_ARG_SRC_0, y},
                  {DNNL_ARG_SRC_1, Image(forward_, a_.addend)},
                  {DNNL_ARG_DST, y}});
  }

  void AddBackward() {
    memory dy = Image(backward_, a_.dy);
    if (adds()) {
      const memory dz = Image(backward_, a_.dz);
      backward_.AddReluMask(Image(backward_, a_.y), dy, dz);
      dy = dz;
    }
    const memory::desc x = dy.get_desc();
    const auto gradient = DescribeSameLayout(x, [&](const auto&... both) {
      return DescribeGradient<dnnl::batch_normalization_backward>(
          {}, desc_, dnnl::prop_kind::backward, both..., x, kEpsilon, flags());
    });
    OneDnnSequence::Arguments arguments = Common(backward_);
#if DNNL_VERSION_MAJOR >= 3
    arguments.erase(DNNL_ARG_SHIFT);  // an input in oneDNN 2 only
#endif
    arguments.insert({{DNNL_ARG_DIFF_DST, dy},
                      {DNNL_ARG_DIFF_SRC, Image(backward_, a_.dx)},
                      {DNNL_ARG_DIFF_SCALE, Channels(backward_, a_.dgamma)},
                      {DNNL_ARG_DIFF_SHIFT, Channels(backward_, a_.dbeta)}});
    backward_.Add(dnnl::batch_normalization_backward(gradient), arguments);
  }

  OneDnnSequence forward_, backward_;
  Arrays a_;
  dnnl::batch_normalization_forward::primitive_desc desc_;
  memory signs_;
};

kernels::BatchNormResult OwnForward(const Arrays& a) {
  return kernels::BatchNorm(a.x, a.gamma, a.beta, a.addend, kOptions);
}

KernelRuns NormForward(const Shape& shape, bool add, DType dtype) {
  const Arrays a(shape, add, dtype);
  KernelRuns runs;
  runs.own = [a] {
    const auto result = OwnForward(a);
    return std::vector{result.y, result.mean, result.variance};
  };
  if (!OneDnnSequence::Computes(dtype)) return runs;
  const auto onednn = std::make_shared<OneDnnNorm>(a);
  runs.onednn = [=] {
    onednn->Forward();
    return std::vector{a.y, a.mean, a.variance};
  };
  return runs;
}

// Each begins with the results of its own forward pass.
KernelRuns NormBackward(const Shape& shape, bool add, DType dtype) {
  const Arrays a(shape, add, dtype);
  const auto forward = OwnForward(a);
  const kernels::BatchNormSaved saved{.x = a.x,
                                      .gamma = a.gamma,
                                      .mean = forward.mean,
                                      .variance = forward.variance,
                                      .y = forward.y};
  KernelRuns runs;
  runs.own = [=] {
    const auto gradients =
        kernels::BatchNormBackward(saved, a.dy, kOptions, add);
    std::vector list{gradients.x, gradients.gamma, gradients.beta};
    if (add) list.push_back(gradients.addend);
    return list;
  };
  if (!OneDnnSequence::Computes(dtype)) return runs;
  const auto onednn = std::make_shared<OneDnnNorm>(a);
  onednn->Forward();
  runs.onednn = [=] {
    onednn->Backward();
    std::vector list{a.dx, a.dgamma, a.dbeta};
    if (add) list.push_back(a.dz);
    return list;
  };
  return runs;
}

KernelRuns SoftmaxRuns(const Shape& shape, bool backward) {
  const Tensor x = WholeNumbers(shape, 1), dy = WholeNumbers(shape, 2);
  const Tensor y = EmptyOnHost(shape), dx = EmptyOnHost(shape);
  const auto calls = std::make_shared<OneDnnSequence>();
  const auto wrap = [&](const Tensor& tensor) {
    return calls->Wrap(tensor, {shape[0], shape[1]}, Tag::ab);
  };
  const memory::desc rows = wrap(x).get_desc();
  const auto forward = DescribePrimitive<OneDnnSoftmax>(
      {}, dnnl::prop_kind::forward_training, kSoftmax, rows, rows, 1);
  if (!backward) {
    calls->Add(OneDnnSoftmax(forward),
               {{DNNL_ARG_SRC, wrap(x)}, {DNNL_ARG_DST, wrap(y)}});
    return {[=] { return std::vector{kernels::Softmax(x)}; },
            OneDnnRun(calls, {y})};
  }
  const Tensor softmax = kernels::Softmax(x);
  const auto gradient = DescribeGradient<OneDnnSoftmaxGradient>(
      {}, forward, kSoftmax, rows, rows, rows, 1);
  calls->Add(OneDnnSoftmaxGradient(gradient), {{DNNL_ARG_DST, wrap(softmax)},
                                               {DNNL_ARG_DIFF_DST, wrap(dy)},
                                               {DNNL_ARG_DIFF_SRC, wrap(dx)}});
  return {[=] { return std::vector{kernels::SoftmaxBackward(softmax, dy)}; },
          OneDnnRun(calls, {dx})};
}

// oneDNN has no kernel for the part before it, of a row and a label.
KernelRuns CrossEntropyRuns(const Shape& shape, bool backward) {
  const Tensor x = WholeNumbers(shape, 1);
  const Tensor labels = ZerosOnHost(Shape{shape[0]}, DType::kInt64);
  const Tensor dloss = Tensor::Full(Shape{shape[0]}, 0.125f, CurrentHost());
  if (!backward) {
    return {[=] {
              const auto result = kernels::SparseSoftmaxCrossEntropy(x, labels);
              return std::vector{result.loss, result.softmax};
            },
            {}};
  }
  const Tensor softmax = kernels::Softmax(x);
  return {[=] {
            return std::vector{kernels::SparseSoftmaxCrossEntropyBackward(
                softmax, labels, dloss)};
          },
          {}};
}

// Sums over rows, in float32 on oneDNN's side.
double NormTolerance(const Shape& x, DType dtype) {
  if (dtype == DType::kBFloat16) return 0x1p-6;
  return (static_cast<double>(x.num_elements() / x[3]) + 16) * kRounding;
}

// A fast exponential may lose a few roundings more than an exact one.
double SoftmaxTolerance(const Shape& x) {
  return 2 * (static_cast<double>(x[1]) + 32) * kRounding;
}

}  // namespace

std::vector<KernelPair> NormalizationPairs() {
  std::vector<KernelPair> pairs;
  const auto norm = [&](const Shape& x, bool add, DType dtype) {
    const char* kernel = add ? "BatchNormAddRelu" : "BatchNormRelu";
    const double tolerance = NormTolerance(x, dtype);
    pairs.push_back({PairName(kernel, "forward", x, dtype),
                     [=] { return NormForward(x, add, dtype); }, tolerance});
    pairs.push_back({PairName(kernel, "backward", x, dtype),
                     [=] { return NormBackward(x, add, dtype); }, tolerance});
  };
  norm(Shape{8, 32, 32, 64}, false, DType::kFloat32);
  norm(Shape{8, 4, 4, 256}, false, DType::kFloat32);
  norm(Shape{8, 16, 16, 256}, true, DType::kFloat32);
  norm(Shape{8, 16, 16, 256}, true, DType::kBFloat16);
  norm(Shape{8, 2, 2, 2048}, true, DType::kFloat32);
  for (const Shape& x : {Shape{64, 10}, Shape{8, 1000}}) {
    for (const bool backward : {false, true}) {
      const char* pass = backward ? "backward" : "forward";
      pairs.push_back({PairName("Softmax", pass, x),
                       [=] { return SoftmaxRuns(x, backward); },
                       SoftmaxTolerance(x)});
      pairs.push_back({PairName("SparseSoftmaxCrossEntropy", pass, x),
                       [=] { return CrossEntropyRuns(x, backward); }});
    }
  }
  return pairs;
}

}  // namespace lockstep::benchmarks
