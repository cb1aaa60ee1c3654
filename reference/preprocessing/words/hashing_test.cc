// The numbers are those of TensorFlow 2.21 and Keras 3.15.1.
#include "reference/preprocessing/words/hashing.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "reference/base/error_testing.h"
#include "reference/layers/layer_config.h"
#include "reference/preprocessing/words/word_hash.h"

namespace lockstep {
namespace {

using Words = std::vector<std::string>;
using words_internal::CrossHash;
using words_internal::Fingerprint;
using words_internal::kCrossSeed;

struct Row {
  std::string word;
  uint64_t fingerprint;
  int64_t bin3, bin1000, salted, salted_twice, masked3;
};

const std::vector<Row> kRows = {
    {"", 0x9ae16a3b2f90404f, 2, 263, 907, 900, 0},
    {"a", 0xb3454265b6df75e3, 0, 939, 997, 354, 2},
    {"b", 0xa3b260215ec8f116, 1, 822, 824, 642, 1},
    {"c", 0x9ea118a9e0cb7b28, 1, 872, 381, 861, 1},
    {"A", 0xeabf3252cc3bf414, 1, 564, 819, 24, 1},
    {"101", 0x62b2d27f1c5d1e1d, 1, 653, 915, 397, 2},
    {"102", 0x27a58bf6f61f9597, 2, 471, 116, 886, 2},
    {"0", 0xd2ed96073b81823f, 1, 735, 385, 369, 2},
    {"-1", 0x65c727c9a1b5784e, 0, 430, 766, 874, 1},
    {"1", 0x811f023a122d0be1, 0, 849, 310, 326, 2},
    {"cat", 0xd1cf943ab57d8ed8, 2, 96, 205, 584, 1},
    {"dog", 0xe9f354d2bbbbd960, 2, 112, 638, 759, 1},
    {"hello", 0xb48be5a931380ce8, 1, 296, 590, 957, 1},
    {"the quick brown fox", 0xae6767e410a46d31, 1, 161, 585, 201, 2},
    {"ä", 0x09d19f46b843b727, 2, 175, 550, 65, 2},
    {"日本", 0x4ec82a69b1a34bcb, 2, 883, 962, 205, 2},
    {"abcdefgh", 0xfee9d22990c82909, 1, 497, 802, 444, 2},
    {std::string(17, 'a'), 0xf422aa1af524ae43, 0, 131, 964, 992, 2},
    {std::string(33, 'a'), 0xf03d70490a909555, 1, 749, 59, 819, 2},
    {std::string(65, 'a'), 0x6bf136a09f841c74, 1, 892, 882, 111, 1}};

Words WordsOfRows() {
  Words words;
  for (const Row& row : kRows) words.push_back(row.word);
  return words;
}

std::vector<int64_t> Column(int64_t Row::*column) {
  std::vector<int64_t> values;
  for (const Row& row : kRows) values.push_back(row.*column);
  return values;
}

std::vector<int64_t> BinsOf(const Hashing& layer) {
  return layer(Tensor::FromVector(WordsOfRows())).ToVector<int64_t>();
}

Tensor Numbers(std::vector<int64_t> values) {
  return Tensor::FromVector(values);
}

TEST(WordHashTest, Fingerprints) {
  for (const Row& row : kRows) {
    EXPECT_EQ(Fingerprint(row.word), row.fingerprint) << row.word;
  }
}

// TensorFlow shows a hash only modulo a number of bins, here the largest one.
TEST(WordHashTest, Crosses) {
  const auto cross = [](uint64_t a, uint64_t b) {
    constexpr uint64_t kMost = (uint64_t{1} << 63) - 1;
    return CrossHash(CrossHash(kCrossSeed, a), b) % kMost;
  };
  EXPECT_EQ(cross(Fingerprint("A"), 101), 0x0fa098fbdbc5ee0c);
  EXPECT_EQ(cross(Fingerprint("B"), 102), 0x6d46f0300585abe9);
  EXPECT_EQ(cross(Fingerprint(""), 0), 0x04bfbd6d436c08e0);
  EXPECT_EQ(cross(Fingerprint("a"), uint64_t(-1)), 0x4aba56bae1c41409);
  EXPECT_EQ(cross(Fingerprint("cat"), Fingerprint("dog")), 0x6c995f7662608bc8);
  EXPECT_EQ(cross(Fingerprint("dog"), Fingerprint("cat")), 0x0b9b979a44376829);
  EXPECT_EQ(cross(1, 2), 0x45e3e50d29f4f4cd);
  EXPECT_EQ(cross(2, 1), 0x164cb5ced7b8e655);
}

TEST(HashingTest, BinsOfWords) {
  EXPECT_EQ(BinsOf(Hashing(3)), Column(&Row::bin3));
  EXPECT_EQ(BinsOf(Hashing(1000)), Column(&Row::bin1000));
}

TEST(HashingTest, Salt) {
  EXPECT_EQ(BinsOf(Hashing(1000, {.salt = 133})), Column(&Row::salted));
  EXPECT_EQ(BinsOf(Hashing(1000, {.salt = Salt(133, 137)})),
            Column(&Row::salted_twice));
}

TEST(HashingTest, TheMaskHasBinZeroAlone) {
  EXPECT_EQ(BinsOf(Hashing(3, {.mask_value = ""})), Column(&Row::masked3));
  EXPECT_EQ(BinsOf(Hashing(1, {.mask_value = ""})),
            std::vector<int64_t>(kRows.size(), 0));
}

TEST(HashingTest, TheMaskIsComparedBeforeRounding) {
  // 1 + ("1" mod 2) is 2: 0x811f023a122d0be1 is odd.
  const Hashing layer(3, {.mask_value = 1});
  EXPECT_EQ(ToString(layer(Numbers({1, 0}))), "[0, 2]");
  EXPECT_EQ(ToString(layer(Tensor::FromVector<float>({1, 1.5}))), "[0, 2]");
}

TEST(HashingTest, NumbersAreHashedAsText) {
  const Hashing layer(1000);
  EXPECT_EQ(ToString(layer(Numbers({1, -1, 7, int64_t{1} << 40}))),
            "[849, 430, 88, 378]");
  EXPECT_EQ(ToString(layer(Tensor::FromVector<int32_t>({1, -1}))),
            "[849, 430]");
  EXPECT_EQ(ToString(layer(Tensor::FromVector<float>({1.9, -1.9, 7}))),
            "[849, 430, 88]");
}

TEST(HashingTest, OutputModes) {
  const Tensor words = Tensor::FromVector(Words{"a", "b", "a"});
  const auto encode = [&](OutputMode mode) {
    return Hashing(3, {.output_mode = mode})(words);
  };
  EXPECT_EQ(encode(OutputMode::kInt).dtype(), DType::kInt64);
  EXPECT_EQ(encode(OutputMode::kCount).dtype(), DType::kFloat32);
  EXPECT_EQ(ToString(encode(OutputMode::kInt)), "[0, 1, 0]");
  EXPECT_EQ(ToString(encode(OutputMode::kOneHot)),
            "[[1, 0, 0], [0, 1, 0], [1, 0, 0]]");
  EXPECT_EQ(ToString(encode(OutputMode::kMultiHot)), "[1, 1, 0]");
  EXPECT_EQ(ToString(encode(OutputMode::kCount)), "[2, 1, 0]");
}

TEST(HashingTest, AnyShape) {
  const Hashing layer(3);
  EXPECT_EQ(layer(Tensor::Scalar(std::string("b"))).item<int64_t>(), 1);
  EXPECT_EQ(layer(Tensor::FromVector(Words{"a", "b"}, {1, 2})).shape(),
            Shape({1, 2}));
  EXPECT_EQ(layer(Tensor::FromVector(Words{})).shape(), Shape({0}));
  EXPECT_EQ(layer.ComputeOutputShape(Shape{kUnknownDim, 2}),
            Shape({kUnknownDim, 2}));
}

TEST(HashingTest, Errors) {
  ExpectError([] { Hashing(0); }, Code::kInvalidArgument, "got 0");
  ExpectError([] { Hashing(3, {.output_mode = OutputMode::kTfIdf}); },
              Code::kInvalidArgument, "got tf_idf");
  ExpectError(
      [] { Hashing(3)(Tensor::FromVector<uint8_t>({1}).Cast(DType::kBool)); },
      Code::kInvalidArgument, "words or numbers");
  ExpectError([] { Hashing(3, {.mask_value = ""})(Numbers({1})); },
              Code::kInvalidArgument, "mask_value is a word");
  ExpectError(
      [] { Hashing(3, {.mask_value = 0})(Tensor::FromVector(Words{"a"})); },
      Code::kInvalidArgument, "mask_value is an integer");
}

TEST(HashingTest, ConfigIsKeras) {
  EXPECT_EQ(Hashing(3, {.name = "h"}).impl().Config().config.dump(),
            R"({"name":"h","trainable":true,"dtype":{"module":"keras",)"
            R"("class_name":"DTypePolicy","config":{"name":"int64"},)"
            R"("registered_name":null},"num_bins":3,"salt":null,)"
            R"("mask_value":null,"output_mode":"int","sparse":false})");
  const Json config =
      Hashing(
          3, {.salt = 133, .mask_value = "", .output_mode = OutputMode::kCount})
          .impl()
          .Config()
          .config;
  EXPECT_EQ(config["dtype"]["config"]["name"], "float32");
  EXPECT_EQ(config["salt"].dump(), "[133,133]");
  EXPECT_EQ(config["mask_value"], "");
  EXPECT_EQ(config["output_mode"], "count");
}

Tensor Crossed(int64_t bins, const Tensor& a, const Tensor& b,
               OutputMode mode = OutputMode::kInt) {
  return HashedCrossing(bins, {.output_mode = mode})({a, b});
}

TEST(HashedCrossingTest, Bins) {
  const Tensor letters = Tensor::FromVector(Words{"A", "B", "A", "B", "", "a"});
  const Tensor numbers = Numbers({101, 101, 102, 102, 0, -1});
  EXPECT_EQ(ToString(Crossed(5, letters, numbers)), "[1, 4, 3, 1, 0, 2]");
  EXPECT_EQ(ToString(Crossed(1000, letters, numbers)),
            "[891, 754, 523, 576, 600, 857]");
}

TEST(HashedCrossingTest, TheOrderMatters) {
  const Tensor cat = Tensor::Scalar(std::string("cat"));
  const Tensor dog = Tensor::Scalar(std::string("dog"));
  EXPECT_EQ(Crossed(1000, cat, dog).item<int64_t>(), 512);
  EXPECT_EQ(Crossed(1000, dog, cat).item<int64_t>(), 376);
  EXPECT_EQ(Crossed(1000, Tensor::Scalar<int32_t>(1), Tensor::Scalar(2))
                .item<int64_t>(),
            357);
}

TEST(HashedCrossingTest, ThreeFeatures) {
  const Structure crossed = HashedCrossing(1000)(
      {Tensor::Scalar(std::string("a")), Tensor::Scalar(std::string("b")),
       Tensor::Scalar<int64_t>(1)});
  EXPECT_EQ(crossed.leaf().item<int64_t>(), 724);
}

TEST(HashedCrossingTest, Shapes) {
  const Tensor letters = Tensor::FromVector(Words{"A", "B"}, {2, 1});
  const Tensor numbers = Tensor::FromVector<int64_t>({101, 101}, {2, 1});
  EXPECT_EQ(ToString(Crossed(5, letters, numbers)), "[[1], [4]]");
  EXPECT_EQ(ToString(Crossed(5, letters, numbers, OutputMode::kOneHot)),
            "[[0, 1, 0, 0, 0], [0, 0, 0, 0, 1]]");
}

TEST(HashedCrossingTest, Errors) {
  const Tensor words = Tensor::FromVector(Words{"a", "b"});
  const auto cross = [](std::vector<Structure> inputs) {
    return [inputs] { HashedCrossing(5)(inputs); };
  };
  ExpectError(cross({words}), Code::kInvalidArgument, "got 1");
  ExpectError(cross({words, Numbers({1})}), Code::kInvalidArgument,
              "equal shapes");
  ExpectError(cross({words, Tensor::FromVector<float>({1, 2})}),
              Code::kInvalidArgument, "words or integers");
  const Tensor wide = words.Reshape({1, 2});
  ExpectError(cross({wide, wide}), Code::kInvalidArgument, "(n, 1)");
  ExpectError([] { HashedCrossing(5, {.output_mode = OutputMode::kMultiHot}); },
              Code::kInvalidArgument, "got multi_hot");
  ExpectError([] { HashedCrossing(0); }, Code::kInvalidArgument, "got 0");
}

TEST(HashedCrossingTest, ConfigIsKeras) {
  EXPECT_EQ(HashedCrossing(5, {.name = "c"}).impl().Config().config.dump(),
            R"({"num_bins":5,"output_mode":"int","sparse":false,"name":"c",)"
            R"("dtype":"int64"})");
}

}  // namespace
}  // namespace lockstep
