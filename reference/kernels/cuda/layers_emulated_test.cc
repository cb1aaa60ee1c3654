// Pooling, normalization and padding: the GPU's code on threads of the host.
#include <gtest/gtest.h>

#include "reference/device/gpu_testing.h"
#include "reference/kernels/kernel_cases.h"

namespace lockstep::kernels {
namespace {

class LayersEmulatedTest : public GpuTest {};

TEST_F(LayersEmulatedTest, GiveWhatTheHostGives) {
  for (const KernelCase& test : LayerCases()) {
    SCOPED_TRACE(test.name);
    const Tensors wanted = test.compute(test.inputs);
    Tensors inputs;
    for (const Tensor& input : test.inputs) inputs.push_back(input.To(gpu()));
    EXPECT_EQ(Difference(test.compute(inputs), wanted, test.ulps), "");
  }
}

}  // namespace
}  // namespace lockstep::kernels
