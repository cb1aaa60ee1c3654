// Configurations: Keras 3.15.1's get_config, without "data_format".
#include "reference/preprocessing/numeric/rescaling.h"

#include <gtest/gtest.h>

#include <vector>

#include "reference/autodiff/gradient_tape.h"
#include "reference/base/error_testing.h"
#include "reference/layers/layer_config.h"

namespace lockstep {
namespace {

TEST(RescalingTest, ScalesThenShifts) {
  const Tensor y = Rescaling(2, -1)(Tensor::FromVector<float>({0, 1, 4}));
  EXPECT_EQ(y.ToVector<float>(), (std::vector<float>{-1, 1, 7}));
}

TEST(RescalingTest, BytesBecomeFloats) {
  const Tensor y = Rescaling(1 / 255.0)(Tensor::FromVector<uint8_t>({0, 255}));
  EXPECT_EQ(y.dtype(), DType::kFloat32);
  EXPECT_EQ(y.ToVector<float>(), (std::vector<float>{0, 1}));
}

TEST(RescalingTest, GradientIsTheScale) {
  const Tensor x = Tensor::FromVector<float>({1, 2});
  GradientTape tape;
  tape.Watch(x);
  const Tensor y = Rescaling(3, 5)(x);
  EXPECT_EQ(tape.Gradient(y, std::vector<Tensor>{x})[0]->ToVector<float>(),
            (std::vector<float>{3, 3}));
}

TEST(RescalingTest, RefusesStrings) {
  const Tensor words = Tensor::FromVector<std::string>({"a"});
  EXPECT_EQ(CodeOf([&] { Rescaling(2)(words); }), Code::kInvalidArgument);
}

TEST(RescalingTest, Config) {
  const LayerConfig config = Rescaling(2, -1, {.name = "r"}).impl().Config();
  EXPECT_EQ(config.class_name, "Rescaling");
  EXPECT_EQ(config.config["name"], "r");
  EXPECT_EQ(config.config["scale"], 2);
  EXPECT_EQ(config.config["offset"], -1);
}

}  // namespace
}  // namespace lockstep
