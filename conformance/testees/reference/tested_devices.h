// The logical devices that programs run on.
//
//   TestedDevices gpus(DeviceKind::kGpu);
//   gpus.SetCount(2);
//   gpus.Translate("CPU:1");      // "GPU:1": what a program's device stands for
//   gpus.Names();                 // {"CPU:0", "CPU:1"}, as programs name them
#ifndef LOCKSTEP_CONFORMANCE_TESTEES_REFERENCE_TESTED_DEVICES_H_
#define LOCKSTEP_CONFORMANCE_TESTEES_REFERENCE_TESTED_DEVICES_H_

#include <string>
#include <vector>

#include "reference/device/device.h"

namespace lockstep::conformance {

class TestedDevices {
 public:
  // GPUs are logical parts of the machine's first one.
  // Errors: NotFound where there is no GPU, with the reason.
  explicit TestedDevices(DeviceKind kind = DeviceKind::kCpu);

  DeviceKind kind() const { return kind_; }
  // "CPU" or "GPU".
  std::string kind_name() const;

  // Makes so many logical devices. REQUIRES: count >= 1.
  void SetCount(int count) const;
  // A device of this kind for one that a program names; other texts stay.
  std::string Translate(const std::string& name) const;
  // All there are, as programs name them.
  std::vector<std::string> Names() const;

 private:
  DeviceKind kind_;
};

}  // namespace lockstep::conformance

#endif  // LOCKSTEP_CONFORMANCE_TESTEES_REFERENCE_TESTED_DEVICES_H_
