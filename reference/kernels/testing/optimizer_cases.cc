// Cases of optimizer_update.h, clip_gradients.h, loss_scale.h and
// learning_rate.h.

#include <fmt/core.h>

#include <limits>
#include <type_traits>
#include <vector>

#include "reference/kernels/optimizer/clip_gradients.h"
#include "reference/kernels/optimizer/learning_rate.h"
#include "reference/kernels/optimizer/loss_scale.h"
#include "reference/kernels/optimizer/optimizer_update.h"
#include "reference/kernels/testing/kernel_cases.h"
#include "reference/kernels/testing/test_tensors.h"
#include "reference/tensor/shape.h"

namespace lockstep::kernels {

namespace {

// More variables than fit into one launch, some empty; the largest has 70001
// elements.
std::vector<Shape> VariableShapes() {
  std::vector<Shape> shapes = {Shape{3, 3, 1, 32}, Shape{32},    Shape{0, 4},
                               Shape{1},           Shape{70001}, Shape{}};
  for (int64_t i = 0; i < 150; ++i) shapes.push_back(Shape{i});
  return shapes;
}

// A multiple of 2^-8, so that it is exact in float32.
constexpr double kRate = 0.0625;

// `count` tensors for each variable, all of the variable's shape.
template <typename T>
Tensors Values(int count) {
  Tensors values;
  uint32_t seed = 20;
  for (const Shape& shape : VariableShapes()) {
    for (int i = 0; i < count; ++i) {
      values.push_back(Awkward<T>(shape, ++seed));
    }
  }
  return values;
}

// Writable copies, on the device of the originals.
Tensors Copies(const Tensors& values) {
  Tensors copies;
  for (const Tensor& value : values) {
    copies.push_back(value.Clone(value.device()));
  }
  return copies;
}

// Step `number`, which counts from 1.
StepScalars StepOn(Device& device, int64_t number, bool taken = true) {
  return {.learning_rate = Tensor::Scalar(kRate, device),
          .iterations = Tensor::Scalar<int64_t>(number - 1, device),
          .taken = Tensor::Scalar(taken, device)};
}

KernelCase SgdCase(const Tensors& values, const SgdOptions& options) {
  return {fmt::format("SgdUpdate/{}/momentum:{}/nesterov:{}",
                      DTypeName(values[0].dtype()), options.momentum,
                      options.nesterov),
          values, [options](const Tensors& in) {
            Tensors out = Copies(in);
            std::vector<SgdItem> items;
            for (size_t i = 0; i < out.size(); i += 3) {
              items.push_back({&out[i], &in[i + 1],
                               options.momentum != 0 ? &out[i + 2] : nullptr});
            }
            SgdUpdate(items, options, StepOn(in[0].device(), 1));
            return out;
          }};
}

// In float64 a GPU's power of beta may be off by 2 units in the last place,
// which 1 - beta_2^step magnifies up to 1000 times.
KernelCase AdamCase(const Tensors& values, int64_t step) {
  const double ulps = values[0].dtype() == DType::kFloat64 ? 4000 : 0;
  return {
      fmt::format("AdamUpdate/{}/step:{}", DTypeName(values[0].dtype()), step),
      values,
      [step](const Tensors& in) {
        Tensors out = Copies(in);
        std::vector<AdamItem> items;
        for (size_t i = 0; i < out.size(); i += 4) {
          items.push_back({&out[i], &in[i + 1], &out[i + 2], &out[i + 3]});
        }
        AdamUpdate(items, {}, StepOn(in[0].device(), step));
        return out;
      },
      ulps};
}

// Adagrad and RMSprop, whose items have the same form.
template <class Item, class Options>
KernelCase SquaresCase(const std::string& name, const Tensors& values,
                       void (*update)(std::span<const Item>, const Options&,
                                      const StepScalars&)) {
  return {fmt::format("{}/{}", name, DTypeName(values[0].dtype())), values,
          [=](const Tensors& in) {
            Tensors out = Copies(in);
            std::vector<Item> items;
            for (size_t i = 0; i < out.size(); i += 3) {
              items.push_back({&out[i], &in[i + 1], &out[i + 2]});
            }
            update(items, {}, StepOn(in[0].device(), 1));
            return out;
          }};
}

KernelCase DecayCase(const Tensors& values) {
  constexpr double kDecay = 0.004;
  return {fmt::format("DecayWeights/{}", DTypeName(values[0].dtype())), values,
          [](const Tensors& in) {
            Tensors out = Copies(in);
            std::vector<Tensor*> variables;
            for (Tensor& variable : out) variables.push_back(&variable);
            DecayWeights(variables, kDecay, StepOn(in[0].device(), 1));
            return out;
          }};
}

KernelCase AverageCase(const Tensors& values, int64_t steps) {
  return {fmt::format("AverageWeights/{}/steps:{}",
                      DTypeName(values[0].dtype()), steps),
          values, [steps](const Tensors& in) {
            Tensors out = Copies(in);
            std::vector<AverageItem> items;
            for (size_t i = 0; i < out.size(); i += 2) {
              items.push_back({&out[i], &out[i + 1]});
            }
            AverageWeights(items, {.momentum = 0.9, .overwrite_frequency = 3},
                           Tensor::Scalar(steps, in[0].device()));
            return out;
          }};
}

// A step that is not taken changes nothing.
KernelCase SkippedCase(const Tensors& values) {
  return {"AdamUpdate/not_taken", values, [](const Tensors& in) {
            Tensors out = Copies(in);
            const AdamItem item{&out[0], &in[1], &out[2], &out[3]};
            AdamUpdate({&item, 1}, {}, StepOn(in[0].device(), 1, false));
            return out;
          }};
}

template <typename T>
void Append(std::vector<KernelCase>& cases) {
  const Tensors three = Values<T>(3), four = Values<T>(4);
  for (const double momentum : {0.0, 0.9}) {
    cases.push_back(SgdCase(three, {.momentum = momentum}));
  }
  cases.push_back(SgdCase(three, {.momentum = 0.9, .nesterov = true}));
  for (const int64_t step : {1, 2, 1000}) {
    cases.push_back(AdamCase(four, step));
  }
  cases.push_back(SquaresCase<AdagradItem, AdagradOptions>(
      "AdagradUpdate", three, &AdagradUpdate));
  cases.push_back(SquaresCase<RmsPropItem, RmsPropOptions>(
      "RmsPropUpdate", three, &RmsPropUpdate));
  cases.push_back(DecayCase(Values<T>(1)));
  // The first step, one that averages, and one that overwrites.
  for (const int64_t steps : {1, 2, 3}) {
    cases.push_back(AverageCase(Values<T>(2), steps));
  }
}

}  // namespace

std::vector<KernelCase> OptimizerCases() {
  std::vector<KernelCase> cases;
  Append<float>(cases);
  Append<double>(cases);
  cases.push_back(SkippedCase(Values<float>(4)));
  return cases;
}

// Clipping, the loss scale and learning rates.

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
  // The host adds up to 80000 squares in sequence, each with an error of at
  // most half a unit in the last place of double; together they may change one
  // unit of float32.
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

KernelCase LossScaleCase(bool finite, float scale, int64_t finite_steps) {
  const Tensors state = {Tensor::Scalar(finite, Device::Host()),
                         Tensor::Scalar(scale, Device::Host()),
                         Tensor::Scalar<int64_t>(finite_steps, Device::Host())};
  return {fmt::format("UpdateLossScale/finite:{}/scale:{}/steps:{}", finite,
                      scale, finite_steps),
          state, [](const Tensors& in) {
            Tensors out = {in[1].Clone(in[1].device()),
                           in[2].Clone(in[2].device())};
            UpdateLossScale(in[0], 3, out[0], out[1]);
            return out;
          }};
}

// A GPU's power may be off by 2 units in the last place of double.
KernelCase RateCase(int64_t step) {
  return {fmt::format("RateAt/step:{}", step),
          {Tensor::Scalar<int64_t>(step, Device::Host())},
          [](const Tensors& in) {
            std::vector<int64_t> boundaries;
            std::vector<double> values = {0.5};
            for (int i = 0; i < 300; ++i) {  // more than fit into one launch
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
      cases.push_back(LossScaleCase(true, scale, finite_steps));
      cases.push_back(LossScaleCase(false, scale, finite_steps));
    }
  }
  for (const int64_t step : {0, 1, 10, 11, 1281, 2990, 2991, 1000000}) {
    cases.push_back(RateCase(step));
  }
  return cases;
}

}  // namespace lockstep::kernels
