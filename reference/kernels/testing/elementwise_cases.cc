// Cases of elementwise kernels: unary.h, binary.h, in_place.h and Tensor::Cast.

#include <fmt/core.h>

#include "reference/kernels/elementwise/binary.h"
#include "reference/kernels/elementwise/in_place.h"
#include "reference/kernels/elementwise/unary.h"
#include "reference/kernels/testing/kernel_cases.h"

namespace lockstep::kernels {
namespace {

// The last has more elements than a GPU has concurrent threads.
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
  double ulps;  // two libraries that round differently
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
         return Tensors{Equal(in[0], in[1]), Equal(in[0], in[0])};
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

// Kernels with numpy's broadcasting.

namespace {

struct ShapePair {
  Shape a;
  Shape b;
};

const ShapePair kPairs[] = {
    {Shape{}, Shape{}},
    {Shape{5}, Shape{}},
    {Shape{1}, Shape{3, 1}},
    {Shape{4, 3}, Shape{4, 3}},
    {Shape{4, 3}, Shape{3}},
    {Shape{4, 1}, Shape{1, 3}},
    {Shape{2, 1, 5, 1}, Shape{3, 1, 7}},
    {Shape{0, 3}, Shape{3}},
    {Shape{2, 0}, Shape{1, 0}},
    {Shape{33, 17, 9}, Shape{17, 1}},
    {Shape{2, 2, 2, 2, 2, 2, 2, 2}, Shape{2, 1, 2, 1, 2, 1, 2, 1}},
};

using Binary = Tensor (*)(const Tensor&, const Tensor&);

template <typename T>
void AppendBinary(const ShapePair& shapes, std::vector<KernelCase>& cases) {
  const Tensors inputs{Awkward<T>(shapes.a, 3), Awkward<T>(shapes.b, 4)};
  const auto add = [&](const char* name, Binary kernel) {
    cases.push_back(
        {fmt::format("{}/{}+{}", name, Describe(inputs[0]), ToString(shapes.b)),
         inputs, [kernel](const Tensors& in) {
           return Tensors{kernel(in[0], in[1]), kernel(in[1], in[0])};
         }});
  };
  add("Add", &Add);
  add("Subtract", &Subtract);
  add("Multiply", &Multiply);
  add("Divide", &Divide);
}

template <typename T>
KernelCase BroadcastToCase(const Shape& from, const Shape& to) {
  const Tensor x = Awkward<T>(from);
  return {fmt::format("BroadcastTo/{}/{}", Describe(x), ToString(to)),
          {x},
          [to](const Tensors& in) { return Tensors{BroadcastTo(in[0], to)}; }};
}

}  // namespace

std::vector<KernelCase> BroadcastCases() {
  std::vector<KernelCase> cases;
  for (const ShapePair& shapes : kPairs) {
    AppendBinary<float>(shapes, cases);
    AppendBinary<double>(shapes, cases);
    AppendBinary<int32_t>(shapes, cases);
    AppendBinary<int64_t>(shapes, cases);
  }
  cases.push_back(BroadcastToCase<float>(Shape{}, Shape{3, 4}));
  cases.push_back(BroadcastToCase<double>(Shape{3, 1}, Shape{2, 3, 5}));
  cases.push_back(BroadcastToCase<int64_t>(Shape{5}, Shape{0, 5}));
  cases.push_back(BroadcastToCase<uint8_t>(Shape{1, 5}, Shape{3, 5}));
  cases.push_back(BroadcastToCase<float>(Shape{65, 1}, Shape{65, 127}));
  return cases;
}

// In-place kernels.

namespace {

KernelCase SumCase(const Tensor& target, const Tensor& delta) {
  return {fmt::format("InPlace/{}", Describe(target)),
          {target, delta},
          [](const Tensors& in) {
            Tensors out = {in[0].Clone(in[0].device()),
                           in[0].Clone(in[0].device())};
            AddInPlace(out[0], in[1]);
            SubtractInPlace(out[1], in[1]);
            return out;
          }};
}

KernelCase AssignCase(const Tensor& target, const Tensor& value) {
  return {fmt::format("AssignWhere/{}", Describe(target)),
          {target, value},
          [](const Tensors& in) {
            Device& device = in[0].device();
            Tensors out = {in[0].Clone(device), in[0].Clone(device)};
            AssignWhere(Tensor::Scalar(true, device), out[0], in[1]);
            AssignWhere(Tensor::Scalar(false, device), out[1], in[1]);
            return out;
          }};
}

template <typename T>
void Append(std::vector<KernelCase>& cases) {
  for (const Shape& shape : {Shape{1000}, Shape{0, 3}, Shape{}}) {
    cases.push_back(SumCase(Awkward<T>(shape), Awkward<T>(shape, 2)));
  }
  cases.push_back(AssignCase(Awkward<T>(Shape{7}), Awkward<T>(Shape{7}, 2)));
}

}  // namespace

std::vector<KernelCase> InPlaceCases() {
  std::vector<KernelCase> cases;
  Append<float>(cases);
  Append<double>(cases);
  Append<int32_t>(cases);
  Append<int64_t>(cases);
  Append<uint8_t>(cases);
  for (const DType narrow : {DType::kBFloat16, DType::kFloat16}) {
    const Tensor a = Awkward<float>(Shape{1000}).Cast(narrow);
    const Tensor b = Awkward<float>(Shape{1000}, 2).Cast(narrow);
    cases.push_back(SumCase(a, b));
    cases.push_back(AssignCase(a, b));
  }
  return cases;
}

}  // namespace lockstep::kernels
