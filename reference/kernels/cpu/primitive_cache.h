// What oneDNN generated code for, by the sizes it was generated for.
#ifndef LOCKSTEP_REFERENCE_KERNELS_CPU_PRIMITIVE_CACHE_H_
#define LOCKSTEP_REFERENCE_KERNELS_CPU_PRIMITIVE_CACHE_H_

#include <cstddef>
#include <map>
#include <memory>
#include <mutex>

namespace lockstep::kernels_internal {

// Shared by all threads. Keys are ordered by operator<=>.
//
//   static auto* cache = new PrimitiveCache<Key, Convolution>;
//   cache->FindOrMake(key, [&] { return std::make_shared<Convolution>(key); });
template <class Key, class Primitives>
class PrimitiveCache {
 public:
  template <class Make>
  std::shared_ptr<const Primitives> FindOrMake(const Key& key,
                                               const Make& make) {
    const std::lock_guard lock(mutex_);
    auto found = entries_.find(key);
    if (found == entries_.end()) {
      // Ever new image sizes must not fill the memory with generated code.
      if (entries_.size() >= kEntries) entries_.clear();
      found = entries_.emplace(key, make()).first;
    }
    return found->second;
  }

 private:
  static constexpr size_t kEntries = 256;

  std::mutex mutex_;
  std::map<Key, std::shared_ptr<const Primitives>> entries_;
};

}  // namespace lockstep::kernels_internal

#endif  // LOCKSTEP_REFERENCE_KERNELS_CPU_PRIMITIVE_CACHE_H_
