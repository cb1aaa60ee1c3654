// Random layers on replicas. Expected values: tf_keras 2.21 under
// MirroredStrategy of TensorFlow 2.21.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "reference/base/file_testing.h"
#include "reference/checkpoint/checkpoint.h"
#include "reference/data/dataset.h"
#include "reference/distribute/distribute_testing.h"
#include "reference/preprocessing/random/random_crop.h"
#include "reference/preprocessing/random/random_flip.h"
#include "reference/preprocessing/random/random_rotation.h"

namespace lockstep {
namespace {

using StringList = std::vector<std::string>;

// 8 images of 1 x 2 pixels, 0 and 1.
Tensor Pairs() {
  std::vector<float> pixels;
  for (int i = 0; i < 16; ++i) pixels.push_back(static_cast<float>(i % 2));
  return Tensor::FromVector(pixels, Shape{8, 1, 2, 1});
}

std::string Pattern(const Tensor& images) {
  std::string flips;
  for (int64_t n = 0; n < images.dim(0); ++n) {
    flips += images.at<float>(n * 2) == 0 ? '.' : 'F';
  }
  return flips;
}

StringList FlipsOnReplicas(Strategy& strategy, const Layer& flip) {
  StringList flips;
  const PerReplica<Tensor> results =
      strategy.Run([&] { return flip(Pairs(), /*training=*/true); });
  for (const Tensor& images : results.values()) {
    flips.push_back(Pattern(images));
  }
  return flips;
}

RandomFlip HorizontalFlip(int64_t seed) {
  return RandomFlip(FlipMode::kHorizontal, {.seed = seed});
}

TEST(RandomLayersOnReplicasTest, FlipsOfKeras2) {
  const auto strategy = MakeStrategy(4);
  const RandomFlip one = HorizontalFlip(1);
  EXPECT_EQ(FlipsOnReplicas(*strategy, one),
            (StringList{"FFFF...F", "....F.F.", "..F.FF.F", "FF.FFFF."}));
  EXPECT_EQ(FlipsOnReplicas(*strategy, one),
            (StringList{".F.F..F.", "FFFF..FF", ".......F", "F.F..F.F"}));
  EXPECT_EQ(FlipsOnReplicas(*strategy, one),
            (StringList{"...F.F.F", ".FF..F.F", "FFFFF...", ".F.FF..."}));
  EXPECT_EQ(FlipsOnReplicas(*strategy, HorizontalFlip(123456789012)),
            (StringList{"F..F..F.", ".FF.F...", "F.F.FF..", "..FFF.FF"}));
  const auto two = MakeStrategy(2);
  EXPECT_EQ(FlipsOnReplicas(*two, HorizontalFlip(1)),
            (StringList{"FFFF...F", "....F.F."}));
}

TEST(RandomLayersOnReplicasTest, BothFlipsOfKeras2) {
  const auto strategy = MakeStrategy(4);
  const StrategyScope scope = strategy->Scope();
  const RandomFlip flip(FlipMode::kHorizontalAndVertical, {.seed = 1});
  std::vector<float> pixels;
  for (int i = 0; i < 72; ++i) pixels.push_back(static_cast<float>(i % 9));
  const Tensor images = Tensor::FromVector(pixels, Shape{8, 3, 3, 1});
  const auto corners = [&] {
    const PerReplica<Tensor> results =
        strategy->Run([&] { return flip(images, /*training=*/true); });
    std::string digits;
    for (int64_t n = 0; n < 8; ++n) {
      digits += std::to_string(static_cast<int>(results[3].at<float>(n * 9)));
    }
    return digits;
  };
  EXPECT_EQ(corners(), "82622826");
  EXPECT_EQ(corners(), "68082660");
}

TEST(RandomLayersOnReplicasTest, CropsOfKeras2) {
  const auto strategy = MakeStrategy(4);
  const RandomCrop crop(2, 3, {.seed = 1});
  std::vector<float> pixels;
  for (int i = 0; i < 35; ++i) pixels.push_back(static_cast<float>(i));
  const Tensor image = Tensor::FromVector(pixels, Shape{1, 5, 7, 1});
  for (const std::vector<float>& wanted : std::vector<std::vector<float>>{
           {3, 21, 7, 18}, {18, 14, 2, 7}, {16, 3, 1, 10}}) {
    const PerReplica<Tensor> results =
        strategy->Run([&] { return crop(image, /*training=*/true); });
    for (int r = 0; r < 4; ++r) {
      EXPECT_EQ(results[r].at<float>(0), wanted[r]);
    }
  }
}

TEST(RandomLayersOnReplicasTest, RotationsDifferAndRunsAreReproducible) {
  const auto strategy = MakeStrategy(3);
  const auto run = [&] {
    const RandomRotation rotation(0.5, {.seed = 9});
    std::vector<std::vector<float>> results;
    for (int call = 0; call < 2; ++call) {
      const PerReplica<Tensor> rotated =
          strategy->Run([&] { return rotation(Pairs(), /*training=*/true); });
      for (const Tensor& images : rotated.values()) {
        results.push_back(images.ToVector<float>());
      }
    }
    return results;
  };
  std::vector<std::vector<float>> results = run();
  EXPECT_EQ(run(), results);
  std::ranges::sort(results);
  EXPECT_EQ(std::ranges::adjacent_find(results), results.end());
}

TEST(RandomLayersOnReplicasTest, InADatasetStreamsGoOn) {
  const auto strategy = MakeStrategy(2);
  const StrategyScope scope = strategy->Scope();
  const RandomFlip flip = HorizontalFlip(1);
  const Dataset flipped = Dataset::FromTensorSlices(Pairs()).Batch(8).Map(
      [&](const Structure& x) { return flip(x, /*training=*/true); },
      TensorSpec{Shape{kUnknownDim, 1, 2, 1}, DType::kFloat32});
  // Outside of replicas: the stream without a strategy.
  for (const char* wanted : {"...F...F", "...FF.FF", "F..FFF.."}) {
    EXPECT_EQ(Pattern(flipped.MakeIterator().GetNext().leaf()), wanted);
  }
}

TEST(RandomLayersOnReplicasTest, ResumedRunGoesOn) {
  const TestFolder folder;
  const auto strategy = MakeStrategy(2);
  const RandomFlip flip = HorizontalFlip(1);
  FlipsOnReplicas(*strategy, flip);
  Checkpoint saved({{"flip", flip.trackable()}});
  const std::string path = saved.Save(folder / "ckpt");
  const RandomFlip other = HorizontalFlip(2);
  Checkpoint restored({{"flip", other.trackable()}});
  restored.Restore(path);
  EXPECT_EQ(FlipsOnReplicas(*strategy, other),
            (StringList{".F.F..F.", "FFFF..FF"}));
  EXPECT_TRUE(flip.variables().empty());
}

TEST(RandomLayersOnReplicasTest, RefusesALayerBuiltOutsideTheScope) {
  const RandomFlip flip = HorizontalFlip(1);
  flip(Pairs(), /*training=*/true);
  const auto strategy = MakeStrategy(2);
  EXPECT_EQ(CodeOf([&] { FlipsOnReplicas(*strategy, flip); }),
            Code::kFailedPrecondition);
}

}  // namespace
}  // namespace lockstep
