#include "datasets/synthetic.h"

#include <gtest/gtest.h>

#include "reference/data/dataset_testing.h"
#include "reference/device/fake_gpu.h"

namespace lockstep {
namespace {

// The class whose pixels are brightest on average.
int64_t BrightestBlock(const Tensor& image, int64_t classes) {
  const int64_t pixels = image.num_elements();
  int64_t best = -1;
  double best_mean = -1;
  for (int64_t c = 0; c < classes; ++c) {
    const int64_t begin = c * pixels / classes;
    const int64_t end = (c + 1) * pixels / classes;
    double sum = 0;
    for (int64_t i = begin; i < end; ++i) sum += image.at<uint8_t>(i);
    if (sum / (end - begin) > best_mean) {
      best_mean = sum / (end - begin);
      best = c;
    }
  }
  return best;
}

TEST(SyntheticTest, TheBrightestBlockIsTheClass) {
  for (const auto& [side, classes] :
       {std::pair{28, 10}, std::pair{3, 9}, std::pair{5, 7}}) {
    const ImageExamples examples = MakeSyntheticImages(
        {.count = 50, .height = side, .width = side, .classes = classes});
    for (int64_t i = 0; i < 50; ++i) {
      EXPECT_EQ(BrightestBlock(examples.images.Row(i), classes),
                examples.labels.at<int64_t>(i));
    }
  }
}

TEST(SyntheticTest, ColourImagesMayHaveMoreClassesThanPixels) {
  const ImageExamples examples = MakeSyntheticImages(
      {.count = 12, .height = 2, .width = 2, .channels = 3, .classes = 12});
  EXPECT_EQ(examples.images.shape(), (Shape{12, 2, 2, 3}));
  for (int64_t i = 0; i < 12; ++i) {
    EXPECT_EQ(BrightestBlock(examples.images.Row(i), 12), i);
  }
}

TEST(SyntheticTest, ClassesAreBalanced) {
  const ImageExamples examples = MakeSyntheticImages({.count = 20});
  for (int64_t i = 0; i < 20; ++i) {
    EXPECT_EQ(examples.labels.at<int64_t>(i), i % 10);
  }
}

TEST(SyntheticTest, SeedsGiveTheSameOrOtherImages) {
  const Tensor a = MakeSyntheticImages({.count = 3, .seed = 5}).images;
  const Tensor b = MakeSyntheticImages({.count = 3, .seed = 5}).images;
  const Tensor c = MakeSyntheticImages({.count = 3, .seed = 6}).images;
  EXPECT_TRUE(BitwiseEqual(a, b));
  EXPECT_FALSE(BitwiseEqual(a, c));
}

TEST(SyntheticTest, ImagesLieWithTheHostWhateverTheCurrentDevice) {
  FakeGpu gpu;
  const DeviceScope on_gpu(gpu.device());
  const ImageExamples examples = MakeSyntheticImages({.count = 2});
  EXPECT_TRUE(examples.images.on_host());
  EXPECT_EQ(examples.labels.ToVector<int64_t>(), (std::vector<int64_t>{0, 1}));
}

TEST(SyntheticTest, TrainingAndTestDiffer) {
  const ImageData data = MakeSyntheticData({.count = 4, .seed = 2}, 4);
  EXPECT_FALSE(BitwiseEqual(data.train.images, data.test.images));
  EXPECT_EQ(data.description, "synthetic, seed 2 (4 + 4 images)");
}

TEST(SyntheticTest, ImpossibleOptionsAreRefused) {
  for (const SyntheticOptions& options :
       {SyntheticOptions{.count = -1}, SyntheticOptions{.height = 0},
        SyntheticOptions{.classes = 0}, SyntheticOptions{.channels = 0},
        SyntheticOptions{.height = 2, .width = 2, .classes = 5}}) {
    ExpectError([&] { MakeSyntheticImages(options); }, Code::kInvalidArgument,
                "[Synthetic] wanted");
  }
}

}  // namespace
}  // namespace lockstep
