#include "reference/device/cuda/cuda_queues.h"

#include "reference/base/check.h"
#include "reference/device/cuda/check_cuda.h"
#include "reference/device/cuda/cuda_event.h"

namespace lockstep {
namespace {

struct CudaMark final : public DeviceQueues::Mark {
  CudaEvent event;
};

}  // namespace

const CudaStream& CudaQueues::Get(SideStream& side) {
  std::call_once(side.made,
                 [&] { side.stream = std::make_unique<CudaStream>(); });
  return *side.stream;
}

const CudaStream& CudaQueues::stream(DeviceQueue queue) {
  CheckCuda(cudaSetDevice(gpu_), "[CudaQueues] make the GPU current");
  if (queue == DeviceQueue::kCommunication) return Get(communication_);
  if (queue == DeviceQueue::kCopy) return Get(copy_);
  return compute_;
}

std::unique_ptr<DeviceQueues::Mark> CudaQueues::Record(DeviceQueue queue) {
  const CudaStream& marked = stream(queue);
  auto mark = std::make_unique<CudaMark>();
  mark->event.Record(marked);
  return mark;
}

void CudaQueues::WaitFor(DeviceQueue queue, const Mark& mark) {
  const auto* reached = dynamic_cast<const CudaMark*>(&mark);
  LOCKSTEP_CHECK(reached != nullptr);
  stream(queue).WaitFor(reached->event);
}

void CudaQueues::CopyFromHost(void* to, const void* from, size_t bytes) {
  staging_.ToDevice(to, from, bytes, stream(DeviceQueue::kCopy));
}

}  // namespace lockstep
