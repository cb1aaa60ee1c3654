// What the CUDA backend tells the device list. Without CUDA no_cuda.cc answers.
#ifndef LOCKSTEP_REFERENCE_DEVICE_CUDA_CUDA_DEVICES_H_
#define LOCKSTEP_REFERENCE_DEVICE_CUDA_CUDA_DEVICES_H_

#include <string>
#include <vector>

namespace lockstep {

class Device;

namespace device_internal {

// The GPUs that can be used, in order; empty where there is none.
std::vector<Device*> ListCudaDevices();

// Why there is no (further) GPU: shown when one is asked for.
std::string WhyNoCudaDevice();

}  // namespace device_internal
}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_DEVICE_CUDA_CUDA_DEVICES_H_
