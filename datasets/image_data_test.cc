#include "datasets/image_data.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "datasets/idx_testing.h"
#include "datasets/load_images.h"
#include "datasets/sha256.h"
#include "datasets/synthetic.h"
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

// A dataset of three training images and one test image, 2 x 2.
class LoadImagesTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = testing::TempDir() + "/" +
              testing::UnitTest::GetInstance()->current_test_info()->name();
    std::filesystem::create_directories(folder_);
    entry_.name = "tiny";
    entry_.title = "Tiny";
    Add(kTrainImages, "a", MakeIdx(0x08, {3, 2, 2}, "abcdefghijkl"));
    Add(kTrainLabels, "b", MakeIdx(0x08, {3}, "\x01\x02\x09"));
    Add(kTestImages, "c", MakeIdx(0x08, {1, 2, 2}, "wxyz"));
    Add(kTestLabels, "d", MakeIdx(0x08, {1}, std::string(1, '\0')));
  }

  void Add(DatasetPart part, const std::string& name,
           const std::string& content) {
    Sha256 hash;
    hash.Update(content);
    entry_.files[part] = {name, std::ssize(content), hash.HexDigest()};
    Write(name + ".gz", Gzip(content));
  }

  void Write(const std::string& name, const std::string& bytes) {
    std::ofstream(folder_ + "/" + name, std::ios::binary) << bytes;
  }

  std::string folder_;
  ManifestEntry entry_;
};

TEST_F(LoadImagesTest, ReadsImagesWithAChannelAndLabelsAsInt64) {
  const ImageData data = LoadImages(entry_, folder_);
  EXPECT_EQ(Describe(data.train.images), "uint8 (3, 2, 2, 1)");
  EXPECT_EQ(data.train.labels.ToVector<int64_t>(),
            (std::vector<int64_t>{1, 2, 9}));
  EXPECT_EQ(data.test.images.at<uint8_t>(3), 'z');
  EXPECT_EQ(data.description, "Tiny (3 + 1 images)");
}

TEST_F(LoadImagesTest, ReadsUncompressedFiles) {
  std::filesystem::remove(folder_ + "/c.gz");
  Write("c", MakeIdx(0x08, {1, 2, 2}, "wxyz"));
  EXPECT_EQ(LoadImages(entry_, folder_).test.images.at<uint8_t>(0), 'w');
}

TEST_F(LoadImagesTest, AMissingFileNamesTheCommandThatGetsIt) {
  std::filesystem::remove(folder_ + "/d.gz");
  ExpectError([&] { LoadImages(entry_, folder_); }, Code::kNotFound,
              "`./bazelw run //datasets:fetch -- tiny` gets it");
}

TEST_F(LoadImagesTest, AWrongChecksumShowsGotAndWanted) {
  Write("c.gz", Gzip(MakeIdx(0x08, {1, 2, 2}, "wxy!")));
  ExpectError([&] { LoadImages(entry_, folder_); }, Code::kDataLoss,
              "c.gz: SHA-256 of the content is ");
  ExpectError([&] { LoadImages(entry_, folder_); }, Code::kDataLoss,
              "wanted " + entry_.files[kTestImages].sha256);
  EXPECT_EQ(LoadImages(entry_, folder_, false).test.images.at<uint8_t>(3), '!');
}

TEST_F(LoadImagesTest, ArraysThatAreNoImagesAreDataLoss) {
  Add(kTrainImages, "a", MakeIdx(0x08, {2, 2, 2}, "abcdefgh"));
  ExpectError([&] { LoadImages(entry_, folder_); }, Code::kDataLoss,
              "images are uint8 (2, 2, 2) and labels uint8 (3,)");
  Add(kTrainImages, "a", MakeIdx(0x08, {3}, "abc"));
  ExpectError([&] { LoadImages(entry_, folder_); }, Code::kDataLoss,
              "images are uint8 (3,)");
}

TEST_F(LoadImagesTest, LabelsMustBeClasses) {
  Add(kTrainLabels, "b", MakeIdx(0x08, {3}, "\x01\x0a\x02"));
  ExpectError([&] { LoadImages(entry_, folder_); }, Code::kDataLoss,
              "there is a label 10, wanted 0 to 9");
}

TEST(LoadFashionMnistTest, NamesTheFolderThatWasAsked) {
  LoadOptions options;
  options.data_dir = "nowhere";
  ExpectError([&] { LoadFashionMnist(options); }, Code::kNotFound,
              "nowhere/fashion_mnist/train-images-idx3-ubyte.gz");
  ExpectError([&] { LoadMnist(options); }, Code::kNotFound,
              "nowhere/mnist/train-images-idx3-ubyte.gz");
}

// Where LOCKSTEP_DATA_DIR has the published files (--test_env), these are read.
TEST(LoadFashionMnistTest, PublishedFilesHaveThePublishedHashes) {
  if (std::getenv("LOCKSTEP_DATA_DIR") == nullptr) {
    GTEST_SKIP() << "LOCKSTEP_DATA_DIR does not say where the datasets are";
  }
  for (const ImageData& data : {LoadFashionMnist(), LoadMnist()}) {
    EXPECT_EQ(Describe(data.train.images), "uint8 (60000, 28, 28, 1)");
    EXPECT_EQ(Describe(data.test.labels), "int64 (10000,)");
  }
}

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
