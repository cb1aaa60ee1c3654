// Expected values: tf_keras 2.21.
#include "reference/preprocessing/random/random_flip.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "reference/autodiff/gradient_tape.h"
#include "reference/autodiff/ops/math_ops.h"
#include "reference/base/error_testing.h"
#include "reference/base/threads.h"
#include "reference/device/fake_gpu.h"
#include "reference/layers/layer_config.h"

namespace lockstep {
namespace {

// 3 x 3 pixels 0..8, `count` times.
Tensor Images(int64_t count) {
  std::vector<float> pixels;
  for (int64_t i = 0; i < count * 9; ++i) {
    pixels.push_back(static_cast<float>(i % 9));
  }
  return Tensor::FromVector(pixels, Shape{count, 3, 3, 1});
}

// The upper left pixel of each image: 0, flipped 2, 6, or 8.
std::vector<float> Corners(const Tensor& images) {
  std::vector<float> corners;
  for (int64_t n = 0; n < images.dim(0); ++n) {
    corners.push_back(images.at<float>(n * 9));
  }
  return corners;
}

std::string Flips(const Layer& flip, int64_t count = 8) {
  std::string flips;
  for (const float corner : Corners(flip(Images(count), /*training=*/true))) {
    flips += corner == 0 ? '.' : 'F';
  }
  return flips;
}

TEST(RandomFlipTest, DrawsOfKeras2) {
  const RandomFlip one(FlipMode::kHorizontal, {.seed = 1});
  EXPECT_EQ(Flips(one), "...F...F");
  EXPECT_EQ(Flips(one), "...FF.FF");
  EXPECT_EQ(Flips(one), "F..FFF..");
  const RandomFlip vertical(FlipMode::kVertical, {.seed = 7});
  EXPECT_EQ(Flips(vertical), "FFF.FF..");
  EXPECT_EQ(Flips(vertical), "F.FF.FF.");
  const RandomFlip big(FlipMode::kHorizontal, {.seed = 123456789012});
  EXPECT_EQ(Flips(big), "F....F.F");
  EXPECT_EQ(Flips(big), ".FFFFFFF");
  EXPECT_EQ(Flips(RandomFlip(FlipMode::kHorizontal, {.seed = 1}), 20),
            "...F...FFFF..F..FF.F");
}

TEST(RandomFlipTest, Geometry) {
  const RandomFlip horizontal(FlipMode::kHorizontal, {.seed = 1});
  const Tensor x = Images(8);
  const Tensor left_right = horizontal(x, /*training=*/true);
  EXPECT_EQ(left_right.Row(0).ToVector<float>(), x.Row(0).ToVector<float>());
  EXPECT_EQ(left_right.Row(3).ToVector<float>(),
            (std::vector<float>{2, 1, 0, 5, 4, 3, 8, 7, 6}));
  const RandomFlip vertical(FlipMode::kVertical, {.seed = 1});
  EXPECT_EQ(vertical(x, /*training=*/true).Row(3).ToVector<float>(),
            (std::vector<float>{6, 7, 8, 3, 4, 5, 0, 1, 2}));
}

TEST(RandomFlipTest, ChannelsStayTogether) {
  const Tensor x =
      Tensor::FromVector<float>({1, 2, 3, 4, 5, 6, 7, 8}, {1, 2, 2, 2});
  using preprocessing_internal::FlipAxis;
  using preprocessing_internal::FlipImages;
  EXPECT_EQ(FlipImages(x, {true}, FlipAxis::kColumns).ToVector<float>(),
            (std::vector<float>{3, 4, 1, 2, 7, 8, 5, 6}));
  EXPECT_EQ(FlipImages(x, {true}, FlipAxis::kRows).ToVector<float>(),
            (std::vector<float>{5, 6, 7, 8, 1, 2, 3, 4}));
}

TEST(RandomFlipTest, OnlyInTraining) {
  const RandomFlip flip;
  const Tensor x = Images(8);
  EXPECT_TRUE(BitwiseEqual(flip(x), x));
  EXPECT_EQ(flip(x.Cast(DType::kUInt8)).dtype(), DType::kFloat32);
}

TEST(RandomFlipTest, EmptyBatchesCount) {
  const RandomFlip flip(FlipMode::kHorizontal, {.seed = 1});
  EXPECT_EQ(flip(Images(0), /*training=*/true).shape(), (Shape{0, 3, 3, 1}));
  EXPECT_EQ(Flips(flip), "...FF.FF");
}

TEST(RandomFlipTest, TeamsAgree) {
  const Tensor x = Images(20);
  const Tensor alone = RandomFlip(FlipMode::kHorizontalAndVertical,
                                  {.seed = 1})(x, /*training=*/true);
  ThreadTeam team(3);
  const ThreadTeamScope scope(&team);
  EXPECT_TRUE(BitwiseEqual(RandomFlip(FlipMode::kHorizontalAndVertical,
                                      {.seed = 1})(x, /*training=*/true),
                           alone));
}

TEST(RandomFlipTest, GradientIsFlippedBack) {
  const RandomFlip flip(FlipMode::kHorizontal, {.seed = 1});
  const Tensor x = Images(4);
  GradientTape tape;
  tape.Watch(x);
  const Tensor y = flip(x, /*training=*/true) * Images(4);
  const Tensor dx = *tape.Gradient(y, std::vector<Tensor>{x})[0];
  EXPECT_EQ(dx.Row(0).ToVector<float>(), Images(1).ToVector<float>());
  EXPECT_EQ(dx.Row(3).ToVector<float>(),
            (std::vector<float>{2, 1, 0, 5, 4, 3, 8, 7, 6}));
}

TEST(RandomFlipTest, RefusesWrongInputs) {
  const RandomFlip flip;
  ExpectError(
      [&] {
        flip(Tensor::Zeros(Shape{3, 3, 1}));
      },
      Code::kInvalidArgument,
      "[RandomFlip] images must be [N, H, W, C], got (None, 3, 1)");
  FakeGpu gpu;
  flip.Build(Shape{kUnknownDim, 3, 3, 1});
  const Tensor there = Images(1).To(gpu.device());
  EXPECT_EQ(CodeOf([&] { flip(there, /*training=*/true); }),
            Code::kUnimplemented);
}

TEST(RandomFlipTest, Config) {
  // Keras 3.15.1's get_config, without "data_format".
  const LayerConfig config =
      RandomFlip(FlipMode::kVertical, {.seed = 1}).impl().Config();
  EXPECT_EQ(config.class_name, "RandomFlip");
  EXPECT_EQ(config.config["mode"], "vertical");
  EXPECT_EQ(config.config["seed"], 1);
  EXPECT_EQ(RandomFlip().impl().Config().config["seed"], nullptr);
  EXPECT_EQ(RandomFlip().impl().Config().config["mode"],
            "horizontal_and_vertical");
}

}  // namespace
}  // namespace lockstep
