// What goes with an optimizer's step: clip_gradients.h, all_finite.h,
// follow_step.h and learning_rate.h.
#include <fmt/format.h>

#include <limits>
#include <type_traits>

#include "reference/kernels/all_finite.h"
#include "reference/kernels/clip_gradients.h"
#include "reference/kernels/follow_step.h"
#include "reference/kernels/kernel_cases.h"
#include "reference/kernels/learning_rate.h"
#include "reference/kernels/test_tensors.h"
#include "reference/kernels/variable_shapes.h"

namespace lockstep::kernels {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

Tensors Gradients(DType dtype) {
  Tensors gradients;
  uint32_t seed = 40;
  for (const Shape& shape : VariableShapes()) {
    gradients.push_back(Fractions(shape, ++seed).ToHost().Cast(dtype));
  }
  return gradients;
}

KernelCase ClipCase(const std::string& name, const Tensors& gradients,
                    void (*clip)(Tensors&, double), double limit, double ulps) {
  return {fmt::format("{}/{}/{}", name, Describe(gradients[0]), limit),
          gradients,
          [clip, limit](const Tensors& in) {
            Tensors out = in;
            clip(out, limit);
            return out;
          },
          ulps};
}

void AppendClip(std::vector<KernelCase>& cases) {
  // The host adds up to 80000 squares one behind the other, each time off by
  // half a last place of double at most; of float32 that may move one.
  const auto ulps_of = [](DType dtype) {
    return dtype == DType::kFloat64 ? 40000.0 : 1.0;
  };
  for (const DType dtype : {DType::kFloat32, DType::kFloat64}) {
    const Tensors gradients = Gradients(dtype);
    for (const double limit : {0.5, 1000.0}) {
      cases.push_back(ClipCase("ClipByNorm", gradients, &ClipByNorm, limit,
                               ulps_of(dtype)));
      cases.push_back(ClipCase("ClipByGlobalNorm", gradients, &ClipByGlobalNorm,
                               limit, ulps_of(dtype)));
      cases.push_back(
          ClipCase("ClipByValue", gradients, &ClipByValue, limit, 0));
    }
  }
  const Tensors mixed = {Fractions(Shape{9}, 1).ToHost(),
                         Fractions(Shape{5}, 2).ToHost().Cast(DType::kFloat64)};
  const Tensors odd = {
      Tensor::FromVector<float>({1, kInfinity}).ToHost(),
      Tensor::FromVector<float>({1, 3, 4, 5}).ToHost(),
      Tensor::FromVector<float>({3, kInfinity - kInfinity}).ToHost()};
  for (const Tensors& gradients : {mixed, odd}) {
    cases.push_back(ClipCase("ClipByNorm", gradients, &ClipByNorm, 0.25, 1));
    cases.push_back(
        ClipCase("ClipByGlobalNorm", gradients, &ClipByGlobalNorm, 0.25, 1));
    cases.push_back(ClipCase("ClipByValue", gradients, &ClipByValue, 0.25, 0));
  }
}

// `bad` as the last element of the largest of many tensors.
KernelCase FiniteCase(const std::string& name, double bad, DType dtype) {
  Tensors tensors = Gradients(dtype);
  Tensor& large = tensors[4];
  VisitDType(dtype, [&]<typename T>() {
    if constexpr (std::is_floating_point_v<T>) {
      large.mutable_data<T>()[large.num_elements() - 1] = static_cast<T>(bad);
    }
  });
  tensors.push_back(Tensor::FromVector<int32_t>({1, 2}).ToHost());
  return {fmt::format("AllFinite/{}/{}", name, DTypeName(dtype)), tensors,
          [](const Tensors& in) { return Tensors{AllFinite(in)}; }};
}

KernelCase FollowCase(bool finite, float scale, int64_t finite_steps) {
  const Tensors state = {Tensor::Scalar(finite, Device::Host()),
                         Tensor::Scalar(scale, Device::Host()),
                         Tensor::Scalar<int64_t>(finite_steps, Device::Host())};
  return {fmt::format("FollowStep/finite:{}/scale:{}/steps:{}", finite, scale,
                      finite_steps),
          state, [](const Tensors& in) {
            Tensors out = {in[1].Clone(in[1].device()),
                           in[2].Clone(in[2].device())};
            FollowStep(in[0], 3, out[0], out[1]);
            return out;
          }};
}

// A GPU's power may be off by 2 in the last place of double.
KernelCase RateCase(int64_t step) {
  return {fmt::format("RateAt/step:{}", step),
          {Tensor::Scalar<int64_t>(step, Device::Host())},
          [](const Tensors& in) {
            std::vector<int64_t> boundaries;
            std::vector<double> values = {0.5};
            for (int i = 0; i < 300; ++i) {  // more than one launch takes
              boundaries.push_back(10 * i);
              values.push_back(1.0 / (i + 2));
            }
            return Tensors{RateAt(in[0], {0.1, 7, 0.9, false}),
                           RateAt(in[0], {0.1, 7, 0.9, true}),
                           RateAt(in[0], boundaries, values)};
          },
          4};
}

}  // namespace

std::vector<KernelCase> StepCases() {
  std::vector<KernelCase> cases;
  AppendClip(cases);
  for (const DType dtype : {DType::kFloat32, DType::kFloat64}) {
    cases.push_back(FiniteCase("finite", 1, dtype));
    cases.push_back(FiniteCase("infinity", -double{kInfinity}, dtype));
    cases.push_back(FiniteCase("nan", kInfinity - kInfinity, dtype));
  }
  constexpr float kLargest = 0x1p127f;
  for (const float scale : {0x1p-149f, 8.0f, kLargest}) {
    for (const int64_t finite_steps : {0, 2}) {
      cases.push_back(FollowCase(true, scale, finite_steps));
      cases.push_back(FollowCase(false, scale, finite_steps));
    }
  }
  for (const int64_t step : {0, 1, 10, 11, 1281, 2990, 2991, 1000000}) {
    cases.push_back(RateCase(step));
  }
  return cases;
}

}  // namespace lockstep::kernels
