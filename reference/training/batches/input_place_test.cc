#include "reference/training/batches/input_place.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "reference/base/error_testing.h"
#include "reference/distribute/strategy.h"

namespace lockstep {
namespace {

// Numbers below `stop`, with an error in place of `damaged`.
InputPlace Numbers(int64_t stop, int64_t damaged) {
  const auto parse = [damaged](const Structure& x) {
    const int64_t number = x.leaf().item<int64_t>();
    if (number == damaged) throw DataLoss("[Parse] {} is damaged", number);
    return x;
  };
  return InputPlace(GetStrategy().DistributeDataset(
      Dataset::Range(stop).Map(parse).Batch(1)));
}

// The next number; -1 for an error, -2 at the end.
int64_t Read(InputPlace& place) {
  PerReplica<Structure> batch;
  try {
    if (!place.NextBatch(&batch)) return -2;
  } catch (const Error&) {
    return -1;
  }
  return batch[0].leaf().at<int64_t>(0);
}

int64_t Train(InputPlace& place) {
  const int64_t number = Read(place);
  if (number >= 0) place.BatchDone();
  return number;
}

std::vector<int64_t> Rest(InputPlace& place) {
  std::vector<int64_t> numbers;
  for (int64_t number; (number = Train(place)) != -2;) {
    numbers.push_back(number);
  }
  return numbers;
}

TEST(InputPlaceTest, ErrorsBeforeThePlaceArePassedOver) {
  InputPlace place = Numbers(5, /*damaged=*/1);
  EXPECT_EQ(Train(place), 0);
  EXPECT_EQ(Train(place), -1);
  const Json at_error = place.Save();
  EXPECT_EQ(Train(place), 2);
  const Json after = place.Save();
  for (const Json& saved : {at_error, after}) {
    InputPlace other = Numbers(5, 1);
    other.Restore(saved);
    EXPECT_EQ(Rest(other), saved == after ? (std::vector<int64_t>{3, 4})
                                          : (std::vector<int64_t>{2, 3, 4}));
  }
}

TEST(InputPlaceTest, ErrorsBehindAnUntrainedBatchAreThrownAgain) {
  InputPlace place = Numbers(5, /*damaged=*/2);
  EXPECT_EQ(Train(place), 0);
  EXPECT_EQ(Read(place), 1);
  EXPECT_EQ(Read(place), -1);
  InputPlace other = Numbers(5, 2);
  other.Restore(place.Save());
  EXPECT_EQ(Rest(other), (std::vector<int64_t>{1, -1, 3, 4}));
}

TEST(InputPlaceTest, NewErrorsAreThrown) {
  InputPlace place = Numbers(5, /*damaged=*/9);
  EXPECT_EQ(Train(place), 0);
  EXPECT_EQ(Train(place), 1);
  InputPlace other = Numbers(5, 0);
  other.Restore(place.Save());
  PerReplica<Structure> batch;
  ExpectError([&] { other.NextBatch(&batch); }, Code::kDataLoss,
              "0 is damaged");
}

TEST(InputPlaceTest, AFailedSearchLeavesThePassToTheNextOne) {
  bool fails = false;
  const auto make = [&fails] {
    const auto parse = [&fails](const Structure& x) {
      if (fails) throw Unavailable("[Parse] no disk");
      return x;
    };
    return InputPlace(GetStrategy().DistributeDataset(
        Dataset::Range(6).Map(parse).Shuffle(6, /*seed=*/1).Batch(1)));
  };
  InputPlace place = make();
  Train(place);
  Train(place);
  const Json saved = place.Save();
  const std::vector<int64_t> rest = Rest(place);
  InputPlace other = make();
  other.Restore(saved);
  fails = true;
  EXPECT_EQ(Read(other), -1);
  EXPECT_EQ(other.Save(), saved);
  fails = false;
  EXPECT_EQ(Rest(other), rest);
}

TEST(InputPlaceTest, RefusesTheStateOfAnotherPipeline) {
  InputPlace place = Numbers(5, /*damaged=*/9);
  EXPECT_EQ(Train(place), 0);
  const Json saved = place.Save();
  InputPlace other(GetStrategy().DistributeDataset(Dataset::Range(5).Batch(1)));
  EXPECT_EQ(Train(other), 0);
  EXPECT_EQ(Train(other), 1);
  ExpectError([&] { other.Restore(saved); }, Code::kInvalidArgument,
              "[Fit] the state is of the pipeline Batch(Map(Range)), and this "
              "one is Batch(Range)");
  EXPECT_EQ(Rest(other), (std::vector<int64_t>{2, 3, 4}));
}

TEST(InputPlaceTest, ReadsStatesOfOlderVersions) {
  InputPlace place = Numbers(5, /*damaged=*/9);
  place.Restore(
      ParseJson(R"({"trained_of_pass": 2, "passes": []})", "an older state"));
  EXPECT_EQ(Rest(place), (std::vector<int64_t>{2, 3, 4}));
}

TEST(InputPlaceTest, RefusesDamagedStates) {
  InputPlace place = Numbers(5, /*damaged=*/9);
  for (const char* field :
       {R"("errors": -1)", R"("errors": "1")", R"("pipeline": 3)"}) {
    const std::string text =
        R"({"trained_of_pass": 2, "passes": [], )" + std::string(field) + "}";
    EXPECT_EQ(CodeOf([&] { place.Restore(ParseJson(text, "a state")); }),
              Code::kDataLoss)
        << field;
  }
  EXPECT_EQ(Rest(place), (std::vector<int64_t>{0, 1, 2, 3, 4}));
}

}  // namespace
}  // namespace lockstep
