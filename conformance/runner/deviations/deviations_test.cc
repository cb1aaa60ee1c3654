#include "conformance/runner/deviations/deviations.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "conformance/runner/deviations/case_record.h"
#include "conformance/runner/deviations/case_testing.h"

namespace lockstep {
namespace {

constexpr const char* kRight =
    R"({"format": 1, "implementation": "mini", "entries": [
  {"id": "a/b/c", "verdict": "failed", "kind": "defect",
   "observed": {"observations": {"x": 2}}, "reason": "It adds one too many.",
   "reference": "https://example.org/1", "versions": "1.2",
   "repro": "mini/adds.py"}]})";

class DeviationsTest : public testing::Test {
 protected:
  Deviations Load(const Json& json, const char* name = "mini") const {
    return LoadDeviations(Write(json.dump(), name));
  }

  std::string Write(const std::string& text, const char* name) const {
    std::filesystem::create_directories(folder_);
    const std::string path = folder_ + "/" + name + ".json";
    std::ofstream(path) << text;
    return path;
  }

  // The refusal of a right list with the value at "verdict" of its entry, say,
  // replaced, behind operation and file.
  std::string RefusalWith(const std::string& field, const char* value) const {
    Json spoilt = Json::parse(kRight);
    spoilt["entries"][0][field] = Json::parse(value);
    return Refusal(spoilt);
  }

  std::string Refusal(const Json& json) const {
    try {
      Load(json);
    } catch (const Error& e) {
      EXPECT_EQ(e.code(), Code::kInvalidArgument);
      const std::string lead = "[LoadDeviations] " + folder_ + "/mini.json at ";
      const std::string message = e.what();
      EXPECT_TRUE(message.starts_with(lead)) << message;
      return message.substr(std::min(lead.size(), message.size()));
    }
    return "nothing refused";
  }

  const std::string folder_ =
      std::string(std::getenv("TEST_TMPDIR")) + "/" +
      testing::UnitTest::GetInstance()->current_test_info()->name();
};

TEST_F(DeviationsTest, AProtocolErrorIsNoneOfTheImplementation) {
  EXPECT_NE(RefusalWith("verdict", "\"protocol_error\"")
                .find("$.entries[0].verdict: a protocol error is the testee's"),
            std::string::npos);
}

TEST_F(DeviationsTest, RefusesWhateverTheLength) {
  const std::string id = "\"" + std::string(1'000'000, 'a') + "\"";
  EXPECT_LT(RefusalWith("id", id.c_str()).size(), 1200u);
}

TEST_F(DeviationsTest, ReadsAnEntry) {
  const Deviations deviations = Load(Json::parse(kRight));
  EXPECT_EQ(deviations.implementation, "mini");
  ASSERT_EQ(deviations.entries.size(), 1u);
  const Deviation& entry = deviations.entries[0];
  EXPECT_EQ(entry.id, "a/b/c");
  EXPECT_EQ(entry.verdict, Verdict::kFailed);
  EXPECT_EQ(entry.kind, "defect");
  EXPECT_EQ(entry.observed, Json::parse(R"({"observations": {"x": 2}})"));
  EXPECT_EQ(entry.reason, "It adds one too many.");
  EXPECT_EQ(entry.reference, "https://example.org/1");
  EXPECT_EQ(entry.versions, "1.2");
  EXPECT_EQ(entry.repro, "mini/adds.py");
  EXPECT_EQ(entry.place, folder_ + "/mini.json at $.entries[0]");
}

TEST_F(DeviationsTest, IsWrittenAsItWasRead) {
  EXPECT_EQ(Load(Json::parse(kRight)).ToJson(), Json::parse(kRight));
  const Json none = {
      {"format", 1}, {"implementation", "mini"}, {"entries", Json::array()}};
  EXPECT_EQ(Load(none).ToJson(), none);
}

TEST_F(DeviationsTest, AStarStandsForAnythingButASlash) {
  Deviation entry{.id = "a/*/c_*", .kind = "defect"};
  EXPECT_TRUE(entry.IsPattern());
  EXPECT_TRUE(entry.Matches("a/b/c_d"));
  EXPECT_TRUE(entry.Matches("a/b/c_"));
  EXPECT_FALSE(entry.Matches("a/b/d"));
  EXPECT_FALSE(entry.Matches("a/b/b/c_d"));
  entry.id = "a/b/c";
  EXPECT_FALSE(entry.IsPattern());
  EXPECT_TRUE(entry.Matches("a/b/c"));
  EXPECT_FALSE(entry.Matches("a/b/cc"));
}

