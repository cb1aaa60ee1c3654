// The parts of CUDA's runtime and of the device list that our GPU code uses,
// for machines without a GPU: one emulated GPU whose memory the host can
// access.
#include <cuda_runtime_api.h>

#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "reference/base/error.h"
#include "reference/device/cuda/check_cuda.h"
#include "reference/device/fake_gpu.h"
#include "reference/device/gpu_backend.h"

namespace {

// So small that lines of small tensors exceed it.
constexpr int kMostPitch = 40;

// Enqueues work in a fake GPU's stream.
cudaError_t Submit(cudaStream_t stream, lockstep::FakeStream::Work work) {
  reinterpret_cast<lockstep::FakeStream*>(stream)->Submit(std::move(work));
  return cudaSuccess;
}

// The address of a slice's row.
char* PlaceIn(const cudaPitchedPtr& memory, const cudaPos& corner, size_t slice,
              size_t row) {
  return static_cast<char*>(memory.ptr) + corner.x +
         memory.pitch * ((corner.z + slice) * memory.ysize + corner.y + row);
}

void CopySlices(const cudaMemcpy3DParms& copy) {
  for (size_t slice = 0; slice < copy.extent.depth; ++slice) {
    for (size_t row = 0; row < copy.extent.height; ++row) {
      std::memcpy(PlaceIn(copy.dstPtr, copy.dstPos, slice, row),
                  PlaceIn(copy.srcPtr, copy.srcPos, slice, row),
                  copy.extent.width);
    }
  }
}

}  // namespace

cudaError_t cudaMemcpy2DAsync(void* to, size_t to_pitch, const void* from,
                              size_t from_pitch, size_t width, size_t height,
                              cudaMemcpyKind, cudaStream_t stream) {
  const auto is_right = [width](size_t pitch) {
    return width <= pitch && pitch <= size_t{kMostPitch};
  };
  if (!is_right(to_pitch) || !is_right(from_pitch)) {
    return cudaErrorInvalidPitchValue;
  }
  return Submit(stream, [=] {
    for (size_t row = 0; row < height; ++row) {
      std::memcpy(static_cast<char*>(to) + row * to_pitch,
                  static_cast<const char*>(from) + row * from_pitch, width);
    }
  });
}

cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t bytes,
                            cudaMemcpyKind, cudaStream_t stream) {
  return Submit(stream, [=] { std::memcpy(to, from, bytes); });
}

cudaError_t cudaGetDevice(int* gpu) {
  *gpu = 0;
  return cudaSuccess;
}

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int) {
  if (attribute != cudaDevAttrMaxPitch) return cudaErrorInvalidValue;
  *value = kMostPitch;
  return cudaSuccess;
}

cudaError_t cudaStreamIsCapturing(cudaStream_t stream,
                                  cudaStreamCaptureStatus* status) {
  *status = reinterpret_cast<lockstep::FakeStream*>(stream)->recording()
                ? cudaStreamCaptureStatusActive
                : cudaStreamCaptureStatusNone;
  return cudaSuccess;
}

cudaError_t cudaMemcpy3DAsync(const cudaMemcpy3DParms* copy,
                              cudaStream_t stream) {
  return Submit(stream, [copy = *copy] { CopySlices(copy); });
}

cudaError_t cudaMemsetAsync(void* to, int value, size_t bytes,
                            cudaStream_t stream) {
  return Submit(stream, [=] {
    if (bytes > 0) std::memset(to, value, bytes);
  });
}

namespace lockstep::device_internal {

void FailCuda(cudaError_t status, std::string_view operation) {
  throw Internal("{}: status {}", operation, static_cast<int>(status));
}

namespace {

class EmulatedBackend final : public GpuBackend {
 public:
  std::vector<Device*> List() override { return {&gpu_.device()}; }
  std::string WhyNoGpu() override { return "one GPU is emulated"; }
  void SetLogicalDevices(int, int) override {}

 private:
  FakeGpu gpu_{0, size_t{4} << 30, FakeGpu::HostAccess::kAllowed};
};

[[maybe_unused]] const bool registered = [] {
  SetGpuBackend(new EmulatedBackend);
  return true;
}();

}  // namespace
}  // namespace lockstep::device_internal
