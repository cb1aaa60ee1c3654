#include "conformance/runner/cases/case_loader.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <ostream>
#include <string>

#include "conformance/runner/cases/case.h"
#include "conformance/runner/cases/case_loader_testing.h"
#include "reference/base/error.h"
#include "reference/base/error_testing.h"

namespace lockstep {
namespace {

Sources Load(const char* text) {
  const std::string path =
      std::string(std::getenv("TEST_TMPDIR")) + "/sources.json";
  std::ofstream(path) << text;
  return Sources::Load(path);
}

const char* const kSources = R"({"sources": [
  {"id": "guide", "url": "https://example.org/guide"},
  {"id": "issues", "url": "https://example.org/"},
  {"id": "code", "url": "https://example.org/p/tree/v1"},
  {"id": "design", "url": "docs/design.md"}]})";

TEST(SourcesTest, DescribesACitation) {
  EXPECT_EQ(Load(kSources).Describe({"guide", "split"}),
            "guide split (https://example.org/guide)");
}

TEST(SourcesTest, LinksToIssuesAndFilesThemselves) {
  const Sources sources = Load(kSources);
  EXPECT_EQ(sources.Link({"guide", "split"}), "https://example.org/guide");
  EXPECT_EQ(sources.Link({"issues", "some/project#7"}),
            "https://example.org/some/project/issues/7");
  EXPECT_EQ(sources.Link({"code", "src/split.py"}),
            "https://example.org/p/tree/v1/src/split.py");
  EXPECT_EQ(sources.Link({"code", "p.split"}), "https://example.org/p/tree/v1");
  EXPECT_EQ(sources.Link({"design", "streams"}), "docs/design.md#streams");
}

TEST(SourcesTest, RefusesDuplicateSource) {
  try {
    Load(R"({"sources": [{"id": "a", "url": "u"}, {"id": "a", "url": "u"}]})");
    FAIL();
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), Code::kInvalidArgument);
    EXPECT_NE(std::string(e.what()).find("sources.json at $.sources[1].id"),
              std::string::npos);
  }
}

TEST_F(CaseLoaderTest, ReadsACase) {
  const std::vector<Case> cases = LoadCase(RightCase());
  ASSERT_EQ(cases.size(), 1u);
  EXPECT_EQ(cases[0].id, "input/numbers/range_counts");
  EXPECT_EQ(cases[0].topic, "Numbers");
  EXPECT_EQ(cases[0].level, Level::kRequired);
  EXPECT_EQ(cases[0].states, "A range counts.");
  EXPECT_EQ(cases[0].cites[0].source, "guide");
  EXPECT_EQ(cases[0].cites[0].anchor, "split");
  EXPECT_EQ(cases[0].given["replicas"], 2);
  EXPECT_EQ(cases[0].program.size(), 2u);
  ASSERT_EQ(cases[0].expect.size(), 1u);
  EXPECT_EQ(cases[0].expect[0].relation, Relation::kEquals);
  EXPECT_EQ(cases[0].expect[0].observation, "seen");
  EXPECT_EQ(cases[0].expect[0].value, Json({0, 1}));
}

TEST_F(CaseLoaderTest, LevelDefaultsToThatOfTheCase) {
  Json two_levels = RightCase();
  two_levels["expect"].push_back(
      {{"observation", "seen"}, {"multiple_of", 2}, {"level", "observed"}});
  const std::vector<Case> cases = LoadCase(two_levels);
  EXPECT_EQ(cases[0].expect[0].level, Level::kRequired);
  EXPECT_EQ(cases[0].expect[1].level, Level::kObserved);
}

