// A place for the GPU version of one function, which a program need not link.
//
//   // unary.h, below the declaration of Tensor Relu(const Tensor& x):
//   namespace gpu {
//   inline constinit DeviceKernel<Tensor(const Tensor&)> Relu{"Relu"};
//   }
//
//   // cuda/elementwise.cc, linked only with the GPU backend:
//   Tensor ReluOnGpu(const Tensor& x) {...}
//   const RegisterKernel registered(gpu::Relu, &ReluOnGpu);
#ifndef LOCKSTEP_REFERENCE_DEVICE_DEVICE_KERNEL_H_
#define LOCKSTEP_REFERENCE_DEVICE_DEVICE_KERNEL_H_

#include <string_view>
#include <utility>

namespace lockstep {

namespace device_internal {
[[noreturn]] void FailNoKernel(std::string_view operation);
}  // namespace device_internal

template <typename Signature>
class DeviceKernel;

// Empty until a function is registered.
template <typename Result, typename... Arguments>
class DeviceKernel<Result(Arguments...)> {
 public:
  using Function = Result (*)(Arguments...);

  // `operation` is its name in error messages. REQUIRES: it outlives this.
  constexpr explicit DeviceKernel(const char* operation)
      : operation_(operation) {}

  // Errors: Unimplemented if no function is registered.
  Result operator()(Arguments... arguments) const {
    if (function_ == nullptr) device_internal::FailNoKernel(operation_);
    return function_(std::forward<Arguments>(arguments)...);
  }

  // Returns the function that was registered before. nullptr clears it.
  Function Set(Function function) { return std::exchange(function_, function); }
  bool empty() const { return function_ == nullptr; }

 private:
  const char* operation_;
  Function function_ = nullptr;
};

// Registers a function while the program starts.
class RegisterKernel {
 public:
  template <typename Signature>
  RegisterKernel(DeviceKernel<Signature>& kernel,
                 typename DeviceKernel<Signature>::Function function) {
    kernel.Set(function);
  }
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_DEVICE_DEVICE_KERNEL_H_
