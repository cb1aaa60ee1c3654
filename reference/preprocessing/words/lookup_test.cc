// The values are those of Keras 3.15.1 and TensorFlow 2.21.
#include "reference/preprocessing/words/lookup.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "reference/base/error_testing.h"
#include "reference/base/file_testing.h"
#include "reference/layers/layer_config.h"

namespace lockstep {
namespace {

using Words = std::vector<std::string>;
using Integers = std::vector<int64_t>;

Tensor Of(const Words& words) { return Tensor::FromVector(words); }
Tensor Of(const Integers& numbers) { return Tensor::FromVector(numbers); }

TEST(StringLookupTest, NumbersWords) {
  const StringLookup lookup({.vocabulary = Words{"a", "b"}});
  const Tensor ids = lookup(Of(Words{"b", "z", "a"}));
  EXPECT_EQ(ToString(ids), "[2, 0, 1]");
  EXPECT_EQ(ids.dtype(), DType::kInt64);
  EXPECT_EQ(lookup.GetVocabulary(), (Words{"[UNK]", "a", "b"}));
  EXPECT_EQ(lookup.GetVocabulary(false), (Words{"a", "b"}));
  EXPECT_EQ(lookup.VocabularySize(), 3);
}

TEST(StringLookupTest, AnyShape) {
  const StringLookup lookup({.vocabulary = Words{"a", "b"}});
  EXPECT_EQ(lookup(Tensor::Scalar(std::string("b"))).item<int64_t>(), 2);
  EXPECT_EQ(lookup(Of(Words{})).shape(), Shape({0}));
  EXPECT_EQ(ToString(lookup(Of(Words{"a", "b"}).Reshape({2, 1}))),
            "[[1], [2]]");
}

TEST(StringLookupTest, SeveralPlacesForUnknownWords) {
  const StringLookup lookup({.num_oov_indices = 3, .vocabulary = Words{"x"}});
  EXPECT_EQ(ToString(lookup(Of(Words{"a", "b", "c", "cat", "hello", "x"}))),
            "[0, 1, 1, 2, 1, 3]");
  const StringLookup masked(
      {.num_oov_indices = 3, .mask_token = "", .vocabulary = Words{"x"}});
  EXPECT_EQ(ToString(masked(Of(Words{"a", "b", "c", "cat", "hello", "", "x"}))),
            "[1, 2, 2, 3, 2, 0, 4]");
  const StringLookup salted(
      {.num_oov_indices = 3, .vocabulary = Words{"x"}, .salt = 133});
  EXPECT_EQ(ToString(salted(Of(Words{"a", "b", "c", "cat"}))), "[0, 2, 2, 0]");
}

TEST(StringLookupTest, NoPlaceForUnknownWords) {
  const StringLookup lookup(
      {.num_oov_indices = 0, .vocabulary = Words{"a", "b"}});
  EXPECT_EQ(ToString(lookup(Of(Words{"a", "b"}))), "[0, 1]");
  ExpectError(
      [&] {
        lookup(Of(Words{"a", "z"}));
      },
      Code::kInvalidArgument, "'z' is not in the vocabulary");
}

std::string Encoded(OutputMode mode, std::optional<std::string> mask,
                    const Words& words) {
  return ToString(StringLookup(
      {.mask_token = mask, .vocabulary = Words{"a", "b"}, .output_mode = mode})(
      Of(words).Reshape({2, 2})));
}

TEST(StringLookupTest, Vectors) {
  const Words words = {"a", "q", "b", "a"};
  EXPECT_EQ(Encoded(OutputMode::kMultiHot, {}, words),
            "[[1, 1, 0], [0, 1, 1]]");
  EXPECT_EQ(Encoded(OutputMode::kCount, {}, words), "[[1, 1, 0], [0, 1, 1]]");
  EXPECT_EQ(Encoded(OutputMode::kOneHot, {}, words),
            "[[[0, 1, 0], [1, 0, 0]], [[0, 0, 1], [0, 1, 0]]]");
}

TEST(StringLookupTest, VectorsHaveNoMask) {
  const Words words = {"a", "", "b", "q"};
  EXPECT_EQ(Encoded(OutputMode::kMultiHot, "", words),
            "[[0, 1, 0], [1, 0, 1]]");
  EXPECT_EQ(Encoded(OutputMode::kOneHot, "", words),
            "[[[0, 1, 0], [0, 0, 0]], [[0, 0, 1], [1, 0, 0]]]");
}

TEST(StringLookupTest, TfIdf) {
  StringLookupOptions options = {.vocabulary = Words{"a", "b"},
                                 .idf_weights = {{0.5, 2}},
                                 .output_mode = OutputMode::kTfIdf};
  EXPECT_EQ(ToString(StringLookup(options)(Of(Words{"a", "b", "q"}))),
            "[1.25, 0.5, 2]");
  options.mask_token = "";
  options.max_tokens = 5;
  options.pad_to_max_tokens = true;
  EXPECT_EQ(ToString(StringLookup(options)(Of(Words{"a", "b", "q", ""}))),
            "[1.25, 0.5, 2, 0, 0]");
}

TEST(StringLookupTest, PadsVectors) {
  const StringLookup lookup({.max_tokens = 5,
                             .vocabulary = Words{"a", "b"},
                             .output_mode = OutputMode::kMultiHot,
                             .pad_to_max_tokens = true});
  EXPECT_EQ(ToString(lookup(Of(Words{"a", "b"}))), "[0, 1, 1, 0, 0]");
  EXPECT_EQ(lookup.ComputeOutputShape(Shape{kUnknownDim, 2}),
            Shape({kUnknownDim, 5}));
}

TEST(StringLookupTest, Inverts) {
  const auto inverted = [](StringLookupOptions options, const Integers& ids) {
    options.vocabulary = Words{"a", "b"};
    options.invert = true;
    return StringLookup(options)(Of(ids)).ToVector<std::string>();
  };
  EXPECT_EQ(inverted({}, {0, 1, 2, 3, -1}),
            (Words{"[UNK]", "a", "b", "[UNK]", "[UNK]"}));
  EXPECT_EQ(inverted({.mask_token = ""}, {0, 1, 2, 3, -1}),
            (Words{"", "[UNK]", "a", "b", "[UNK]"}));
  EXPECT_EQ(inverted({.num_oov_indices = 0}, {0, 1, 2}),
            (Words{"a", "b", "[UNK]"}));
}

TEST(StringLookupTest, AVocabularyMayStartWithTheSpecialWords) {
  const auto list = [](const Words& words, int64_t oov = 1,
                       std::optional<std::string> mask = std::nullopt) {
    return StringLookup({.num_oov_indices = oov,
                         .mask_token = mask,
                         .vocabulary = words})
        .GetVocabulary();
  };
  EXPECT_EQ(list({"", "[UNK]", "a"}, 1, ""), (Words{"", "[UNK]", "a"}));
  EXPECT_EQ(list({"[UNK]", "a"}, 1, ""), (Words{"", "[UNK]", "[UNK]", "a"}));
  EXPECT_EQ(list({"a", "[UNK]"}), (Words{"[UNK]", "a", "[UNK]"}));
  EXPECT_EQ(list({"[UNK]", "[UNK]", "a"}, 2), (Words{"[UNK]", "[UNK]", "a"}));
  ExpectError(
      [&] {
        list({"a", ""}, 1, "");
      },
      Code::kInvalidArgument, "the mask '' is in the vocabulary");
}

TEST(StringLookupTest, Adapts) {
  const auto learned = [](StringLookupOptions options, const Words& words) {
    const StringLookup lookup(options);
    lookup.Adapt(Of(words));
    return lookup.GetVocabulary();
  };
  const Words words = {"b", "a", "b", "c", "d"};
  EXPECT_EQ(learned({}, words), (Words{"[UNK]", "b", "d", "c", "a"}));
  EXPECT_EQ(learned({.max_tokens = 3}, words), (Words{"[UNK]", "b", "d"}));
  EXPECT_EQ(learned({.mask_token = ""}, {"b", "", "", "c", "[UNK]"}),
            (Words{"", "[UNK]", "c", "b"}));
}

TEST(StringLookupTest, AdaptsToADataset) {
  const Dataset words =
      Dataset::FromTensorSlices(Of(Words{"b", "a", "b", "c", "c", "c"}));
  const StringLookup lookup;
  lookup.Adapt(words.Batch(4));
  EXPECT_EQ(lookup.GetVocabulary(), (Words{"[UNK]", "c", "b", "a"}));
  lookup.Adapt(words.Take(1));
  EXPECT_EQ(lookup.GetVocabulary(), (Words{"[UNK]", "b"}));
}

TEST(StringLookupTest, AdaptsWithoutWords) {
  const StringLookup lookup;
  lookup.Adapt(Dataset::FromTensorSlices(Of(Words{"a"})).Take(0));
  EXPECT_EQ(lookup.GetVocabulary(), Words{"[UNK]"});
  lookup.Adapt(Of(Words{}));
  EXPECT_EQ(lookup.GetVocabulary(), Words{"[UNK]"});
}

TEST(StringLookupTest, MergedCountsAreThoseOfAllData) {
  const StringLookup parts;
  words_internal::WordCounts counts;
  parts.implementation().Count(Of(Words{"a", "a", "b"}), counts);
  counts.Merge(parts.implementation().Count(
      Dataset::FromTensors(Of(Words{"c", "c", "c", "b"}))));
  parts.implementation().Learn(counts);
  const StringLookup whole;
  whole.Adapt(Of(Words{"a", "a", "b", "c", "c", "c", "b"}));
  EXPECT_EQ(parts.GetVocabulary(), whole.GetVocabulary());
  EXPECT_EQ(parts.GetVocabulary(), (Words{"[UNK]", "c", "b", "a"}));
}

TEST(StringLookupTest, LearnsWeights) {
  const StringLookup lookup({.output_mode = OutputMode::kTfIdf});
  lookup.Adapt(Of(Words{"a", "b", "b", "b", "c", "c"}).Reshape({2, 3}));
  EXPECT_EQ(lookup.GetVocabulary(), (Words{"[UNK]", "b", "c", "a"}));
  const Tensor y = lookup(Of(Words{"a", "b", "b", "q"}).Reshape({2, 2}));
  EXPECT_EQ(y.dtype(), DType::kFloat32);
  // ln(1 + 2/2), ln(1 + 2/3), and the mean of two of one and one of the other.
  const auto rare = std::log(2.0F);
  const auto frequent = std::log(5.0F / 3);
  const std::vector<float> expected = {
      0, frequent, 0, rare, (2 * rare + frequent) / 3, frequent, 0, 0};
  for (int64_t i = 0; i < 8; ++i) {
    EXPECT_FLOAT_EQ(y.at<float>(i), expected[static_cast<size_t>(i)]) << i;
  }
}

TEST(StringLookupTest, AFile) {
  const TestFolder folder;
  const std::string path = folder / "words.txt";
  WriteWholeFile(path, "a\nb\n");
  const StringLookup lookup({.vocabulary_file = path});
  EXPECT_EQ(ToString(lookup(Of(Words{"a", "b", "c"}))), "[1, 2, 0]");
  EXPECT_EQ(lookup.GetVocabulary(), (Words{"[UNK]", "a", "b"}));
  std::filesystem::resize_file(path, 2);
  ExpectError([&] { lookup(Of(Words{"a"})); }, Code::kFailedPrecondition,
              "was changed");
}

TEST(StringLookupTest, WrongState) {
  const StringLookup none;
  ExpectError([&] { none(Of(Words{"a"})); }, Code::kFailedPrecondition,
              "call Adapt");
  const StringLookup given({.vocabulary = Words{"a"}});
  ExpectError([&] { given.Adapt(Of(Words{"a"})); }, Code::kInvalidArgument,
              "made with a vocabulary");
  const StringLookup vectors({.output_mode = OutputMode::kMultiHot});
  vectors.Adapt(Of(Words{"a"}));
  vectors.Adapt(Of(Words{"b"}));
  ExpectError(
      [&] {
        vectors.Adapt(Of(Words{"a", "b"}));
      },
      Code::kFailedPrecondition, "have 2 entries and would get 3");
}

TEST(StringLookupTest, WrongData) {
  const StringLookup given({.vocabulary = Words{"a"}});
  ExpectError([&] { given(Of(Integers{1})); }, Code::kUnimplemented,
              "looks words up");
  ExpectError([] { StringLookup().Adapt(Of(Integers{1})); },
              Code::kUnimplemented, "got int64");
  const Tensor words = Of(Words{"a"});
  ExpectError(
      [&] {
        StringLookup().Adapt(Dataset::FromTensorSlices({words, words}));
      },
      Code::kInvalidArgument, "elements of 2 parts");
  // Keras would count forever.
  ExpectError(
      [&] { StringLookup().Adapt(Dataset::FromTensorSlices(words).Repeat()); },
      Code::kInvalidArgument, "no end");
}

TEST(StringLookupTest, WrongOptions) {
  const auto expect = [](const StringLookupOptions& options,
                         const std::string& words) {
    ExpectError([&] { StringLookup{options}; }, Code::kInvalidArgument, words);
  };
  expect({.max_tokens = 1}, "greater than 1, got 1");
  expect({.num_oov_indices = -1}, "got -1");
  expect({.pad_to_max_tokens = true}, "needs max_tokens");
  expect({.invert = true, .output_mode = OutputMode::kCount}, "got count");
  expect({.vocabulary = Words{"a", "a"}}, "'a' is word 0 already");
  expect({.vocabulary = Words{}}, "got none");
  expect({.max_tokens = 2, .vocabulary = Words{"a", "b"}}, "max_tokens is 2");
  expect({.vocabulary = Words{"a"}, .output_mode = OutputMode::kTfIdf},
         "needs 1 idf_weights, got 0");
  expect({.vocabulary = Words{"a"}, .idf_weights = {{1.0}}},
         "only output mode tf_idf");
  expect({.vocabulary = Words{"a"}, .vocabulary_file = "x"}, "also the file x");
}

TEST(IntegerLookupTest, NumbersIntegers) {
  const IntegerLookup lookup({.vocabulary = Integers{5, -7}});
  EXPECT_EQ(ToString(lookup(Of(Integers{-7, 0, 5}))), "[2, 0, 1]");
  EXPECT_EQ(ToString(lookup(Tensor::FromVector<int32_t>({5, 9}))), "[1, 0]");
  EXPECT_EQ(ToString(lookup(Tensor::FromVector<float>({5.5, -7.9}))), "[1, 2]");
  ExpectError([&] { lookup(Of(Words{"5"})); }, Code::kUnimplemented,
              "looks numbers up");
}

TEST(IntegerLookupTest, SeveralPlacesForUnknownNumbers) {
  const Tensor x = Of(Integers{5, 7, 0, 1, 2, -1, -2, 8});
  IntegerLookupOptions options = {.num_oov_indices = 3,
                                  .vocabulary = Integers{5, 7}};
  EXPECT_EQ(ToString(IntegerLookup(options)(x)), "[3, 4, 0, 1, 2, 2, 1, 2]");
  options.oov_method = OovMethod::kFarmHash;
  EXPECT_EQ(ToString(IntegerLookup(options)(x)), "[3, 4, 1, 0, 1, 0, 1, 1]");
  options.salt = 133;
  EXPECT_EQ(ToString(IntegerLookup(options)(x)), "[3, 4, 1, 2, 0, 2, 1, 1]");
}

TEST(IntegerLookupTest, AdaptsInTheOrderOfNumbers) {
  const IntegerLookup lookup;
  lookup.Adapt(Of(Integers{3, 1, 3, 2, -7, -1, -1, -1}));
  EXPECT_EQ(lookup.GetVocabulary(), (Integers{-1, 3, 2, 1, -7}));
  const IntegerLookup masked({.mask_token = 0});
  masked.Adapt(Of(Integers{3, 1, 3, 2, 0, 0, -1}));
  EXPECT_EQ(masked.GetVocabulary(), (Integers{0, -1, 3, 2, 1}));
  EXPECT_EQ(ToString(masked(Of(Integers{0, 1, 9}))), "[0, 4, 1]");
}

TEST(IntegerLookupTest, Inverts) {
  const IntegerLookup lookup({.vocabulary = Integers{5, 7}, .invert = true});
  EXPECT_EQ(ToString(lookup(Of(Integers{0, 1, 2, 3}))), "[-1, 5, 7, -1]");
}

TEST(IntegerLookupTest, AFile) {
  const TestFolder folder;
  const std::string path = folder / "numbers.txt";
  WriteWholeFile(path, "5\n-7\n");
  EXPECT_EQ(IntegerLookup({.vocabulary_file = path}).GetVocabulary(),
            (Integers{-1, 5, -7}));
  WriteWholeFile(path, "5\nx\n");
  ExpectError([&] { IntegerLookup({.vocabulary_file = path}); },
              Code::kInvalidArgument, "numbers.txt:2: 'x' is not an integer");
}

TEST(LookupConfigTest, IsKeras) {
  EXPECT_EQ(StringLookup({.name = "s"}).impl().Config().config.dump(),
            R"({"name":"s","trainable":true,"dtype":{"module":"keras",)"
            R"("class_name":"DTypePolicy","config":{"name":"float32"},)"
            R"("registered_name":null},"invert":false,"max_tokens":null,)"
            R"("num_oov_indices":1,"oov_token":"[UNK]","mask_token":null,)"
            R"("output_mode":"int","sparse":false,"pad_to_max_tokens":false,)"
            R"("idf_weights":null,"vocabulary":null,"vocabulary_size":null,)"
            R"("oov_method":"floormod","salt":null,"encoding":"utf-8"})");
  const Json config =
      IntegerLookup({.mask_token = 0, .vocabulary = Integers{5, 7}})
          .impl()
          .Config()
          .config;
  EXPECT_EQ(config["vocabulary"].dump(), "[5,7]");
  EXPECT_EQ(config["vocabulary_size"], 4);
  EXPECT_EQ(config["vocabulary_dtype"], "int64");
  EXPECT_EQ(config["oov_token"], -1);
  EXPECT_FALSE(config.contains("encoding"));
}

TEST(LookupConfigTest, RefusesWordsThatJsonCannotHold) {
  const StringLookup lookup({.vocabulary = Words{"\xff"}});
  ExpectError([&] { lookup.impl().Config(); }, Code::kInvalidArgument, "UTF-8");
}

}  // namespace
}  // namespace lockstep
