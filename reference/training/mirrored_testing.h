// Test help: a strategy of any size, and the copies of its variables.
#ifndef LOCKSTEP_REFERENCE_TRAINING_MIRRORED_TESTING_H_
#define LOCKSTEP_REFERENCE_TRAINING_MIRRORED_TESTING_H_

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "reference/distribute/mirrored_strategy.h"

namespace lockstep {

// A strategy over logical CPU devices.
inline std::unique_ptr<MirroredStrategy> MakeStrategy(int replicas) {
  SetLogicalCpuDevices(replicas);
  std::vector<std::string> devices;
  for (int i = 0; i < replicas; ++i) {
    devices.push_back("CPU:" + std::to_string(i));
  }
  return std::make_unique<MirroredStrategy>(devices);
}

// What every copy of `variable` holds; expects them equal bit by bit.
inline Tensor CommonValue(Strategy& strategy, const VariablePtr& variable) {
  const PerReplica<Tensor> copies =
      strategy.Run([&] { return variable->Read(); });
  for (const Tensor& copy : copies) EXPECT_TRUE(BitwiseEqual(copy, copies[0]));
  return copies[0];
}

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_TRAINING_MIRRORED_TESTING_H_
