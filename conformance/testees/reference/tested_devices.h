// The logical devices that programs run on.
//
//   TestedDevices gpus(DeviceKind::kGpu);
//   gpus.SetCount(2);
//   gpus.Translate("CPU:1");      // "GPU:1": the device for that of a program
//   gpus.Names();                 // {"CPU:0", "CPU:1"}, as programs name them
#ifndef LOCKSTEP_CONFORMANCE_TESTEES_REFERENCE_TESTED_DEVICES_H_
#define LOCKSTEP_CONFORMANCE_TESTEES_REFERENCE_TESTED_DEVICES_H_

#include <string>
#include <vector>

#include "reference/device/device.h"

namespace lockstep::conformance {

class TestedDevices {
 public:
  // GPU devices are logical parts of the first GPU. Errors: NotFound, with the
  // reason, if there is no GPU.
  explicit TestedDevices(DeviceKind kind = DeviceKind::kCpu);

  DeviceKind kind() const { return kind_; }
  // "CPU" or "GPU".
  std::string kind_name() const;

  // Creates `count` logical devices. REQUIRES: count >= 1.
  void SetCount(int count) const;
  // The device of this kind for one that a program names; other texts stay
  // unchanged.
  std::string Translate(const std::string& name) const;
  // All devices, as programs name them.
  std::vector<std::string> Names() const;

 private:
  DeviceKind kind_;
};

}  // namespace lockstep::conformance

#endif  // LOCKSTEP_CONFORMANCE_TESTEES_REFERENCE_TESTED_DEVICES_H_