TEST_F(CaseLoaderTest, ReadsEveryRelation) {
  Json all = RightCase();
  all["expect"] = Json::parse(R"([
    {"observation": "seen", "equals": 1},
    {"observation": "seen", "close": 1, "rtol": 0.5, "because": "rounding"},
    {"observation": "seen", "same_on_all_replicas": true},
    {"observation": "seen", "same_on_all_replicas": "in_each_round"},
    {"observation": "seen", "multiple_of": 2},
    {"observation": "seen", "same_multiset": [1]},
    {"observation": "seen", "same_as": {"given": {"replicas": 1}}}])");
  const std::vector<Case> cases = LoadCase(all);
  EXPECT_EQ(cases[0].expect[1].rtol, 0.5);
  EXPECT_EQ(cases[0].expect[1].because, "rounding");
  EXPECT_EQ(cases[0].expect[6].other_observation, "seen");
  EXPECT_EQ(cases[0].expect[6].other_given, Json({{"replicas", 1}}));
}

TEST_F(CaseLoaderTest, SortsCasesById) {
  Json other = RightCase();
  other["id"] = "input/figures/one_is_first";
  Write("input/figures.json",
        Json({{"topic", "Figures"}, {"cases", {other}}}).dump());
  Write("input/numbers.json",
        Json({{"topic", "Numbers"}, {"cases", {RightCase()}}}).dump());
  Write("input/notes.txt", "no case");
  CaseLoader loader = MakeLoader();
  loader.Load(folder_ / "input");
  ASSERT_EQ(loader.cases().size(), 2u);
  EXPECT_EQ(loader.cases()[0].id, "input/figures/one_is_first");
}

TEST_F(CaseLoaderTest, MissingPathIsNotFound) {
  CaseLoader loader = MakeLoader();
  EXPECT_THROW(
      {
        try {
          loader.Load(folder_ / "nothing.json");
        } catch (const Error& e) {
          EXPECT_EQ(e.code(), Code::kNotFound);
          throw;
        }
      },
      Error);
}

TEST_F(CaseLoaderTest, MalformedJsonNamesLineAndColumn) {
  CaseLoader loader = MakeLoader();
  const std::string path = Write("input/numbers.json", "{\n  \"topic\": ,\n}");
  try {
    loader.Load(path);
    FAIL();
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), Code::kInvalidArgument);
    EXPECT_NE(std::string(e.what()).find(path), std::string::npos);
    EXPECT_NE(std::string(e.what()).find("line 2"), std::string::npos);
  }
}

TEST_F(CaseLoaderTest, RefusesMalformedFiles) {
  EXPECT_EQ(Refusal([&] { Load(Json::array()); }),
            "$: wanted an object, got []");
  EXPECT_EQ(Refusal([&] {
              Load({{"topic", "Numbers"}});
            }),
            "$: the field 'cases' is missing");
  EXPECT_EQ(Refusal([&] {
              Load({{"topic", "Numbers"}, {"cases", Json::array()}});
            }),
            "$.cases: wanted at least one item, got none");
  EXPECT_EQ(Refusal([&] {
              Load({{"format", 2}, {"topic", "x"}, {"cases", Json::array()}});
            }),
            "$.format: this runner reads format 1, got 2");
  EXPECT_EQ(Refusal([&] {
              Load({{"topic", ""}, {"cases", {RightCase()}}});
            }),
            "$.topic: wanted a non-empty string, got \"\"");
}

TEST_F(CaseLoaderTest, RefusesMissingAndUnknownFields) {
  for (const char* field :
       {"id", "level", "states", "cites", "given", "program", "expect"}) {
    EXPECT_EQ(RefusalWithout(field),
              fmt::format("$.cases[0]: the field '{}' is missing", field));
  }
  EXPECT_EQ(RefusalWith("expected", "1"),
            "$.cases[0]: unknown field 'expected', wanted one of: id, level, "
            "states, cites, holds, given, program, expect");
}

