#include "conformance/runner/commands/explain_command_line.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace lockstep {
namespace {

using testing::HasSubstr;
using testing::Not;

class ExplainCommandLineTest : public testing::Test {
 protected:
  ExplainCommandLineTest() {
    std::filesystem::create_directories(folder_ + "/cases/input");
    std::filesystem::create_directories(folder_ + "/deviations/repro/mini");
    Write("sources.json",
          R"({"sources": [{"id": "issues", "url": "https://example.org/"}]})");
    Write("operations.md", "### `data.x`\n");
    Write("conventions.json", R"({"conventions": [
      {"id": "remainder", "question": "What?", "values": [
        {"id": "split", "means": "It is split."},
        {"id": "pad", "means": "It is filled up."}],
       "porting": [{"from": "split", "to": "pad", "note": "Count."}]}]})");
    Write("cases/input/numbers.json", R"({"topic": "Numbers", "cases": [
      {"id": "input/numbers/count", "level": "required",
       "states": "Numbers count.",
       "cites": [{"source": "issues", "anchor": "some/project#7"}],
       "given": {"strategy": "default"},
       "program": [{"observe": "x", "step": "data.x"}],
       "expect": [{"observation": "x", "equals": [1, 2]}]},
      {"id": "input/numbers/count_down", "level": "required",
       "states": "Numbers count down.",
       "cites": [{"source": "issues", "anchor": "some/project#8"}],
       "given": {"strategy": "default"},
       "program": [{"observe": "x", "step": "data.x"}],
       "expect": [{"observation": "x", "equals": [2, 1]}]}]})");
    WriteList("mini", R"(, "repro": "mini/shows.sh")");
    WriteList("maxi", "");
    Write("deviations/repro/mini/shows.sh", "#!/bin/sh\nexit 7\n");
    std::filesystem::permissions(folder_ + "/deviations/repro/mini/shows.sh",
                                 std::filesystem::perms::owner_all);
  }

  void Write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ + "/" + name) << text;
  }

  void WriteList(const std::string& name, const std::string& repro) const {
    Write("deviations/" + name + ".json", R"({"implementation": ")" + name +
                                              R"(", "entries": [
              {"id": "input/numbers/count", "verdict": "failed",
               "kind": "defect", "observed": {"observations": {"x": 3}},
               "reason": "It adds one too many.",
               "reference": "https://example.org/1", "versions": "1.2")" +
                                              repro + "}]}");
  }

  int Explain(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"explain", "--folder=" + folder_,
                                         "--results=" + folder_ + "/results"});
    std::vector<char*> argv;
    for (std::string& argument : arguments) argv.push_back(argument.data());
    testing::internal::CaptureStdout();
    testing::internal::CaptureStderr();
    const int status =
        ExplainCommandLine(static_cast<int>(argv.size()), argv.data());
    output_ = testing::internal::GetCapturedStdout();
    error_ = testing::internal::GetCapturedStderr();
    return status;
  }

  const std::string folder_ =
      std::string(std::getenv("TEST_TMPDIR")) + "/" +
      testing::UnitTest::GetInstance()->current_test_info()->name();
  std::string output_;
  std::string error_;
};

TEST_F(ExplainCommandLineTest, TellsAllThatIsKnown) {
  EXPECT_EQ(Explain({"input/numbers/count"}), 0);
  EXPECT_THAT(output_, HasSubstr("input/numbers/count (required)\n"
                                 "  Numbers count.\n"));
  EXPECT_THAT(output_, HasSubstr("issues some/project#7: "
                                 "https://example.org/some/project/issues/7"));
  EXPECT_THAT(output_, HasSubstr("observe x = data.x()"));
  EXPECT_THAT(output_, HasSubstr("x equals [1, 2]"));
  EXPECT_THAT(output_, HasSubstr("known results\n  maxi: failed\n"));
}

TEST_F(ExplainCommandLineTest, WordsOfOneIdAreEnough) {
  EXPECT_EQ(Explain({"count_down"}), 0);
  EXPECT_THAT(output_, HasSubstr("Numbers count down."));
}

TEST_F(ExplainCommandLineTest, WordsOfSeveralIdsGiveSuggestions) {
  EXPECT_EQ(Explain({"numbers"}), 2);
  EXPECT_EQ(error_,
            "[Explain] there is no case 'numbers'; did you mean one of these?\n"
            "  input/numbers/count\n"
            "  input/numbers/count_down\n");
  EXPECT_EQ(Explain({"colours"}), 2);
  EXPECT_EQ(error_, "[Explain] there is no case 'colours'\n");
}

TEST_F(ExplainCommandLineTest, AsRunsTheScriptOfTheDeviation) {
  EXPECT_EQ(Explain({"input/numbers/count", "--as=mini"}), 7);
  EXPECT_THAT(output_, HasSubstr("deviations/repro/mini/shows.sh"));
}

TEST_F(ExplainCommandLineTest, AsSaysWhatIsMissing) {
  EXPECT_EQ(Explain({"input/numbers/count", "--as=nobody"}), 2);
  EXPECT_THAT(error_, HasSubstr("nothing is known of an implementation"));
  EXPECT_EQ(Explain({"input/numbers/count", "--as=maxi"}), 2);
  EXPECT_THAT(error_, HasSubstr("maxi has no script for input/numbers/count"));
  EXPECT_EQ(Explain({"input/numbers/count_down", "--as=mini"}), 2);
  EXPECT_THAT(error_, HasSubstr("mini has no deviation for"));
  std::filesystem::remove(folder_ + "/deviations/repro/mini/shows.sh");
  EXPECT_EQ(Explain({"input/numbers/count", "--as=mini"}), 2);
  EXPECT_THAT(error_, HasSubstr("names a script that is not there"));
}

TEST_F(ExplainCommandLineTest, HelpAndBadOptions) {
  EXPECT_EQ(Explain({"--help"}), 0);
  EXPECT_THAT(output_, HasSubstr("--as=tensorflow"));
  EXPECT_EQ(Explain({}), 2);
  EXPECT_EQ(Explain({"input/numbers/count", "--colour"}), 2);
}

}  // namespace
}  // namespace lockstep