TEST_F(DeviationsTest, FindsTheEntryOfACase) {
  const Deviations deviations = Load(Json::parse(kRight));
  EXPECT_EQ(deviations.Find("a/b/c"), &deviations.entries[0]);
  EXPECT_EQ(deviations.Find("a/b/d"), nullptr);
}

TEST_F(DeviationsTest, RefusesMalformedEntries) {
  EXPECT_EQ(RefusalWith("verdict", "\"passed\""),
            "$.entries[0].verdict: unknown verdict 'passed' of a case that "
            "differs");
  EXPECT_EQ(
      RefusalWith("kind", "\"bad_luck\""),
      "$.entries[0].kind: unknown kind 'bad_luck', wanted one of: defect, "
      "by_design, unsupported, document_unclear");
  EXPECT_EQ(RefusalWith("id", "\"a/b\""),
            "$.entries[0].id: 'a/b' is neither <area>/<topic>/<claim> nor a "
            "pattern of it with *");
  EXPECT_EQ(RefusalWith("id", "\"a/b/[c]\""),
            "$.entries[0].id: 'a/b/[c]' is neither <area>/<topic>/<claim> nor "
            "a pattern of it with *");
  EXPECT_EQ(RefusalWith("observed", "2"),
            "$.entries[0].observed: wanted an object, got 2");
  EXPECT_EQ(
      RefusalWith("because", "\"it is so\""),
      "$.entries[0]: unknown field 'because', wanted one of: id, verdict, "
      "kind, observed, reason, reference, versions, repro");
}

TEST_F(DeviationsTest, RefusesMissingFields) {
  for (const char* field : {"id", "verdict", "kind", "observed", "reason",
                            "reference", "versions"}) {
    Json spoilt = Json::parse(kRight);
    spoilt["entries"][0].erase(field);
    EXPECT_EQ(Refusal(spoilt),
              fmt::format("$.entries[0]: the field '{}' is missing", field));
  }
}

TEST_F(DeviationsTest, RefusesAListOfAnother) {
  Json other = Json::parse(kRight);
  other["implementation"] = "maxi";
  EXPECT_EQ(Refusal(other),
            "$.implementation: wanted the file's name mini, got 'maxi'");
  other = Json::parse(kRight);
  other["format"] = 2;
  EXPECT_EQ(Refusal(other), "$.format: this runner reads format 1, got 2");
}

TEST_F(DeviationsTest, RefusesWhatIsNoJson) {
  const std::string path = Write("{\n\"entries\": ,", "mini");
  try {
    LoadDeviations(path);
    FAIL();
  } catch (const Error& e) {
    EXPECT_NE(std::string(e.what()).find(path), std::string::npos);
    EXPECT_NE(std::string(e.what()).find("line 2"), std::string::npos);
  }
}

Json InsteadOf(Answer answer) {
  const Case conformance_case = OneIsOne("a/b/c");
  return WhatCameInstead(ResultOf(conformance_case, std::move(answer)));
}

TEST(InsteadTest, ObservationsThatDiffer) {
  EXPECT_EQ(InsteadOf(Observe({2, 3})),
            Json({{"observations", {{"x", {2, 3}}}}}));
  EXPECT_EQ(InsteadOf(Observations{}),
            Json({{"observations", {{"x", nullptr}}}}));
}

TEST(InsteadTest, ObservationsThatHoldAreLeftOut) {
  Case two = OneIsOne("a/b/c");
  two.expect.push_back(two.expect[0]);
  two.expect[1].observation = "y";
  const Answer answer = Observations{{{"x", 1}, {"y", 2}}};
  EXPECT_EQ(WhatCameInstead(ResultOf(two, answer)),
            Json({{"observations", {{"y", 2}}}}));
}

TEST(InsteadTest, ObservationsOfLevelObservedAreNoPartOfIt) {
  Case two = OneIsOne("a/b/c");
  two.expect.push_back(two.expect[0]);
  two.expect[1].observation = "y";
  two.expect[1].level = Level::kObserved;
  const Answer answer = Observations{{{"x", 2}, {"y", 2}}};
  EXPECT_EQ(WhatCameInstead(ResultOf(two, answer)),
            Json({{"observations", {{"x", 2}}}}));
}

TEST(InsteadTest, OtherAnswersWithoutTheirMessages) {
  EXPECT_EQ(
      InsteadOf(Failure{"InvalidArgument", "at 0x7f", "data.x"}),
      Json({{"error", {{"class", "InvalidArgument"}, {"at_step", "data.x"}}}}));
  EXPECT_EQ(InsteadOf(Unsupported{"data.x", "none"}),
            Json({{"unsupported", {{"step", "data.x"}}}}));
  EXPECT_EQ(InsteadOf(TimedOut{std::chrono::seconds(1), "..."}),
            Json({{"timed_out", true}}));
  EXPECT_EQ(InsteadOf(Crashed{"SIGSEGV", "..."}),
            Json({{"crashed", "SIGSEGV"}}));
  EXPECT_EQ(InsteadOf(ProtocolError{"garbage", ""}),
            Json({{"protocol_error", true}}));
}

