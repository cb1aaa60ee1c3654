// What a GPU backend has one of for each logical device.
#ifndef LOCKSTEP_REFERENCE_KERNELS_CUDA_PER_DEVICE_H_
#define LOCKSTEP_REFERENCE_KERNELS_CUDA_PER_DEVICE_H_

#include <map>
#include <memory>
#include <mutex>

#include "reference/device/device.h"

namespace lockstep::cuda {

// One T for each logical device, made when first asked for.
//
//   static PerDevice<Cache> caches;
//   caches.Of(device, [&] { return std::make_unique<Cache>(...); });
//
// Thread-safe. A T stays where it is; it dies with this.
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
