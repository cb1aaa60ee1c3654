#include "reference/decoding/decode.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>
#include <vector>

#include "reference/base/error_testing.h"
#include "reference/base/random.h"

namespace lockstep {
namespace {

// 0 fills, 1 starts, 2 ends.
constexpr int64_t kA = 3, kB = 4;
const Structure kNoState = Structure::Tuple({});

// A model whose next token depends on the last one only: probabilities of each
// token after each token, in the order of numbers.
using Table = std::map<int64_t, std::vector<float>>;

DecodingStep StepOf(const Table& table) {
  return [table](const Structure& state, const Tensor& tokens) -> NextTokens {
    std::vector<float> logs;
    for (const int64_t token : tokens.ToVector<int64_t>()) {
      for (const float p : table.at(token)) logs.push_back(std::log(p));
    }
    const int64_t rows = tokens.num_elements();
    return {Tensor::FromVector(
                logs, Shape{rows, static_cast<int64_t>(logs.size()) / rows}),
            state};
  };
}

// The most probable first token leads to a less probable sentence.
const Table kTable = {{1, {0, 0, 0, 0.6, 0.4}},
                      {kA, {0, 0, 0.4, 0.3, 0.3}},
                      {kB, {0, 0, 0.9, 0.1, 0}}};

using Sentences = std::vector<std::vector<int64_t>>;

Sentences TokensOf(const std::vector<Hypothesis>& hypotheses) {
  Sentences tokens;
  for (const Hypothesis& each : hypotheses) tokens.push_back(each.tokens);
  return tokens;
}

// Probabilities are float32 before they are added.
void ExpectProbability(const Hypothesis& hypothesis, double probability) {
  EXPECT_NEAR(std::exp(hypothesis.log_probability), probability, 1e-6);
}

TEST(GreedyDecodeTest, TakesTheBestTokenEachTime) {
  const auto best = GreedyDecode(StepOf(kTable), kNoState, 2);
  ASSERT_EQ(TokensOf(best), (Sentences{{kA}, {kA}}));
  EXPECT_TRUE(best[0].ended);
  ExpectProbability(best[0], 0.6 * 0.4);
  EXPECT_EQ(best[0].score, best[0].log_probability);
}

TEST(GreedyDecodeTest, StopsAtTheMostTokens) {
  const Table loop = {{1, {0, 0, 0.25, 0.75}}, {kA, {0, 0, 0.25, 0.75}}};
  const auto best = GreedyDecode(StepOf(loop), kNoState, 1, {.most_tokens = 3});
  ASSERT_EQ(TokensOf(best), (Sentences{{kA, kA, kA}}));
  EXPECT_FALSE(best[0].ended);
  ExpectProbability(best[0], 0.75 * 0.75 * 0.75);
}

TEST(GreedyDecodeTest, TakesTheLowestOfEqualTokens) {
  const Table equal = {{1, {0, 0, 0, 0.5, 0.5}}, {kA, {0, 0, 1, 0, 0}}};
  EXPECT_EQ(TokensOf(GreedyDecode(StepOf(equal), kNoState, 1)),
            (Sentences{{kA}}));
}

TEST(GreedyDecodeTest, StopsWhereNoTokenIsPossible) {
  const Table stuck = {{1, {0, 0, 0, 1}}, {kA, {0, 0, 0, 0}}};
  const auto best = GreedyDecode(StepOf(stuck), kNoState, 1);
  ASSERT_EQ(TokensOf(best), (Sentences{{kA}}));
  EXPECT_FALSE(best[0].ended);
  EXPECT_EQ(TokensOf(BeamDecode(StepOf(stuck), kNoState, 1)[0]),
            (Sentences{{kA}}));
}

// By hand. Of a beam of two: a and b, then the ends of both. Of three: also a a,
// a b and b a, of which a b ends with 0.162.
TEST(BeamDecodeTest, FindsWhatGreedyMisses) {
  const auto two = BeamDecode(StepOf(kTable), kNoState, 1, {.beam = 2})[0];
  ASSERT_EQ(TokensOf(two), (Sentences{{kB}, {kA}}));
  ExpectProbability(two[0], 0.4 * 0.9);
  ExpectProbability(two[1], 0.6 * 0.4);
  const auto three = BeamDecode(StepOf(kTable), kNoState, 1, {.beam = 3})[0];
  ASSERT_EQ(TokensOf(three), (Sentences{{kB}, {kA}, {kA, kB}}));
  ExpectProbability(three[2], 0.6 * 0.3 * 0.9);
}

TEST(BeamDecodeTest, ABeamOfOneIsGreedy) {
  EXPECT_EQ(BeamDecode(StepOf(kTable), kNoState, 1, {.beam = 1})[0],
            GreedyDecode(StepOf(kTable), kNoState, 1));
}

// By hand: ln(0.162) / (8 / 6)^5 = -0.432, ln(0.36) / (7 / 6)^5 = -0.473 and
// ln(0.24) / (7 / 6)^5 = -0.660.
TEST(BeamDecodeTest, ALengthPenaltyPrefersLongSentences) {
  const auto three = BeamDecode(StepOf(kTable), kNoState, 1,
                                {.beam = 3, .length_penalty = 5})[0];
  ASSERT_EQ(TokensOf(three), (Sentences{{kA, kB}, {kB}, {kA}}));
  EXPECT_NEAR(three[0].score, -0.432, 5e-4);
  EXPECT_NEAR(three[1].score, -0.473, 5e-4);
  EXPECT_NEAR(three[2].score, -0.660, 5e-4);
}

TEST(BeamDecodeTest, UnfinishedSentencesAreLast) {
  const auto all = BeamDecode(StepOf(kTable), kNoState, 1,
                              {.decode = {.most_tokens = 2}, .beam = 4})[0];
  // b and a ended; a a and a b, of equal probability, did not.
  EXPECT_EQ(TokensOf(all), (Sentences{{kB}, {kA}, {kA, kA}, {kA, kB}}));
  EXPECT_TRUE(all[1].ended);
  EXPECT_FALSE(all[2].ended);
}

// Probabilities after a whole history, which the state is: a row's number and
// the digits of its tokens.
float ProbabilityAfter(int64_t history, int64_t token) {
  return 0.25f * (0.5f + Random(history, token).UniformFloat());
}

constexpr int64_t kVocabulary = 4;

NextTokens StepOfHistory(const Structure& state, const Tensor& tokens) {
  std::vector<int64_t> histories;
  std::vector<float> logs;
  for (int64_t i = 0; i < tokens.num_elements(); ++i) {
    histories.push_back(10 * state[0].leaf().at<int64_t>(i) +
                        tokens.at<int64_t>(i));
    for (int64_t token = 0; token < kVocabulary; ++token) {
      logs.push_back(std::log(ProbabilityAfter(histories.back(), token)));
    }
  }
  return {Tensor::FromVector(logs, Shape{tokens.num_elements(), kVocabulary}),
          Structure::Tuple({Tensor::FromVector(histories)})};
}

// Every sentence of at most `most` tokens, with its log probability.
void Enumerate(int64_t history, int64_t most, const Hypothesis& so_far,
               std::vector<Hypothesis>& all) {
  for (int64_t token = 0; token < kVocabulary; ++token) {
    Hypothesis next = so_far;
    next.log_probability += std::log(ProbabilityAfter(history, token));
    next.score = next.log_probability;
    next.ended = token == 2;
    if (!next.ended) next.tokens.push_back(token);
    if (next.ended || most == 1) {
      all.push_back(next);
    } else {
      Enumerate(10 * history + token, most - 1, next, all);
    }
  }
}

TEST(BeamDecodeTest, AWideBeamFindsEverySentence) {
  const Structure rows =
      Structure::Tuple({Tensor::FromVector<int64_t>({7, 8, 9})});
  const auto found = BeamDecode(StepOfHistory, rows, 3,
                                {.decode = {.most_tokens = 3}, .beam = 1000});
  for (int64_t row = 0; row < 3; ++row) {
    std::vector<Hypothesis> all;
    Enumerate(10 * (7 + row) + 1, 3, {}, all);
    std::ranges::sort(all, {}, [](const Hypothesis& each) {
      return std::pair(!each.ended, -each.score);
    });
    // 1, 3 and 9 sentences that end, and 27 that do not.
    ASSERT_EQ(all.size(), 40u);
    ASSERT_EQ(found[row].size(), 40u);
    EXPECT_EQ(TokensOf(found[row]), TokensOf(all));
    EXPECT_EQ(found[row], all);
  }
}

TEST(DecodeTest, RefusesWrongArguments) {
  const DecodingStep step = StepOf(kTable);
  const auto code = [&](const DecodingStep& step, const BeamOptions& options,
                        int64_t rows) {
    return CodeOf([&] { BeamDecode(step, kNoState, rows, options); });
  };
  EXPECT_EQ(code(step, {.beam = 0}, 1), Code::kInvalidArgument);
  EXPECT_EQ(code(step, {}, -1), Code::kInvalidArgument);
  EXPECT_EQ(code(step, {.decode = {.most_tokens = 0}}, 1),
            Code::kInvalidArgument);
  EXPECT_EQ(code(step, {.decode = {.end_token = 5}}, 1),
            Code::kInvalidArgument);
  EXPECT_EQ(code(StepOf({{1, {0, 0, NAN}}}), {}, 1), Code::kInvalidArgument);
  const DecodingStep wrong_shape = [](const Structure&, const Tensor&) {
    return NextTokens{Tensor::FromVector<float>({0, 0, 0})};
  };
  EXPECT_EQ(code(wrong_shape, {}, 1), Code::kInvalidArgument);
  EXPECT_TRUE(BeamDecode(step, kNoState, 0).empty());
}

}  // namespace
}  // namespace lockstep
