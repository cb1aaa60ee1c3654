#include "reference/device/device_memory.h"

#include <mutex>
#include <string>

#include "reference/base/error.h"
#include "reference/device/private_memory.h"

namespace lockstep {
namespace {

using HostTurn = std::shared_lock<std::shared_mutex>;

// The calling thread's turn to queue; at once for one that captures.
HostTurn TurnOn(DeviceMemory& memory) {
  if (PrivateMemory::Current() != nullptr) return HostTurn();
  return HostTurn(memory.capture_mutex());
}

// A graph holds work of the device alone; `what` would be the host's.
void FailIfCaptured(const DeviceMemory& memory, const std::string& what,
                    const char* advice) {
  const PrivateMemory* captured = PrivateMemory::Current();
  if (captured == nullptr) return;
  throw FailedPrecondition(
      "[StepGraph] {} {} while the step is captured as a graph; {}", what,
      captured->NameOf(memory), advice);
}

}  // namespace

void DeviceMemory::CopyFromHost(void* to, const void* from, size_t bytes) {
  FailIfCaptured(
      *this, fmt::format("{} bytes were copied from the host to", bytes),
      "each replay would copy the same ones: hand them to the step as its "
      "input, or keep them in a variable");
  const HostTurn turn = TurnOn(*this);
  DoCopyFromHost(to, from, bytes);
}

void DeviceMemory::CopyToHost(void* to, const void* from, size_t bytes) {
  FailIfCaptured(*this,
                 fmt::format("{} bytes were read by the host from", bytes),
                 "return the tensor from the step, or read it between steps");
  const HostTurn turn = TurnOn(*this);
  DoCopyToHost(to, from, bytes);
}

void DeviceMemory::Copy(void* to, const void* from, size_t bytes) {
  const HostTurn turn = TurnOn(*this);
  DoCopy(to, from, bytes);
}

void DeviceMemory::CopyFrom(DeviceMemory& other, void* to, const void* from,
                            size_t bytes) {
  if (PrivateMemory::Current() != nullptr || &other == this) {
    const HostTurn turn = TurnOn(*this);
    return DoCopyFrom(other, to, from, bytes);
  }
  // In no order: two captures may begin meanwhile.
  HostTurn turn(capture_mutex_, std::defer_lock);
  HostTurn turn_there(other.capture_mutex_, std::defer_lock);
  std::lock(turn, turn_there);
  DoCopyFrom(other, to, from, bytes);
}

void DeviceMemory::Fill(void* to, const void* value, size_t value_bytes,
                        int64_t count) {
  const HostTurn turn = TurnOn(*this);
  DoFill(to, value, value_bytes, count);
}

void DeviceMemory::Synchronize() {
  FailIfCaptured(*this, "the host waited for",
                 "nothing has run yet: wait between steps");
  const HostTurn turn = TurnOn(*this);
  DoSynchronize();
}

}  // namespace lockstep
