#include "conformance/runner/verdicts/first_difference.h"

#include <gtest/gtest.h>

#include <string>

#include "conformance/runner/miniature_testee.h"
#include "conformance/runner/verdicts/run_case.h"

namespace lockstep {
namespace {

// What a miniature does wrong on more than one replica: from 1, the batch.
struct Wrong {
  int64_t gradient_of = 0;
  double gradient_by = 1;
  int64_t update_of = 0;
  bool losses = false;
  bool end_of_epoch = false;
};

// A model of one number, which each batch makes smaller by a quarter of its
// gradient: the number itself times the first input.
class MiniatureTraining {
 public:
  MiniatureTraining(const Request& request, const Wrong& wrong)
      : wrong_(request.given["replicas"] > 1 ? wrong : Wrong{}) {
    for (const Json& step : request.program) Do(step);
  }

  const Json& observed() const { return observed_; }

 private:
  void Do(const Json& step) {
    const std::string name = step["step"];
    if (name == "loader.create") {
      loader_ = step;
    } else if (name == "train.create") {
      window_ = step.value("accumulate", int64_t{1});
    } else if (name == "train.batches") {
      TrainOn(step.value("batches", int64_t{1}));
    } else if (name == "train.epoch") {
      TrainEpoch(step);
    }
    if (!step.contains("observe")) return;
    observed_[step["observe"].get<std::string>()] =
        name == "train.losses"      ? Json(wrong_.losses ? 1 : 0)
        : name == "train.gradients" ? Layers(gradient_)
                                    : Layers(kernel_);
  }

  void TrainEpoch(const Json& step) {
    const auto batches = static_cast<int64_t>(loader_["inputs"].size()) /
                         loader_["batch"].get<int64_t>() *
                         step.value("epochs", int64_t{1});
    const int64_t stop_after = step.value("stop_after", batches + 1);
    TrainOn(std::min(batches, stop_after));
    if (wrong_.end_of_epoch && stop_after > batches) kernel_ += 1;
  }

  void TrainOn(int64_t batches) {
    for (int64_t batch = 0; batch < batches; ++batch) {
      ++count_;
      gradient_ = kernel_ * loader_["inputs"][0].get<double>();
      if (count_ == wrong_.gradient_of) gradient_ += wrong_.gradient_by;
      if (count_ % window_ == 0) kernel_ -= 0.25 * gradient_;
      if (count_ == wrong_.update_of) kernel_ += 1;
    }
  }

  static Json Layers(double number) {
    return Json::array({{{"kernel", {number}}}});
  }

  const Wrong wrong_;
  Json loader_;
  int64_t window_ = 1;
  double kernel_ = 1;
  double gradient_ = 0;
  int64_t count_ = 0;
  Json observed_ = Json::object();
};

MiniatureTestee::Behaviour Trains(const Wrong& wrong) {
  return [wrong](const Request& request) -> Answer {
    return Observations{MiniatureTraining(request, wrong).observed()};
  };
}

// As the other, but for programs that have such a step more than they should.
MiniatureTestee::Behaviour TrainsBut(const std::string& step, Answer answer,
                                     const Wrong& wrong) {
  return [=](const Request& request) -> Answer {
    for (const Json& one : request.program) {
      if (one["step"] == step) return answer;
    }
    return Observations{MiniatureTraining(request, wrong).observed()};
  };
}

// On two replicas as on one: two batches one by one, and then three.
Case TrainingCase(const char* steps = R"([
    {"step": "train.batches", "of": "training", "loader": "loader"},
    {"step": "train.batches", "of": "training", "loader": "loader"},
    {"step": "train.batches", "of": "training", "loader": "loader",
     "batches": 3}])") {
  Json program = Json::parse(R"([
    {"let": "model", "step": "model.create"},
    {"let": "loader", "step": "loader.create",
     "inputs": [1, 1, 1, 1, 1, 1, 1, 1], "batch": 2},
    {"let": "training", "step": "train.create", "of": "model"}])");
  for (const Json& step : Json::parse(steps)) program.push_back(step);
  program.push_back(
      {{"observe", "weights"}, {"step", "model.parameters"}, {"of", "model"}});
  Expectation as_one;
  as_one.relation = Relation::kSameAs;
  as_one.observation = as_one.other_observation = "weights";
  as_one.other_given = {{"replicas", 1}};
  return {.id = "equivalence/one/trains_as_one",
          .topic = "One",
          .level = Level::kRequired,
          .states = "N replicas train as one.",
          .cites = {},
          .given = {{"strategy", "mirrored"}, {"replicas", 2}},
          .program = program,
          .expect = {as_one}};
}

constexpr const char* kTwoEpochs = R"([
    {"step": "train.epoch", "of": "training", "loader": "loader",
     "epochs": 2}])";