TEST_F(CaseLoaderTest, ChecksStatements) {
  Json holding = RightCase();
  holding["holds"] = {"guide/ranges_count", "guide/ranges_end"};
  EXPECT_EQ(LoadCase(holding).size(), 1u);
  EXPECT_EQ(RefusalWith("holds", "[]"),
            "$.cases[0].holds: wanted at least one item, got none");
  EXPECT_EQ(RefusalWith("holds", "[\"\"]"),
            "$.cases[0].holds[0]: wanted a non-empty string, got \"\"");
  EXPECT_EQ(RefusalWith("holds", "[\"guide/x\", \"guide/x\"]"),
            "$.cases[0].holds[1]: duplicate statement guide/x");
}

TEST_F(CaseLoaderTest, RefusesInvalidIds) {
  EXPECT_EQ(RefusalWith("id", "7"), "$.cases[0].id: wanted a string, got 7");
  EXPECT_EQ(RefusalWith("id", "\"Range Counts\""),
            "$.cases[0].id: the id 'Range Counts' is not "
            "<area>/<topic>/<claim> in lower snake case");
  EXPECT_EQ(RefusalWith("id", "\"input/figures/range_counts\""),
            "$.cases[0].id: the id 'input/figures/range_counts' does not "
            "match its file, wanted input/numbers/<claim>");
}

TEST_F(CaseLoaderTest, RefusesDuplicateId) {
  const std::string refusal = Refusal([&] {
    Load({{"topic", "Numbers"}, {"cases", {RightCase(), RightCase()}}});
  });
  EXPECT_EQ(refusal,
            "$.cases[1].id: the id 'input/numbers/range_counts' is already "
            "used in " +
                (folder_ / "input/numbers.json").string());
}

TEST_F(CaseLoaderTest, RefusesUnknownLevelsAndSources) {
  EXPECT_EQ(RefusalWith("level", "\"vital\""),
            "$.cases[0].level: unknown level 'vital', wanted one of "
            "required, recommended, decision, observed");
  EXPECT_EQ(RefusalWith("cites/0/source", "\"rumour\""),
            "$.cases[0].cites[0].source: unknown source 'rumour', "
            "not in sources.json");
  EXPECT_EQ(RefusalWith("cites", "[]"),
            "$.cases[0].cites: wanted at least one item, got none");
}

TEST_F(CaseLoaderTest, RefusesInvalidGiven) {
  EXPECT_EQ(RefusalWith("given/strategy", "\"tpu\""),
            "$.cases[0].given.strategy: unknown strategy 'tpu', wanted "
            "mirrored, multi_worker_mirrored, parameter_server or default");
  EXPECT_EQ(RefusalWith("given/strategy", "\"default\""),
            "$.cases[0].given: 'replicas' is required with a mirrored "
            "strategy, and only allowed there");
  EXPECT_EQ(RefusalWith("given/workers", "2"),
            "$.cases[0].given: 'workers' is required with "
            "multi_worker_mirrored or parameter_server, and only allowed "
            "there");
  EXPECT_EQ(RefusalWith("given", R"({"strategy": "multi_worker_mirrored",
                                     "workers": 9, "replicas": 1})"),
            "$.cases[0].given.workers: wanted an integer from 1 to 8, got 9");
  EXPECT_EQ(
      RefusalWith("given/replicas", "65"),
      "$.cases[0].given.replicas: wanted an integer from 1 to 64, got 65");
  EXPECT_EQ(RefusalWith("given/replicas", "[1, 2.5]"),
            "$.cases[0].given.replicas[1]: wanted an integer from 1 to 64, "
            "got 2.5");
  EXPECT_EQ(RefusalWith("given/replicas", "[2, 2]"),
            "$.cases[0].given.replicas[1]: duplicate 2");
  EXPECT_EQ(RefusalWith("given/replicas", "[2]"),
            "$.cases[0].given.replicas: wanted a number, or a list of at least "
            "two");
  EXPECT_EQ(RefusalWith("given/gpus", "1"),
            "$.cases[0].given: unknown field 'gpus', wanted one of: strategy, "
            "workers, servers, partitioner, replicas, logical_devices, "
            "parameters");
}