TEST(InsteadTest, AProgramThatEndedWellHasAllItObserved) {
  Case wants_error = OneIsOne("a/b/c");
  wants_error.expect[0].relation = Relation::kError;
  wants_error.expect[0].value = "OutOfRange";
  EXPECT_EQ(WhatCameInstead(ResultOf(wants_error, Observe(5))),
            Json({{"observations", {{"x", 5}}}}));
}

TEST(InsteadTest, SeveralReplicaCountsAreToldApart) {
  Case counts = OneIsOne("a/b/c");
  counts.given = {{"strategy", "mirrored"}, {"replicas", {1, 2, 3}}};
  MiniatureTestee testee([](const Request& request) {
    return Observe(request.given["replicas"]);
  });
  EXPECT_EQ(WhatCameInstead(RunCase(counts, testee, {})),
            Json::parse(R"({"replicas": {"2": {"observations": {"x": 2}},
                                         "3": {"observations": {"x": 3}}}})"));
}

TEST(InsteadTest, SameAsTellsWhatWasComparedWith) {
  Case same = OneIsOne("a/b/c");
  same.given = {{"strategy", "mirrored"}, {"replicas", 2}};
  same.expect[0].relation = Relation::kSameAs;
  same.expect[0].other_observation = "x";
  same.expect[0].other_given = {{"replicas", 1}};
  MiniatureTestee testee([](const Request& request) {
    return Observe(request.given["replicas"]);
  });
  EXPECT_EQ(WhatCameInstead(RunCase(same, testee, {})),
            Json::parse(R"({"observations": {"x": 2},
                            "compared_with": {"x": 1}})"));
}

// Of x on two replicas and on one, the latter 8 or, with its input moved, 9.
CaseResult RoundedResult(const Case& conformance_case, double on_two) {
  MiniatureTestee testee([&](const Request& request) {
    const bool moved = request.program[0]["value"] != 1;
    return Observe(request.given["replicas"] == 2 ? on_two : moved ? 9 : 8);
  });
  return RunCase(conformance_case, testee, {});
}

TEST(ListedTest, ANumberMayBeOffByWhatRoundingExplains) {
  Case rounded = OneIsOne("a/b/c");
  rounded.given = {{"strategy", "mirrored"}, {"replicas", 2}};
  rounded.program[0]["value"] = 1;
  rounded.inputs = {{"data.x", "value"}};
  rounded.expect[0].relation = Relation::kSameAs;
  rounded.expect[0].other_observation = "x";
  rounded.expect[0].other_given = {{"replicas", 1}};
  rounded.expect[0].to_rounding = true;
  const Json listed = WhatCameInstead(RoundedResult(rounded, 20));
  EXPECT_EQ(listed, Json::parse(R"({"observations": {"x": 20.0},
                                    "compared_with": {"x": 8}})"));
  EXPECT_FALSE(DiffListed(listed, RoundedResult(rounded, 28)));
  EXPECT_EQ(DiffListed(listed, RoundedResult(rounded, 29)),
            "at .observations.x: expected 20.0, observed 29.0, which is off "
            "by 9 where rounding explains 8");
  Json other = listed;
  other["compared_with"]["x"] = 15.5;
  EXPECT_FALSE(DiffListed(other, RoundedResult(rounded, 20)));
  other["compared_with"]["x"] = 17;
  EXPECT_TRUE(DiffListed(other, RoundedResult(rounded, 20)));
}

TEST(ListedTest, OrByWhatItsExpectationAllowsOnThatReplicaCount) {
  Case close = OneIsOne("a/b/c");
  close.given = {{"strategy", "mirrored"}, {"replicas", {1, 2}}};
  close.expect[0].relation = Relation::kClose;
  close.expect[0].atol = 0.5;
  close.expect[0].rtol = 0.25;
  const auto result_of = [&](double x) { return ResultOf(close, Observe(x)); };
  const Json listed = WhatCameInstead(result_of(4));
  EXPECT_TRUE(listed.contains("replicas"));
  EXPECT_FALSE(DiffListed(listed, result_of(5.5)));
  EXPECT_TRUE(DiffListed(listed, result_of(6.5)));
}

