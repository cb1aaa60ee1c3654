#include "conformance/runner/commands/command_line.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "conformance/runner/cases/case_selection.h"
#include "conformance/runner/cases/conventions.h"
#include "conformance/runner/commands/choose_testee.h"
#include "conformance/runner/miniature_testee.h"
#include "reference/base/error.h"

namespace lockstep {
namespace {

using testing::HasSubstr;
using testing::Not;

class CommandLineTest : public testing::Test {
 protected:
  CommandLineTest() {
    folder_ = std::string(std::getenv("TEST_TMPDIR")) + "/" +
              testing::UnitTest::GetInstance()->current_test_info()->name();
    std::filesystem::create_directories(folder_ + "/input");
    Write("sources.json",
          R"({"sources": [{"id": "guide", "url": "https://example.org/"}]})");
    Write("operations.md", "### `data.x`\n\nGives: it.\n");
    Write("conventions.json", R"({"conventions": [
      {"id": "remainder", "question": "What?", "values": [
        {"id": "split", "means": "It is split."},
        {"id": "pad", "means": "It is filled up."}],
       "porting": [{"from": "split", "to": "pad", "note": "Count."}]}]})");
    Write("testees.json", R"({"testees": [
      {"name": "shell", "means": "A shell.", "command": ["sh"]}]})");
    WriteCase(R"([{"observation": "x", "equals": 1}])");
    List("");
  }

  void Write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ + "/" + name) << text;
  }

  std::string Read(const std::string& name) const {
    std::ifstream file(folder_ + "/" + name);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  void WriteCase(const std::string& expect,
                 const std::string& level = "required") const {
    Write("input/numbers.json", R"({"topic": "Numbers", "cases": [{
      "id": "input/numbers/count", "level": ")" +
                                    level + R"(",
      "states": "Numbers count.",
      "cites": [{"source": "guide", "anchor": "split"}],
      "given": {"strategy": "default"},
      "program": [{"observe": "x", "step": "data.x"}],
      "expect": )" + expect + "}]}");
  }

  // A cause for which the case deviates.
  std::string Entry(const std::string& reason) const {
    return R"({"kind": "defect", "reason": ")" + reason +
           R"(", "references": ["https://example.org/1"],
      "cases": ["input/numbers/count"]})";
  }
  void List(const std::string& entries) const {
    Write("mini.json", R"({"implementation": "mini", "deviations": [)" +
                           entries + R"(], "unsupported": []})");
  }

  // The status; what it prints is left in output_.
  int Run(std::vector<std::string> arguments, int x = 1) {
    return RunWith(std::move(arguments), [x](const Request&) {
      return Observations{{{"x", x}}};
    });
  }

  int RunWith(std::vector<std::string> arguments,
              MiniatureTestee::Behaviour behaviour, Dialect dialect = {}) {
    const bool names_testee =
        std::ranges::any_of(arguments, [](const std::string& argument) {
          return argument.starts_with("--testee=");
        });
    if (!names_testee) arguments.push_back("--testee=mini");
    arguments.insert(arguments.begin(),
                     {"run", "--cases=" + folder_ + "/input",
                      "--sources=" + folder_ + "/sources.json",
                      "--operations=" + folder_ + "/operations.md",
                      "--conventions=" + folder_ + "/conventions.json",
                      "--testees=" + folder_ + "/testees.json"});
    if (names_list_) {
      arguments.push_back("--deviations=" + folder_ + "/mini.json");
    }
    std::vector<char*> argv;
    for (std::string& argument : arguments) argv.push_back(argument.data());
    testing::internal::CaptureStdout();
    testing::internal::CaptureStderr();
    const int status = RunCommandLine(
        static_cast<int>(argv.size()), argv.data(),
        {{"mini", [&] {
            ++made_;
            auto testee = std::make_unique<MiniatureTestee>(behaviour, dialect);
            testee->declaration.workers = workers_;
            return testee;
          }}});
    output_ = testing::internal::GetCapturedStdout() +
              testing::internal::GetCapturedStderr();
    return status;
  }

  std::string folder_;
  std::string output_;
  bool names_list_ = true;
  int64_t workers_ = 0;  // that testees declare
  int made_ = 0;         // testees, so far
};

TEST_F(CommandLineTest, ZeroWhenEveryCasePassed) {
  EXPECT_EQ(Run({}), 0);
  EXPECT_THAT(output_, HasSubstr("required: 1 of 1 passed\n"));
  EXPECT_THAT(output_, HasSubstr("everything is as expected of mini\n"));
}

