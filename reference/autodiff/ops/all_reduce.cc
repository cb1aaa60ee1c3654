#include "reference/autodiff/ops/all_reduce.h"

#include "reference/autodiff/distribution_context.h"
#include "reference/autodiff/gradient_tape.h"

namespace lockstep::ops {
namespace {

std::vector<Tensor> Sum(const std::vector<Tensor>& values) {
  return DistributionContext::Current().AllReduce(ReduceOp::kSum, values);
}

}  // namespace

std::vector<Tensor> AllReduceSum(const std::vector<Tensor>& values) {
  std::vector<Tensor> sums;
  for (const Tensor& sum : Sum(values)) sums.push_back(sum.WithNewId());
  for (size_t i = 0; i < values.size(); ++i) {
    RecordOperation({values[i]}, sums[i],
                    [](const Tensor& dy, std::span<const bool>) {
                      return Gradients{Sum({dy})[0]};
                    });
  }
  return sums;
}

}  // namespace lockstep::ops
