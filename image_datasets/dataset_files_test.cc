#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <string>

#include "dataset_files/gzip_testing.h"
#include "image_datasets/idx.h"
#include "image_datasets/idx_testing.h"
#include "image_datasets/image_data.h"
#include "image_datasets/image_manifest.h"
#include "image_datasets/load_images.h"
#include "image_datasets/synthetic.h"
#include "reference/base/encoding/sha256.h"
#include "reference/base/fuzzing/damage.h"
#include "reference/base/fuzzing/rounds.h"
#include "reference/data/dataset_testing.h"
#include "reference/device/fake_gpu.h"

namespace lockstep {
namespace {

// Expected values: FIPS 180-2, appendix B, and its empty message.
TEST(Sha256Test, StandardExamples) {
  Sha256 abc;
  abc.Update("abc");
  EXPECT_EQ(abc.HexDigest(),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  Sha256 million;
  for (int i = 0; i < 1000; ++i) million.Update(std::string(1000, 'a'));
  EXPECT_EQ(million.HexDigest(),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
  EXPECT_EQ(Sha256().HexDigest(),
            "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}

const std::string kSmall = MakeIdx(0x08, {2, 3}, "\x01\x02\x03\x04\x05\xff");

TEST(IdxTest, ReadsPlainAndCompressed) {
  for (const std::string& bytes : {kSmall, Gzip(kSmall)}) {
    const Tensor tensor = ParseIdx(bytes, "small");
    EXPECT_EQ(Describe(tensor), "uint8 (2, 3)");
    EXPECT_EQ(tensor.ToVector<uint8_t>(),
              (std::vector<uint8_t>{1, 2, 3, 4, 5, 255}));
  }
}

// An archive has a checksum of its content.
TEST(IdxTest, DetectsDamagedArchives) {
  const Tensor expected = ParseIdx(kSmall, "small");
  ForDamagedCopies(
      Gzip(kSmall), 200 * TestRounds(), [&](const std::string& damaged) {
        try {
          EXPECT_TRUE(BitwiseEqual(ParseIdx(damaged, "small"), expected));
        } catch (const Error& error) {
          EXPECT_TRUE(error.code() == Code::kDataLoss ||
                      error.code() == Code::kUnimplemented)
              << error.what();
        }
      });
}

TEST(IdxTest, ReadsToTheHost) {
  FakeGpu gpu;
  const DeviceScope on_gpu(gpu.device());
  EXPECT_EQ(ParseIdx(kSmall, "small").ToVector<uint8_t>(),
            (std::vector<uint8_t>{1, 2, 3, 4, 5, 255}));
}

TEST(IdxTest, ReadsEveryTypeBigEndian) {
  using std::string_view_literals::operator""sv;
  EXPECT_EQ(ParseIdx(MakeIdx(0x0C, {2}, "\x01\x02\x03\x04\xff\xff\xff\xfe"sv),
                     "int32")
                .ToVector<int32_t>(),
            (std::vector<int32_t>{0x01020304, -2}));
  EXPECT_EQ(
      ParseIdx(MakeIdx(0x0D, {1}, "\x3f\x80\x00\x00"sv), "float").item<float>(),
      1.0f);
  EXPECT_EQ(ParseIdx(MakeIdx(0x0E, {1}, "\x40\x00\x00\x00\x00\x00\x00\x00"sv),
                     "double")
                .item<double>(),
            2.0);
}

TEST(IdxTest, ReadsEmptyArraysAndSeveralMembers) {
  EXPECT_EQ(Describe(ParseIdx(MakeIdx(0x08, {0, 28}, ""), "empty")),
            "uint8 (0, 28)");
  const std::string two = Gzip(kSmall.substr(0, 5)) + Gzip(kSmall.substr(5));
  EXPECT_EQ(Describe(ParseIdx(two, "members")), "uint8 (2, 3)");
}

TEST(IdxTest, HashesTheContentPlainOrCompressed) {
  Sha256 plain, compressed, expected;
  ParseIdx(kSmall, "small", &plain);
  ParseIdx(Gzip(kSmall), "small", &compressed);
  expected.Update(kSmall);
  const std::string digest = expected.HexDigest();
  EXPECT_EQ(plain.HexDigest(), digest);
  EXPECT_EQ(compressed.HexDigest(), digest);
}

void ExpectDataLoss(const std::string& bytes, const std::string& part) {
  ExpectError([&] { ParseIdx(bytes, "small"); }, Code::kDataLoss, part);
}

TEST(IdxTest, WrongHeadersAreDataLoss) {
  ExpectDataLoss("PK\3\4 zip, not IDX",
                 "[ReadIdx] small: at offset 0: the magic number begins with "
                 "50 4b, wanted 00 00");
  ExpectDataLoss(MakeIdx(0x07, {1}, "x"),
                 "at offset 2: there is no element type 0x07");
  ExpectDataLoss(MakeIdx(0x08, {}, "x"),
                 "at offset 3: 0 dimensions, wanted 1 to 8");
  ExpectDataLoss(MakeIdx(0x08, std::vector<uint32_t>(9, 1), "x"),
                 "at offset 3: 9 dimensions");
  ExpectDataLoss("", "truncated at offset 0: the magic number want 4");
}

TEST(IdxTest, RefusesUnsupportedTypes) {
  ExpectError([] { ParseIdx(MakeIdx(0x09, {1}, "x"), "t"); },
              Code::kUnimplemented, "int8");
  ExpectError([] { ParseIdx(MakeIdx(0x0B, {1}, "xx"), "t"); },
              Code::kUnimplemented, "int16");
}

TEST(IdxTest, ChecksHeadersBeforeAllocating) {
  const std::vector<uint32_t> huge = {0xffffffff, 0xffffffff};
  const std::vector<uint32_t> overflowing(8, 0xffffffff);
  for (const auto& dims : {huge, overflowing, {1u << 30, 2u}}) {
    const std::string lie = MakeIdx(0x08, dims, "abc");
    ExpectDataLoss(lie, "the header claims dimensions");
    ExpectDataLoss(Gzip(lie), "the header claims dimensions");
  }
  ExpectDataLoss(MakeIdx(0x08, {4}, "abc"),
                 "claims dimensions (4,), but at most 3 bytes can follow at "
                 "offset 8");
}

TEST(IdxTest, ZeroDimensionHidesNoOverflow) {
  EXPECT_EQ(ParseIdx(MakeIdx(0x08, {0, 5}, ""), "t").num_elements(), 0);
  ExpectDataLoss(MakeIdx(0x08, {0, 5}, "x"), "bytes after the end");
  ExpectDataLoss(MakeIdx(0x08, {0xffffffff, 0xffffffff, 0}, ""),
                 "the header claims dimensions");
}

TEST(IdxTest, TrailingBytesAreDataLoss) {
  ExpectDataLoss(kSmall + "x", "there are bytes after the end at offset 18");
  ExpectDataLoss(Gzip(kSmall + "x"), "after the end at offset 18");
  ExpectDataLoss(Gzip(kSmall) + "junk", "the archive is damaged");
}

TEST(IdxTest, EveryTruncationIsDataLoss) {
  for (const std::string& bytes : {kSmall, Gzip(kSmall)}) {
    for (size_t size = 0; size < bytes.size(); ++size) {
      ExpectDataLoss(bytes.substr(0, size), "");
    }
  }
}

// A flipped bit of a plain file changes the elements or is detected; in an
// archive it is detected unless it has no meaning.
TEST(IdxTest, DetectsFlippedBits) {
  const Tensor right = ParseIdx(kSmall, "small");
  for (const std::string& whole : {kSmall, Gzip(kSmall)}) {
    for (size_t bit = 0; bit < 8 * whole.size(); ++bit) {
      std::string bytes = whole;
      bytes[bit / 8] ^= static_cast<char>(1 << bit % 8);
      try {
        const Tensor tensor = ParseIdx(bytes, "flipped");
        EXPECT_EQ(tensor.shape(), right.shape()) << bit;
        EXPECT_NE(BitwiseEqual(tensor, right), whole == kSmall) << bit;
      } catch (const Error& e) {
        EXPECT_TRUE(e.code() == Code::kDataLoss ||
                    e.code() == Code::kUnimplemented)
            << e.what();
      }
    }
  }
}

TEST(IdxTest, FilesMustExist) {
  ExpectError([] { ReadIdxFile("nowhere/x.gz"); }, Code::kNotFound,
              "nowhere/x.gz");
  ExpectError([] { ReadIdxFile("."); }, Code::kUnavailable, ".");
}

TEST(ManifestTest, EveryEntryIsComplete) {
  ASSERT_EQ(ImageManifest().size(), 3u);
  for (const ManifestEntry& entry : ImageManifest()) {
    EXPECT_FALSE(entry.title.empty());
    for (const DatasetFile& file : entry.files) {
      EXPECT_FALSE(file.name.empty());
      EXPECT_EQ(file.sha256.size(), 64u);
      EXPECT_GT(file.bytes, 0);
    }
    for (const std::string& url : entry.urls) {
      EXPECT_TRUE(url.starts_with("http") && url.ends_with('/')) << url;
    }
  }
}

TEST(ManifestTest, FindsByName) {
  const ManifestEntry& entry = FindImageDataset("fashion_mnist");
  EXPECT_EQ(entry.title, "Fashion-MNIST");
  EXPECT_EQ(entry.files[kTestLabels].name, "t10k-labels-idx1-ubyte");
  EXPECT_EQ(entry.files[kTestLabels].bytes, 10008);
  ExpectError([] { FindImageDataset("cifar"); }, Code::kNotFound,
              "there is no dataset 'cifar'; there are fashion_mnist, mnist");
}

TEST(ManifestTest, RefusesOtherText) {
  for (const char* text :
       {"", "{", "[]", "{}", R"({"format": 2, "datasets": {}})",
        R"({"format": 1, "datasets": {"x": {}}})",
        R"({"format": 1, "datasets": {"x": {"title": 3, "urls": [],
            "files": {}}}})"}) {
    ExpectError([&] { ParseManifest(text); }, Code::kInvalidArgument, "");
  }
}

// Restores the variables that it changes: other tests read them.
class DataFolderTest : public testing::Test {
 protected:
  static constexpr const char* kVariables[] = {"HOME", "XDG_CACHE_HOME",
                                               "LOCKSTEP_DATA_DIR"};

  DataFolderTest() {
    for (const char* name : kVariables) {
      const char* value = std::getenv(name);
      saved_[name] = value ? std::optional<std::string>(value) : std::nullopt;
    }
  }
  ~DataFolderTest() override {
    for (const auto& [name, value] : saved_) {
      value ? setenv(name.c_str(), value->c_str(), 1) : unsetenv(name.c_str());
    }
  }

 private:
  std::map<std::string, std::optional<std::string>> saved_;
};

TEST_F(DataFolderTest, TheMostSpecificVariableWins) {
  setenv("HOME", "home", 1);
  setenv("XDG_CACHE_HOME", "cache", 1);
  setenv("LOCKSTEP_DATA_DIR", "data", 1);
  EXPECT_EQ(DefaultDataFolder(), "data");
  setenv("LOCKSTEP_DATA_DIR", "", 1);
  EXPECT_EQ(DefaultDataFolder(), "cache/lockstep/datasets");
  unsetenv("XDG_CACHE_HOME");
  EXPECT_EQ(DefaultDataFolder(), "home/.cache/lockstep/datasets");
  unsetenv("HOME");
  ExpectError([] { DefaultDataFolder(); }, Code::kFailedPrecondition,
              "[DataFolder] none of LOCKSTEP_DATA_DIR");
}

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

TEST(ScaleImagesTest, RunsOnTheHost) {
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

TEST(ScaleFirstTest, RequiresATuple) {
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
    entry_.files.resize(4);
    Add(kTrainImages, "a", MakeIdx(0x08, {3, 2, 2}, "abcdefghijkl"));
    Add(kTrainLabels, "b", MakeIdx(0x08, {3}, "\x01\x02\x09"));
    Add(kTestImages, "c", MakeIdx(0x08, {1, 2, 2}, "wxyz"));
    Add(kTestLabels, "d", MakeIdx(0x08, {1}, std::string(1, '\0')));
  }

  void Add(DatasetPart part, const std::string& name,
           const std::string& content) {
    Sha256 hash;
    hash.Update(content);
    entry_.files[part] = {name, ".gz", std::ssize(content), hash.HexDigest(),
                          ""};
    Write(name + ".gz", Gzip(content));
  }

  void Write(const std::string& name, const std::string& bytes) {
    std::ofstream(folder_ + "/" + name, std::ios::binary) << bytes;
  }

  std::string folder_;
  ManifestEntry entry_;
};

TEST_F(LoadImagesTest, ReadsImagesAndLabels) {
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

TEST_F(LoadImagesTest, MissingFileNamesTheCommand) {
  std::filesystem::remove(folder_ + "/d.gz");
  ExpectError([&] { LoadImages(entry_, folder_); }, Code::kNotFound,
              "`./bazelw run //image_datasets:fetch -- tiny` gets it");
}

TEST_F(LoadImagesTest, WrongChecksumShowsGotAndWanted) {
  Write("c.gz", Gzip(MakeIdx(0x08, {1, 2, 2}, "wxy!")));
  ExpectError([&] { LoadImages(entry_, folder_); }, Code::kDataLoss,
              "c.gz: SHA-256 of the content is ");
  ExpectError([&] { LoadImages(entry_, folder_); }, Code::kDataLoss,
              "wanted " + entry_.files[kTestImages].sha256);
  EXPECT_EQ(LoadImages(entry_, folder_, false).test.images.at<uint8_t>(3), '!');
}

TEST_F(LoadImagesTest, OtherArraysAreDataLoss) {
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

TEST(LoadFashionMnistTest, ErrorsNameTheFolder) {
  LoadOptions options;
  options.data_dir = "nowhere";
  ExpectError([&] { LoadFashionMnist(options); }, Code::kNotFound,
              "nowhere/fashion_mnist/train-images-idx3-ubyte.gz");
  ExpectError([&] { LoadMnist(options); }, Code::kNotFound,
              "nowhere/mnist/train-images-idx3-ubyte.gz");
}

// Reads the published files if LOCKSTEP_DATA_DIR has them (--test_env).
TEST(LoadFashionMnistTest, PublishedFilesMatchTheHashes) {
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

TEST(SyntheticTest, AllowsMoreClassesThanPixels) {
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

TEST(SyntheticTest, SeedsDetermineImages) {
  const Tensor a = MakeSyntheticImages({.count = 3, .seed = 5}).images;
  const Tensor b = MakeSyntheticImages({.count = 3, .seed = 5}).images;
  const Tensor c = MakeSyntheticImages({.count = 3, .seed = 6}).images;
  EXPECT_TRUE(BitwiseEqual(a, b));
  EXPECT_FALSE(BitwiseEqual(a, c));
}

TEST(SyntheticTest, ImagesAreOnTheHost) {
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

TEST(SyntheticTest, RefusesImpossibleOptions) {
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
