#include "reference/device/cuda/cuda_memory.h"

#include <fmt/format.h>

#include <utility>

#include "reference/base/check.h"
#include "reference/base/log.h"
#include "reference/device/cuda/check_cuda.h"
#include "reference/device/cuda/cuda_graph.h"
#include "reference/device/cuda/fill.h"

namespace lockstep {

CudaMemory::CudaMemory(int gpu, std::function<void()> reclaim)
    : gpu_(gpu), reclaim_(std::move(reclaim)) {
  MakeCurrent();
  stream_ = std::make_unique<CudaStream>();
  queues_ = std::make_unique<CudaQueues>(gpu, *stream_);
}

CudaMemory& CudaMemory::Of(const Device& device) {
  auto* memory = dynamic_cast<CudaMemory*>(device.memory());
  LOCKSTEP_CHECK(memory != nullptr);
  return *memory;
}

void CudaMemory::MakeCurrent() const {
  CheckCuda(cudaSetDevice(gpu_), "[CudaMemory] make the GPU current");
}

const CudaStream& CudaMemory::stream() {
  MakeCurrent();
  return *stream_;
}

void* CudaMemory::Take(size_t bytes) {
  MakeCurrent();
  void* block = nullptr;
  const cudaError_t status = cudaMalloc(&block, bytes);
  if (status == cudaErrorMemoryAllocation) {
    cudaGetLastError();  // the next call must not report it
    return nullptr;
  }
  CheckCuda(status, "[CudaMemory] allocate");
  return block;
}

std::unique_ptr<GraphCapture> CudaMemory::BeginCapture(
    std::span<Device* const> devices) {
  return CudaGraphCapture::Begin(devices);
}

bool CudaMemory::CanReturn() const {
  return !CudaGraphCapture::IsAnyUnderWay();
}

void CudaMemory::Return(void* block, size_t) noexcept {
  cudaError_t status = cudaSetDevice(gpu_);
  // What is still queued may use the block.
  if (status == cudaSuccess) status = cudaStreamSynchronize(stream_->get());
  if (status == cudaSuccess) status = cudaFree(block);
  if (status != cudaSuccess) {
    LogWarning("GPU {} did not take memory back: {}", gpu_,
               cudaGetErrorString(status));
  }
}

std::string CudaMemory::Describe() const {
  MakeCurrent();
  size_t free_bytes = 0;
  size_t total_bytes = 0;
  CheckCuda(cudaMemGetInfo(&free_bytes, &total_bytes),
            "[CudaMemory] ask for what is free");
  return fmt::format("GPU {} of the machine, {} of {} bytes free", gpu_,
                     free_bytes, total_bytes);
}

void CudaMemory::DoCopyFromHost(void* to, const void* from, size_t bytes) {
  staging_.ToDevice(to, from, bytes, stream());
}

void CudaMemory::DoCopyToHost(void* to, const void* from, size_t bytes) {
  staging_.ToHost(to, from, bytes, stream());
}

void CudaMemory::DoCopy(void* to, const void* from, size_t bytes) {
  CheckCuda(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice,
                            stream().get()),
            "[CudaMemory] queue a copy");
}

void CudaMemory::DoCopyFrom(DeviceMemory& other, void* to, const void* from,
                            size_t bytes) {
  auto* source = dynamic_cast<CudaMemory*>(&other);
  LOCKSTEP_CHECK(source != nullptr);
  Follow(queues(), source->queues(), DeviceQueue::kCompute);
  CheckCuda(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, stream().get()),
            "[CudaMemory] queue a copy between GPUs");
  Follow(source->queues(), queues(), DeviceQueue::kCompute);
}

void CudaMemory::DoFill(void* to, const void* value, size_t value_bytes,
                        int64_t count) {
  CheckCuda(cuda::Fill(to, value, value_bytes, count, stream().get()),
            "[CudaMemory] fill");
}

void CudaMemory::DoSynchronize() { stream().Synchronize(); }

}  // namespace lockstep