TEST_F(CaseLoaderTest, RejectsParameterServersThatCannotBeGiven) {
  EXPECT_EQ(RefusalWith("given/servers", "1"),
            "$.cases[0].given: 'servers' is required with parameter_server, "
            "and only allowed there");
  EXPECT_EQ(RefusalWith("given/partitioner", R"({"kind": "min_size"})"),
            "$.cases[0].given: 'partitioner' is only allowed with "
            "parameter_server");
  EXPECT_EQ(RefusalWith("given", R"({"strategy": "parameter_server",
                                     "workers": 1})"),
            "$.cases[0].given: 'servers' is required with parameter_server, "
            "and only allowed there");
  EXPECT_EQ(RefusalWith("given", R"({"strategy": "parameter_server",
                                     "workers": 1, "servers": 9})"),
            "$.cases[0].given.servers: wanted an integer from 1 to 8, got 9");
  EXPECT_EQ(RefusalWith("given", R"({"strategy": "parameter_server",
                                     "workers": 1, "servers": 1,
                                     "partitioner": {"kind": "equal"}})"),
            "$.cases[0].given.partitioner.kind: unknown partitioner 'equal', "
            "wanted fixed_shards, min_size or max_size");
  EXPECT_EQ(RefusalWith("given", R"({"strategy": "parameter_server",
                                     "workers": 1, "servers": 1,
                                     "partitioner": {"kind": "fixed_shards",
                                                     "num_shards": 0}})"),
            "$.cases[0].given.partitioner.num_shards: wanted an integer from 1 "
            "to 1073741824, got 0");
}

