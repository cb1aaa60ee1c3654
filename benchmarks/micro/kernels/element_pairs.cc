// Elementwise operations, and sums.
#include <array>
#include <memory>

#include "benchmarks/micro/kernels/kernel_pair.h"
#include "benchmarks/micro/kernels/onednn_sequence.h"
#include "reference/collectives/sum_kernel.h"
#include "reference/kernels/cpu/onednn_engine.h"
#include "reference/kernels/elementwise/binary.h"
#include "reference/kernels/elementwise/in_place.h"
#include "reference/kernels/elementwise/unary.h"
#include "reference/kernels/optimizer/optimizer_update.h"
#include "reference/kernels/reduction/reduce.h"
#include "reference/tensor/host_tensor.h"

namespace lockstep::benchmarks {
namespace {

using dnnl::memory;
using kernels_internal::DescribePrimitive;
using Tag = memory::format_tag;

// As one long row.
memory Row(OneDnnSequence& calls, const Tensor& x) {
  return calls.Wrap(x, {x.num_elements()}, Tag::a);
}

struct UnaryWork {
  const char* name;
  Tensor (*own)(const Tensor&);
  dnnl::algorithm onednn;
  double tolerance;  // a fast function may lose some roundings
};

KernelRuns UnaryRuns(const UnaryWork& work, const Shape& shape) {
  // Positive, for the logarithm and the root.
  const Tensor x = kernels::Add(WholeNumbers(shape, 1), Tensor::Scalar(3.5f));
  const Tensor y = EmptyOnHost(shape);
  const auto calls = std::make_shared<OneDnnSequence>();
  calls->AddFunction(work.onednn, Row(*calls, x), Row(*calls, y));
  return {[=] { return std::vector{work.own(x)}; }, OneDnnRun(calls, {y})};
}

KernelRuns ReluBackwardRuns(const Shape& shape) {
  const Tensor y = WholeNumbers(shape, 1), dy = WholeNumbers(shape, 2);
  const Tensor dx = EmptyOnHost(shape);
  const auto calls = std::make_shared<OneDnnSequence>();
  calls->AddReluMask(Row(*calls, y), Row(*calls, dy), Row(*calls, dx));
  return {[=] { return std::vector{kernels::ReluBackward(y, dy)}; },
          OneDnnRun(calls, {dx})};
}

void AddSum(OneDnnSequence& calls, const memory& a, const memory& b,
            const memory& sum) {
  const auto desc = DescribePrimitive<dnnl::binary>(
      {}, dnnl::algorithm::binary_add, a.get_desc(), b.get_desc(),
      sum.get_desc());
  calls.Add(dnnl::binary(desc),
            {{DNNL_ARG_SRC_0, a}, {DNNL_ARG_SRC_1, b}, {DNNL_ARG_DST, sum}});
}

KernelRuns AddRuns(const Shape& shape) {
  const Tensor a = WholeNumbers(shape, 1), b = WholeNumbers(shape, 2);
  const Tensor sum = EmptyOnHost(shape);
  const auto calls = std::make_shared<OneDnnSequence>();
  AddSum(*calls, Row(*calls, a), Row(*calls, b), Row(*calls, sum));
  return {[=] { return std::vector{kernels::Add(a, b)}; },
          OneDnnRun(calls, {sum})};
}

// The same row to each of a matrix.
KernelRuns AddBiasRuns(const Shape& shape) {
  const Tensor a = WholeNumbers(shape, 1);
  const Tensor b = WholeNumbers(Shape{shape[1]}, 2);
  const Tensor sum = EmptyOnHost(shape);
  const auto calls = std::make_shared<OneDnnSequence>();
  AddSum(*calls, calls->Wrap(a, {shape[0], shape[1]}, Tag::ab),
         calls->Wrap(b, {1, shape[1]}, Tag::ab),
         calls->Wrap(sum, {shape[0], shape[1]}, Tag::ab));
  return {[=] { return std::vector{kernels::Add(a, b)}; },
          OneDnnRun(calls, {sum})};
}

// Of zeros, so that each run gives the same.
KernelRuns AddInPlaceRuns(const Shape& shape) {
  const Tensor zeros = ZerosOnHost(shape);
  const Tensor other = WholeNumbers(shape, 1);
  const auto calls = std::make_shared<OneDnnSequence>();
  const memory target = Row(*calls, other);
  AddSum(*calls, target, Row(*calls, zeros), target);
  return {[=, own = WholeNumbers(shape, 1)]() mutable {
            kernels::AddInPlace(own, zeros);
            return std::vector{own};
          },
          OneDnnRun(calls, {other})};
}

// Over the middle axis of three.
KernelRuns ReduceRuns(const Shape& shape, bool mean) {
  const Tensor x = WholeNumbers(shape, 1);
  const Tensor y = EmptyOnHost(Shape{shape[0], shape[2]});
  const auto calls = std::make_shared<OneDnnSequence>();
  const memory in = calls->Wrap(x, {shape[0], shape[1], shape[2]}, Tag::abc);
  const memory out = calls->Wrap(y, {shape[0], 1, shape[2]}, Tag::abc);
  const auto desc = DescribePrimitive<dnnl::reduction>(
      {},
      mean ? dnnl::algorithm::reduction_mean : dnnl::algorithm::reduction_sum,
      in.get_desc(), out.get_desc(), 0.0f, 0.0f);
  calls->Add(dnnl::reduction(desc), {{DNNL_ARG_SRC, in}, {DNNL_ARG_DST, out}});
  return {[=] {
            constexpr std::array kAxis{1};
            return std::vector{mean ? kernels::ReduceMean(x, kAxis)
                                    : kernels::ReduceSum(x, kAxis)};
          },
          OneDnnRun(calls, {y})};
}

KernelRuns CastRuns(const Shape& shape, DType from, DType to) {
  const Tensor x = WholeNumbers(shape, 1, from);
  const Tensor y = EmptyOnHost(shape, to);
  const auto calls = std::make_shared<OneDnnSequence>();
  calls->Deliver(Row(*calls, x), Row(*calls, y));
  return {[=] { return std::vector{x.Cast(to)}; }, OneDnnRun(calls, {y})};
}

// An all-reduce of two replicas: the sum of two arrays, written twice.
KernelRuns SumRuns(const Shape& shape) {
  const Tensor a = WholeNumbers(shape, 1), b = WholeNumbers(shape, 2);
  std::vector<Tensor> own{EmptyOnHost(shape), EmptyOnHost(shape)};
  const std::vector<Tensor> other{EmptyOnHost(shape), EmptyOnHost(shape)};
  const auto calls = std::make_shared<OneDnnSequence>();
  const memory first = Row(*calls, other[0]);
  const auto desc = DescribePrimitive<dnnl::sum>(
      {}, first.get_desc(), std::vector{1.0f, 1.0f},
      std::vector{first.get_desc(), first.get_desc()});
  calls->Add(dnnl::sum(desc), {{DNNL_ARG_MULTIPLE_SRC, Row(*calls, a)},
                               {DNNL_ARG_MULTIPLE_SRC + 1, Row(*calls, b)},
                               {DNNL_ARG_DST, first}});
  calls->Deliver(first, Row(*calls, other[1]));
  const collectives_internal::SumArguments arguments{
      .count = shape.num_elements(),
      .inputs = {a.raw_data(), b.raw_data()},
      .outputs = {own[0].mutable_raw_data(), own[1].mutable_raw_data()}};
  return {[=] {
            collectives_internal::SumInto(arguments);
            return own;
          },
          OneDnnRun(calls, other)};
}

// oneDNN has no optimizers.
KernelRuns AdamRuns(const Shape& shape) {
  return {[variable = WholeNumbers(shape, 1), gradient = WholeNumbers(shape, 2),
           momentum = ZerosOnHost(shape), velocity = ZerosOnHost(shape),
           step = kernels::StepScalars{.learning_rate = Tensor::Scalar(0.001),
                                       .iterations = Tensor::Scalar<int64_t>(
                                           0)}]() mutable {
            const kernels::AdamItem item{&variable, &gradient, &momentum,
                                         &velocity};
            kernels::AdamUpdate(std::array{item}, {}, step);
            return std::vector{variable};
          },
          {}};
}

}  // namespace

std::vector<KernelPair> ElementPairs() {
  using dnnl::algorithm;
  std::vector<KernelPair> pairs;
  const auto add = [&](const char* kernel, const Shape& x, auto runs,
                       double tolerance = 0) {
    pairs.push_back({PairName(kernel, x), [=] { return runs(x); }, tolerance});
  };
  const Shape hidden{64, 64}, block{8, 16, 16, 256}, logits{64, 10};
  const Shape classes{8, 1000};
  const Shape weights{121930}, filter{3, 3, 512, 512};
  const auto unary = [&](const UnaryWork& work, const Shape& x) {
    add(
        work.name, x, [work](const Shape& s) { return UnaryRuns(work, s); },
        work.tolerance);
  };
  for (const Shape& x : {hidden, block}) {
    unary({"Relu", kernels::Relu, algorithm::eltwise_relu, 0}, x);
    add("ReluBackward", x, ReluBackwardRuns);
  }
  unary({"Square", kernels::Square, algorithm::eltwise_square, 0}, weights);
  unary({"Sqrt", kernels::Sqrt, algorithm::eltwise_sqrt, 2 * kRounding},
        weights);
  for (const Shape& x : {logits, classes}) {
    unary({"Exp", kernels::Exp, algorithm::eltwise_exp, 32 * kRounding}, x);
    unary({"Log", kernels::Log, algorithm::eltwise_log, 32 * kRounding}, x);
    unary({"Sigmoid", kernels::Sigmoid, algorithm::eltwise_logistic,
           32 * kRounding},
          x);
    unary({"Tanh", kernels::Tanh, algorithm::eltwise_tanh, 32 * kRounding}, x);
  }
  add("AddBias", hidden, AddBiasRuns);
  add("Add", block, AddRuns);
  add("AddInPlace", block, AddInPlaceRuns);
  const auto sum = [](const Shape& s) { return ReduceRuns(s, false); };
  const auto mean = [](const Shape& s) { return ReduceRuns(s, true); };
  add("ReduceSum", Shape{1, 64, 64}, sum);
  add("ReduceSum", Shape{1, 121930, 1}, sum);
  add("ReduceMean", Shape{8, 4, 2048}, mean);
  const auto narrow = [](const Shape& s) {
    return CastRuns(s, DType::kFloat32, DType::kBFloat16);
  };
  const auto widen = [](const Shape& s) {
    return CastRuns(s, DType::kBFloat16, DType::kFloat32);
  };
  add("CastToBFloat16", block, narrow);
  add("CastToBFloat16", filter, narrow);
  add("CastToFloat32", block, widen);
  add("SumOfReplicas", weights, SumRuns);
  add("SumOfReplicas", filter, SumRuns);
  add("Adam", weights, AdamRuns);
  return pairs;
}

}  // namespace lockstep::benchmarks
