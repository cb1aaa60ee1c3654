#include "reference/kernels/cuda/convolution_call.h"

#include <fmt/format.h>

#include <mutex>
#include <utility>

#include "reference/kernels/cuda/try_plan.h"

namespace lockstep::cuda {

using kernels_internal::ConvolutionSignature;

namespace {

// The arrays of one convolution.
struct Memory {
  Memory(Device& device, const ConvolutionSignature& s)
      : x(Ordinary(device, s.images * s.shape.x_image(), s.dtype)),
        filter(Ordinary(device, s.shape.filter_size(), s.dtype)),
        y(Ordinary(device, s.images * s.shape.y_image(),
                   s.wide ? DType::kFloat32 : s.dtype)),
        bias(Ordinary(device, s.shape.outputs, s.dtype)) {}

  ConvolutionArrays arrays() const {
    return {x->data(), filter->data(), y->data(), bias->data()};
  }

  BufferPtr x, filter, y, bias;
};

}  // namespace

LibraryCall ConvolutionCall(Device& device,
                            std::shared_ptr<const ConvolutionPlan> plan) {
  const auto prepare = [&device, plan]() -> std::function<void()> {
    const auto memory = std::make_shared<Memory>(device, plan->signature);
    return [&device, plan, memory] {
      CudnnHandle& handle = CudnnHandle::Of(device);
      std::lock_guard lock(handle.mutex());
      RunEngine(device, handle, *plan, memory->arrays());
    };
  };
  return {
      fmt::format("{}, engine {}", kernels_internal::Describe(plan->signature),
                  plan->engine->engine()),
      prepare};
}

}  // namespace lockstep::cuda
