// A training step on a GPU updates its state in place, and computes the same numbers
// as the host.
#include <gtest/gtest.h>

#include <limits>

#include "reference/device/gpu_testing.h"
#include "reference/training/elementwise_training.h"

namespace lockstep {
namespace {

constexpr int kSteps = 6;
constexpr int kSpoiled = 3;

class GpuStepGpuTest : public GpuTest {
 protected:
  void Compare(const OptimizerCase& test) {
    const auto factor = [&](int step) {
      return test.skips && step == kSpoiled
                 ? std::numeric_limits<float>::infinity()
                 : 1.0f;
    };
    ElementwiseTraining on_host(test.make());
    for (int step = 0; step < kSteps; ++step) {
      on_host.Step(MakeStepInput(Device::Host(), step, factor(step)));
    }
    DeviceScope on_gpu(gpu());
    ElementwiseTraining training(test.make());
    training.Step(MakeStepInput(gpu(), 0, factor(0)));
    std::vector<const void*> addresses;
    for (const VariablePtr& variable : training.state()) {
      addresses.push_back(variable->Read().raw_data());
    }
    for (int step = 1; step < kSteps; ++step) {
      training.Step(MakeStepInput(gpu(), step, factor(step)));
    }
    for (size_t i = 0; i < addresses.size(); ++i) {
      const Tensor got = training.state()[i]->Read();
      EXPECT_EQ(got.raw_data(), addresses[i]);
      ExpectNear(got, on_host.state()[i]->Read());
    }
  }

  // A power may be off by 2 in the last place of double: a few of float32.
  static void ExpectNear(const Tensor& got, const Tensor& wanted) {
    const Tensor left = got.Cast(DType::kFloat64).ToHost();
    const Tensor right = wanted.Cast(DType::kFloat64);
    for (int64_t i = 0; i < right.num_elements(); ++i) {
      EXPECT_FLOAT_EQ(static_cast<float>(left.at<double>(i)),
                      static_cast<float>(right.at<double>(i)));
    }
  }
};

TEST_F(GpuStepGpuTest, SameNumbersAsTheHostInPlace) {
  for (const OptimizerCase& test : AllOptimizerCases()) {
    SCOPED_TRACE(test.name);
    Compare(test);
  }
}

}  // namespace
}  // namespace lockstep