std::string FirstOf(const Case& conformance_case,
                    const MiniatureTestee::Behaviour& behaviour) {
  MiniatureTestee testee(behaviour);
  const CaseResult result = RunCase(conformance_case, testee, {});
  EXPECT_EQ(result.verdict, Verdict::kFailed);
  return result.runs[0].findings[0].first_difference;
}

TEST(FirstDifferenceTest, NamesTheStepWhoseGradientDiffers) {
  EXPECT_EQ(FirstOf(TrainingCase(), Trains({.gradient_of = 2})),
            "training step 2 of 3 (train.batches): the gradient differs at "
            "[0].kernel[0]: expected 0.75, observed 1.75");
}

TEST(FirstDifferenceTest, NamesTheStepWhoseUpdateDiffers) {
  EXPECT_EQ(FirstOf(TrainingCase(), Trains({.update_of = 1})),
            "training step 1 of 3 (train.batches): the gradient agrees, the "
            "update differs: parameters at [0].kernel[0]: expected 0.75, "
            "observed 1.75");
}

TEST(FirstDifferenceTest, NamesTheBatchOfAStepThatHasSeveral) {
  EXPECT_EQ(FirstOf(TrainingCase(), Trains({.gradient_of = 4})),
            "training step 3 of 3 (train.batches), batch 2: the gradient "
            "differs at [0].kernel[0]: expected 0.421875, observed 1.421875");
}

TEST(FirstDifferenceTest, NamesEachBatchOfAnEpoch) {
  for (int64_t batch = 1; batch <= 8; ++batch) {
    const std::string place =
        "training step 1 of 1 (train.epoch), batch " + std::to_string(batch);
    EXPECT_TRUE(FirstOf(TrainingCase(kTwoEpochs), Trains({.update_of = batch}))
                    .starts_with(place + ": the gradient agrees, the update"));
    EXPECT_TRUE(
        FirstOf(TrainingCase(kTwoEpochs), Trains({.gradient_of = batch}))
            .starts_with(place + ": the gradient differs at [0].kernel[0]"));
  }
}

TEST(FirstDifferenceTest, NamesTheEndOfAnEpoch) {
  EXPECT_TRUE(FirstOf(TrainingCase(kTwoEpochs), Trains({.end_of_epoch = true}))
                  .starts_with("training step 1 of 1 (train.epoch) at its end, "
                               "after its batches: the gradient agrees, the "
                               "update differs: parameters at [0].kernel[0]"));
}

// What came first of a later epoch's batches is not known.
TEST(FirstDifferenceTest, ALaterEpochIsNotSearched) {
  constexpr const char* kLater = R"([
    {"step": "train.batches", "of": "training", "loader": "loader"},
    {"step": "train.epoch", "of": "training", "loader": "loader"}])";
  EXPECT_TRUE(FirstOf(TrainingCase(kLater), Trains({.update_of = 3}))
                  .starts_with("training step 2 of 2 (train.epoch): after it "
                               "the last gradient differs at [0].kernel[0]"));
  EXPECT_TRUE(FirstOf(TrainingCase(kLater), Trains({.update_of = 5}))
                  .starts_with("training step 2 of 2 (train.epoch): after it "
                               "parameters differ at [0].kernel[0]"));
}

// To be as with batches of four and windows of one.
Case WindowsCase(int batch, int window) {
  Case conformance_case = TrainingCase(kTwoEpochs);
  conformance_case.program[1]["batch"] = {{"parameter", "batch"}};
  conformance_case.program[2]["accumulate"] = {{"parameter", "window"}};
  conformance_case.given["parameters"] = {{"batch", batch}, {"window", window}};
  conformance_case.expect[0].other_given["parameters"] = {{"batch", 4},
                                                          {"window", 1}};
  return conformance_case;
}

TEST(FirstDifferenceTest, NamesOptimizerStepIfBatchesDiffer) {
  EXPECT_EQ(
      FirstOf(WindowsCase(2, 2), Trains({.gradient_of = 4})),
      "training step 1 of 1 (train.epoch), optimizer step 2: the gradient "
      "differs at [0].kernel[0]: expected 0.75, observed 1.75");
}

TEST(FirstDifferenceTest, EpochsOfUnequalStepsAreNotSearched) {
  EXPECT_TRUE(FirstOf(WindowsCase(2, 1), Trains({}))
                  .starts_with("training step 1 of 1 (train.epoch): after it "
                               "the last gradient differs"));
}

TEST(FirstDifferenceTest, TrainingMayAgree) {
  Case conformance_case = TrainingCase();
  conformance_case.program.push_back(
      {{"observe", "losses"}, {"step", "train.losses"}, {"of", "training"}});
  conformance_case.expect[0].observation = "losses";
  conformance_case.expect[0].other_observation = "losses";
  EXPECT_EQ(FirstOf(conformance_case, Trains({.losses = true})),
            "not in training: gradients and parameters agree after every "
            "training step (3), the observation differs");
}