TEST_F(CaseLoaderTest, ErrorsAreShort) {
  const std::string name = "\"" + std::string(200'000, 'a') + "-\"";
  for (const char* field : {"id", "program/0/let", "level"}) {
    EXPECT_LT(RefusalWith(field, name.c_str()).size(), 1200u) << field;
  }
}

TEST_F(CaseLoaderTest, NamesFileThatIsNotJson) {
  for (const std::string& text :
       {std::string(100'000, '['), std::string(R"({"topic": 1e400})"),
        std::string(R"({"topic": "a", "topic": "b"})")}) {
    const std::string path = Write("input/numbers.json", text);
    try {
      MakeLoader().Load(path);
      FAIL() << text;
    } catch (const Error& e) {
      EXPECT_EQ(std::string(e.what()).find("[ParseJson] " + path), 0u);
    }
  }
}

struct MalformedExpectation {
  const char* name;
  const char* expectation;
  const char* refusal;  // after "$.cases[0].expect[0]"
};

void PrintTo(const MalformedExpectation& row, std::ostream* out) {
  *out << row.expectation;
}

class MalformedExpectationTest
    : public CaseLoaderTest,
      public testing::WithParamInterface<MalformedExpectation> {};

TEST_P(MalformedExpectationTest, IsRefused) {
  EXPECT_EQ(RefusalWith("expect/0", GetParam().expectation),
            std::string("$.cases[0].expect[0]") + GetParam().refusal);
}

INSTANTIATE_TEST_SUITE_P(
    Rows, MalformedExpectationTest,
    testing::Values(
        MalformedExpectation{
            "NoRelation", R"({"observation": "seen"})",
            ": wanted exactly one of equals, close, error, "
            "same_on_all_replicas, multiple_of, same_multiset, "
            "same_as, differs_from, entries_differ, got 0"},
        MalformedExpectation{
            "TwoRelations",
            R"({"observation": "seen", "equals": 1, "close": 1})",
            ": wanted exactly one of equals, close, error, "
            "same_on_all_replicas, multiple_of, same_multiset, same_as, "
            "differs_from, entries_differ, got 2"},
        MalformedExpectation{
            "UnknownObservation", R"({"observation": "unseen", "equals": 1})",
            ".observation: no step of the program observes 'unseen'"},
        MalformedExpectation{
            "UnknownField",
            R"({"observation": "seen", "equals": 1, "rtol": 0.1})",
            ": unknown field 'rtol', wanted one of: observation, equals, when, "
            "departs, level, because, no_framework_agrees, by_hand"},
        MalformedExpectation{
            "CloseWithoutTolerance", R"({"observation": "seen", "close": 1})",
            ": 'close' needs rtol or atol above 0; else use 'equals'"},
        MalformedExpectation{
            "ToleranceWithoutReason",
            R"({"observation": "seen", "close": 1, "atol": 1})",
            ": a tolerance needs its reason in 'because'"},
        MalformedExpectation{
            "NegativeTolerance",
            R"({"observation": "seen", "close": 1, "atol": -1})",
            ".atol: wanted a number of at least 0, got -1"},
        MalformedExpectation{"UnknownErrorClass", R"({"error": "Mishap"})",
                             ".error: unknown error class 'Mishap'"},
        MalformedExpectation{"ErrorWithoutStep", R"({"error": "OutOfRange"})",
                             ": the field 'at_step' is missing"},
        MalformedExpectation{"ErrorWithoutSteps",
                             R"({"error": "OutOfRange", "at_step": []})",
                             ".at_step: wanted at least one item, got none"},
        MalformedExpectation{"ErrorOfUnknownStep",
                             R"({"error": "OutOfRange", "at_step": "data.x"})",
                             ".at_step: the program has no step data.x"},
        MalformedExpectation{
            "MultipleOfOne", R"({"observation": "seen", "multiple_of": 1})",
            ".multiple_of: wanted an integer of at least 2, got 1"},
        MalformedExpectation{
            "SameOnAllReplicasFalse",
            R"({"observation": "seen", "same_on_all_replicas": false})",
            ".same_on_all_replicas: wanted true or \"in_each_round\", got "
            "false"},
        MalformedExpectation{"MultisetOfANumber",
                             R"({"observation": "seen", "same_multiset": 1})",
                             ".same_multiset: wanted a list, got 1"},
        MalformedExpectation{
            "SameAsItself", R"({"observation": "seen", "same_as": {}})",
            ".same_as: an observation is always the same as itself"},
        MalformedExpectation{
            "SameAsUnknown",
            R"({"observation": "seen", "same_as": {"observation": "unseen"}})",
            ".same_as.observation: no step of the program observes 'unseen'"},
        MalformedExpectation{
            "DiffersFromItself",
            R"({"observation": "seen", "differs_from": "seen"})",
            ".differs_from: an observation never differs from itself"},
        MalformedExpectation{
            "DiffersFromUnknown",
            R"({"observation": "seen", "differs_from": "unseen"})",
            ".differs_from: no step of the program observes 'unseen'"},
        MalformedExpectation{
            "EntriesDifferFalse",
            R"({"observation": "seen", "entries_differ": false})",
            ".entries_differ: wanted true, got false"}),
    [](const auto& info) { return std::string(info.param.name); });

TEST_F(CaseLoaderTest, RefusesErrorWithOtherExpectations) {
  EXPECT_EQ(RefusalWith("expect/1",
                        R"({"error": "OutOfRange", "at_step": "data.show"})"),
            "$.cases[0].expect[1]: a program that ends with an error has no "
            "observations: use the step program.try, or a 'when' that excludes "
            "the other expectations");
}

TEST_F(CaseLoaderTest, ReadsWhen) {
  Json both = RightCase();
  both["expect"] = Json::parse(R"([
    {"observation": "seen", "equals": 1, "when": {"remainder": "split"}},
    {"error": "OutOfRange", "at_step": ["data.each", "data.show"],
     "when": {"remainder": "pad"}}])");
  const std::vector<Case> cases = LoadCase(both);
  EXPECT_EQ(cases[0].expect[0].when, (When{{"remainder", {"split"}}}));
  EXPECT_EQ(cases[0].expect[1].when, (When{{"remainder", {"pad"}}}));
  EXPECT_EQ(cases[0].expect[1].at_steps,
            (std::vector<std::string>{"data.each", "data.show"}));
  EXPECT_EQ(cases[0].expect_json, both["expect"]);
}

TEST_F(CaseLoaderTest, ReadsDepartures) {
  Json promise = RightCase();
  promise["expect"] = Json::parse(R"([
    {"observation": "seen", "equals": 1},
    {"error": "OutOfRange", "at_step": "data.each",
     "departs": {"remainder": "pad"}}])");
  const std::vector<Case> cases = LoadCase(promise);
  EXPECT_FALSE(cases[0].expect[0].departs);
  EXPECT_TRUE(cases[0].expect[1].departs);
  EXPECT_EQ(cases[0].expect[1].when, (When{{"remainder", {"pad"}}}));
  promise["expect"][1]["when"] = {{"remainder", "pad"}};
  EXPECT_EQ(
      Refusal([&] { LoadCase(promise); }),
      "$.cases[0].expect[1]: wanted either 'when' or 'departs', got both");
}

TEST_F(CaseLoaderTest, RefusesDepartureFromNothing) {
  Json alone = RightCase();
  alone["expect"] = Json::parse(R"([
    {"observation": "seen", "equals": 1, "departs": {"remainder": "pad"}}])");
  EXPECT_EQ(
      Refusal([&] { LoadCase(alone); }),
      "$.cases[0].expect[0]: there is no promised result that this departs "
      "from");
}

