#include "benchmarks/micro/all_reduce_inputs.h"

#include <utility>

namespace lockstep::benchmarks {

std::vector<Tensor> MakeInputs(const std::vector<int64_t>& counts, int replica,
                               Device& device) {
  std::vector<Tensor> tensors;
  for (int64_t count : counts) {
    Tensor tensor = Tensor::Empty(Shape{count}, DType::kFloat32, device);
    for (int64_t i = 0; i < count; ++i) {
      tensor.mutable_data<float>()[i] = static_cast<float>(i % 97 + replica);
    }
    tensors.push_back(std::move(tensor));
  }
  return tensors;
}

bool IsRight(const std::vector<Tensor>& sums, int replicas) {
  const int ids = replicas * (replicas - 1) / 2;
  for (const Tensor& sum : sums) {
    for (int64_t i = 0; i < sum.num_elements(); ++i) {
      const auto expected = static_cast<float>(i % 97 * replicas + ids);
      if (sum.at<float>(i) != expected) return false;
    }
  }
  return true;
}

}  // namespace lockstep::benchmarks
