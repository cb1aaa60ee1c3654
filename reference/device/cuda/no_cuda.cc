#include "reference/device/cuda/cuda_devices.h"

namespace lockstep::device_internal {

std::vector<Device*> ListCudaDevices() { return {}; }

std::string WhyNoCudaDevice() { return "no CUDA device: built without CUDA"; }

}  // namespace lockstep::device_internal
