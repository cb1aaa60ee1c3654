#include "reference/device/cuda/cuda_memory.h"

#include <fmt/core.h>

#include <utility>

#include "reference/base/check.h"
#include "reference/base/log.h"
#include "reference/device/cuda/check_cuda.h"
#include "reference/device/cuda/fill.h"

namespace lockstep {

CudaMemory::CudaMemory(int gpu, std::function<void()> reclaim)
    : gpu_(gpu), reclaim_(std::move(reclaim)) {
  MakeCurrent();
  stream_ = std::make_unique<CudaStream>();
  streams_ = std::make_unique<CudaStreams>(gpu, *stream_);
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
    cudaGetLastError();  // clears the error
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
  // Queued work may still use the block.
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
            "[CudaMemory] enqueue a copy");
}

void CudaMemory::DoCopyFrom(DeviceMemory& other, void* to, const void* from,
                            size_t bytes) {
  auto* source = dynamic_cast<CudaMemory*>(&other);
  LOCKSTEP_CHECK(source != nullptr);
  Follow(streams(), source->streams(), DeviceStream::kCompute);
  CheckCuda(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, stream().get()),
            "[CudaMemory] enqueue a copy between GPUs");
  Follow(source->streams(), streams(), DeviceStream::kCompute);
}

void CudaMemory::DoFill(void* to, const void* value, size_t value_bytes,
                        int64_t count) {
  CheckCuda(cuda::Fill(to, value, value_bytes, count, stream().get()),
            "[CudaMemory] fill");
}

void CudaMemory::DoSynchronize() { stream().Synchronize(); }

namespace {

// Events belong to the GPU that is current when they are made.
std::unique_ptr<CudaEvent> MakeEvent(CudaMemory& memory) {
  memory.stream();
  return std::make_unique<CudaEvent>();
}

}  // namespace

CudaGraph::CudaGraph(cudaGraph_t graph, std::vector<CudaMemory*> memories)
    : memories_(std::move(memories)) {
  for (CudaMemory* memory : memories_) ready_.push_back(MakeEvent(*memory));
  const cudaStream_t stream = memories_[0]->stream().get();
  CheckCuda(cudaGraphInstantiate(&executable_, graph, 0),
            "[CudaGraph] make it executable");
  // So that the first launch does not have to.
  const cudaError_t uploaded = cudaGraphUpload(executable_, stream);
  if (uploaded == cudaSuccess) return;
  cudaGraphExecDestroy(executable_);
  CheckCuda(uploaded, "[CudaGraph] upload");
}

// Fails only if the whole device has failed, which other calls report.
CudaGraph::~CudaGraph() { cudaGraphExecDestroy(executable_); }

void CudaGraph::Launch() {
  CudaMemory& first = *memories_[0];
  for (size_t i = 1; i < memories_.size(); ++i) {
    ready_[i]->Record(memories_[i]->stream());
    first.stream().WaitFor(*ready_[i]);
  }
  CheckCuda(cudaGraphLaunch(executable_, first.stream().get()),
            "[CudaGraph] launch");
  ready_[0]->Record(first.stream());
  for (size_t i = 1; i < memories_.size(); ++i) {
    memories_[i]->stream().WaitFor(*ready_[0]);
  }
}

CudaGraphCapture::CudaGraphCapture(std::vector<CudaMemory*> memories)
    : memories_(std::move(memories)), origin_(memories_[0]->stream().get()) {}

std::unique_ptr<CudaGraphCapture> CudaGraphCapture::Begin(
    std::span<Device* const> devices) {
  LOCKSTEP_CHECK(!devices.empty());
  std::vector<CudaMemory*> memories;
  for (Device* device : devices) memories.push_back(&CudaMemory::Of(*device));
  std::unique_ptr<CudaGraphCapture> capture(
      new CudaGraphCapture(std::move(memories)));
  CheckCuda(
      cudaStreamBeginCapture(capture->origin_, cudaStreamCaptureModeRelaxed),
      "[CudaGraph] begin to capture");
  capture->capturing_ = true;
  ++under_way_;
  capture->Fork();
  return capture;
}

void CudaGraphCapture::Fork() const {
  for (size_t i = 1; i < memories_.size(); ++i) {
    Follow(memories_[i]->streams(), memories_[0]->streams(),
           DeviceStream::kCompute);
  }
}

void CudaGraphCapture::Join() const {
  for (size_t i = 1; i < memories_.size(); ++i) {
    Follow(memories_[0]->streams(), memories_[i]->streams(),
           DeviceStream::kCompute);
  }
}

// Also ends the capture of streams that joined, and a capture that was
// invalidated.
cudaError_t CudaGraphCapture::Stop(cudaGraph_t* graph) {
  capturing_ = false;
  const cudaError_t status = cudaStreamEndCapture(origin_, graph);
  --under_way_;
  return status;
}

CudaGraphCapture::~CudaGraphCapture() {
  if (!capturing_) return;
  cudaGraph_t graph = nullptr;
  Stop(&graph);  // fails, because the capture is incomplete
  if (graph != nullptr) cudaGraphDestroy(graph);
  cudaGetLastError();  // clears the error
}

std::unique_ptr<DeviceGraph> CudaGraphCapture::End() {
  Join();
  cudaGraph_t graph = nullptr;
  CheckCuda(Stop(&graph), "[CudaGraph] end of the capture");
  const std::unique_ptr<CUgraph_st, decltype(&cudaGraphDestroy)> owner(
      graph, &cudaGraphDestroy);
  return std::make_unique<CudaGraph>(graph, memories_);
}

}  // namespace lockstep
