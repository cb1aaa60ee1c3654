// Short forms of what a distributed dataset yields, for tests.
#ifndef LOCKSTEP_REFERENCE_DISTRIBUTE_INPUT_DISTRIBUTED_DATASET_TESTING_H_
#define LOCKSTEP_REFERENCE_DISTRIBUTE_INPUT_DISTRIBUTED_DATASET_TESTING_H_

#include <string>
#include <vector>

#include "reference/device/device.h"
#include "reference/distribute/input/distributed_dataset.h"

namespace lockstep {

// CPU:0 .. CPU:count-1. Makes logical devices if there are not enough.
std::vector<Device*> CpuDevices(int count);

// "[0, 1] [2]": a step's parts, one per replica.
std::string ToText(const PerReplica<Structure>& step);

// One pass, each step by ToText.
std::vector<std::string> ReadSteps(const DistributedDataset& inputs);

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_DISTRIBUTE_INPUT_DISTRIBUTED_DATASET_TESTING_H_
