// Elementwise operations, matrix products and means.
#include <algorithm>
#include <utility>

#include "reference/autodiff/ops/array_ops.h"
#include "reference/autodiff/ops/math_ops.h"
#include "reference/autodiff/ops/nn_ops.h"
#include "reference/export/saved_model/loading/operations/operation.h"

namespace lockstep::export_internal {
namespace {

using UnaryFunction = Tensor (*)(const Tensor& x);
using BinaryFunction = Tensor (*)(const Tensor& a, const Tensor& b);

OperationMaker Unary(UnaryFunction function) {
  return [function](const NodeAttributes& attributes) -> Operation {
    attributes.ExpectInputs(1);
    attributes.ExpectFloat("T");
    return {[function](Tensors inputs) { return function(inputs[0]); }, {}};
  };
}

// The bytes of the result of broadcasting two tensors.
double BroadcastBytes(Tensors inputs) {
  const Shape &a = inputs[0].shape(), &b = inputs[1].shape();
  double bytes = static_cast<double>(DTypeSize(inputs[0].dtype()));
  for (int i = 1; i <= std::max(a.rank(), b.rank()); ++i) {
    const int64_t of_a = i <= a.rank() ? a[a.rank() - i] : 1;
    const int64_t of_b = i <= b.rank() ? b[b.rank() - i] : 1;
    bytes *= static_cast<double>(std::max(of_a, of_b));
  }
  return bytes;
}

OperationMaker Binary(BinaryFunction function) {
  return [function](const NodeAttributes& attributes) -> Operation {
    attributes.ExpectInputs(2);
    attributes.Type("T");
    return {
        [function](Tensors inputs) { return function(inputs[0], inputs[1]); },
        BroadcastBytes};
  };
}

Operation MatMul(const NodeAttributes& attributes) {
  attributes.ExpectInputs(2);
  attributes.ExpectFloat("T");
  const bool of_a = attributes.Flag("transpose_a");
  const bool of_b = attributes.Flag("transpose_b");
  return {[=](Tensors inputs) {
            return ops::MatMul(inputs[0], inputs[1], of_a, of_b);
          },
          [=](Tensors inputs) {
            const Tensor &a = inputs[0], &b = inputs[1];
            if (a.rank() != 2 || b.rank() != 2) return 0.0;  // refused
            return 4.0 * static_cast<double>(a.dim(of_a ? 1 : 0)) *
                   static_cast<double>(b.dim(of_b ? 0 : 1));
          }};
}

Operation Mean(const NodeAttributes& attributes) {
  attributes.ExpectInputs(2);
  attributes.ExpectFloat("T");
  const bool keepdims = attributes.Flag("keep_dims");
  return {[keepdims](Tensors inputs) {
            const auto axes = IntegersIn("the axes", inputs[1]);
            std::vector<int> checked;
            for (const int64_t axis : axes) {
              if (axis < -Shape::kMaxRank || axis >= Shape::kMaxRank) {
                throw InvalidArgument("axis {} is out of range", axis);
              }
              checked.push_back(static_cast<int>(axis));
            }
            return ops::ReduceMean(inputs[0], checked, keepdims);
          },
          {}};
}

Operation Cast(const NodeAttributes& attributes) {
  attributes.ExpectInputs(1);
  if (attributes.AnyType("SrcT") == DType::kString) attributes.Type("SrcT");
  const DType type = attributes.Type("DstT");
  return {[type](Tensors inputs) {
            const Tensor cast = ops::Cast(inputs[0], type);
            return type == DType::kFloat32 ? cast.To(Device::Current())
                                           : cast.ToHost();
          },
          [](Tensors inputs) { return 2 * BytesOf(inputs); }};
}

Operation RealDiv(const NodeAttributes& attributes) {
  attributes.ExpectFloat("T");
  return Binary(ops::Divide)(attributes);
}

Tensor Rsqrt(const Tensor& x) { return 1 / ops::Sqrt(x); }

}  // namespace

void AddArithmetic(OperationTable& table) {
  table.insert({{"Add", Binary(ops::Add)},
                {"AddV2", Binary(ops::Add)},
                {"Cast", Cast},
                {"MatMul", MatMul},
                {"Mean", Mean},
                {"Mul", Binary(ops::Multiply)},
                {"RealDiv", RealDiv},
                {"Relu", Unary(ops::Relu)},
                {"Rsqrt", Unary(Rsqrt)},
                {"Sigmoid", Unary(ops::Sigmoid)},
                {"Softmax", Unary(ops::Softmax)},
                {"Sqrt", Unary(ops::Sqrt)},
                {"Square", Unary(ops::Square)},
                {"Sub", Binary(ops::Subtract)},
                {"Tanh", Unary(ops::Tanh)}});
}

}  // namespace lockstep::export_internal
