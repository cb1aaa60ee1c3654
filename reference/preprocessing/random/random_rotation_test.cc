// Expected values: by hand, and the image transform of TensorFlow 2.21 with
// tf_keras 2.21's rotation matrices.
#include "reference/preprocessing/random/random_rotation.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "reference/autodiff/gradient_tape.h"
#include "reference/base/error_testing.h"
#include "reference/layers/layer_config.h"

namespace lockstep {
namespace {

using Pixels = std::vector<float>;

// Pixels 0, 1, 2, ... of one image.
Tensor Counting(int64_t rows, int64_t columns) {
  Pixels pixels;
  for (int64_t i = 0; i < rows * columns; ++i) {
    pixels.push_back(static_cast<float>(i));
  }
  return Tensor::FromVector(pixels, Shape{1, rows, columns, 1});
}

// By a given angle, in degrees.
Tensor Rotated(const Tensor& x, double degrees,
               RandomRotationOptions options = {}) {
  const double turns = degrees / 360;
  return RandomRotation({turns, turns}, options)(x, /*training=*/true);
}

void ExpectImage(const Tensor& image, const Pixels& wanted) {
  const Pixels pixels = image.ToVector<float>();
  ASSERT_EQ(pixels.size(), wanted.size());
  for (size_t i = 0; i < wanted.size(); ++i) {
    // TensorFlow computes places in float32: roundings of 11, times 10 colours.
    EXPECT_NEAR(pixels[i], wanted[i], 1e-5) << i;
  }
}

TEST(RandomRotationTest, QuartersOfATurn) {
  const Tensor x = Counting(3, 3);
  const RandomRotationOptions nearest{.fill_mode = FillMode::kConstant,
                                      .interpolation = Interpolation::kNearest};
  EXPECT_EQ(Rotated(x, 0, nearest).ToVector<float>(), x.ToVector<float>());
  EXPECT_EQ(Rotated(x, 90, nearest).ToVector<float>(),
            (Pixels{2, 5, 8, 1, 4, 7, 0, 3, 6}));
  EXPECT_EQ(Rotated(x, 180, nearest).ToVector<float>(),
            (Pixels{8, 7, 6, 5, 4, 3, 2, 1, 0}));
  EXPECT_EQ(Rotated(x, -90, nearest).ToVector<float>(),
            (Pixels{6, 3, 0, 7, 4, 1, 8, 5, 2}));
}

TEST(RandomRotationTest, OutsideOfATurnedRectangle) {
  const Tensor x = Counting(1, 3);
  const auto turned = [&](FillMode fill_mode) {
    return Rotated(x, 90,
                   {.fill_mode = fill_mode,
                    .interpolation = Interpolation::kNearest,
                    .fill_value = 7})
        .ToVector<float>();
  };
  EXPECT_EQ(turned(FillMode::kConstant), (Pixels{7, 1, 7}));
  EXPECT_EQ(turned(FillMode::kNearest), (Pixels{1, 1, 1}));
}

TEST(RandomRotationTest, ThirtyDegreesBilinear) {
  const Tensor x = Counting(3, 4);
  const auto turned = [&](FillMode fill_mode) {
    return Rotated(x, 30, {.fill_mode = fill_mode, .fill_value = -1});
  };
  ExpectImage(
      turned(FillMode::kReflect),
      {0.7009619f, 1.5669873f, 3.9689112f, 6.5358982f, 1.2009617f, 4.0669875f,
       6.933013f, 9.7990379f, 4.4641013f, 7.0310893f, 9.433012f, 10.299038f});
  ExpectImage(
      turned(FillMode::kWrap),
      {8.7009621f, 9.566987f, 3.9689112f, 3.5358982f, 1.2009617f, 4.0669875f,
       6.933013f, 9.7990379f, 7.4641013f, 7.0310893f, 1.4330127f, 2.2990379f});
  ExpectImage(
      turned(FillMode::kConstant),
      {-0.3468739f, 1.2691514f, 3.9689112f, 4.2823787f, 1.2009617f, 4.0669875f,
       6.933013f, 9.7990379f, 2.8301272f, 7.0310893f, 8.222517f, 3.3385429f});
  ExpectImage(
      turned(FillMode::kNearest),
      {0.7009619f, 1.5669873f, 3.9689112f, 6.5358982f, 1.2009617f, 4.0669875f,
       6.933013f, 9.7990379f, 4.4641013f, 7.0310893f, 9.433012f, 10.299038f});
}

TEST(RandomRotationTest, HundredDegreesNearest) {
  const auto turned = [&](FillMode fill_mode) {
    return Rotated(Counting(3, 4), 100,
                   {.fill_mode = fill_mode,
                    .interpolation = Interpolation::kNearest,
                    .fill_value = -1})
        .ToVector<float>();
  };
  EXPECT_EQ(turned(FillMode::kReflect),
            (Pixels{3, 7, 10, 10, 2, 6, 5, 9, 1, 1, 4, 8}));
  EXPECT_EQ(turned(FillMode::kWrap),
            (Pixels{11, 7, 10, 2, 10, 6, 5, 1, 9, 1, 4, 0}));
  EXPECT_EQ(turned(FillMode::kConstant),
            (Pixels{3, 7, 10, -1, 2, 6, 5, 9, -1, 1, 4, 8}));
}

TEST(RandomRotationTest, PlacesFarOutside) {
  // One column of the result reads a column of x; from its middle, 0.5, on it
  // reads rows -3 to 4 of the two rows a and b.
  const Tensor x = Counting(2, 8);
  const auto column = [&](FillMode fill_mode) {
    const Tensor y = Rotated(x, 90,
                             {.fill_mode = fill_mode,
                              .interpolation = Interpolation::kNearest,
                              .fill_value = -1});
    std::string rows;
    for (int64_t c = 0; c < 8; ++c) {
      const float pixel = y.at<float>(c);
      rows += pixel < 0 ? '.' : pixel < 8 ? 'a' : 'b';
    }
    return rows;
  };
  EXPECT_EQ(column(FillMode::kConstant), "...ab...");
  EXPECT_EQ(column(FillMode::kNearest), "aaaabbbb");
  EXPECT_EQ(column(FillMode::kReflect), "bbaabbaa");
}

TEST(RandomRotationTest, EachImageHasItsAngleAndCallsDiffer) {
  const Tensor one = Counting(3, 3);
  std::vector<Pixels> results;
  const RandomRotation rotation(0.5, {.seed = 4});
  Pixels pixels = one.ToVector<float>();
  pixels.insert(pixels.end(), pixels.begin(), pixels.end());
  const Tensor two = Tensor::FromVector(pixels, Shape{2, 3, 3, 1});
  for (int call = 0; call < 2; ++call) {
    const Tensor y = rotation(two, /*training=*/true);
    results.push_back(y.Row(0).ToVector<float>());
    results.push_back(y.Row(1).ToVector<float>());
  }
  for (size_t i = 0; i < results.size(); ++i) {
    for (size_t j = 0; j < i; ++j) EXPECT_NE(results[i], results[j]);
  }
  const RandomRotation again(0.5, {.seed = 4});
  EXPECT_EQ(again(two, /*training=*/true).Row(1).ToVector<float>(), results[1]);
  EXPECT_TRUE(BitwiseEqual(rotation(two), two));
}

TEST(RandomRotationTest, AnglesAreInTheRange) {
  // A pixel right of the centre, turned by up to 90 degrees to the left, is
  // never below or left of it.
  Pixels pixels(9, 0);
  pixels[5] = 1;
  const Tensor x = Tensor::FromVector(pixels, Shape{1, 3, 3, 1});
  const RandomRotation rotation({0, 0.25},
                                {.fill_mode = FillMode::kConstant, .seed = 1});
  for (int call = 0; call < 20; ++call) {
    const Pixels y = rotation(x, /*training=*/true).ToVector<float>();
    EXPECT_EQ(y[0] + y[3] + y[6] + y[7], 0);
    EXPECT_GT(y[1] + y[2] + y[5], 0.5);
  }
}

TEST(RandomRotationTest, GradientGoesBackToThePixels) {
  const RandomRotation rotation({0.25, 0.25},
                                {.fill_mode = FillMode::kConstant});
  const Tensor x = Counting(1, 3);
  GradientTape tape;
  tape.Watch(x);
  const Tensor y = rotation(x, /*training=*/true);
  const Tensor dx = *tape.Gradient(y, std::vector<Tensor>{x})[0];
  ExpectImage(dx, {0, 1, 0});  // only the centre stays inside
}

TEST(RandomRotationTest, TypesAndEmptyBatches) {
  const Tensor bytes = Counting(2, 2).Cast(DType::kUInt8);
  EXPECT_EQ(Rotated(bytes, 0).ToVector<float>(), (Pixels{0, 1, 2, 3}));
  const RandomRotation narrow({0, 0}, {.dtype = DTypePolicy("mixed_bfloat16")});
  EXPECT_EQ(narrow(bytes, /*training=*/true).dtype(), DType::kBFloat16);
  EXPECT_EQ(Rotated(Tensor::Zeros(Shape{0, 2, 2, 1}), 10).shape(),
            (Shape{0, 2, 2, 1}));
}

TEST(RandomRotationTest, RefusesWrongFactors) {
  for (const RotationRange& range :
       {RotationRange(0.5, 0.25), RotationRange(-2, 0), RotationRange(0, 1.5),
        RotationRange(std::nan(""))}) {
    EXPECT_EQ(CodeOf([&] { RandomRotation rotation(range); }),
              Code::kInvalidArgument);
  }
}

TEST(RandomRotationTest, Config) {
  // Keras 3.15.1's get_config, without "data_format".
  const LayerConfig config =
      RandomRotation({-0.125, 0.25}, {.fill_mode = FillMode::kConstant,
                                      .interpolation = Interpolation::kNearest,
                                      .fill_value = 2,
                                      .seed = 3,
                                      .name = "r"})
          .impl()
          .Config();
  EXPECT_EQ(config.class_name, "RandomRotation");
  EXPECT_EQ(config.config["factor"], Json::parse("[-0.125, 0.25]"));
  EXPECT_EQ(config.config["fill_mode"], "constant");
  EXPECT_EQ(config.config["fill_value"], 2);
  EXPECT_EQ(config.config["interpolation"], "nearest");
  EXPECT_EQ(config.config["seed"], 3);
  EXPECT_EQ(RandomRotation(0.2).impl().Config().config["factor"],
            Json::parse("[-0.2, 0.2]"));
}

}  // namespace
}  // namespace lockstep
