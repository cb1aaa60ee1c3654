// A logical device: what one replica computes on.
//
// A machine has as many logical CPU devices as are asked for; replicas are
// simulated that way on any machine, as the documents do it:
//
//   SetLogicalCpuDevices(2);
//   ListLogicalDevices();            // CPU:0, CPU:1
//   FindDevice("CPU:1").name();      // "CPU:1"
//   FindDevice("CPU:7");             // NotFound, lists what there is
//
// A program with a GPU backend has GPU:0, GPU:1 and so on, one for each GPU or
// as many as SetLogicalGpuDevices asks for.
//
// Devices live as long as the process, so tensors may outlive any strategy.
#ifndef LOCKSTEP_REFERENCE_DEVICE_DEVICE_H_
#define LOCKSTEP_REFERENCE_DEVICE_DEVICE_H_

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "reference/device/device_memory.h"
#include "reference/device/memory_pool.h"

namespace lockstep {

enum class DeviceKind { kCpu, kGpu };

class Device {
 public:
  // In the host's memory.
  Device(DeviceKind kind, int index);
  // REQUIRES: memory != nullptr.
  Device(DeviceKind kind, int index, std::unique_ptr<DeviceMemory> memory);
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  DeviceKind kind() const { return kind_; }
  int index() const { return index_; }
  // "CPU:0", "GPU:1".
  const std::string& name() const { return name_; }
  MemoryPool& pool() { return pool_; }
  // Its memory, if that is not the host's; else nullptr.
  DeviceMemory* memory() const { return memory_.get(); }
  // The host can address its memory.
  bool on_host() const { return memory_ == nullptr; }

  // CPU:0, in whose memory strings live and from which data is handed out.
  static Device& Host();
  // Where the calling thread makes its tensors; CPU:0 unless a DeviceScope
  // says otherwise.
  static Device& Current();

 private:
  DeviceKind kind_;
  int index_;
  std::string name_;
  std::unique_ptr<DeviceMemory> memory_;  // outlives the pool
  MemoryPool pool_;
};

// Makes `device` the calling thread's current device while the scope lives.
class DeviceScope {
 public:
  explicit DeviceScope(Device& device);
  ~DeviceScope();
  DeviceScope(const DeviceScope&) = delete;
  DeviceScope& operator=(const DeviceScope&) = delete;

 private:
  Device* previous_;
};

// Sets how many logical CPU devices there are (1 at start). Devices already
// handed out stay valid. Errors: InvalidArgument for count < 1.
void SetLogicalCpuDevices(int count);

// Divides GPU number `gpu` of the machine into `count` logical devices, each with
// its own queue and pool (1 at start). Logical devices are numbered through all
// GPUs. Devices already handed out stay valid.
// Errors: InvalidArgument for count < 1; NotFound for a GPU that is not there.
void SetLogicalGpuDevices(int gpu, int count);

// All logical devices in order: GPUs where there are any, then CPUs.
std::vector<Device*> ListLogicalDevices();

// Accepts "CPU:1", "cpu:1", "/cpu:1", "/device:CPU:1" and TensorFlow's long
// form. Errors: InvalidArgument for a name of no known form; NotFound for a
// device that does not exist, with the ones that do.
Device& FindDevice(std::string_view name);

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_DEVICE_DEVICE_H_
