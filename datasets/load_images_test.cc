#include "datasets/load_images.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "datasets/fashion_mnist.h"
#include "datasets/idx_testing.h"
#include "datasets/mnist.h"
#include "datasets/sha256.h"
#include "reference/data/dataset_testing.h"

namespace lockstep {
namespace {

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

}  // namespace
}  // namespace lockstep
