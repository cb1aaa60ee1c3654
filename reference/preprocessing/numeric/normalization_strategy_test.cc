// Normalization on replicas, and in checkpoints.
#include <gtest/gtest.h>

#include <vector>

#include "reference/base/file_testing.h"
#include "reference/checkpoint/checkpoint.h"
#include "reference/distribute/distribute_testing.h"
#include "reference/distribute/variables/distributed_variable.h"
#include "reference/preprocessing/numeric/normalization.h"

namespace lockstep {
namespace {

// Mean 3, variance 4.
const Tensor kData = Matrix({1, 5}, 2);

float OnlyNumber(const Tensor& x) { return x.item<float>(); }

TEST(NormalizationOnReplicasTest, MadeInScopeIsMirrored) {
  const auto strategy = MakeStrategy(2);
  const StrategyScope scope = strategy->Scope();
  const Normalization layer;
  layer.Adapt(kData);
  for (const VariablePtr& variable : layer.variables()) {
    const auto* mirrored = dynamic_cast<MirroredVariable*>(variable.get());
    ASSERT_NE(mirrored, nullptr);
    EXPECT_TRUE(BitwiseEqual(mirrored->copy(0), mirrored->copy(1)));
  }
  const PerReplica<Tensor> y =
      strategy->Run([&](const Tensor& x) { return layer(x); },
                    Tensors({Matrix({7}, 1), Matrix({3}, 1)}));
  EXPECT_EQ(OnlyNumber(y[0]), 2);
  EXPECT_EQ(OnlyNumber(y[1]), 0);
}

TEST(NormalizationOnReplicasTest, BuiltOutsideTheScopeWorksToo) {
  const Normalization layer;
  layer.Adapt(kData);
  const auto strategy = MakeStrategy(2);
  const PerReplica<Tensor> y =
      strategy->Run([&](const Tensor& x) { return layer(x); },
                    Tensors({Matrix({7}, 1), Matrix({3}, 1)}));
  EXPECT_EQ(OnlyNumber(y[0]), 2);
  EXPECT_EQ(OnlyNumber(y[1]), 0);
}

TEST(NormalizationOnReplicasTest, IsOfOneStrategyOnly) {
  const auto two = MakeStrategy(2);
  const Normalization layer;
  {
    const StrategyScope scope = two->Scope();
    layer.Adapt(kData);
  }
  const auto three = MakeStrategy(3);
  EXPECT_EQ(CodeOf([&] { three->Run([&] { return layer(Matrix({7}, 1)); }); }),
            Code::kFailedPrecondition);
}

TEST(NormalizationOnReplicasTest, RefusesToAdaptInsideRun) {
  const auto strategy = MakeStrategy(2);
  const Normalization layer;
  try {
    strategy->Run([&] { layer.Adapt(kData); });
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Code::kFailedPrecondition);
    EXPECT_NE(std::string(error.what()).find("adapt the layer before Run"),
              std::string::npos);
  }
  EXPECT_FALSE(layer.built());
}

TEST(NormalizationOnReplicasTest, RestoredCheckpointNormalizesAtOnce) {
  const TestFolder folder;
  const Normalization layer;
  layer.Adapt(kData);
  std::vector<std::string> names;
  for (const auto& child : layer.trackable()->children()) {
    names.push_back(child.name);
  }
  // Keras 3's names.
  EXPECT_EQ(names, (std::vector<std::string>{"adapt_mean", "adapt_variance",
                                             "count"}));
  Checkpoint saved({{"layer", layer.trackable()}});
  const std::string path = saved.Save(folder / "ckpt");
  for (const bool built : {false, true}) {
    const Normalization other;
    if (built) other.Build(Shape{kUnknownDim, 1});
    Checkpoint restored({{"layer", other.trackable()}});
    restored.Restore(path);
    EXPECT_EQ(OnlyNumber(other(Matrix({7}, 1))), 2);
  }
}

}  // namespace
}  // namespace lockstep
