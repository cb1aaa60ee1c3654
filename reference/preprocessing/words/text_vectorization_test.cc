// The values are those of Keras 3.15.1 and TensorFlow 2.21.
#include "reference/preprocessing/words/text_vectorization.h"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "reference/base/error_testing.h"
#include "reference/layers/layer_config.h"

namespace lockstep {
namespace {

using Texts = std::vector<std::string>;
using words_internal::Tokenizer;
using words_internal::TokenizerOptions;

Tensor In(const Texts& texts) { return Tensor::FromVector(texts); }

Texts Tokens(const std::string& text, const TokenizerOptions& options = {}) {
  Tokenizer tokenizer(options);
  const auto& tokens = tokenizer.Split(text);
  return Texts(tokens.begin(), tokens.end());
}

TEST(TokenizerTest, LowersAndRemovesPunctuation) {
  EXPECT_EQ(Tokens("The cat, the DOG!"), (Texts{"the", "cat", "the", "dog"}));
  EXPECT_EQ(Tokens("a-b_c d's\tx\ny"), (Texts{"abc", "ds", "x", "y"}));
  EXPECT_EQ(Tokens("3.5 <br />x&y"), (Texts{"35", "br", "xy"}));
  EXPECT_EQ(Tokens(R"(!"#$%&'()*+,-./:;<=>?@[\]^_`{|}~)"), Texts{});
  EXPECT_EQ(Tokens(""), Texts{});
}

TEST(TokenizerTest, LowersAsciiOnly) {
  EXPECT_EQ(Tokens("Ünï ÉÄ 日本"), (Texts{"Ünï", "ÉÄ", "日本"}));
  EXPECT_EQ(Tokens("A\xff!"), Texts{"a\xff"});
}

TEST(TokenizerTest, OtherStandards) {
  const std::string text = "A, b";
  EXPECT_EQ(Tokens(text, {.standardize = Standardize::kNone}),
            (Texts{"A,", "b"}));
  EXPECT_EQ(Tokens(text, {.standardize = Standardize::kLower}),
            (Texts{"a,", "b"}));
  EXPECT_EQ(Tokens(text, {.standardize = Standardize::kStripPunctuation}),
            (Texts{"A", "b"}));
}

TEST(TokenizerTest, SplitsAtWhiteSpaceOfAscii) {
  EXPECT_EQ(Tokens(" a\t\nb\v\f\rc  "), (Texts{"a", "b", "c"}));
  for (const std::string other :
       {"\xc2\x85", "\xc2\xa0", "\xe2\x80\x83", "\xe3\x80\x80"}) {
    EXPECT_EQ(Tokens("a" + other + "b").size(), 1U);
  }
}

TEST(TokenizerTest, SplitsCharacters) {
  EXPECT_EQ(Tokens("ab é", {.split = SplitAt::kCharacter}),
            (Texts{"a", "b", " ", "é"}));
  EXPECT_EQ(Tokens("a\xff\xe3\x81", {.split = SplitAt::kCharacter}),
            (Texts{"a", "\xef\xbf\xbd", "\xef\xbf\xbd"}));
  EXPECT_EQ(Tokens("ab é", {.split = SplitAt::kNothing}), Texts{"ab é"});
}

TEST(TokenizerTest, JoinsNgrams) {
  using Widths = std::vector<int64_t>;
  EXPECT_EQ(Tokens("a b c", {.ngrams = Widths{1, 2}}),
            (Texts{"a", "b", "c", "a b", "b c"}));
  EXPECT_EQ(Tokens("a b c", {.ngrams = Widths{3, 1}}),
            (Texts{"a b c", "a", "b", "c"}));
  EXPECT_EQ(Tokens("a", {.ngrams = Widths{2}}), Texts{});
}

const Texts kVocabulary = {"a", "b", "c"};
const Texts kTexts = {"a b q a", "c", ""};

std::string Vectorized(TextVectorizationOptions options,
                       const Tensor& texts = In(kTexts)) {
  options.vocabulary = kVocabulary;
  return ToString(TextVectorization(options)(texts));
}

TEST(TextVectorizationTest, PadsToTheLongest) {
  EXPECT_EQ(Vectorized({}), "[[2, 3, 1, 2], [4, 0, 0, 0], [0, 0, 0, 0]]");
}

TEST(TextVectorizationTest, CutsAndPadsToALength) {
  EXPECT_EQ(Vectorized({.output_sequence_length = 2}),
            "[[2, 3], [4, 0], [0, 0]]");
  EXPECT_EQ(Vectorized({.output_sequence_length = 6}, In({"c"})),
            "[[4, 0, 0, 0, 0, 0]]");
}

TEST(TextVectorizationTest, Shapes) {
  const Tensor scalar = Tensor::Scalar(std::string("a b"));
  EXPECT_EQ(Vectorized({}, scalar), "[2, 3]");
  EXPECT_EQ(Vectorized({.output_sequence_length = 4}, scalar), "[2, 3, 0, 0]");
  EXPECT_EQ(Vectorized({.output_mode = OutputMode::kMultiHot}, scalar),
            "[0, 1, 1, 0]");
  EXPECT_EQ(Vectorized({}, In({"a b", "c"}).Reshape({2, 1})),
            "[[2, 3], [4, 0]]");
  EXPECT_EQ(Vectorized({}, In({"a b", "b", "a", "q b a"}).Reshape({2, 2, 1})),
            "[[[2, 3, 0], [3, 0, 0]], [[2, 0, 0], [1, 3, 2]]]");
  ExpectError(
      [] {
        Vectorized({}, In(kTexts).Reshape({1, 3}));
      },
      Code::kInvalidArgument, "must have the shape (n) or (n, 1)");
  const TextVectorization layer({.vocabulary = kVocabulary});
  EXPECT_EQ(layer(In({})).shape(), Shape({0, 0}));
  EXPECT_EQ(layer.ComputeOutputShape(Shape{kUnknownDim, 1}),
            Shape({kUnknownDim, kUnknownDim}));
}

TEST(TextVectorizationTest, WithoutASplit) {
  const Tensor words = In({"a", "b", "q", "a"}).Reshape({2, 2});
  EXPECT_EQ(Vectorized({.split = SplitAt::kNothing}, words),
            "[[2, 3], [1, 2]]");
  EXPECT_EQ(
      Vectorized({.split = SplitAt::kNothing, .output_sequence_length = 3},
                 words),
      "[[2, 3, 0], [1, 2, 0]]");
  EXPECT_EQ(Vectorized({.split = SplitAt::kNothing}, In({"a", "b"})), "[2, 3]");
}

TEST(TextVectorizationTest, Ngrams) {
  const Tensor texts = In({"a b", "b", "a b a"});
  const auto vectorize = [&](const Texts& vocabulary, const Ngrams& ngrams) {
    return ToString(
        TextVectorization({.ngrams = ngrams, .vocabulary = vocabulary})(texts));
  };
  EXPECT_EQ(vectorize({"a", "b", "a b"}, 2),
            "[[2, 3, 4, 0, 0], [3, 0, 0, 0, 0], [2, 3, 2, 4, 1]]");
  EXPECT_EQ(vectorize({"a", "b", "a b a"}, std::vector<int64_t>{3, 1}),
            "[[2, 3, 0, 0], [3, 0, 0, 0], [4, 2, 3, 2]]");
  EXPECT_EQ(TextVectorization({.ngrams = 0, .vocabulary = kVocabulary})(texts)
                .shape(),
            Shape({3, 0}));
}

TEST(TextVectorizationTest, Vectors) {
  EXPECT_EQ(Vectorized({.output_mode = OutputMode::kMultiHot}),
            "[[1, 1, 1, 0], [0, 0, 0, 1], [0, 0, 0, 0]]");
  EXPECT_EQ(Vectorized({.output_mode = OutputMode::kCount}, In({"a b q a"})),
            "[[1, 2, 1, 0]]");
  EXPECT_EQ(Vectorized({.max_tokens = 6,
                        .output_mode = OutputMode::kMultiHot,
                        .pad_to_max_tokens = true},
                       In({"c"})),
            "[[0, 0, 0, 1, 0, 0]]");
}

TEST(TextVectorizationTest, OneHotOfEqualLengths) {
  const TextVectorizationOptions options = {.output_mode = OutputMode::kOneHot};
  EXPECT_EQ(Vectorized(options, In({"a b", "b a"})),
            "[[[0, 1, 0, 0], [0, 0, 1, 0]], [[0, 0, 1, 0], [0, 1, 0, 0]]]");
  ExpectError(
      [&] {
        Vectorized(options, In({"a b", "b"}));
      },
      Code::kInvalidArgument, "equal numbers of tokens");
}

TEST(TextVectorizationTest, GivenWeights) {
  const TextVectorization layer({.output_mode = OutputMode::kTfIdf,
                                 .vocabulary = kVocabulary,
                                 .idf_weights = {{0.5, 1, 2}}});
  const Tensor y = layer(In({"a b q a"}));
  const std::vector<float> expected = {3.5F / 3, 1, 1, 0};
  EXPECT_EQ(y.ToVector<float>(), expected);
}

TEST(TextVectorizationTest, LearnsWeights) {
  const TextVectorization layer({.output_mode = OutputMode::kTfIdf});
  layer.Adapt(In({"a b b", "b c", "b"}));
  EXPECT_EQ(layer.GetVocabulary(), (Texts{"[UNK]", "b", "c", "a"}));
  const Tensor y = layer(In({"q b c a"}));
  EXPECT_NEAR(y.at<float>(0), 0.797399, 1e-6);
  EXPECT_NEAR(y.at<float>(1), 0.559616, 1e-6);
  EXPECT_NEAR(y.at<float>(2), 0.916291, 1e-6);
  EXPECT_NEAR(y.at<float>(3), 0.916291, 1e-6);
}

TEST(TextVectorizationTest, Adapts) {
  const TextVectorization layer({.max_tokens = 4});
  layer.Adapt(In({"a a b b c"}));
  EXPECT_EQ(layer.GetVocabulary(), (Texts{"", "[UNK]", "b", "a"}));
  layer.Adapt(Dataset::FromTensorSlices(In({"x", "Y y"})).Batch(2));
  EXPECT_EQ(layer.GetVocabulary(), (Texts{"", "[UNK]", "y", "x"}));
  EXPECT_EQ(layer.VocabularySize(), 4);
}

TEST(TextVectorizationTest, AdaptsWithoutTexts) {
  const TextVectorization layer;
  layer.Adapt(Dataset::FromTensorSlices(In({"a"})).Take(0));
  EXPECT_EQ(layer.GetVocabulary(), (Texts{"", "[UNK]"}));
}

TEST(TextVectorizationTest, BytesThatAreNotUtf8) {
  const TextVectorization layer;
  layer.Adapt(
      In({"a\xff"
          "B"}));
  EXPECT_EQ(ToString(layer(In({"A\xff"
                               "b x"}))),
            "[[2, 1]]");
  ExpectError([&] { layer.GetVocabulary(); }, Code::kInvalidArgument,
              "not UTF-8");
}

TEST(TextVectorizationTest, Errors) {
  ExpectError([] { TextVectorization()(In({"a"})); }, Code::kFailedPrecondition,
              "call Adapt");
  ExpectError([] { Vectorized({}, Tensor::FromVector<int64_t>({1})); },
              Code::kUnimplemented, "needs texts, got int64");
  ExpectError([] { Vectorized({.max_tokens = 3}); }, Code::kInvalidArgument,
              "max_tokens is 3");
  ExpectError([] { Vectorized({.ngrams = std::vector<int64_t>{0}}); },
              Code::kInvalidArgument, "got 0");
  ExpectError(
      [] {
        Vectorized(
            {.output_mode = OutputMode::kCount, .output_sequence_length = 3});
      },
      Code::kInvalidArgument, "needs output mode int");
  ExpectError([] { Vectorized({.output_sequence_length = -1}); },
              Code::kInvalidArgument, "got -1");
}

TEST(TextVectorizationTest, ConfigIsKeras) {
  const LayerConfig config = TextVectorization({.ngrams = 2,
                                                .output_sequence_length = 4,
                                                .vocabulary = Texts{"a"},
                                                .name = "t"})
                                 .impl()
                                 .Config();
  EXPECT_EQ(config.class_name, "TextVectorization");
  EXPECT_EQ(config.config.dump(),
            R"({"name":"t","trainable":true,"dtype":{"module":"keras",)"
            R"("class_name":"DTypePolicy","config":{"name":"float32"},)"
            R"("registered_name":null},"max_tokens":null,)"
            R"("standardize":"lower_and_strip_punctuation",)"
            R"("split":"whitespace","ngrams":2,"output_mode":"int",)"
            R"("output_sequence_length":4,"pad_to_max_tokens":false,)"
            R"("sparse":false,"ragged":false,"vocabulary":["a"],)"
            R"("idf_weights":null,"encoding":"utf-8","vocabulary_size":3})");
}

}  // namespace
}  // namespace lockstep
