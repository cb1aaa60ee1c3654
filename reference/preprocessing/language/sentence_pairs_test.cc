#include "reference/preprocessing/language/sentence_pairs.h"

#include <gtest/gtest.h>

#include <vector>

#include "reference/base/error_testing.h"

namespace lockstep {
namespace {

using PairNumbers = std::vector<int64_t>;

// Sentence s of document d is {10 d + s}; documents of 3, 2 and 4 sentences.
std::vector<Document> SomeDocuments() {
  std::vector<Document> documents;
  for (const int64_t sentences : {3, 2, 4}) {
    Document document;
    for (int64_t s = 0; s < sentences; ++s) {
      document.push_back({10 * (std::ssize(documents) + 1) + s});
    }
    documents.push_back(document);
  }
  return documents;
}

// Room for two tokens.
constexpr SentencePairOptions kOneWordEach = {.length = 5};

PairNumbers TokensOf(const SentencePairs& pairs, int64_t number,
                     int64_t epoch) {
  return pairs.Get(number, epoch).tokens;
}

// The draws in Python, with the random numbers of TensorFlow 2.21.0: in epoch 0
// examples 0 and 1 have sentences 3 and 0 of the last document; in epoch 1
// examples 1 and 2 have sentence 1 of the second and sentence 2 of the first.
TEST(SentencePairsTest, AgreesWithPythonAndTensorFlow) {
  const SentencePairs pairs(SomeDocuments(), kOneWordEach);
  ASSERT_EQ(pairs.size(), 6);
  EXPECT_EQ(TokensOf(pairs, 0, 0), (PairNumbers{2, 10, 3, 33, 3}));
  EXPECT_EQ(TokensOf(pairs, 1, 0), (PairNumbers{2, 11, 3, 30, 3}));
  EXPECT_EQ(TokensOf(pairs, 2, 0), (PairNumbers{2, 20, 3, 21, 3}));
  EXPECT_EQ(TokensOf(pairs, 5, 0), (PairNumbers{2, 32, 3, 33, 3}));
  EXPECT_EQ(TokensOf(pairs, 0, 1), (PairNumbers{2, 10, 3, 11, 3}));
  EXPECT_EQ(TokensOf(pairs, 1, 1), (PairNumbers{2, 11, 3, 21, 3}));
  EXPECT_EQ(TokensOf(pairs, 2, 1), (PairNumbers{2, 20, 3, 12, 3}));
  EXPECT_FALSE(pairs.Get(0).follows);
  EXPECT_TRUE(pairs.Get(2).follows);
  EXPECT_EQ(pairs.Get(0).types, (PairNumbers{0, 0, 0, 1, 1}));
}

TEST(SentencePairsTest, AboutHalfFollow) {
  const SentencePairs pairs(SomeDocuments(), kOneWordEach);
  int64_t follow = 0;
  for (int64_t epoch = 0; epoch < 1000; ++epoch) {
    const SentencePair pair = pairs.Get(0, epoch);
    follow += pair.follows;
    const int64_t second = pair.tokens[3];
    EXPECT_TRUE(pair.follows ? second == 11 : second >= 20) << second;
  }
  EXPECT_NEAR(follow, 500, 80);  // five standard deviations
}

// A segment has whole sentences; only a single one is cut.
TEST(SentencePairsTest, FillsSegmentsWithSentences) {
  const std::vector<Document> documents = {
      {{10, 11}, {12}, {13}, {14}, {15, 16, 17}}, {{20}}};
  const auto follower = [&](int64_t length, int64_t number) {
    const SentencePairs pairs(documents, {.length = length});
    for (int64_t epoch = 0;; ++epoch) {
      const SentencePair pair = pairs.Get(number, epoch);
      if (pair.follows) return pair.tokens;
    }
  };
  // Room for 9: at most 4 before, and what is left after.
  EXPECT_EQ(follower(12, 2),
            (PairNumbers{2, 10, 11, 12, 13, 3, 14, 15, 16, 17, 3}));
  EXPECT_EQ(follower(12, 3), (PairNumbers{2, 12, 13, 14, 3, 15, 16, 17, 3}));
  // Room for 3: at most 1 before, so that the first sentence is cut.
  EXPECT_EQ(follower(6, 0), (PairNumbers{2, 10, 3, 12, 13, 3}));
  EXPECT_EQ(follower(6, 3), (PairNumbers{2, 14, 3, 15, 16, 3}));
}

TEST(SentencePairsTest, RefusesTooLittleText) {
  const auto code = [](const std::vector<Document>& documents, int64_t length) {
    return CodeOf([&] { SentencePairs(documents, {.length = length}); });
  };
  EXPECT_EQ(code({{{5}, {6}}}, 8), Code::kInvalidArgument);
  EXPECT_EQ(code({{{5}}, {{6}}}, 8), Code::kInvalidArgument);
  EXPECT_EQ(code({{{5}, {}}, {{6}}}, 8), Code::kInvalidArgument);
  EXPECT_EQ(code({{{5}, {6}}, {{7}}}, 4), Code::kInvalidArgument);
  const SentencePairs pairs({{{5}, {6}}, {{7}}}, {.length = 5});
  EXPECT_EQ(CodeOf([&] { pairs.Get(1); }), Code::kInvalidArgument);
  EXPECT_EQ(CodeOf([&] { pairs.Get(-1); }), Code::kInvalidArgument);
}

TEST(PretrainingExampleTest, HasFixedShapes) {
  const SentencePairs pairs(SomeDocuments(), kOneWordEach);
  const MaskingOptions masking = {.vocabulary = 100, .most_predictions = 3};
  const Structure example = PretrainingExample(pairs, 2, 0, 7, masking);
  const MaskedTokens masked =
      MaskTokens(std::vector<int64_t>{2, 20, 3, 21, 3}, 2, masking);
  ASSERT_EQ(masked.labels.size(), 1u);  // 0.75 of 5 tokens
  PairNumbers tokens = masked.tokens;
  tokens.resize(7);
  EXPECT_EQ(example[0].leaf().ToVector<int64_t>(), tokens);
  EXPECT_EQ(ToString(example[1].leaf()), "[1, 1, 1, 1, 1, 0, 0]");
  EXPECT_EQ(ToString(example[2].leaf()), "[0, 0, 0, 1, 1, 0, 0]");
  EXPECT_EQ(example[3].leaf().ToVector<int64_t>(),
            (PairNumbers{masked.positions[0], 0, 0}));
  EXPECT_EQ(example[4].leaf().ToVector<int64_t>(),
            (PairNumbers{masked.labels[0], 0, 0}));
  EXPECT_EQ(example[5].leaf().ToVector<float>(), (std::vector<float>{1, 0, 0}));
  EXPECT_EQ(example[6].leaf().item<int64_t>(), 1);
  EXPECT_EQ(CodeOf([&] { PretrainingExample(pairs, 2, 0, 4, masking); }),
            Code::kInvalidArgument);
}

}  // namespace
}  // namespace lockstep
