// Dropout's masks under a strategy, and after a restore.
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <vector>

#include "reference/checkpoint/checkpoint.h"
#include "reference/checkpoint/checkpoint_testing.h"
#include "reference/distribute/distribute_testing.h"
#include "reference/layers/transformer/dropout.h"
#include "reference/tensor_bundle/tensor_bundle.h"

namespace lockstep {
namespace {

// A layer on 2 replicas, and the masks that they draw next.
struct DropoutProgram {
  explicit DropoutProgram(int64_t seed) {
    const StrategyScope scope = strategy->Scope();
    dropout.emplace(0.5, DropoutOptions{.seed = seed});
    dropout->Build(Shape{kUnknownDim, 64});
  }

  std::vector<std::vector<float>> Draw() {
    std::vector<std::vector<float>> masks;
    const auto drawn = strategy->Run([this] {
      return (*dropout)(Tensor::Full(Shape{1, 64}, 1.0f), /*training=*/true);
    });
    for (const Tensor& mask : drawn) masks.push_back(mask.ToVector<float>());
    return masks;
  }

  std::unique_ptr<MirroredStrategy> strategy = MakeStrategy(2);
  std::optional<Dropout> dropout;
};

TEST(DropoutCheckpointTest, ResumedRunDrawsTheSameMasks) {
  DropoutProgram first(1);
  const auto masks = first.Draw();
  EXPECT_NE(masks[0], masks[1]);
  const TestFolder folder;
  const std::string path =
      Checkpoint({{"d", first.dropout->trackable()}}).Write(folder / "d");
  EXPECT_EQ(TensorBundleReader(path)
                .Read("d/seed_generator/seed_generator_state/.ATTRIBUTES/"
                      "VARIABLE_VALUE")
                .ToVector<int64_t>(),
            (std::vector<int64_t>{1, 1}));
  const auto next = first.Draw();
  EXPECT_NE(next, masks);

  DropoutProgram second(99);
  Checkpoint({{"d", second.dropout->trackable()}}).Read(path).AssertConsumed();
  EXPECT_EQ(second.Draw(), next);
}

}  // namespace
}  // namespace lockstep
