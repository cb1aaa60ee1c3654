// On the host, where a stand-in is cuDNN.
#include "benchmarks/micro/layers/prepared_layers.h"

#include <gtest/gtest.h>

#include <functional>

#include "benchmarks/micro/layers/cudnn_layer.h"
#include "benchmarks/micro/layers/own_layer.h"
#include "reference/base/error.h"
#include "reference/device/kernel_scope.h"

namespace lockstep::benchmarks {
namespace {

const LayerWork kWork{.kind = LayerKind::kSoftmax, .x = Shape{2, 3}};

float error = 0;  // that the stand-in makes
int runs = 0;

// Ours, but for `error` in the first element of all.
LayerRun StandIn(const LayerWork& work, const LayerInputs& inputs,
                 const std::string&) {
  return [run = OwnLayer(work, inputs)] {
    ++runs;
    std::vector<Tensor> results = run();
    results[0].mutable_data<float>()[0] += error;
    return results;
  };
}

class PreparedLayersTest : public testing::Test {
 protected:
  PreparedLayersTest() {
    error = 0;
    runs = 0;
  }

  void ExpectError(Code code, const std::string& part) {
    try {
      layers_.Prepare(kWork, kCudnn);
      ADD_FAILURE() << "nothing was thrown";
    } catch (const Error& thrown) {
      EXPECT_EQ(thrown.code(), code);
      EXPECT_NE(std::string(thrown.what()).find(part), std::string::npos)
          << thrown.what();
    }
  }

  PreparedLayers layers_{Device::Host()};

 private:
  const KernelScope<LayerRun(const LayerWork&, const LayerInputs&,
                             const std::string&)>
      scope_{CudnnLayer, &StandIn};
};

TEST_F(PreparedLayersTest, WhatComputesTheSameIsGiven) {
  const LayerRun own = layers_.Prepare(kWork, kOwn);
  EXPECT_EQ(runs, 0);
  const LayerRun other = layers_.Prepare(kWork, kCudnn);
  EXPECT_EQ(runs, 1);
  EXPECT_TRUE(BitwiseEqual(own()[0], other()[0]));
}

TEST_F(PreparedLayersTest, TheComparisonIsMadeOnce) {
  layers_.Prepare(kWork, kCudnn);
  layers_.Prepare(kWork, kCudnn);
  EXPECT_EQ(runs, 1);
  layers_.Prepare(kWork, kCudnnPersistent);
  EXPECT_EQ(runs, 2);
}

TEST_F(PreparedLayersTest, EachPassIsCompared) {
  LayerWork backward = kWork;
  backward.pass = LayerPass::kBackward;
  layers_.Prepare(kWork, kCudnn);
  layers_.Prepare(backward, kCudnn);
  EXPECT_EQ(runs, 2);
}

TEST_F(PreparedLayersTest, WhatDiffersIsRefusedEachTime) {
  error = 0.25;
  ExpectError(Code::kInternal, "[PreparedLayers] cudnn differs from ours: ");
  ExpectError(Code::kInternal, "result 0: ");
  EXPECT_EQ(runs, 1);
}

TEST_F(PreparedLayersTest, WithoutCudnnThereIsOwnAlone) {
  CudnnLayer.Set(nullptr);
  EXPECT_EQ(layers_.Prepare(kWork, kOwn)().size(), 1u);
  ExpectError(Code::kUnimplemented, "CudnnLayer");
}

}  // namespace
}  // namespace lockstep::benchmarks
