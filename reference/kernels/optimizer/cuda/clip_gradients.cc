// GPU versions of clip_gradients.h.

#include "reference/kernels/optimizer/clip_gradients.h"

#include "reference/device/buffer.h"
#include "reference/device/cuda/check_cuda.h"
#include "reference/device/cuda/cuda_memory.h"
#include "reference/kernels/optimizer/cuda/clip_gradients_launch.h"
#include "reference/kernels/optimizer/cuda/variable_list.h"

namespace lockstep::kernels {
namespace {

// Doubles in a GPU's memory for the kernels that are queued next.
class Scratch {
 public:
  Scratch(Device& device, int64_t count)
      : memory_(Buffer::Allocate(
            device, static_cast<size_t>(count) * sizeof(double))) {}
  double* data() const { return static_cast<double*>(memory_->data()); }

 private:
  BufferPtr memory_;
};

// The gradients and the tensors that replace them.
class Replacement {
 public:
  explicit Replacement(std::vector<Tensor>& gradients)
      : gradients_(gradients),
        device_(gradients[0].device()),
        results_(gradients) {
    for (Tensor& result : results_) {
      if (!Clipped(result)) continue;
      result = Tensor::Empty(result.shape(), result.dtype(), device_);
    }
  }
  ~Replacement() { gradients_ = results_; }

  Device& device() const { return device_; }
  cudaStream_t stream() const { return StreamOf(device_); }

  // Calls launch(list) for all gradients of type T.
  template <typename T, class Launch>
  void InListsOf(const Launch& launch) {
    std::vector<size_t> indices;
    for (size_t i = 0; i < gradients_.size(); ++i) {
      if (gradients_[i].dtype() == kDTypeOf<T>) indices.push_back(i);
    }
    const auto entry = [&](size_t i) {
      return typename cuda::VariableList<T>::Item{
          results_[i].template mutable_data<T>(),
          gradients_[i].template data<T>(), nullptr, nullptr,
          gradients_[i].num_elements()};
    };
    cuda::InLists<T>(indices, entry, launch);
  }
  template <class Launch>
  void InLists(const Launch& launch) {
    InListsOf<float>(launch);
    InListsOf<double>(launch);
  }

 private:
  static bool Clipped(const Tensor& gradient) {
    return gradient.dtype() == DType::kFloat32 ||
           gradient.dtype() == DType::kFloat64;
  }

  std::vector<Tensor>& gradients_;
  Device& device_;
  std::vector<Tensor> results_;
};

void ByNorm(std::vector<Tensor>& gradients, double norm) {
  Replacement replacement(gradients);
  replacement.InLists([&]<typename T>(const cuda::VariableList<T>& list) {
    const Scratch sums(replacement.device(), list.blocks());
    const Scratch factors(replacement.device(), list.size);
    const cudaStream_t stream = replacement.stream();
    CheckCuda(cuda::SumSquares(list, sums.data(), stream),
              "[ClipByNorm] launch");
    CheckCuda(
        cuda::NormFactors(list, sums.data(), norm, factors.data(), stream),
        "[ClipByNorm] launch");
    CheckCuda(cuda::ScaleEach(list, factors.data(), false, stream),
              "[ClipByNorm] launch");
  });
}

void ByGlobalNorm(std::vector<Tensor>& gradients, double norm) {
  Replacement replacement(gradients);
  const cudaStream_t stream = replacement.stream();
  int64_t blocks = 0;
  replacement.InLists([&](const auto& list) { blocks += list.blocks(); });
  const Scratch sums(replacement.device(), blocks);
  int64_t first = 0;
  replacement.InLists([&](const auto& list) {
    CheckCuda(cuda::SumSquares(list, sums.data() + first, stream),
              "[ClipByGlobalNorm] launch");
    first += list.blocks();
  });
  const Scratch factor(replacement.device(), 1);
  CheckCuda(
      cuda::GlobalNormFactor(sums.data(), blocks, norm, factor.data(), stream),
      "[ClipByGlobalNorm] launch");
  replacement.InLists([&](const auto& list) {
    CheckCuda(cuda::ScaleEach(list, factor.data(), true, stream),
              "[ClipByGlobalNorm] launch");
  });
}

void ByValue(std::vector<Tensor>& gradients, double value) {
  Replacement replacement(gradients);
  replacement.InLists([&]<typename T>(const cuda::VariableList<T>& list) {
    CheckCuda(cuda::ClipEach(list, static_cast<T>(-value),
                             static_cast<T>(value), replacement.stream()),
              "[ClipByValue] launch");
  });
}

const RegisterKernel by_norm(gpu::ClipByNorm, &ByNorm);
const RegisterKernel by_global_norm(gpu::ClipByGlobalNorm, &ByGlobalNorm);
const RegisterKernel by_value(gpu::ClipByValue, &ByValue);

}  // namespace
}  // namespace lockstep::kernels