TEST_F(CommandLineTest, OneWhenACaseFailed) {
  EXPECT_EQ(Run({}, 2), 1);
  EXPECT_THAT(output_, HasSubstr("input/numbers/count: failed (required)\n"));
  EXPECT_THAT(output_, HasSubstr("--testee=mini --cases=" + folder_ +
                                 "/input --filter=input/numbers/count\n"));
  EXPECT_THAT(output_,
              HasSubstr("not as expected: input/numbers/count: failed, "
                        "which no entry for mini lists\n"));
}

TEST_F(CommandLineTest, RerunCommandWorksInFolderOfUser) {
  EXPECT_EQ(Run({}, 2), 1);
  EXPECT_THAT(output_, HasSubstr("  rerun     run --testee=mini"));
  setenv("BUILD_WORKSPACE_DIRECTORY", "/opt/src", 1);
  setenv("BUILD_WORKING_DIRECTORY", "/opt/src/docs", 1);
  Run({}, 2);
  unsetenv("BUILD_WORKSPACE_DIRECTORY");
  unsetenv("BUILD_WORKING_DIRECTORY");
  EXPECT_THAT(output_,
              HasSubstr("  rerun     ../bazelw run //conformance:run -- "
                        "--testee=mini"));
}

TEST_F(CommandLineTest, GroupsUnsupportedCases) {
  const auto unsupported = [](const Request&) {
    return Unsupported{"data.x", "not written yet"};
  };
  const std::string json = folder_ + "/r.json";
  EXPECT_EQ(RunWith({"--json=" + json}, unsupported), 1);
  EXPECT_EQ(output_,
            "required: 0 of 1 passed, 1 unsupported\n"
            "unsupported, and not listed: 1 case, by step\n"
            "    1  data.x: not written yet\n"
            "       input/numbers/count\n"
            "  --verbose explains each of them, --json=FILE has them all\n"
            "not as expected: 1 unsupported case is not listed; --deviations=" +
                folder_ + "/mini.json --update lists it\n");
  EXPECT_EQ(ReadJsonFile(json)["cases"][0]["verdict"], "unsupported");
  EXPECT_EQ(ReadJsonFile(json)["unexpected"].size(), 1u);
  EXPECT_EQ(RunWith({"--verbose"}, unsupported), 1);
  EXPECT_THAT(output_, HasSubstr("input/numbers/count: unsupported (required)\n"
                                 "  states    Numbers count."));
}

TEST_F(CommandLineTest, ListedFailureIsExpected) {
  List(Entry("It adds one too many."));
  EXPECT_EQ(Run({"--verbose"}, 2), 0);
  EXPECT_THAT(output_, HasSubstr("input/numbers/count: failed, as listed\n"));
  EXPECT_EQ(Run({}, 1), 1);
  EXPECT_THAT(output_, HasSubstr("passed, but "));
}

TEST_F(CommandLineTest, RefusesListWithoutReasons) {
  List(Entry(""));
  EXPECT_EQ(Run({}, 2), 1);
  EXPECT_THAT(output_, HasSubstr(folder_ + "/mini.json at $.deviations[0]: "
                                           "has no reason: add it"));
}

TEST_F(CommandLineTest, UpdateWritesTheList) {
  std::filesystem::remove(folder_ + "/mini.json");
  EXPECT_EQ(Run({"--update"}, 2), 0);
  EXPECT_THAT(output_, HasSubstr("write reason and references of 1 cases: "
                                 "input/numbers/count\n"));
  EXPECT_THAT(Read("mini.json"),
              HasSubstr("\"cases\": [\"input/numbers/count\"]"));
  EXPECT_EQ(Run({}, 2), 1);
  EXPECT_EQ(Run({"--update"}, 1), 0);
  EXPECT_EQ(Run({}, 1), 0);
}

TEST_F(CommandLineTest, UpdateRequestsReferences) {
  const auto unsupported = [](const Request&) {
    return Unsupported{"data.x", "it has no data"};
  };
  EXPECT_EQ(RunWith({"--update"}, unsupported), 0);
  EXPECT_THAT(output_, HasSubstr("write a reference for the unsupported steps: "
                                 "data.x\n"));
  EXPECT_EQ(RunWith({}, unsupported), 1);
  EXPECT_EQ(output_,
            "required: 0 of 1 passed, 1 unsupported\n"
            "not as expected: " +
                folder_ +
                "/mini.json at $.unsupported[0]: has no reference: add it in "
                "the field reference\n");
}

