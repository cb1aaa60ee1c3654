// Kernels with numpy's broadcasting and its gradient: binary.h, broadcast_to.h.
#include <fmt/format.h>

#include "reference/kernels/binary.h"
#include "reference/kernels/broadcast_to.h"
#include "reference/kernels/kernel_cases.h"

namespace lockstep::kernels {
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

}  // namespace lockstep::kernels
