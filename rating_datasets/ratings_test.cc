#include "rating_datasets/ratings.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "rating_datasets/negative_sampler.h"
#include "rating_datasets/synthetic_ratings.h"
#include "reference/base/error_testing.h"
#include "reference/base/file_testing.h"

namespace lockstep {
namespace {

using Items = std::vector<int64_t>;

TEST(ParseRatingsTest, ReadsBothFormats) {
  const std::vector<Rating> ratings = {{1, 1193, 5, 978300760},
                                       {2, 661, 3, 978302109}};
  EXPECT_EQ(ParseRatings("1::1193::5::978300760\n2::661::3::978302109\n", "a"),
            ratings);
  EXPECT_EQ(ParseRatings("userId,movieId,rating,timestamp\r\n"
                         "1,1193,5.0,978300760\r\n2,661,3,978302109",
                         "a"),
            ratings);
  EXPECT_EQ(ParseRatings("3::4::0.5::0", "a"),
            (std::vector<Rating>{{3, 4, 0.5, 0}}));
}

TEST(ParseRatingsTest, NamesTheLineOfAnError) {
  const auto message = [](const std::string& text) -> std::string {
    try {
      ParseRatings(text, "a.dat");
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), Code::kDataLoss);
      return error.what();
    }
    return "no error";
  };
  EXPECT_EQ(message("1::2::3::4\n1::2::3\n"),
            "[ReadRatings] a.dat:2: wanted user::item::rating::time, numbers "
            "from 0 and ratings to 5, got '1::2::3'");
  EXPECT_EQ(message("userId,movieId,rating,timestamp\n1,2,3,4,5"),
            "[ReadRatings] a.dat:2: wanted user,item,rating,time, numbers from "
            "0 and ratings to 5, got '1,2,3,4,5'");
  EXPECT_EQ(message(""), "[ReadRatings] a.dat:1: there are no ratings");
  for (const char* line :
       {"1::2::6::4", "1::2::-1::4", "-1::2::3::4", "1::-2::3::4",
        "1::2::3::-4", "1::2::nan::4", "1::2::inf::4", "1::2::3::4::5",
        "1::2::3::4 ", "a::2::3::4", "1::2::3::99999999999999999999", "",
        "::", "1::::3::4", "1,2,3,4"}) {
    EXPECT_TRUE(message(std::string("1::2::3::4\n") + line + "\n")
                    .starts_with("[ReadRatings] a.dat:2: "))
        << line;
  }
}

TEST(ReadRatingsTest, NumbersUsersAndItems) {
  const TestFolder folder;
  WriteWholeFile(folder / "ratings.dat",
                 "7::30::5::1\n2::10::4::2\n7::20::3::3\n");
  const Ratings ratings = ReadRatings(folder / "ratings.dat");
  EXPECT_EQ(ratings.users, 2);
  EXPECT_EQ(ratings.items, 3);
  EXPECT_EQ(ratings.all,
            (std::vector<Rating>{{1, 2, 5, 1}, {0, 0, 4, 2}, {1, 1, 3, 3}}));
  EXPECT_EQ(ratings.description, "ratings.dat (2 users, 3 items, 3 ratings)");
  EXPECT_EQ(CodeOf([&] { ReadRatings(folder / "none"); }), Code::kNotFound);
}

TEST(LeaveLastOutTest, TestsTheLastByTime) {
  const Ratings ratings = {
      .users = 4,
      .items = 4,
      .all = {{1, 0, 5, 30},  // the last by time
              {0, 1, 5, 10},  // the only one of user 0
              {1, 1, 5, 10},
              {1, 2, 5, 20},
              {2, 3, 5, 40},
              {2, 0, 5, 40},  // at the same time, later in the file
              {3, 2, 1, 50},  // comes again
              {3, 1, 5, 60},
              {3, 2, 5, 70}}};
  const LastOut split = LeaveLastOut(ratings);
  EXPECT_EQ(split.train, (std::vector<Rating>{{0, 1, 5, 10},
                                              {1, 1, 5, 10},
                                              {1, 2, 5, 20},
                                              {2, 3, 5, 40},
                                              {3, 1, 5, 60}}));
  EXPECT_EQ(split.test,
            (std::vector<Rating>{{1, 0, 5, 30}, {2, 0, 5, 40}, {3, 2, 5, 70}}));
}

// User 0 knows items 0, 3 and 4 of 12, user 1 none, user 2 the last, user 3 all.
NegativeSampler SomeSampler() {
  std::vector<Rating> known = {{0, 4}, {0, 0}, {0, 3}, {0, 4}, {2, 11}};
  for (int64_t item = 0; item < 12; ++item) known.push_back({3, item});
  return NegativeSampler(4, 12, known);
}

// The rule in Python, with the random numbers of TensorFlow 2.21.0: those of
// tf.random.Generator, alg="philox", with state [epoch << 32, example, seed].
TEST(NegativeSamplerTest, AgreesWithPythonAndTensorFlow) {
  const NegativeSampler sampler = SomeSampler();
  EXPECT_EQ(sampler.Draw(0, 4, 7), (Items{1, 5, 10, 1}));
  EXPECT_EQ(sampler.Draw(0, 4, 8), (Items{8, 7, 5, 5}));
  EXPECT_EQ(sampler.Draw(0, 4, 7, /*epoch=*/1), (Items{2, 9, 5, 2}));
  EXPECT_EQ(sampler.Draw(1, 4, 7), (Items{0, 3, 10, 1}));
  EXPECT_EQ(sampler.Draw(2, 4, 7), (Items{0, 3, 9, 0}));
  EXPECT_EQ(sampler.DrawDifferent(0, 4, 7), (Items{1, 5, 10, 11}));
  EXPECT_EQ(sampler.DrawDifferent(0, 9, 7),
            (Items{1, 2, 5, 6, 7, 8, 9, 10, 11}));
}