TEST_F(CommandLineTest, ListMayHaveAnyName) {
  Write("mini.json", R"({"implementation": "maxi", "deviations": [)" +
                         Entry("It adds one too many.") +
                         R"(], "unsupported": []})");
  EXPECT_EQ(Run({}, 2), 0);
}

TEST_F(CommandLineTest, UpdateOfACommandNeedsAPath) {
  names_list_ = false;
  EXPECT_EQ(Run({"--testee=./mine --x", "--update"}), 2);
  EXPECT_THAT(output_,
              HasSubstr("[Run] --update needs --deviations=NAME.json: only a "
                        "testee of testees.json has a list of its own, got "
                        "--testee='./mine --x'"));
}

TEST_F(CommandLineTest, TwoWhenItCouldNotRun) {
  EXPECT_EQ(Run({"--testee=unknown"}), 2);
  EXPECT_THAT(output_,
              HasSubstr("there is no testee 'unknown', wanted one of"));
  EXPECT_EQ(Run({"--filter=output/*"}), 2);
  EXPECT_EQ(Run({"--colour"}), 2);
  EXPECT_EQ(Run({"--repeat=0"}), 2);
  EXPECT_EQ(Run({"--deadline=-1"}), 2);
  EXPECT_EQ(Run({"--json=" + folder_ + "/missing/results.json"}), 2);
  Write("input/numbers.json", "{");
  EXPECT_EQ(Run({}), 2);
}

TEST_F(CommandLineTest, NamesMalformedList) {
  List(R"({"cases": ["x"]})");
  EXPECT_EQ(Run({}), 2);
  EXPECT_THAT(output_, HasSubstr(folder_ + "/mini.json at $.deviations[0]"));
}

TEST_F(CommandLineTest, SelectsByIdLevelAndArea) {
  EXPECT_EQ(Run({"--filter=input/*/count"}, 2), 1);
  EXPECT_EQ(Run({"--level=recommended,required", "--area=input"}, 2), 1);
  EXPECT_EQ(Run({"--level=recommended"}, 2), 2);
  EXPECT_THAT(output_, HasSubstr("no case matches '*' and has the requested "
                                 "level and area"));
  EXPECT_EQ(Run({"--level=requested"}, 2), 2);
  EXPECT_EQ(Run({"--area=output"}, 2), 2);
  EXPECT_THAT(output_, HasSubstr("there is no area 'output', wanted one of "
                                 "input"));
}

TEST_F(CommandLineTest, ListsWithoutRunning) {
  EXPECT_EQ(Run({"--list"}, 2), 0);
  EXPECT_EQ(output_, "input/numbers/count required\n");
}

TEST_F(CommandLineTest, RefusesInvalidShard) {
  for (const char* shard : {"0/2", "3/2", "1", "1/", "/2", "1/2/3", "-1/2",
                            "1/1001", "a/b", "1/0"}) {
    EXPECT_EQ(Run({std::string("--shard=") + shard}, 2), 2) << shard;
    EXPECT_THAT(output_, HasSubstr("wanted I/N")) << shard;
  }
  EXPECT_EQ(Run({"--shard=2/2"}, 2), 2);
  EXPECT_THAT(output_, HasSubstr("shard 2/2 of 1 cases is empty"));
}

TEST(SelectCasesTest, ShardsPartitionTheCases) {
  std::vector<Case> cases(7);
  for (int i = 0; i < 7; ++i) cases[i].id = "a/b/" + std::to_string(i);
  std::vector<std::string> ids;
  for (const int shard : {1, 2, 3}) {
    for (const Case* one : SelectCases(cases, {.shard = shard, .shards = 3})) {
      ids.push_back(one->id);
    }
  }
  EXPECT_EQ(ids, (std::vector<std::string>{"a/b/0", "a/b/3", "a/b/6", "a/b/1",
                                           "a/b/4", "a/b/2", "a/b/5"}));
}

TEST_F(CommandLineTest, JudgesByDeclaredConventions) {
  WriteCase(R"([
    {"observation": "x", "equals": 1, "when": {"remainder": "split"}},
    {"observation": "x", "equals": 2, "when": {"remainder": "pad"}}])");
  const auto says_two = [](const Request&) { return Observations{{{"x", 2}}}; };
  EXPECT_EQ(RunWith({}, says_two), 1);
  EXPECT_EQ(RunWith({}, says_two, {{"remainder", "pad"}}), 0);
  EXPECT_EQ(RunWith({}, says_two, {{"remainder", "eat"}}), 2);
  EXPECT_THAT(output_, HasSubstr("the convention 'remainder' has no value "
                                 "'eat', wanted one of: split, pad"));
}

