// Expected values: tf_keras 2.21.
#include "reference/preprocessing/random/random_crop.h"

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

#include "reference/autodiff/gradient_tape.h"
#include "reference/base/error_testing.h"
#include "reference/layers/layer_config.h"

namespace lockstep {
namespace {

// Pixels 0, 1, 2, ... of 5 rows of 7.
Tensor FiveBySeven() {
  std::vector<float> pixels(35);
  std::iota(pixels.begin(), pixels.end(), 0);
  return Tensor::FromVector(pixels, Shape{1, 5, 7, 1});
}

void ExpectPixels(const Tensor& image, const std::vector<float>& wanted) {
  const std::vector<float> pixels = image.ToVector<float>();
  ASSERT_EQ(pixels.size(), wanted.size());
  for (size_t i = 0; i < wanted.size(); ++i) {
    EXPECT_NEAR(pixels[i], wanted[i], 4e-6) << i;  // two roundings of 32
  }
}

TEST(RandomCropTest, PlacesOfKeras2) {
  const RandomCrop one(2, 3, {.seed = 1});
  for (const float corner : {11.0f, 24.0f, 10.0f, 24.0f}) {
    const Tensor y = one(FiveBySeven(), /*training=*/true);
    EXPECT_EQ(y.shape(), (Shape{1, 2, 3, 1}));
    EXPECT_EQ(y.ToVector<float>(),
              (std::vector<float>{corner, corner + 1, corner + 2, corner + 7,
                                  corner + 8, corner + 9}));
  }
  const RandomCrop five(2, 3, {.seed = 5});
  for (const float corner : {24.0f, 22.0f, 21.0f, 24.0f}) {
    EXPECT_EQ(five(FiveBySeven(), /*training=*/true).at<float>(0), corner);
  }
}

TEST(RandomCropTest, OnePlaceForTheBatch) {
  const Tensor x =
      Tensor::FromVector<float>({0, 1, 2, 3, 10, 11, 12, 13}, {2, 2, 2, 1});
  const RandomCrop crop(1, 1, {.seed = 3});
  for (int call = 0; call < 8; ++call) {
    const Tensor y = crop(x, /*training=*/true);
    EXPECT_EQ(y.at<float>(1), y.at<float>(0) + 10);
  }
}

TEST(RandomCropTest, InferenceResizesTheMiddle) {
  ExpectPixels(RandomCrop(2, 3)(FiveBySeven()),
               {4.166666507720947f, 6.5f, 8.833333015441895f,
                18.16666603088379f, 20.5f, 22.833332061767578f});
  ExpectPixels(RandomCrop(4, 4)(FiveBySeven()),
               {2, 3.25, 4.5, 5.75, 10.75, 12, 13.25, 14.5, 19.5, 20.75, 22,
                23.25, 28.25, 29.5, 30.75, 32});
  // By hand: the middle of a column of 5.
  const Tensor column =
      FiveBySeven().Reshape(Shape{35}).Slice(0, 5).Reshape(Shape{1, 5, 1, 1});
  EXPECT_EQ(RandomCrop(1, 1)(column).item<float>(), 2);
  EXPECT_EQ(RandomCrop(5, 7)(FiveBySeven()).ToVector<float>(),
            FiveBySeven().ToVector<float>());
}

TEST(RandomCropTest, SmallImagesAreResizedInTraining) {
  const RandomCrop crop(6, 4, {.seed = 1});
  ExpectPixels(crop(FiveBySeven(), /*training=*/true), {2,
                                                        2.625f,
                                                        3.375f,
                                                        4,
                                                        7.25f,
                                                        7.875f,
                                                        8.625f,
                                                        9.25f,
                                                        13.083333015441895f,
                                                        13.708333015441895f,
                                                        14.458333015441895f,
                                                        15.083333015441895f,
                                                        18.91666603088379f,
                                                        19.54166603088379f,
                                                        20.29166603088379f,
                                                        20.91666603088379f,
                                                        24.75f,
                                                        25.375f,
                                                        26.125f,
                                                        26.75f,
                                                        30,
                                                        30.625f,
                                                        31.375f,
                                                        32});
}

TEST(RandomCropTest, GradientIsZeroOutsideTheWindow) {
  const RandomCrop crop(2, 3, {.seed = 1});  // at pixel 11, as above
  const Tensor x = FiveBySeven();
  GradientTape tape;
  tape.Watch(x);
  const Tensor y = crop(x, /*training=*/true);
  const Tensor dx = *tape.Gradient(y, std::vector<Tensor>{x})[0];
  std::vector<float> wanted(35, 0);
  for (const int pixel : {11, 12, 13, 18, 19, 20}) wanted[pixel] = 1;
  EXPECT_EQ(dx.ToVector<float>(), wanted);
}

TEST(RandomCropTest, GradientOfResizingSumsToThePixels) {
  const RandomCrop crop(4, 4);
  const Tensor x = FiveBySeven();
  GradientTape tape;
  tape.Watch(x);
  const Tensor y = crop(x);
  const Tensor dx = *tape.Gradient(y, std::vector<Tensor>{x})[0];
  const std::vector<float> sums = dx.ToVector<float>();
  // Each pixel of the result has weights whose sum is 1.
  EXPECT_FLOAT_EQ(std::accumulate(sums.begin(), sums.end(), 0.0f), 16);
  EXPECT_EQ(sums[0], 0);  // the first column is not in the middle
  EXPECT_GT(sums[1], 0);
}

TEST(RandomCropTest, ShapesAndTypes) {
  const RandomCrop crop(2, 3);
  EXPECT_EQ(crop.ComputeOutputShape(Shape{kUnknownDim, 5, 7, 3}),
            (Shape{kUnknownDim, 2, 3, 3}));
  const Tensor bytes = Tensor::Zeros(Shape{0, 5, 7, 3}, DType::kUInt8);
  const Tensor y = crop(bytes);
  EXPECT_EQ(y.shape(), (Shape{0, 2, 3, 3}));
  EXPECT_EQ(y.dtype(), DType::kFloat32);
}

TEST(RandomCropTest, RefusesWrongSizes) {
  EXPECT_EQ(CodeOf([] { RandomCrop(0, 1); }), Code::kInvalidArgument);
  EXPECT_EQ(CodeOf([] { RandomCrop(1, -1); }), Code::kInvalidArgument);
  EXPECT_EQ(CodeOf([] {
              RandomCrop(1, 1)(Tensor::Zeros(Shape{1, 0, 2, 1}));
            }),
            Code::kInvalidArgument);
  EXPECT_EQ(CodeOf([] {
              RandomCrop(1, 1)(Tensor::Zeros(Shape{5, 7}));
            }),
            Code::kInvalidArgument);
}

TEST(RandomCropTest, Config) {
  const LayerConfig config = RandomCrop(2, 3, {.seed = 1}).impl().Config();
  EXPECT_EQ(config.class_name, "RandomCrop");
  EXPECT_EQ(config.config["height"], 2);
  EXPECT_EQ(config.config["width"], 3);
  EXPECT_EQ(config.config["seed"], 1);
}

}  // namespace
}  // namespace lockstep
