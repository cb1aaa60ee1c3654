#include "reference/device/logical_gpus.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "reference/base/error.h"
#include "reference/device/device.h"

namespace lockstep::device_internal {
namespace {

// "GPU:1 on 0" for each listed device.
class LogicalGpusTest : public testing::Test {
 protected:
  std::unique_ptr<Device> Make(int gpu, int index) {
    auto device = std::make_unique<Device>(DeviceKind::kGpu, index);
    made_.push_back(device->name() + " on " + std::to_string(gpu));
    return device;
  }

  LogicalGpus With(int gpus) {
    return LogicalGpus(gpus,
                       [this](int gpu, int index) { return Make(gpu, index); });
  }

  std::vector<std::string> made_;
};

std::vector<std::string> Names(const std::vector<Device*>& devices) {
  std::vector<std::string> names;
  for (const Device* device : devices) names.push_back(device->name());
  return names;
}

TEST_F(LogicalGpusTest, EachGpuIsOneDeviceAtStart) {
  LogicalGpus gpus = With(2);
  EXPECT_TRUE(made_.empty());  // nothing is made that nobody asked for
  EXPECT_EQ(Names(gpus.List()), (std::vector<std::string>{"GPU:0", "GPU:1"}));
  EXPECT_EQ(made_, (std::vector<std::string>{"GPU:0 on 0", "GPU:1 on 1"}));
}

TEST_F(LogicalGpusTest, PartsAreNumberedThroughAllGpus) {
  LogicalGpus gpus = With(2);
  gpus.SetCount(0, 2);
  EXPECT_EQ(gpus.List().size(), 3u);
  EXPECT_EQ(made_, (std::vector<std::string>{"GPU:0 on 0", "GPU:1 on 0",
                                             "GPU:2 on 1"}));
}

TEST_F(LogicalGpusTest, ADeviceIsMadeOnceAndStaysValid) {
  LogicalGpus gpus = With(1);
  gpus.SetCount(0, 2);
  const std::vector<Device*> both = gpus.List();
  gpus.SetCount(0, 1);
  EXPECT_EQ(gpus.List(), std::vector<Device*>{both[0]});
  EXPECT_EQ(both[1]->name(), "GPU:1");
  gpus.SetCount(0, 2);
  EXPECT_EQ(gpus.List(), both);
  EXPECT_EQ(made_.size(), 2u);
}

TEST_F(LogicalGpusTest, ARenumberedDeviceIsAnotherOne) {
  LogicalGpus gpus = With(2);
  Device* second_gpu = gpus.List()[1];
  gpus.SetCount(0, 2);
  const std::vector<Device*> three = gpus.List();
  EXPECT_NE(three[1], second_gpu);
  EXPECT_NE(three[2], second_gpu);
  EXPECT_EQ(three[2]->name(), "GPU:2");
  EXPECT_EQ(second_gpu->name(), "GPU:1");
}

TEST_F(LogicalGpusTest, KnowsWhatWasMadeOnOneGpu) {
  LogicalGpus gpus = With(2);
  gpus.SetCount(0, 2);
  const std::vector<Device*> three = gpus.List();
  gpus.SetCount(0, 1);
  EXPECT_EQ(gpus.MadeOn(0), (std::vector<Device*>{three[0], three[1]}));
  EXPECT_EQ(gpus.MadeOn(1), std::vector<Device*>{three[2]});
}

TEST_F(LogicalGpusTest, AGpuThatIsNotThereIsNotFound) {
  LogicalGpus gpus = With(2);
  for (const int gpu : {-1, 2}) {
    try {
      gpus.SetCount(gpu, 1);
      FAIL() << "took " << gpu;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), Code::kNotFound);
      EXPECT_EQ(std::string(error.what()), "[SetLogicalGpuDevices] no GPU " +
                                               std::to_string(gpu) +
                                               ", this machine has 2");
    }
  }
}

}  // namespace
}  // namespace lockstep::device_internal