TEST_F(CommandLineTest, ReportsVaryingResults) {
  const auto counts = [x = 0](const Request&) mutable {
    return Observations{{{"x", ++x < 3 ? 1 : 2}}};
  };
  EXPECT_EQ(RunWith({"--repeat=2"}, counts), 0);
  EXPECT_EQ(RunWith({"--repeat=3", "--json=" + folder_ + "/r.json"}, counts),
            1);
  EXPECT_THAT(output_, HasSubstr("repetition 3 differs from the first"));
  EXPECT_THAT(output_, HasSubstr("1 failed"));
  EXPECT_EQ(ReadJsonFile(folder_ + "/r.json")["cases"].size(), 1u);
}

TEST_F(CommandLineTest, VaryingResultsAreNotListed) {
  const auto counts = [x = 0](const Request&) mutable {
    return Observations{{{"x", ++x}}};
  };
  EXPECT_EQ(RunWith({"--repeat=2", "--update"}, counts), 1);
  EXPECT_THAT(output_, HasSubstr("flickers: input/numbers/count"));
}

TEST_F(CommandLineTest, ProtocolErrorIsNotListed) {
  std::filesystem::remove(folder_ + "/mini.json");
  const auto babbles = [](const Request&) {
    return ProtocolError{"no JSON", ""};
  };
  EXPECT_EQ(RunWith({"--update"}, babbles), 1);
  EXPECT_THAT(output_, HasSubstr("not listed: input/numbers/count: a protocol "
                                 "error: fix the testee\n"));
  EXPECT_THAT(Read("mini.json"), HasSubstr("\"deviations\": []"));
}

TEST_F(CommandLineTest, RefusesInvalidLimits) {
  for (const char* option :
       {"--deadline=1e18", "--deadline=nan", "--deadline=inf", "--deadline=0",
        "--deadline=1e-9", "--start_deadline=0", "--memory=0", "--memory=nan",
        "--memory=1e18"}) {
    EXPECT_EQ(Run({option}), 2) << option;
    EXPECT_THAT(output_, HasSubstr("wanted a number from 0.001 to 1000000"));
  }
  EXPECT_EQ(Run({"--deadline=1e6", "--memory=0.5"}), 0) << output_;
}

// Of a testee that is a process.
TEST_F(CommandLineTest, ProbeReportsMistakes) {
  Write("hello.sh", "echo Hello\n");
  EXPECT_EQ(Run({"--probe", "--testee=sh " + folder_ + "/hello.sh"}), 1);
  EXPECT_THAT(output_, HasSubstr("said   Hello\n"));
  EXPECT_THAT(output_, HasSubstr("\n0 right, 1 wrong\n"));
  EXPECT_EQ(Run({"--probe", "--testee=shell", "--start_deadline=0.1"}), 1);
  EXPECT_THAT(output_, HasSubstr("start: no answer in 0.1 s"));
}

TEST_F(CommandLineTest, ProbeReportsFailedStart) {
  EXPECT_EQ(Run({"--probe", "--testee=/nonexistent/testee"}), 2);
  EXPECT_THAT(output_, HasSubstr("/nonexistent/testee"));
  EXPECT_EQ(Run({"--probe", "--testee=unknown"}), 2);
  EXPECT_THAT(output_, HasSubstr("there is no testee 'unknown', wanted one of "
                                 "shell, or a command"));
}

TEST_F(CommandLineTest, ProbeExcludesOptionsOfResults) {
  for (const char* option :
       {"--json=r", "--junit=r", "--markdown=r", "--update", "--list",
        "--enforce=decision", "--repeat=2", "--jobs=2"}) {
    EXPECT_EQ(Run({"--probe", "--testee=shell", option}), 2) << option;
    EXPECT_THAT(output_, HasSubstr("excludes --probe")) << option;
  }
}

TEST_F(CommandLineTest, InterruptedRunWritesItsResults) {
  const auto interrupts = [](const Request&) {
    std::raise(SIGINT);
    return Observations{{{"x", 1}}};
  };
  EXPECT_EQ(
      RunWith({"--repeat=5", "--json=" + folder_ + "/r.json"}, interrupts), 2);
  EXPECT_THAT(output_, HasSubstr("interrupted: the results are incomplete\n"));
  const Json json = ReadJsonFile(folder_ + "/r.json");
  EXPECT_EQ(json["complete"], false);
  EXPECT_EQ(json["as_expected"], false);
  EXPECT_EQ(json["cases"].size(), 1u);
  EXPECT_EQ(RunWith({"--repeat=5", "--update"}, interrupts), 2);
  EXPECT_THAT(output_, HasSubstr("stays as it was"));
}