TEST(FirstDifferenceTest, ComparesParametersWithoutGradients) {
  EXPECT_EQ(FirstOf(TrainingCase(),
                    TrainsBut("train.gradients",
                              Unsupported{"train.gradients", "fit has none"},
                              {.gradient_of = 2})),
            "training step 2 of 3 (train.batches): no gradient is reported, "
            "parameters differ at [0].kernel[0]: expected 0.5625, observed "
            "0.3125");
}

TEST(FirstDifferenceTest, EmptyIfTraceIsNotAnswered) {
  for (const Answer& answer :
       {Answer{Failure{"Internal", "", "train.gradients"}},
        Answer{Unsupported{"train.batches", "not twice"}},
        Answer{Crashed{"SIGSEGV", ""}},
        Answer{TimedOut{std::chrono::seconds(1), ""}}}) {
    MiniatureTestee testee(
        TrainsBut("train.gradients", answer, {.update_of = 2}));
    const Case conformance_case = TrainingCase();
    const CaseResult result = RunCase(conformance_case, testee, {});
    EXPECT_EQ(result.verdict, Verdict::kFailed);
    EXPECT_EQ(result.runs[0].findings[0].first_difference, "");
    EXPECT_EQ(result.runs[0].programs.size(), 2u);
    EXPECT_EQ(testee.requests.size(), 3u);  // no more requests
  }
}

// The case fails for the run with moved inputs that did not end well.
TEST(FirstDifferenceTest, EmptyIfRoundingIsUnknown) {
  Case conformance_case = TrainingCase();
  conformance_case.inputs = {{"loader.create", "inputs"}};
  conformance_case.expect[0].to_rounding = true;
  MiniatureTestee testee([](const Request& request) -> Answer {
    if (request.program[1]["inputs"][0] != 1)
      return Failure{"Internal", "", ""};
    return Observations{
        MiniatureTraining(request, {.update_of = 1}).observed()};
  });
  const CaseResult result = RunCase(conformance_case, testee, {});
  EXPECT_EQ(result.verdict, Verdict::kFailed);
  EXPECT_EQ(result.runs[0].findings[0].first_difference, "");
  EXPECT_EQ(testee.requests.size(), 3u);
}

TEST(FirstDifferenceTest, EmptyIfProgramCannotBeTraced) {
  EXPECT_EQ(FirstOf(TrainingCase(R"([
    {"let": "model", "step": "model.create"},
    {"step": "train.epoch", "of": "training", "loader": "loader"}])"),
                    Trains({.update_of = 2})),
            "");
}

TEST(FirstDifferenceTest, UsesToleranceOfTheExpectation) {
  Case conformance_case = TrainingCase();
  conformance_case.expect[0].atol = 0.125;
  EXPECT_TRUE(
      FirstOf(conformance_case,
              Trains({.gradient_of = 1, .gradient_by = 0.1, .update_of = 2}))
          .starts_with("training step 2 of 3 (train.batches): the gradient "
                       "agrees, the update differs"));
}

TEST(FirstDifferenceTest, RoundingIsEstimatedForEachTrace) {
  Case conformance_case = TrainingCase();
  conformance_case.inputs = {{"loader.create", "inputs"}};
  conformance_case.expect[0].to_rounding = true;
  MiniatureTestee testee(Trains({.gradient_of = 2}));
  const CaseResult result = RunCase(conformance_case, testee, {});
  const std::string& first = result.runs[0].findings[0].first_difference;
  EXPECT_TRUE(first.starts_with(
      "training step 2 of 3 (train.batches): the gradient differs at "
      "[0].kernel[0]: expected 0.75, observed 1.75, which is off by 1 where "
      "rounding explains "))
      << first;
  // Twice two runs, of which the other one has its inputs moved three times.
  EXPECT_EQ(testee.requests.size(), 10u);
}

TEST(FirstDifferenceTest, RunsNothingForPassingCase) {
  MiniatureTestee testee(Trains({}));
  const Case conformance_case = TrainingCase();
  const CaseResult result = RunCase(conformance_case, testee, {});
  EXPECT_EQ(result.verdict, Verdict::kPassed);
  EXPECT_EQ(result.runs[0].findings[0].first_difference, "");
  EXPECT_EQ(testee.requests.size(), 2u);
}

// Of a pass of a thousand batches.
TEST(FirstDifferenceTest, SearchesByBisection) {
  Case conformance_case = TrainingCase(R"([
    {"step": "train.batches", "of": "training", "loader": "loader",
     "batches": 1000}])");
  MiniatureTestee testee(Trains({.update_of = 999}));
  RunCase(conformance_case, testee, {});
  EXPECT_LE(testee.requests.size(), 2u + 2u + 2u * 10u);
}

}  // namespace
}  // namespace lockstep
