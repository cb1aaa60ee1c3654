// Reference-counted memory on a device, which tensors share.
#ifndef LOCKSTEP_REFERENCE_DEVICE_BUFFER_H_
#define LOCKSTEP_REFERENCE_DEVICE_BUFFER_H_

#include <atomic>
#include <cstddef>
#include <utility>

#include "reference/device/device.h"

namespace lockstep {

class BufferPtr;

class Buffer {
 public:
  // `bytes` of memory from the device's pool, 64-byte aligned, not cleared. On
  // the host, header and data are one block, so a small tensor takes one
  // allocation. For other devices the header is on the host, and the data come
  // from the thread's PrivateMemory if it has one for the device.
  static BufferPtr Allocate(Device& device, size_t bytes);

  // Memory that the caller owns, e.g. a mapped file. `release`, which may be
  // nullptr, is called when the buffer is freed. REQUIRES: `data` stays valid
  // until then.
  static BufferPtr Wrap(Device& device, void* data, size_t bytes,
                        void (*release)(void* context), void* context);

  // The memory of `buffer` as memory of another device that can address it, as
  // logical CPU devices can. Copies nothing. The alias keeps the memory alive.
  static BufferPtr Alias(Device& device, const BufferPtr& buffer);

  // An address in the device's memory.
  void* data() { return data_; }
  size_t bytes() const { return bytes_; }
  Device& device() const { return *device_; }
  // True if no other buffer refers to this memory, on any device.
  bool unique() const {
    return references_.load(std::memory_order_acquire) == 1 &&
           (aliased_ == nullptr || aliased_->unique());
  }

 private:
  friend class BufferPtr;
  Buffer(Device& device, void* data, size_t bytes)
      : device_(&device), data_(data), bytes_(bytes) {}
  void Release() noexcept;

  enum class Source { kElsewhere, kPoolWithHeader, kPool };

  std::atomic<int> references_{1};
  Source source_ = Source::kElsewhere;
  Device* device_;
  void* data_;
  size_t bytes_;
  void (*release_)(void*) = nullptr;
  void* context_ = nullptr;
  Buffer* aliased_ = nullptr;  // holds a reference to it
};

// A shared pointer to a Buffer; the last one frees it.
class BufferPtr {
 public:
  BufferPtr() = default;
  BufferPtr(const BufferPtr& other) : buffer_(other.buffer_) {
    if (buffer_) buffer_->references_.fetch_add(1, std::memory_order_relaxed);
  }
  BufferPtr(BufferPtr&& other) noexcept
      : buffer_(std::exchange(other.buffer_, nullptr)) {}
  BufferPtr& operator=(BufferPtr other) noexcept {
    std::swap(buffer_, other.buffer_);
    return *this;
  }
  ~BufferPtr() {
    if (buffer_ &&
        buffer_->references_.fetch_sub(1, std::memory_order_acq_rel) == 1) {
      buffer_->Release();
    }
  }

  Buffer* operator->() const { return buffer_; }
  Buffer& operator*() const { return *buffer_; }
  explicit operator bool() const { return buffer_ != nullptr; }
  bool operator==(const BufferPtr& other) const = default;

 private:
  friend class Buffer;
  // Takes over one reference from the caller.
  explicit BufferPtr(Buffer* buffer) : buffer_(buffer) {}
  Buffer* Leak() { return std::exchange(buffer_, nullptr); }

  Buffer* buffer_ = nullptr;
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_DEVICE_BUFFER_H_
