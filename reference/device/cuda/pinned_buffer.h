// Host memory that a GPU can copy from and to by itself.
#ifndef LOCKSTEP_REFERENCE_DEVICE_CUDA_PINNED_BUFFER_H_
#define LOCKSTEP_REFERENCE_DEVICE_CUDA_PINNED_BUFFER_H_

#include <cstddef>

namespace lockstep {

class PinnedBuffer {
 public:
  // Errors: ResourceExhausted, with the size.
  explicit PinnedBuffer(size_t bytes);
  ~PinnedBuffer();
  PinnedBuffer(const PinnedBuffer&) = delete;
  PinnedBuffer& operator=(const PinnedBuffer&) = delete;

  std::byte* data() const { return static_cast<std::byte*>(data_); }
  size_t bytes() const { return bytes_; }

 private:
  void* data_ = nullptr;
  size_t bytes_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_DEVICE_CUDA_PINNED_BUFFER_H_
