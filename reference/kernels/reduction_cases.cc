// Kernels that take many elements to one: reduce.h, sum_to_shape.h, arg_max.h.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <limits>

#include "reference/kernels/arg_max.h"
#include "reference/kernels/kernel_cases.h"
#include "reference/kernels/reduce.h"
#include "reference/kernels/sum_to_shape.h"
#include "reference/kernels/test_tensors.h"

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
    // Sums of small integers are exact in any order; what overflows or is no
    // number stays so in any order.
    const Tensor exact = SmallIntegers(shape, 7).ToHost();
    for (const DType dtype : {DType::kFloat32, DType::kFloat64,
                              DType::kBFloat16, DType::kFloat16}) {
      cases.push_back(SumCase(exact.Cast(dtype), axes));
    }
    cases.push_back(SumCase(Awkward<int32_t>(shape), axes));
    cases.push_back(SumCase(Awkward<int64_t>(shape), axes));
    cases.push_back(MeanCase(exact, axes, 0));
    cases.push_back(MeanCase(Awkward<int32_t>(shape), axes, 0));
    // In double, rounded once: only a sum near the middle between two floats
    // can come out as the other.
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

}  // namespace lockstep::kernels