TEST(NegativeSamplerTest, DrawsWhatAUserDoesNotKnowEquallyOften) {
  const NegativeSampler sampler = SomeSampler();
  std::vector<int64_t> counts(12);
  for (const int64_t item : sampler.Draw(0, 9000, 1)) ++counts[item];
  for (int64_t item = 0; item < 12; ++item) {
    const bool known = item == 0 || item == 3 || item == 4;
    // Five standard deviations of about 30.
    EXPECT_NEAR(counts[item], known ? 0 : 1000, known ? 0 : 150) << item;
  }
}

TEST(NegativeSamplerTest, RefusesWhatItCannotDraw) {
  const NegativeSampler sampler = SomeSampler();
  for (const int64_t user : {-1, 3, 4}) {
    EXPECT_EQ(CodeOf([&] { sampler.Draw(user, 1, 0); }),
              Code::kInvalidArgument);
  }
  EXPECT_TRUE(sampler.Draw(3, 0, 0).empty());
  EXPECT_EQ(CodeOf([&] { sampler.DrawDifferent(0, 10, 0); }),
            Code::kInvalidArgument);
  const std::vector<Rating> outside = {{0, 12}};
  EXPECT_EQ(CodeOf([&] { NegativeSampler(1, 12, outside); }),
            Code::kInvalidArgument);
}

// Reading in another order, or in parts, does not change what belongs to a
// positive: its negatives are rows of the same table.
TEST(TrainingExamplesTest, NegativesFollowTheirPositive) {
  const std::vector<Rating> positives = {{0, 3}, {1, 5}};
  const NegativeSampler sampler = SomeSampler();
  const RatingExamples examples =
      MakeTrainingExamples(positives, sampler, {.negatives = 2}, 0);
  EXPECT_EQ(ToString(examples.users), "[0, 0, 0, 1, 1, 1]");
  EXPECT_EQ(ToString(examples.labels), "[1, 0, 0, 1, 0, 0]");
  Items items = {3};
  for (const int64_t item : sampler.Draw(0, 2, 0)) items.push_back(item);
  items.push_back(5);
  for (const int64_t item : sampler.Draw(1, 2, 1)) items.push_back(item);
  EXPECT_EQ(examples.items.ToVector<int64_t>(), items);
  EXPECT_EQ(ToDataset(examples).cardinality(), 6);
  EXPECT_EQ(CodeOf([&] {
              MakeTrainingExamples(positives, sampler, {.negatives = -1}, 0);
            }),
            Code::kInvalidArgument);
}

TEST(CandidatesTest, TheRightItemIsLast) {
  const std::vector<Rating> test = {{0, 4}, {2, 11}};
  const NegativeSampler sampler = SomeSampler();
  const RatingCandidates candidates = MakeCandidates(test, sampler, 9);
  EXPECT_EQ(candidates.users.shape(), (Shape{2, 10}));
  EXPECT_EQ(ToString(candidates.items.Row(0)),
            "[1, 2, 5, 6, 7, 8, 9, 10, 11, 4]");
  EXPECT_EQ(candidates.items.at<int64_t>(19), 11);
  EXPECT_EQ(candidates.users.at<int64_t>(10), 2);
  EXPECT_EQ(ToString(candidates.right), "[9, 9]");
}

// The rule in Python, with the random numbers of TensorFlow 2.21.0.
TEST(SyntheticRatingsTest, AgreesWithPythonAndTensorFlow) {
  const SyntheticRatingOptions options = {
      .users = 3, .items = 10, .ratings_each = 4};
  const Ratings ratings = MakeSyntheticRatings(options);
  Items items;
  for (const Rating& rating : ratings.all) items.push_back(rating.item);
  EXPECT_EQ(items, (Items{8, 9, 3, 4, 2, 1, 7, 4, 9, 8, 2, 0}));
  EXPECT_EQ(PlantedScore(options, 2, 8), 3554);
  EXPECT_EQ(ratings.all[5], (Rating{1, 1, 5, 2}));
  EXPECT_EQ(ratings.description,
            "synthetic, seed 1 (3 users, 10 items, 12 ratings)");
}

TEST(SyntheticRatingsTest, WithoutNoiseUsersRateWhatFitsBest) {
  const SyntheticRatingOptions options = {
      .users = 20, .items = 50, .ratings_each = 5, .noise = 0};
  const Ratings ratings = MakeSyntheticRatings(options);
  for (int64_t user = 0; user < 20; ++user) {
    int64_t lowest = INT64_MAX;
    std::vector<bool> rated(50);
    for (int64_t i = 5 * user; i < 5 * user + 5; ++i) {
      const Rating& rating = ratings.all[i];
      ASSERT_EQ(rating.user, user);
      rated[rating.item] = true;
      lowest = std::min(lowest, PlantedScore(options, user, rating.item));
    }
    for (int64_t item = 0; item < 50; ++item) {
      if (rated[item]) continue;
      EXPECT_LE(PlantedScore(options, user, item), lowest);
    }
  }
}

TEST(SyntheticRatingsTest, RefusesWrongOptions) {
  for (const SyntheticRatingOptions& options :
       {SyntheticRatingOptions{.users = 0},
        {.items = 0},
        {.factors = 0},
        {.ratings_each = 1},
        {.ratings_each = 401},
        {.noise = -1},
        {.noise = 2}}) {
    EXPECT_EQ(CodeOf([&] { MakeSyntheticRatings(options); }),
              Code::kInvalidArgument);
  }
}

}  // namespace
}  // namespace lockstep
