#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <limits>

#include "reference/base/error_testing.h"
#include "reference/base/file_testing.h"
#include "reference/tensor_bundle/bundle_files.h"
#include "reference/tensor_bundle/bundle_testing.h"
#include "reference/tensor_bundle/tensor_bundle_reader.h"
#include "reference/tensor_bundle/tensor_bundle_writer.h"

namespace lockstep {
namespace {

using namespace tensor_bundle_internal;  // NOLINT: a test of this folder

void ExpectRoundTrip(const Tensor& tensor) {
  const TestFolder folder;
  TensorBundleWriter writer(folder / "b");
  writer.Add("key", tensor);
  writer.Finish();
  const TensorBundleReader reader(folder / "b");
  EXPECT_EQ(reader.Spec("key"), SpecOf(tensor));
  EXPECT_TRUE(BitwiseEqual(reader.Read("key"), tensor)) << Describe(tensor);
}

TEST(TensorBundleTest, EveryTypeComesBackBitByBit) {
  const float infinity = std::numeric_limits<float>::infinity();
  const float nan = std::numeric_limits<float>::quiet_NaN();
  ExpectRoundTrip(Tensor::FromVector<float>({0.1f, -0.0f, nan, -infinity}));
  ExpectRoundTrip(Tensor::FromVector<double>({1e300, 5e-324}, Shape{2, 1}));
  ExpectRoundTrip(
      Tensor::FromVector<int32_t>({std::numeric_limits<int32_t>::min(), 7}));
  ExpectRoundTrip(Tensor::Scalar<int64_t>(std::numeric_limits<int64_t>::max()));
  ExpectRoundTrip(Tensor::FromVector<uint8_t>({0, 128, 255}, Shape{1, 3}));
  for (const DType narrow : {DType::kBFloat16, DType::kFloat16}) {
    ExpectRoundTrip(
        Tensor::FromVector<float>({0.1f, -0.0f, nan, -infinity}).Cast(narrow));
  }
  Tensor flags = Tensor::Zeros(Shape{2}, DType::kBool);
  flags.mutable_data<bool>()[1] = true;
  ExpectRoundTrip(flags);
  ExpectRoundTrip(Tensor::FromVector<std::string>(
      {"", std::string("a\0b", 3), std::string(300, 'x'), "\xff"}));
}

TEST(TensorBundleTest, EveryShapeComesBack) {
  ExpectRoundTrip(Tensor::Scalar(1.0f));
  ExpectRoundTrip(Tensor::Zeros(Shape{0}));
  ExpectRoundTrip(Tensor::Zeros(Shape{3, 0, 5}));
  ExpectRoundTrip(Tensor::Zeros(Shape{0}, DType::kString));
  ExpectRoundTrip(Tensor::Full(Shape{1, 2, 1, 2, 1, 2, 1, 2}, 3.0f));
}

RC_GTEST_PROP(TensorBundleTest, AnyTensorsComeBack,
              (const std::map<std::string, std::vector<float>>& numbers,
               const std::vector<std::string>& strings)) {
  const TestFolder folder;
  TensorBundleWriter writer(folder / "b");
  for (const auto& [key, values] : numbers) {
    writer.Add("n/" + key, Tensor::FromVector(values));
  }
  writer.Add("s", Tensor::FromVector(strings));
  writer.Finish();
  const TensorBundleReader reader(folder / "b");
  RC_ASSERT(reader.keys().size() == numbers.size() + 1);
  for (const auto& [key, values] : numbers) {
    RC_ASSERT(reader.Read("n/" + key).ToVector<float>() == values);
  }
  RC_ASSERT(reader.Read("s").ToVector<std::string>() == strings);
}

TEST(TensorBundleTest, ReadsWhatTensorFlowWrote) {
  const TensorBundleReader reader(TensorFlowFile("plain_variables/ckpt-1"));
  const std::string end = "/.ATTRIBUTES/VARIABLE_VALUE";
  EXPECT_EQ(reader.keys(),
            (std::vector<std::string>{"_CHECKPOINTABLE_OBJECT_GRAPH", "b" + end,
                                      "i" + end, "s" + end,
                                      "save_counter" + end, "v" + end}));
  EXPECT_EQ(reader.Read("b" + end).item<bool>(), true);
  EXPECT_EQ(reader.Read("i" + end).item<int64_t>(), 7);
  EXPECT_EQ(reader.Read("s" + end).ToVector<std::string>(),
            (std::vector<std::string>{"a", "bc"}));
  EXPECT_EQ(reader.Read("save_counter" + end).item<int64_t>(), 1);
  EXPECT_EQ(reader.Read("v" + end).ToVector<float>(),
            (std::vector<float>{1, 2, 3}));
}

TEST(TensorBundleTest, AddRefusesEmptyAndTakenKeys) {
  const TestFolder folder;
  TensorBundleWriter writer(folder / "b");
  writer.Add("v", Tensor::Scalar(1.0f));
  ExpectError([&] { writer.Add("v", Tensor::Scalar(2.0f)); },
              Code::kInvalidArgument, "'v' is there already");
  ExpectError([&] { writer.Add("", Tensor::Scalar(2.0f)); },
              Code::kInvalidArgument, "empty");
}

TEST(TensorBundleTest, WithoutFinishNothingIsLeft) {
  const TestFolder folder;
  {
    TensorBundleWriter writer(folder / "b");
    writer.Add("v", Tensor::Scalar(1.0f));
  }
  EXPECT_TRUE(folder.names().empty());
}

TEST(TensorBundleTest, MissingFilesAndKeysAreNotFound) {
  const TestFolder folder;
  ExpectError([&] { TensorBundleReader(folder / "b"); }, Code::kNotFound,
              "b.index");
  TensorBundleWriter writer(folder / "b");
  writer.Add("v", Tensor::Scalar(1.0f));
  writer.Finish();
  const TensorBundleReader reader(folder / "b");
  ExpectError([&] { reader.Read("w"); }, Code::kNotFound, "no key 'w'");
  std::filesystem::remove(folder / "b.data-00000-of-00001");
  ExpectError([&] { reader.Read("v"); }, Code::kNotFound,
              "b.data-00000-of-00001");
  ExpectError([&] { TensorBundleReader(folder / "b"); }, Code::kNotFound,
              "b.data-00000-of-00001");
}

TEST(TensorBundleTest, AFolderInAFilesPlaceIsAnError) {
  const TestFolder folder;
  std::filesystem::create_directory(folder / "b.index");
  ExpectError([&] { TensorBundleReader(folder / "b"); }, Code::kUnavailable,
              "b.index: wanted a regular file, got a folder");
}

TEST(TensorBundleTest, AFifoInAFilesPlaceIsAnErrorAndKeepsNobodyWaiting) {
  const TestFolder folder;
  TensorBundleWriter writer(folder / "b");
  writer.Add("v", Tensor::Scalar(1.0f));
  writer.Finish();
  const TensorBundleReader reader(folder / "b");
  const std::string data = folder / "b.data-00000-of-00001";
  std::filesystem::remove(data);
  ASSERT_EQ(mkfifo(data.c_str(), 0600), 0);
  const std::string words = "wanted a regular file, got a FIFO";
  ExpectError([&] { reader.Read("v"); }, Code::kUnavailable, words);
  ExpectError([&] { TensorBundleReader(folder / "b"); }, Code::kUnavailable,
              words);
  const std::string index = folder / "c.index";
  ASSERT_EQ(mkfifo(index.c_str(), 0600), 0);
  ExpectError([&] { TensorBundleReader(folder / "c"); }, Code::kUnavailable,
              words);
}

TEST(TensorBundleTest, ANameThatIsTooLongIsATypedError) {
  const TestFolder folder;
  ExpectError(
      [&] {
        tensor_bundle_internal::BundleExists(folder / std::string(300, 'x'));
      },
      Code::kUnavailable, "cannot look for");
}

}  // namespace
}  // namespace lockstep
