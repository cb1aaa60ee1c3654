// Kernels that work element by element: unary.h, relu.h, clip.h, scale.h,
// equal.h and Tensor::Cast.
#include <fmt/format.h>

#include "reference/kernels/clip.h"
#include "reference/kernels/equal.h"
#include "reference/kernels/kernel_cases.h"
#include "reference/kernels/relu.h"
#include "reference/kernels/scale.h"
#include "reference/kernels/unary.h"

namespace lockstep::kernels {
namespace {

// The last has more elements than a GPU runs threads at once.
const Shape kShapes[] = {Shape{},        Shape{1},    Shape{0, 3},
                         Shape{7, 1, 5}, Shape{1000}, Shape{257, 3},
                         Shape{2100001}};

using Unary = Tensor (*)(const Tensor&);

KernelCase UnaryCase(const std::string& name, Unary kernel, const Tensor& x,
                     double ulps) {
  return {fmt::format("{}/{}", name, Describe(x)),
          {x},
          [kernel](const Tensors& in) { return Tensors{kernel(in[0])}; },
          ulps};
}

struct NamedUnary {
  const char* name;
  Unary kernel;
  double ulps;  // two libraries, each with its own rounding
};

constexpr NamedUnary kAnyType[] = {{"Negate", &Negate, 0},
                                   {"Abs", &Abs, 0},
                                   {"Square", &Square, 0},
                                   {"Sign", &Sign, 0}};
constexpr NamedUnary kFloatingOnly[] = {
    {"Sqrt", &Sqrt, 0}, {"Exp", &Exp, 4},   {"Log", &Log, 4},
    {"Relu", &Relu, 0}, {"Tanh", &Tanh, 4}, {"Sigmoid", &Sigmoid, 4}};

template <typename T>
void AppendFloating(const Shape& shape, std::vector<KernelCase>& cases) {
  const Tensor x = Awkward<T>(shape);
  for (const auto& [name, kernel, ulps] : kFloatingOnly) {
    cases.push_back(UnaryCase(name, kernel, x, ulps));
  }
  const Tensors pair{x, Awkward<T>(shape, 2)};
  const auto add = [&](const char* name, const auto& compute) {
    cases.push_back({fmt::format("{}/{}", name, Describe(x)), pair, compute});
  };
  add("ReluBackward",
      [](const Tensors& in) { return Tensors{ReluBackward(in[0], in[1])}; });
  add("Clip",
      [](const Tensors& in) { return Tensors{Clip(in[0], -0.3, 0.7)}; });
  add("ClipBackward", [](const Tensors& in) {
    return Tensors{ClipBackward(in[0], in[1], -0.3, 0.7)};
  });
  add("Scale", [](const Tensors& in) { return Tensors{Scale(in[0], 0.1)}; });
}

template <typename T>
void AppendAnyType(const Shape& shape, std::vector<KernelCase>& cases) {
  const Tensor x = Awkward<T>(shape);
  for (const auto& [name, kernel, ulps] : kAnyType) {
    cases.push_back(UnaryCase(name, kernel, x, ulps));
  }
}

template <typename T>
void AppendEqual(const Shape& shape, std::vector<KernelCase>& cases) {
  const Tensors pair{Awkward<T>(shape), Awkward<T>(shape, 2)};
  cases.push_back(
      {fmt::format("Equal/{}", Describe(pair[0])), pair, [](const Tensors& in) {
         const int64_t count = CountEqual(in[0], in[1]);
         return Tensors{Equal(in[0], in[1]), Equal(in[0], in[0]),
                        Tensor::Scalar<int64_t>(count, Device::Host())};
       }});
}

}  // namespace

std::vector<KernelCase> ElementwiseCases() {
  std::vector<KernelCase> cases;
  for (const Shape& shape : kShapes) {
    AppendFloating<float>(shape, cases);
    AppendAnyType<float>(shape, cases);
    if (shape.num_elements() > 1000) continue;
    AppendFloating<double>(shape, cases);
    AppendAnyType<double>(shape, cases);
    AppendAnyType<int32_t>(shape, cases);
    AppendAnyType<int64_t>(shape, cases);
    AppendEqual<float>(shape, cases);
    AppendEqual<double>(shape, cases);
    AppendEqual<int32_t>(shape, cases);
    AppendEqual<int64_t>(shape, cases);
    AppendEqual<uint8_t>(shape, cases);
  }
  return cases;
}

std::vector<KernelCase> CastCases() {
  constexpr DType kTypes[] = {
      DType::kFloat32, DType::kFloat64, DType::kBFloat16, DType::kFloat16,
      DType::kInt32,   DType::kInt64,   DType::kUInt8,    DType::kBool};
  const Tensor any = Awkward<double>(Shape{1000});
  std::vector<KernelCase> cases;
  for (const DType from : kTypes) {
    for (const DType to : kTypes) {
      const Tensor x = any.Cast(from);
      cases.push_back(
          {fmt::format("Cast/{}/{}", Describe(x), DTypeName(to)),
           {x},
           [to](const Tensors& in) { return Tensors{in[0].Cast(to)}; }});
    }
  }
  return cases;
}

}  // namespace lockstep::kernels
