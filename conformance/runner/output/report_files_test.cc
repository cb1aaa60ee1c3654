#include "conformance/runner/output/report_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <future>

#include "command_line/version.h"
#include "conformance/runner/deviations/case_testing.h"
#include "conformance/runner/output/junit.h"
#include "conformance/runner/output/suite_result.h"
#include "conformance/runner/output/suite_testing.h"
#include "reference/base/error_testing.h"
#include "reference/base/file_testing.h"

namespace lockstep {
namespace {

TEST(SuiteResultTest, SummarizesRequiredCasesFirst) {
  EXPECT_EQ(Summary(ExampleSuite().suite.records),
            "required: 2 of 5 passed, 2 failed, 1 crashed\n"
            "also: recommended 2 of 3 passed, 1 warned; "
            "observed 2 informational, 1 match");
}

TEST(SuiteResultTest, AsExpectedIfCompleteAndNothingUnexpected) {
  SuiteResult suite;
  EXPECT_TRUE(suite.AsExpected());
  suite.complete = false;
  EXPECT_FALSE(suite.AsExpected());
  EXPECT_FALSE(ExampleSuite().suite.AsExpected());
}

TEST(RerunCommandTest, IsAShellCommand) {
  const std::string run = "./bazelw run //conformance:run -- ";
  SuiteSettings settings = ExampleSuite().suite.settings;
  settings.testee = "jax";
  EXPECT_EQ(RerunCommand(settings, "input/x/y"),
            run + "--testee=jax --filter=input/x/y");
  settings.testee = "python3 it's.py";
  settings.cases = "my cases";
  EXPECT_EQ(RerunCommand(settings, "input/x/y"),
            run + R"('--testee=python3 it'\''s.py' '--cases=my cases' )" +
                "--filter=input/x/y");
  settings.program = "bin/run";
  EXPECT_THAT(RerunCommand(settings, "input/x/y"),
              testing::StartsWith("bin/run '--testee="));
}

TEST(ExplainCommandTest, IsForBuiltInCases) {
  SuiteSettings settings = ExampleSuite().suite.settings;
  settings.cases = kBuiltInCases;
  EXPECT_EQ(ExplainCommand(settings, "input/x/y"), "");
  settings.explain = "lockstep explain";
  EXPECT_EQ(ExplainCommand(settings, "input/x/y"),
            "lockstep explain input/x/y");
  settings.cases = "my cases";
  EXPECT_EQ(ExplainCommand(settings, "input/x/y"), "");
}

TEST(SuiteResultTest, KnowsWhichCasesAreUnexpected) {
  const ExampleSuite example;
  EXPECT_TRUE(example.suite.IsUnexpected("a/one/fails"));
  EXPECT_TRUE(example.suite.IsUnexpected("a/one/listed_but_passes"));
  EXPECT_FALSE(example.suite.IsUnexpected("a/one/listed"));
  EXPECT_FALSE(example.suite.IsUnexpected("a/two/passes"));
}

TEST(SuiteResultTest, PromiseCountsRequiredCasesOfIntents) {
  const Records promised(
      {{"a/b/broken", Observe(2)},
       {"a/b/crashes", Crashed{"SIGBUS", ""}},
       {"a/b/kept", Observe(1)},
       {"a/b/unsupported", Unsupported{"data.x", "has none"}}},
      Level::kRequired, /*of_intents=*/true);
  const Records advice({{"a/b/advice", Observe(1)}}, Level::kRecommended,
                       /*of_intents=*/true);
  std::vector<CaseRecord> records = promised.records;
  records.insert(records.end(), advice.records.begin(), advice.records.end());
  const ExampleSuite of_calls;
  records.insert(records.end(), of_calls.suite.records.begin(),
                 of_calls.suite.records.end());
  const PromiseCounts counts = CountPromise(records);
  EXPECT_EQ(counts.cases, 4);
  EXPECT_EQ(counts.kept, 1);
  EXPECT_EQ(counts.departed, 0);
  EXPECT_EQ(counts.broken, 2);
  EXPECT_EQ(counts.unsupported, 1);
  EXPECT_THAT(Summary(records),
              testing::StartsWith(
                  "promise: 1 of 4 kept, 2 broken, 1 unsupported\nrequired: "));
}

class ResultJsonTest : public testing::Test {
 protected:
  const ExampleSuite example_;
  const Json json_ = ToJson(example_.suite, ExampleSources());
};

TEST_F(ResultJsonTest, HasSettingsAndSummary) {
  EXPECT_EQ(json_["format"], 5);
  EXPECT_EQ(json_["complete"], true);
  EXPECT_EQ(json_["as_expected"], false);
  EXPECT_EQ(json_["started"], "2026-11-21T18:50:00Z");
  EXPECT_EQ(json_["suite"], kVersion);
  EXPECT_EQ(json_["duration_s"], 1.5);
  EXPECT_EQ(json_["headline"]["required"], Json({{"cases", 5}, {"passed", 2}}));
  EXPECT_EQ(json_["headline"]["promise"]["cases"], 0);
  EXPECT_EQ(json_["cases"][0]["tier"], "calls");
  ASSERT_EQ(json_["summary"].size(), kLevels.size());
  const Json& required = json_["summary"]["required"];
  EXPECT_EQ(required["cases"], 5);
  EXPECT_EQ(required["verdicts"]["crashed"], 1);
  EXPECT_EQ(required["verdicts"].size(), kVerdicts.size());
  EXPECT_EQ(json_["summary"]["observed"]["matches"], 1);
}

TEST_F(ResultJsonTest, HasDeclaredAndEffectiveConventions) {
  const Json& testee = json_["testee"];
  EXPECT_EQ(testee["name"], "mini");
  EXPECT_EQ(testee["implementation"], "Mini 1.2");
  EXPECT_EQ(testee["conventions"],
            Json({{"remainder", "pad"}, {"sum_or_mean", "sum"}}));
  EXPECT_EQ(testee["declared_conventions"], Json::array({"remainder"}));
}

TEST_F(ResultJsonTest, HasProblems) {
  ASSERT_EQ(json_["unexpected"].size(), 4u);
  EXPECT_EQ(
      json_["unexpected"][0],
      Json({{"problem", "matches_no_case"},
            {"subject", "x/y/no_case"},
            {"text", "there is no such case: mini.json at $.deviations"}}));
  EXPECT_EQ(json_["unexpected"][1]["problem"], "not_listed");
  EXPECT_EQ(json_["unexpected"][1]["subject"], "a/one/fails");
}

TEST_F(ResultJsonTest, FailedCaseHasFinding) {
  const Json& fails = json_["cases"][0];
  EXPECT_EQ(fails["id"], "a/one/fails");
  EXPECT_EQ(fails["cites"][0]["url"], "https://example.org/");
  EXPECT_EQ(fails["program"][0]["step"], "data.x");
  EXPECT_EQ(fails["expect"][0]["equals"], 1);
  EXPECT_EQ(fails["verdict"], "failed");
  EXPECT_EQ(fails["as_expected"], false);
  EXPECT_FALSE(fails.contains("deviation"));
  const Json& run = fails["runs"][0];
  EXPECT_EQ(run["observations"]["x"], 3);
  EXPECT_EQ(run["findings"][0],
            Json({{"expectation", 0},
                  {"level", "required"},
                  {"holds", false},
                  {"observed", 3},
                  {"difference", "expected 1, observed 3"}}));
}

TEST_F(ResultJsonTest, ListedCaseHasItsDeviation) {
  const Json& listed = json_["cases"][1];
  EXPECT_EQ(listed["verdict"], "failed");
  EXPECT_EQ(listed["as_expected"], true);
  EXPECT_EQ(listed["deviation"],
            Json({{"kind", "defect"},
                  {"reason", "It adds <one> too many."},
                  {"references", Json::array({"https://example.org/1"})},
                  {"script", "conformance/defects/mini/adds.py"}}));
}

TEST_F(ResultJsonTest, HasCrash) {
  const Json& crashes = json_["cases"][3];
  EXPECT_EQ(crashes["verdict"], "crashed");
  EXPECT_EQ(crashes["runs"][0]["crashed"],
            Json({{"by", "SIGBUS"}, {"stderr", "last words"}}));
}

Json RunOf(const Answer& answer) {
  ExampleSuite example;
  const Case& conformance_case =
      *example.suite.records[0].result().conformance_case;
  example.suite.records[0] = CaseRecord(ResultOf(conformance_case, answer));
  return ToJson(example.suite, ExampleSources())["cases"][0]["runs"][0];
}

// A reply may have 16 MiB, which would be written twice, one number per line.
TEST_F(ResultJsonTest, CutsLargeValues) {
  const Json ones = Json(std::vector<int>(40'000, 1));  // 120,000 bytes
  const Json run = RunOf(Observe(ones));
  const std::string text = run["observations"]["x"];
  EXPECT_TRUE(text.starts_with("[1, 1, 1, ")) << text;
  EXPECT_TRUE(text.ends_with("... (119000 bytes more)")) << text;
  EXPECT_EQ(run["findings"][0]["observed"], text);
  const Json failed =
      RunOf(Failure{"Internal", std::string(100'000, 'x'), "s"});
  EXPECT_EQ(failed["error"]["message"],
            "\"" + std::string(999, 'x') + "... (99002 bytes more)");
  const Json most = std::string(kMaxReportedBytes - 2, 'x');
  EXPECT_EQ(RunOf(Observe(most))["observations"]["x"], most);
}

TEST_F(ResultJsonTest, HasVaryingResults) {
  ExampleSuite example;
  example.suite.records[4].Add(ResultOf(
      *example.suite.records[4].result().conformance_case, Observe(2)));
  const Json json = ToJson(example.suite, ExampleSources());
  EXPECT_EQ(json["cases"][4]["flickers"], true);
  EXPECT_EQ(json["cases"][0]["flickers"], false);
}

TEST(FirstDifferenceTest, IsInEveryReport) {
  const Case conformance_case = OneIsOne("a/one/parts");
  CaseResult result = ResultOf(conformance_case, Observe(3));
  result.runs[0].findings[0].first_difference = "training step 2 of 3";
  ExampleSuite example;
  example.suite.records = {CaseRecord(result)};
  example.FindUnexpectedAgain();
  const Sources sources = ExampleSources();
  const Json json = ToJson(example.suite, sources);
  const Json& finding = json["cases"][0]["runs"][0]["findings"][0];
  EXPECT_EQ(finding.value("first_difference", ""), "training step 2 of 3");
  const char* const line = "\n  first     training step 2 of 3\n";
  EXPECT_THAT(ToMarkdown(example.suite, sources), testing::HasSubstr(line));
  EXPECT_THAT(ToJUnit(example.suite, sources), testing::HasSubstr(line));
}

TEST(XmlElementTest, WritesAttributesTextAndChildren) {
  XmlElement suite("testsuite");
  suite.Set("name", "input/rebatch").Set("tests", "2");
  suite.Add("testcase");
  suite.Add("testcase").Add("failure").SetText("2 < 3");
  EXPECT_EQ(suite.Write(),
            "<testsuite name=\"input/rebatch\" tests=\"2\">\n"
            "  <testcase/>\n"
            "  <testcase>\n"
            "    <failure>2 &lt; 3</failure>\n"
            "  </testcase>\n"
            "</testsuite>\n");
}

TEST(XmlElementTest, EscapesReservedCharacters) {
  EXPECT_EQ(XmlElement("a").Set("b", "<\"&\">\n").Write(),
            "<a b=\"&lt;&quot;&amp;&quot;&gt;&#10;\"/>\n");
}

TEST(XmlElementTest, ReplacesForbiddenCharacters) {
  EXPECT_EQ(XmlElement("a").SetText("\x1b[31mred\xff\u00e9").Write(),
            "<a>\\x1b[31mred\ufffd\u00e9</a>\n");
}

using testing::HasSubstr;
using testing::Not;

std::string Write(const SuiteResult& suite) {
  return ToJUnit(suite, ExampleSources());
}

TEST(JUnitTest, CountsFailures) {
  const std::string xml = Write(ExampleSuite().suite);
  EXPECT_THAT(xml, HasSubstr("<testsuites name=\"conformance of mini\" "
                             "tests=\"11\" failures=\"3\" errors=\"1\" "
                             "skipped=\"6\""));
  EXPECT_THAT(xml, HasSubstr("<testsuite name=\"a/one\" "
                             "timestamp=\"2026-11-21T18:50:00Z\" tests=\"3\" "
                             "failures=\"2\" errors=\"0\" skipped=\"1\""));
  EXPECT_THAT(xml, HasSubstr("tests=\"2\" failures=\"0\" errors=\"1\""));
}

TEST(JUnitTest, ExplainsFailure) {
  const std::string xml = Write(ExampleSuite().suite);
  EXPECT_THAT(xml, HasSubstr("<testcase classname=\"conformance.mini.a.one\" "
                             "name=\"fails\" "
                             "file=\"conformance/cases/a/one.json\""));
  EXPECT_THAT(xml, HasSubstr("<failure type=\"failed\" message=\"not_listed: "
                             "failed, which no entry for mini lists\">"
                             "a/one/fails: failed (required)"));
  EXPECT_THAT(xml,
              HasSubstr("<system-out>rerun: ./bazelw run //conformance:run -- "
                        "--testee=mini --filter=a/one/fails</system-out>"));
}

TEST(JUnitTest, MissingAnswerIsAnError) {
  EXPECT_THAT(
      Write(ExampleSuite().suite),
      HasSubstr("<error type=\"crashed\" message=\"not_listed: crashed"));
}

TEST(JUnitTest, SkipsListedDeviationWithReason) {
  EXPECT_THAT(Write(ExampleSuite().suite),
              HasSubstr("<skipped message=\"failed as listed (defect): It adds "
                        "&lt;one&gt; too many.\"/>"));
}

TEST(JUnitTest, SkipsOtherLevelsUnlessEnforced) {
  ExampleSuite example;
  const std::string xml = Write(example.suite);
  EXPECT_THAT(xml,
              HasSubstr("<skipped message=\"recommended: passed, matches\"/>"));
  EXPECT_THAT(xml,
              HasSubstr("<skipped message=\"recommended: warned, differs\"/>"));
  EXPECT_THAT(
      xml,
      HasSubstr("<skipped message=\"observed: informational, differs\"/>"));
  example.suite.settings.enforced = {Level::kRecommended};
  example.FindUnexpectedAgain();
  EXPECT_THAT(Write(example.suite),
              HasSubstr("<testsuite name=\"b/advice\" "
                        "timestamp=\"2026-11-21T18:50:00Z\" tests=\"3\" "
                        "failures=\"1\" errors=\"0\" skipped=\"0\""));
}

TEST(JUnitTest, WrongEntryIsATest) {
  EXPECT_THAT(Write(ExampleSuite().suite),
              HasSubstr("name=\"x/y/no_case matches_no_case\""));
}

TEST(JUnitTest, InterruptedRunFails) {
  SuiteResult suite;
  suite.name = "mini";
  EXPECT_THAT(Write(suite), Not(HasSubstr("failure ")));
  suite.complete = false;
  EXPECT_THAT(Write(suite), HasSubstr("name=\"complete\""));
  EXPECT_THAT(Write(suite), HasSubstr("tests=\"1\" failures=\"1\""));
}

TEST(MarkdownTest, HasTopicsFailuresAndDeviations) {
  const std::string text = ToMarkdown(ExampleSuite().suite, ExampleSources());
  EXPECT_THAT(text, HasSubstr("# Conformance of mini\n\nMini 1.2, 10 cases.\n\n"
                              "- required: 2 of 5 passed"));
  EXPECT_THAT(text,
              HasSubstr("| a/one | 1 | 0 | 0 | 0 | 0 | 2 | 0 | 0 | 0 | 0 |"));
  EXPECT_THAT(
      text,
      HasSubstr("b/informational/other: informational, differs (observed)"));
  EXPECT_THAT(text, HasSubstr("- `a/one/fails`: failed, which no entry"));
  EXPECT_THAT(text, HasSubstr("- `x/y/no_case`: there is no such case"));
  EXPECT_THAT(text, HasSubstr("a/one/fails: failed (required)"));
  EXPECT_THAT(text, HasSubstr("--testee=mini --filter=a/one/fails"));
  EXPECT_THAT(text, HasSubstr("| a/one/listed | failed | defect | It adds "
                              "<one> too many. | https://example.org/1, "
                              "conformance/defects/mini/adds.py |"));
  EXPECT_THAT(text, Not(HasSubstr("a/two/passes")));
}

TEST(MarkdownTest, SaysWhetherAllIsAsExpected) {
  SuiteResult suite;
  EXPECT_THAT(ToMarkdown(suite, ExampleSources()),
              HasSubstr("Everything is as expected."));
  suite.complete = false;
  EXPECT_THAT(ToMarkdown(suite, ExampleSources()),
              HasSubstr("Incomplete: the run was interrupted."));
}

class ReportFilesTest : public testing::Test {
 protected:
  void Write(const ReportPaths& paths) {
    ReportFiles(paths).Write(example_.suite, sources_);
  }

  const ExampleSuite example_;
  const Sources sources_ = ExampleSources();
  const TestFolder folder_;
};

TEST_F(ReportFilesTest, WritesRequestedFiles) {
  Write({});
  EXPECT_TRUE(folder_.names().empty());
  Write({.json = folder_ / "r.json",
         .junit = folder_ / "r.xml",
         .markdown = folder_ / "r.md"});
  EXPECT_EQ(ReadWholeFile(folder_ / "r.json")[0], '{');
  EXPECT_EQ(ReadWholeFile(folder_ / "r.xml")[0], '<');
  EXPECT_EQ(ReadWholeFile(folder_ / "r.md")[0], '#');
  EXPECT_EQ(folder_.names().size(), 3u);
}

TEST_F(ReportFilesTest, KeepsOlderFilesWithoutResults) {
  WriteWholeFile(folder_ / "r.json", "older");
  { const ReportFiles interrupted({.json = folder_ / "r.json"}); }
  EXPECT_EQ(ReadWholeFile(folder_ / "r.json"), "older");
}

TEST_F(ReportFilesTest, WritesToPipe) {
  const std::string path = folder_ / "pipe";
  ASSERT_EQ(mkfifo(path.c_str(), 0666), 0);
  auto read = std::async([&] { return ReadWholeFile(path); });
  Write({.markdown = path});
  EXPECT_EQ(read.get()[0], '#');
  EXPECT_TRUE(std::filesystem::is_fifo(path));
}

TEST_F(ReportFilesTest, RefusesBadPathBeforeTheRun) {
  const std::string bad = folder_ / "no/such/file";
  for (const ReportPaths& paths :
       {ReportPaths{.json = bad}, ReportPaths{.junit = bad},
        ReportPaths{.markdown = bad}, ReportPaths{.deviations = bad}}) {
    ExpectError([&] { ReportFiles files(paths); }, Code::kNotFound, bad);
  }
}

TEST_F(ReportFilesTest, RefusesSameFileTwice) {
  const std::string one = folder_ / "r";
  ExpectError([&] { ReportFiles files({.json = one, .junit = one}); },
              Code::kInvalidArgument, "wanted two");
  ReportFiles both({.json = "/dev/null", .junit = "/dev/null"});
}

TEST(StaleAnswersTest, HaveNumberAndReason) {
  ExampleSuite example;
  EXPECT_EQ(DescribeStale(example.suite), "");
  example.suite.settings.program = "run";
  example.suite.not_answered = {{"a/one/new", "it was not run"}};
  example.suite.outdated = {{"a/one/fails", "the testee changed"},
                            {"a/one/listed", "the testee changed"}};
  const std::string stale =
      "warning: 1 case without an answer: it was not run: a/one/new\n"
      "warning: 2 cases answered before a change: the testee changed: "
      "a/one/fails, ...\n"
      "run again: run --testee=mini --record --stale\n";
  EXPECT_EQ(DescribeStale(example.suite), stale);
  EXPECT_THAT(ToMarkdown(example.suite, ExampleSources()),
              testing::HasSubstr("```\n" + stale + "```\n"));
  const Json json = ToJson(example.suite, ExampleSources());
  EXPECT_EQ(json["not_answered"]["a/one/new"], "it was not run");
}

}  // namespace
}  // namespace lockstep