TEST(ListedTest, WhatTwoRunsComputeMayBeOffByRoundingUnits) {
  Case same = OneIsOne("a/b/c");
  same.expect[0].relation = Relation::kSameAs;
  same.expect[0].other_observation = "y";
  const auto result_of = [&](double x) {
    return ResultOf(same, Observations{{{"x", {4.0, x}}, {"y", {0, 0}}}});
  };
  const Json listed = WhatCameInstead(result_of(0.5));
  EXPECT_FALSE(DiffListed(listed, result_of(0.5 + 3e-6)));
  EXPECT_TRUE(DiffListed(listed, result_of(0.5 + 4e-6)));  // 8 units of 4
}

TEST(ListedTest, WhatIsToBeEqualIsEqual) {
  const Json listed = InsteadOf(Observe(2.5));
  EXPECT_FALSE(DiffListed(listed, ResultOf(OneIsOne("a/b/c"), Observe(2.5))));
  EXPECT_TRUE(
      DiffListed(listed, ResultOf(OneIsOne("a/b/c"), Observe(2.5 + 1e-7))));
}

const Case& TheCase() {
  static const Case* const conformance_case = new Case(OneIsOne("a/b/c"));
  return *conformance_case;
}

CaseRecord Repeated(const std::vector<Answer>& answers) {
  CaseRecord record(ResultOf(TheCase(), answers[0]));
  for (size_t i = 1; i < answers.size(); ++i) {
    record.Add(ResultOf(TheCase(), answers[i]));
  }
  return record;
}

TEST(CaseRecordTest, EqualRepetitionsDoNotFlicker) {
  const CaseRecord record = Repeated({Observe(1), Observe(1), Observe(1)});
  EXPECT_EQ(record.flicker(), "");
  EXPECT_EQ(record.result().verdict, Verdict::kPassed);
  EXPECT_EQ(record.id(), "a/b/c");
}

TEST(CaseRecordTest, TheRepetitionThatDiffersIsNamed) {
  EXPECT_EQ(
      Repeated({Observe(1), Observe(1), Observe(2), Observe(3)}).flicker(),
      "repetition 3 differs from the first: at .verdict: expected \"passed\", "
      "observed \"failed\"");
  EXPECT_EQ(Repeated({Observe(2), Observe(3)}).flicker(),
            "repetition 2 differs from the first: at "
            ".instead.observations.x: expected 2, observed 3");
}

// It is for people: no list holds it, and no repetition differs by it.
TEST(CaseRecordTest, WhereATrainingFirstDiffersIsNotCompared) {
  CaseResult result = ResultOf(TheCase(), Observe(2));
  const Json instead = WhatCameInstead(result);
  CaseRecord record(result);
  result.runs[0].findings[0].first_difference = "training step 1 of 1";
  EXPECT_EQ(WhatCameInstead(result), instead);
  record.Add(result);
  EXPECT_EQ(record.flicker(), "");
}

TEST(CaseRecordTest, AnExpectationThatIsOnlyToldFlickersToo) {
  Case told = OneIsOne("a/b/c");
  told.expect[0].level = Level::kObserved;
  CaseRecord record(ResultOf(told, Observe(1)));
  record.Add(ResultOf(told, Observe(2)));
  EXPECT_EQ(record.result().verdict, Verdict::kTold);
  EXPECT_NE(record.flicker(), "");
}

TEST(CaseRecordTest, ValuesThatNoExpectationPinsDownMayDiffer) {
  Case random = OneIsOne("a/b/c");
  random.expect[0].relation = Relation::kSameOnAllReplicas;
  random.expect[0].value = true;
  random.given["replicas"] = 2;
  CaseRecord record(ResultOf(random, Observe({7, 7})));
  record.Add(ResultOf(random, Observe({8, 8})));
  EXPECT_EQ(record.flicker(), "");
  record.Add(ResultOf(random, Observe({8, 9})));
  EXPECT_NE(record.flicker(), "");
}

TEST(CaseRecordTest, TheWorstResultIsKept) {
  const CaseRecord record =
      Repeated({Observe(1), Crashed{"SIGBUS", ""}, Observe(2)});
  EXPECT_EQ(record.result().verdict, Verdict::kCrashed);
}

TEST(CaseRecordTest, MessagesMayDiffer) {
  EXPECT_EQ(Repeated({Failure{"Internal", "at 0x1", "data.x"},
                      Failure{"Internal", "at 0x2", "data.x"}})
                .flicker(),
            "");
  EXPECT_EQ(Repeated({Crashed{"SIGBUS", "pid 1"}, Crashed{"SIGBUS", "pid 2"}})
                .flicker(),
            "");
  EXPECT_NE(Repeated({Failure{"Internal", "at 0x1", "data.x"},
                      Failure{"NotFound", "at 0x1", "data.x"}})
                .flicker(),
            "");
}

}  // namespace
}  // namespace lockstep
