// What metrics gather: weighted_sums.h.
#include <fmt/format.h>

#include "reference/kernels/kernel_cases.h"
#include "reference/kernels/test_tensors.h"
#include "reference/kernels/unary.h"
#include "reference/kernels/weighted_sums.h"

namespace lockstep::kernels {
namespace {

// Without weights, and with one for every `elements_each` elements.
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

// Sums of small integers are exact; the order of others may move the last place
// when double is rounded to float32.
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

}  // namespace lockstep::kernels