TEST_F(CaseLoaderTest, RefusesUnknownConventions) {
  EXPECT_EQ(RefusalWith("expect/0/when", R"({"colour": "red"})"),
            "$.cases[0].expect[0].when.colour: unknown convention 'colour', "
            "not in conventions.json");
  EXPECT_EQ(RefusalWith("expect/0/when", R"({"remainder": "eat"})"),
            "$.cases[0].expect[0].when.remainder: the convention 'remainder' "
            "has no value 'eat', wanted one of: split, pad");
}

TEST_F(CaseLoaderTest, RefusesMalformedSourcesAndOperations) {
  Write("sources.json",
        R"({"sources": [{"id": "a", "url": "u"}, {"id": "a", "url": "u"}]})");
  EXPECT_THROW(MakeLoader(), Error);
  Write("sources.json", kOneSource);
  Write("operations.md", "# Nothing\n");
  EXPECT_THROW(MakeLoader(), Error);
}

// Descriptors below the next one may stay open, and no other is opened.
TEST_F(CaseLoaderTest, NamesFolderThatCannotBeOpened) {
  CaseLoader loader = MakeLoader();
  const int next = open("/dev/null", O_RDONLY);
  close(next);
  rlimit before;
  getrlimit(RLIMIT_NOFILE, &before);
  rlimit none_left = before;
  none_left.rlim_cur = next;
  setrlimit(RLIMIT_NOFILE, &none_left);
  const std::string folder = std::getenv("TEST_TMPDIR");
  ExpectError([&] { loader.Load(folder); }, Code::kUnavailable,
              "[LoadCases] cannot list " + folder + ": Too many open files");
  setrlimit(RLIMIT_NOFILE, &before);
}

TEST_F(CaseLoaderTest, RefusesInconsistentLevels) {
  EXPECT_EQ(RefusalWith("expect/0/level", "\"observed\""),
            "$.cases[0].expect: the case is required, but none of its "
            "expectations is");
  Json advice = RightCase();
  advice["level"] = "recommended";
  advice["expect"][0]["level"] = "required";
  EXPECT_EQ(Refusal([&] { LoadCase(advice); }),
            "$.cases[0].expect[0].level: the level required is above that of "
            "the case, recommended");
}

TEST_F(CaseLoaderTest, RefusesUnusedObservation) {
  EXPECT_EQ(RefusalWith("program/0/observe", "\"idle\""),
            "$.cases[0].expect: no expectation uses the observation 'idle'");
}

}  // namespace
}  // namespace lockstep
