// Objects of which a GPU backend has one per logical device.
#ifndef LOCKSTEP_REFERENCE_KERNELS_CUDA_PER_DEVICE_H_
#define LOCKSTEP_REFERENCE_KERNELS_CUDA_PER_DEVICE_H_

#include <map>
#include <memory>
#include <mutex>

#include "reference/device/device.h"

namespace lockstep::cuda {

// One T per logical device, created on first use.
//
//   static PerDevice<Cache> caches;
//   caches.Of(device, [&] { return std::make_unique<Cache>(...); });
//
// Thread-safe. References to a T stay valid as long as this lives.
template <typename T>
class PerDevice {
 public:
  template <typename Make>
  T& Of(const Device& device, const Make& make) {
    std::lock_guard lock(mutex_);
    std::unique_ptr<T>& entry = entries_[&device];
    if (entry == nullptr) entry = make();
    return *entry;
  }

 private:
  std::mutex mutex_;
  std::map<const Device*, std::unique_ptr<T>> entries_;
};

}  // namespace lockstep::cuda

#endif  // LOCKSTEP_REFERENCE_KERNELS_CUDA_PER_DEVICE_H_
