#include "reference/preprocessing/language/masking.h"

#include <gtest/gtest.h>

#include <vector>

#include "reference/base/error_testing.h"

namespace lockstep {
namespace {

using TokenNumbers = std::vector<int64_t>;

// 40 tokens: 2, 10 to 27, 3, 30 to 48, 3.
TokenNumbers SomeTokens() {
  TokenNumbers tokens = {2};
  for (int64_t i = 10; i < 28; ++i) tokens.push_back(i);
  tokens.push_back(3);
  for (int64_t i = 30; i < 49; ++i) tokens.push_back(i);
  tokens.push_back(3);
  return tokens;
}

constexpr MaskingOptions kMasking = {.vocabulary = 1000};

struct Expected {
  int64_t example, epoch;
  TokenNumbers positions, labels, replacements;
};

// The rule in Python, with the random numbers of TensorFlow 2.21.0: those of
// tf.random.Generator, alg="philox", with state [epoch << 32, example, seed].
TEST(MaskTokensTest, AgreesWithPythonAndTensorFlow) {
  for (const Expected& expected : {Expected{0,
                                            0,
                                            {1, 24, 28, 29, 34, 35},
                                            {10, 34, 38, 39, 44, 45},
                                            {4, 4, 4, 4, 4, 45}},
                                   Expected{7,
                                            0,
                                            {2, 7, 13, 22, 27, 34},
                                            {11, 16, 22, 32, 37, 44},
                                            {11, 4, 4, 4, 4, 842}},
                                   Expected{7,
                                            1,
                                            {3, 5, 8, 14, 16, 29},
                                            {12, 14, 17, 23, 25, 39},
                                            {4, 4, 4, 4, 4, 39}}}) {
    const MaskedTokens masked =
        MaskTokens(SomeTokens(), expected.example, kMasking, expected.epoch);
    EXPECT_EQ(masked.positions, expected.positions);
    EXPECT_EQ(masked.labels, expected.labels);
    TokenNumbers tokens = SomeTokens();
    for (size_t i = 0; i < expected.positions.size(); ++i) {
      tokens[expected.positions[i]] = expected.replacements[i];
    }
    EXPECT_EQ(masked.tokens, tokens);
  }
}

// Of 100,000 predictions; the shares' standard deviations are below 0.0013.
TEST(MaskTokensTest, HasTheSharesOfBert) {
  const TokenNumbers tokens(1000, 7);
  MaskingOptions options = kMasking;
  options.most_predictions = 1000;
  int64_t predictions = 0, masks = 0, kept = 0;
  for (int64_t example = 0; example < 667; ++example) {
    const MaskedTokens masked = MaskTokens(tokens, example, options);
    ASSERT_EQ(masked.positions.size(), 150u);
    for (const int64_t position : masked.positions) {
      const int64_t token = masked.tokens[position];
      ++predictions;
      masks += token == 4;
      kept += token == 7;
      ASSERT_TRUE(token == 4 || (token >= 5 && token < 1000));
    }
  }
  EXPECT_NEAR(static_cast<double>(masks) / predictions, 0.8, 0.006);
  // One of 995 random words is the token itself.
  EXPECT_NEAR(static_cast<double>(kept) / predictions, 0.1, 0.005);
}

TEST(MaskTokensTest, CountsAsBertDoes) {
  const auto count = [](int64_t words, int64_t special, int64_t most) {
    TokenNumbers tokens(words, 7);
    tokens.insert(tokens.end(), special, 3);
    MaskingOptions options = kMasking;
    options.most_predictions = most;
    return MaskTokens(tokens, 0, options).positions.size();
  };
  EXPECT_EQ(count(2, 1, 20), 1u);   // 0.45, but at least 1
  EXPECT_EQ(count(7, 3, 20), 2u);   // 1.5 rounds to even
  EXPECT_EQ(count(27, 3, 20), 4u);  // 4.5 rounds to even
  EXPECT_EQ(count(2, 98, 20), 2u);  // no more words than there are
  EXPECT_EQ(count(200, 0, 20), 20u);
  EXPECT_EQ(count(0, 5, 20), 0u);
  EXPECT_EQ(count(0, 0, 20), 0u);
}

TEST(MaskTokensTest, NeverPredictsSpecialTokens) {
  for (int64_t example = 0; example < 200; ++example) {
    for (const int64_t label :
         MaskTokens(SomeTokens(), example, kMasking).labels) {
      EXPECT_GE(label, 5);
    }
  }
}

TEST(MaskTokensTest, RefusesWrongOptions) {
  const auto code = [](const MaskingOptions& options, int64_t example = 0) {
    return CodeOf([&] { MaskTokens(SomeTokens(), example, options); });
  };
  EXPECT_EQ(code({}), Code::kInvalidArgument);
  EXPECT_EQ(code({.vocabulary = 1000, .share = 1.5}), Code::kInvalidArgument);
  EXPECT_EQ(code({.vocabulary = 1000, .mask_share = 0.95}),
            Code::kInvalidArgument);
  EXPECT_EQ(code({.vocabulary = 1000, .most_predictions = 0}),
            Code::kInvalidArgument);
  EXPECT_EQ(code(kMasking, -1), Code::kInvalidArgument);
}

}  // namespace
}  // namespace lockstep
