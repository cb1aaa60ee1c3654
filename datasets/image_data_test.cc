#include "datasets/image_data.h"

#include <gtest/gtest.h>

#include "reference/data/dataset_testing.h"
#include "reference/device/fake_gpu.h"

namespace lockstep {
namespace {

TEST(ScaleImagesTest, DividesBy255Exactly) {
  std::vector<uint8_t> values(256);
  for (int i = 0; i < 256; ++i) values[i] = static_cast<uint8_t>(i);
  const Tensor images = Tensor::FromVector<uint8_t>(values, Shape{4, 8, 8, 1});
  const Tensor scaled = ScaleImages(images);
  EXPECT_EQ(scaled.shape(), images.shape());
  for (int i = 0; i < 256; ++i) {
    EXPECT_EQ(scaled.at<float>(i), static_cast<float>(i) / 255.0f);
  }
}

TEST(ScaleImagesTest, RunsOnTheHostWhateverTheCurrentDevice) {
  const Tensor pixels = Tensor::FromVector<uint8_t>({0, 255});
  FakeGpu gpu;
  const DeviceScope on_gpu(gpu.device());
  EXPECT_EQ(ScaleImages(pixels).ToVector<float>(), (std::vector<float>{0, 1}));
  EXPECT_TRUE(ScaleImages(pixels).on_host());
}

TEST(ScaleImagesTest, RefusesOtherTypes) {
  ExpectError(
      [] {
        ScaleImages(Tensor::Zeros(Shape{1, 2, 2, 1}));
      },
      Code::kInvalidArgument, "[ScaleImages] images must be uint8");
}

TEST(ScaleFirstTest, LeavesTheLabelsAlone) {
  const ImageExamples examples = {
      Tensor::FromVector<uint8_t>({0, 255, 51}, Shape{3, 1, 1, 1}),
      Tensor::FromVector<int64_t>({7, 8, 9})};
  EXPECT_EQ(examples.size(), 3);
  EXPECT_EQ(ReadAll(ToDataset(examples).Batch(2).Map(ScaleFirst)),
            (std::vector<std::string>{"([[[[0]]], [[[1]]]], [7, 8])",
                                      "([[[[0.2]]]], [9])"}));
  const Dataset dataset = ToDataset(examples).Batch(2).Map(ScaleFirst);
  EXPECT_EQ(ToString(dataset.element_spec()[0].leaf()),
            "float32 (None, 1, 1, 1)");
}

TEST(ScaleFirstTest, WantsATuple) {
  ExpectError([] { ScaleFirst(Tensor::Zeros(Shape{1}, DType::kUInt8)); },
              Code::kInvalidArgument, "[ScaleFirst] wanted a tuple");
}

}  // namespace
}  // namespace lockstep
