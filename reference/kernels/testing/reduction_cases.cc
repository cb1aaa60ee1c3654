// Cases of reductions: reduce.h, weighted_sums.h, softmax.h.

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <array>
#include <limits>

#include "reference/kernels/elementwise/unary.h"
#include "reference/kernels/normalization/softmax.h"
#include "reference/kernels/reduction/reduce.h"
#include "reference/kernels/reduction/weighted_sums.h"
#include "reference/kernels/testing/kernel_cases.h"
#include "reference/kernels/testing/test_tensors.h"

namespace lockstep::kernels {
namespace {

struct Reduction {
  Shape shape;
  std::vector<int> axes;
};

const Reduction kReductions[] = {
    {Shape{}, {}},
    {Shape{5}, {0}},
    {Shape{0}, {0}},
    {Shape{0, 3}, {0}},
    {Shape{3, 0}, {0}},
    {Shape{4, 3}, {}},
    {Shape{33, 10}, {0}},
    {Shape{33, 10}, {1}},
    {Shape{33, 10}, {0, 1}},
    {Shape{6, 5, 4, 3}, {0, 1, 2}},
    {Shape{6, 5, 4, 3}, {1, 3}},
    {Shape{6, 5, 4, 3}, {0, 2}},
    {Shape{2, 1, 3, 1}, {-1, 1}},
    {Shape{100003}, {0}},
    {Shape{20011, 3}, {0}},
    {Shape{3, 20011}, {1}},
};

KernelCase SumCase(const Tensor& x, const std::vector<int>& axes) {
  return {fmt::format("ReduceSum/{}/axes:{}", Describe(x), axes),
          {x},
          [axes](const Tensors& in) {
            return Tensors{ReduceSum(in[0], axes), ReduceSum(in[0], axes, true),
                           ReduceSum(in[0])};
          }};
}

KernelCase MeanCase(const Tensor& x, const std::vector<int>& axes,
                    double ulps) {
  return {fmt::format("ReduceMean/{}/axes:{}/ulps:{}", Describe(x), axes, ulps),
          {x},
          [axes](const Tensors& in) {
            return Tensors{ReduceMean(in[0], axes), ReduceMean(in[0])};
          },
          ulps};
}

KernelCase ArgMaxCase(const Tensor& x, int axis) {
  return {fmt::format("ArgMax/{}/axis:{}", Describe(x), axis),
          {x},
          [axis](const Tensors& in) { return Tensors{ArgMax(in[0], axis)}; }};
}

void AppendArgMax(const Shape& shape, int axis,
                  std::vector<KernelCase>& cases) {
  cases.push_back(ArgMaxCase(Awkward<float>(shape), axis));
  cases.push_back(ArgMaxCase(Awkward<double>(shape, 2), axis));
  cases.push_back(ArgMaxCase(Awkward<int32_t>(shape, 3), axis));
  cases.push_back(ArgMaxCase(Awkward<int64_t>(shape, 4), axis));
  cases.push_back(ArgMaxCase(Awkward<uint8_t>(shape, 5), axis));
  cases.push_back(
      ArgMaxCase(Awkward<float>(shape).Cast(DType::kBFloat16), axis));
}

}  // namespace

std::vector<KernelCase> ReductionCases() {
  std::vector<KernelCase> cases;
  for (const auto& [shape, axes] : kReductions) {
    // Sums of small integers are exact in any order, and infinities and NaN do
    // not depend on the order.
    const Tensor exact = SmallIntegers(shape, 7).ToHost();
    for (const DType dtype : {DType::kFloat32, DType::kFloat64,
                              DType::kBFloat16, DType::kFloat16}) {
      cases.push_back(SumCase(exact.Cast(dtype), axes));
    }
    cases.push_back(SumCase(Awkward<int32_t>(shape), axes));
    cases.push_back(SumCase(Awkward<int64_t>(shape), axes));
    cases.push_back(MeanCase(exact, axes, 0));
    cases.push_back(MeanCase(Awkward<int32_t>(shape), axes, 0));
    // In double, rounded once: only a sum near the midpoint of two floats can
    // be rounded differently.
    cases.push_back(MeanCase(Fractions(shape, 8).ToHost(), axes, 1));
  }
  cases.push_back({"SumToShape/float32",
                   {SmallIntegers(Shape{5, 4, 3}, 9).ToHost()},
                   [](const Tensors& in) {
                     return Tensors{SumToShape(in[0], Shape{3}),
                                    SumToShape(in[0], Shape{5, 1, 1}),
                                    SumToShape(in[0], Shape{})};
                   }});
  Tensor odd = SmallIntegers(Shape{40, 3}, 10).ToHost();
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  for (int64_t i = 0; i < 120; i += 7) {
    constexpr float kOdd[] = {kInfinity, -kInfinity,
                              std::numeric_limits<float>::quiet_NaN()};
    odd.mutable_data<float>()[i] = kOdd[i / 7 % 3];
  }
  for (const int axis : {0, 1}) {
    cases.push_back({fmt::format("ReduceSum/not_finite/axis:{}", axis),
                     {odd},
                     [axis](const Tensors& in) {
                       return Tensors{ReduceSum(in[0], std::array{axis})};
                     }});
  }
  AppendArgMax(Shape{64, 10}, 1, cases);
  AppendArgMax(Shape{7, 5, 3}, 0, cases);
  AppendArgMax(Shape{7, 5, 3}, -2, cases);
  AppendArgMax(Shape{0, 4}, 1, cases);
  AppendArgMax(Shape{9}, 0, cases);
  return cases;
}

// The sums of metrics.

namespace {

// Without weights, and with one weight per `elements_each` elements.
KernelCase SumsCase(const std::string& name, const Tensor& values,
                    const Tensor& weights, int64_t elements_each, double ulps) {
  return {fmt::format("WeightedSums/{}/{}/{}", name, Describe(values),
                      elements_each),
          {values, weights},
          [elements_each](const Tensors& in) {
            return Tensors{WeightedSums(in[0], Tensor(), 1),
                           WeightedSums(in[0], in[1], elements_each)};
          },
          ulps};
}

KernelCase ConfusionCase(int64_t count) {
  const Tensor labels = Abs(SmallIntegers(Shape{count}, 3).ToHost())
                            .Cast(DType::kBool)
                            .Cast(DType::kFloat32);
  return {fmt::format("ConfusionSums/{}", count),
          {labels, SmallIntegers(Shape{count}, 4).ToHost(),
           Abs(SmallIntegers(Shape{count}, 5).ToHost())},
          [](const Tensors& in) {
            return Tensors{ConfusionSums(in[0], in[1], 0.5, Tensor(), 1),
                           ConfusionSums(in[0], in[1], 0.5, in[2], 1)};
          }};
}

}  // namespace

// Sums of small integers are exact. For others, the order may change the last
// bit when double is rounded to float32.
std::vector<KernelCase> MetricCases() {
  std::vector<KernelCase> cases;
  for (const int64_t rows : {0, 1, 7, 1000, 20'000}) {
    cases.push_back(SumsCase("integers",
                             SmallIntegers(Shape{rows, 3}, 1).ToHost(),
                             SmallIntegers(Shape{rows}, 2).ToHost(), 3, 0));
    cases.push_back(SumsCase("fractions", Fractions(Shape{rows, 3}, 1).ToHost(),
                             Fractions(Shape{rows, 3}, 2).ToHost(), 1, 1));
    cases.push_back(ConfusionCase(rows));
  }
  cases.push_back(SumsCase("awkward", Awkward<float>(Shape{100}),
                           Awkward<float>(Shape{100}, 2), 1, 1));
  return cases;
}

// Softmax and the losses fused with it, forward and backward.

namespace {

// Two exponential functions and, in float64, sums over the classes in another
// order; for float32 those sums are float64 too.
double UlpsFor(const Tensor& x) {
  const int64_t classes = x.rank() == 0 ? 1 : x.dim(x.rank() - 1);
  return 8.0 +
         (x.dtype() == DType::kFloat64 ? static_cast<double>(classes) : 0.0);
}

const Shape kMatrices[] = {Shape{1, 1},  Shape{64, 10}, Shape{33, 7},
                           Shape{0, 10}, Shape{5, 33},  Shape{3, 1000}};

// Logits in (-8, 8) with some infinities and one row of NaN.
Tensor Logits(const Shape& shape, DType dtype) {
  Tensor x = Fractions(shape, 11).ToHost();
  float* data = x.mutable_data<float>();
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  for (int64_t i = 0; i < x.num_elements(); ++i) {
    data[i] *= 8;
    if (i % 29 == 13) data[i] = -kInfinity;
    if (i == 95) data[i] = std::numeric_limits<float>::quiet_NaN();
    if (i == 205) data[i] = kInfinity;
  }
  return x.Cast(dtype);
}

template <typename L>
Tensor Labels(int64_t rows, int64_t classes) {
  std::vector<L> labels;
  for (int64_t i = 0; i < rows; ++i) {
    labels.push_back(static_cast<L>(i * 7 % classes));
  }
  return Tensor::FromVector<L>(labels, Shape{rows}, Device::Host());
}

KernelCase SoftmaxCase(const Tensor& x) {
  return {fmt::format("Softmax/{}", Describe(x)),
          {x, Fractions(x.shape(), 12).ToHost().Cast(x.dtype())},
          [](const Tensors& in) {
            return Tensors{Softmax(in[0]), SoftmaxBackward(in[1], in[1])};
          },
          UlpsFor(x)};
}

KernelCase SparseCase(const Tensor& logits, const Tensor& labels) {
  const Tensor scores =
      Fractions(logits.shape(), 13).ToHost().Cast(logits.dtype());
  const Tensor dloss =
      Fractions(Shape{logits.dim(0)}, 14).ToHost().Cast(logits.dtype());
  return {
      fmt::format("SparseSoftmaxCrossEntropy/{}/{}", Describe(logits),
                  Describe(labels)),
      {logits, labels, scores, dloss},
      [](const Tensors& in) {
        const auto [loss, softmax] = SparseSoftmaxCrossEntropy(in[0], in[1]);
        return Tensors{loss, softmax,
                       SparseSoftmaxCrossEntropyBackward(in[2], in[1], in[3])};
      },
      UlpsFor(logits)};
}

KernelCase DenseCase(const Tensor& logits) {
  const Tensor labels =
      Abs(SmallIntegers(logits.shape(), 15).ToHost()).Cast(logits.dtype());
  const Tensor dloss =
      Fractions(Shape{logits.dim(0)}, 16).ToHost().Cast(logits.dtype());
  return {fmt::format("SoftmaxCrossEntropy/{}", Describe(logits)),
          {logits, labels, dloss},
          [](const Tensors& in) {
            const auto [loss, softmax] = SoftmaxCrossEntropy(in[0], in[1]);
            return Tensors{loss, softmax,
                           SoftmaxCrossEntropyBackward(in[1], in[1], in[2])};
          },
          UlpsFor(logits)};
}

}  // namespace

std::vector<KernelCase> SoftmaxCases() {
  std::vector<KernelCase> cases;
  for (const Shape& shape : kMatrices) {
    for (const DType dtype : {DType::kFloat32, DType::kFloat64}) {
      const Tensor logits = Logits(shape, dtype);
      cases.push_back(SoftmaxCase(logits));
      cases.push_back(DenseCase(logits));
      cases.push_back(SparseCase(logits, Labels<int32_t>(shape[0], shape[1])));
    }
    const Tensor logits = Logits(shape, DType::kFloat32);
    cases.push_back(SparseCase(logits, Labels<int64_t>(shape[0], shape[1])));
    cases.push_back(SparseCase(
        logits, Labels<uint8_t>(shape[0], std::min<int64_t>(shape[1], 255))));
  }
  cases.push_back(SoftmaxCase(Logits(Shape{4, 3, 5}, DType::kFloat32)));
  cases.push_back(SoftmaxCase(Logits(Shape{6}, DType::kFloat64)));
  cases.push_back(DenseCase(Logits(Shape{3, 0}, DType::kFloat32)));
  return cases;
}

}  // namespace lockstep::kernels
