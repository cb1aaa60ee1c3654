#include "conformance/runner/cases/model_copies.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace lockstep {
namespace {

using testing::IsEmpty;

Json Model(const char* name) {
  return {{"let", name}, {"step", "model.create"}};
}

Json Training(const char* model) {
  return {{"let", "training"}, {"step", "train.create"}, {"of", model}};
}

Json Observation(const char* name, const char* model) {
  return {{"observe", name}, {"step", "model.copies"}, {"of", model}};
}

TEST(ModelCopiesTest, ObservesTrainedModelAtTheEnd) {
  Json program = {Model("model"), Training("model")};
  const std::vector<ObservedCopies> observed = ObserveCopies(program);
  ASSERT_EQ(observed.size(), 1);
  EXPECT_EQ(observed[0].observation, "copies");
  EXPECT_EQ(observed[0].replicas, std::nullopt);
  EXPECT_EQ(program, Json({Model("model"), Training("model"),
                           Observation("copies", "model")}));
}

TEST(ModelCopiesTest, ObservesEachJob) {
  const auto job = [](int replicas, const Json& block) {
    return Json{
        {"step", "job.run"}, {"replicas", replicas}, {"program", block}};
  };
  Json program = {job(2, {Model("model"), Training("model")}),
                  job(1, {Model("model"), Training("model")})};
  const std::vector<ObservedCopies> observed = ObserveCopies(program);
  ASSERT_EQ(observed.size(), 2);
  EXPECT_EQ(observed[0].replicas, 2);
  EXPECT_EQ(observed[1].replicas, 1);
  EXPECT_EQ(program, Json({job(2, {Model("model"), Training("model"),
                                   Observation("copies", "model")}),
                           job(1, {Model("model"), Training("model"),
                                   Observation("copies_2", "model")})}));
}

TEST(ModelCopiesTest, AvoidsNamesOfTheProgram) {
  Json program = {Model("model"), Training("model"),
                  Observation("copies", "model"), Model("other"),
                  Training("other")};
  const std::vector<ObservedCopies> observed = ObserveCopies(program);
  ASSERT_EQ(observed.size(), 2);
  EXPECT_EQ(observed[0].observation, "copies_2");
  EXPECT_EQ(observed[1].observation, "copies_3");
  EXPECT_EQ(program.back(), Observation("copies_3", "other"));
}

TEST(ModelCopiesTest, IgnoresUntrainedAndReboundModels) {
  Json program = {Model("model")};
  EXPECT_THAT(ObserveCopies(program), IsEmpty());
  program = {Model("model"), Training("model"), Model("model")};
  EXPECT_THAT(ObserveCopies(program), IsEmpty());
  program = Json::parse(R"([{"observe": "x", "step": "value.show", "of": 1}])");
  EXPECT_THAT(ObserveCopies(program), IsEmpty());
}

}  // namespace
}  // namespace lockstep