TEST_F(CommandLineTest, RecommendationWarnsUnlessEnforced) {
  WriteCase(R"([{"observation": "x", "equals": 1}])", "recommended");
  EXPECT_EQ(Run({}, 2), 0);
  EXPECT_THAT(output_, HasSubstr("input/numbers/count: warned, differs"));
  EXPECT_THAT(output_, HasSubstr("required: 0 of 0 passed\n"
                                 "also: recommended 0 of 1 passed, 1 warned"));
  EXPECT_EQ(Run({"--enforce=recommended"}, 2), 1);
  EXPECT_THAT(
      output_,
      HasSubstr("breaks an expectation of the enforced level recommended"));
  EXPECT_EQ(Run({"--enforce=recommended"}, 1), 0);
  EXPECT_EQ(Run({"--enforce=all"}, 1), 2);
}

TEST_F(CommandLineTest, RepeatsOnParallelTestees) {
  EXPECT_EQ(Run({"--jobs=3", "--repeat=20"}), 0);
  EXPECT_THAT(output_, HasSubstr("required: 1 of 1 passed\n"));
  EXPECT_EQ(Run({"--jobs=0"}), 2);
}

TEST_F(CommandLineTest, CreatesMultiWorkerTesteeIfNeeded) {
  const auto made = [&](int64_t workers, const char* jobs) {
    workers_ = workers;
    made_ = 0;
    Run({jobs, "--verbose"});
    return made_;
  };
  EXPECT_EQ(made(2, "--jobs=2"), 2);  // no case of workers
  Write("input/workers.json", R"({"topic": "Workers", "cases": [{
    "id": "input/workers/count", "level": "required",
    "states": "Workers count.",
    "cites": [{"source": "guide", "anchor": "split"}],
    "given": {"strategy": "multi_worker_mirrored", "workers": 2,
              "replicas": 1},
    "program": [{"observe": "x", "step": "data.x"}],
    "expect": [{"observation": "x", "equals": 1}]}]})");
  EXPECT_EQ(made(2, "--jobs=2"), 3);
  EXPECT_THAT(output_, HasSubstr("required: 2 of 2 passed\n"));
  EXPECT_EQ(made(2, "--jobs=1"), 1);
  EXPECT_EQ(made(0, "--jobs=2"), 2);
}

TEST_F(CommandLineTest, WritesReports) {
  EXPECT_EQ(
      Run({"--json=" + folder_ + "/r.json", "--junit=" + folder_ + "/r.xml",
           "--markdown=" + folder_ + "/r.md"}),
      0);
  EXPECT_EQ(ReadJsonFile(folder_ + "/r.json")["headline"]["required"]["passed"],
            1);
  EXPECT_THAT(Read("r.xml"), HasSubstr("tests=\"1\" failures=\"0\""));
  EXPECT_THAT(Read("r.md"), HasSubstr("Everything is as expected."));
}

TEST_F(CommandLineTest, RefusesBadPathBeforeTheRun) {
  for (const std::string option : {"--json=", "--junit=", "--markdown="}) {
    EXPECT_EQ(Run({option + folder_ + "/no/such/file"}), 2);
    EXPECT_THAT(output_, Not(HasSubstr("passed"))) << option;
  }
}

TEST_F(CommandLineTest, RefusesMalformedValues) {
  for (const char* wrong : {"--deadline=nan", "--deadline=inf", "--repeat=010",
                            "--json=", "--filter="}) {
    EXPECT_EQ(Run({wrong}), 2) << wrong;
  }
}

TEST_F(CommandLineTest, HelpShowsExamples) {
  EXPECT_EQ(Run({"--help"}), 0);
  EXPECT_THAT(output_, HasSubstr("--testee=tensorflow"));
  EXPECT_THAT(output_, HasSubstr("--probe --testee='python3 my_testee.py'"));
  EXPECT_THAT(output_, HasSubstr("Exit status: 0"));
}

TEST_F(CommandLineTest, NoProgressBarWithoutTerminal) {
  EXPECT_EQ(Run({}), 0);
  EXPECT_THAT(output_, Not(HasSubstr("cases  ")));
}

}  // namespace
}  // namespace lockstep
