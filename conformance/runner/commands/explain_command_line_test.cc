#include "conformance/runner/commands/explain_command_line.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "conformance/runner/answers/answer_store.h"
#include "conformance/runner/cases/case_testing.h"
#include "conformance/runner/commands/user_paths.h"
#include "reference/base/error.h"
#include "reference/base/error_testing.h"

namespace lockstep {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

TEST(RunProgramTest, ReturnsExitStatus) {
  EXPECT_EQ(RunProgram({"true"}), 0);
  EXPECT_EQ(RunProgram({"sh", "-c", "exit 7"}), 7);
}

TEST(RunProgramTest, ReturnsSignalAsShellsDo) {
  EXPECT_EQ(RunProgram({"sh", "-c", "kill -SEGV $$"}), 128 + SIGSEGV);
}

TEST(RunProgramTest, PassesArgumentsUnchanged) {
  EXPECT_EQ(RunProgram({"test", "a  b", "=", "a  b"}), 0);
}

TEST(RunProgramTest, RefusesMissingProgram) {
  try {
    RunProgram({"no_such_program_here"});
    FAIL();
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), Code::kNotFound);
    EXPECT_NE(std::string(e.what()).find("no_such_program_here"),
              std::string::npos);
  }
}

Case OfId(const std::string& id) {
  Case conformance_case;
  conformance_case.id = id;
  conformance_case.program =
      Json::parse(R"([{"step": "data.x", "program": [{"step": "data.y"}]}])");
  return conformance_case;
}

class KnownResultsTest : public testing::Test {
 protected:
  KnownResultsTest() {
    std::filesystem::create_directories(folder_ + "/deviations");
    std::filesystem::create_directories(folder_ + "/results");
    Write("deviations/maxi.json",
          R"({"implementation": "maxi", "deviations": [
              {"kind": "defect", "reason": "It adds one too many.",
               "references": ["https://example.org/1", "https://example.org/2"],
               "script": "conformance/defects/maxi/adds.py",
               "cases": ["a/b/*"]}], "unsupported": []})");
    Write("deviations/mini.json",
          R"({"implementation": "mini", "deviations": [], "unsupported": []})");
    Write("results/mini.json",
          R"({"started": "2026-11-21T18:50:00Z",
              "testee": {"implementation": "Mini 1.2"},
              "cases": [{"id": "a/b/c", "verdict": "passed"}]})");
  }

  void Write(const std::string& name, const char* text) const {
    std::ofstream(folder_ + "/" + name) << text;
  }

  std::string Described(const std::string& id) const {
    std::string text;
    for (const KnownResult& known : FindKnownResults(
             OfId(id), folder_ + "/deviations", folder_ + "/results")) {
      text += DescribeKnownResult(known);
    }
    return text;
  }

  const std::string folder_ =
      std::string(std::getenv("TEST_TMPDIR")) + "/" +
      testing::UnitTest::GetInstance()->current_test_info()->name();
};

TEST_F(KnownResultsTest, ReadsListsAndResults) {
  EXPECT_EQ(Described("a/b/c"),
            "  maxi: deviates\n"
            "    kind      defect\n"
            "    reason    It adds one too many.\n"
            "    reference https://example.org/1\n"
            "    reference https://example.org/2\n"
            "    shown by  conformance/defects/maxi/adds.py\n"
            "  mini: passed (Mini 1.2, 2026-11-21)\n");
}

TEST_F(KnownResultsTest, ShowsWhatARunAnswered) {
  const auto described = [&](const std::string& verdict,
                             const std::string& answer) {
    const std::string text =
        R"({"started": "2026-11-21T18:50:00Z",
            "testee": {"implementation": "Mini 1.2"},
            "cases": [{"id": "x/y/z", "verdict": ")" +
        verdict + R"(", "runs": [
              {"verdict": "passed", "observations": {"x": 1}},
              {"verdict": ")" +
        verdict + R"(", )" + answer + "}]}]}";
    Write("results/mini.json", text.c_str());
    return Described("x/y/z");
  };
  const std::string begins = "  maxi: no deviation is known\n  mini: ";
  EXPECT_EQ(described("failed", R"("observations": {"x": 2})"),
            begins +
                "failed (Mini 1.2, 2026-11-21)\n"
                "    observed  {\"observations\": {\"x\": 2}}\n");
  EXPECT_EQ(
      described(
          "unsupported",
          R"("unsupported": {"step": "data.x", "reason": "it has none"})"),
      begins +
          "unsupported (Mini 1.2, 2026-11-21)\n"
          "    missing   data.x: it has none\n");
}

TEST_F(KnownResultsTest, CaseWithoutResults) {
  EXPECT_EQ(Described("x/y/z"),
            "  maxi: no deviation is known\n"
            "  mini: no deviation is known\n");
}

TEST_F(KnownResultsTest, ReadsListsWithoutResults) {
  Write("deviations/tiny.json",
        R"({"implementation": "tiny", "deviations": [], "unsupported": [
            {"steps": ["data.y", "data.z"], "reference": "r"}]})");
  const auto known =
      FindKnownResults(OfId("x/y/z"), folder_ + "/deviations", "");
  ASSERT_EQ(known.size(), 3);
  EXPECT_EQ(
      DescribeKnownResult(known[2]),
      "  tiny: these steps, or some of their arguments, are unsupported:\n"
      "    missing   data.y\n");
  EXPECT_EQ(known[1].verdict, std::nullopt);
}

// The description of an implementation's answer to a case that expects 1.
std::string DescribedAnswer(Answer answer, const std::string& folder) {
  const Case conformance_case = OneIsOne("a/b/c");
  AnswerStore store;
  store.declaration.name = "maxi";
  store.declaration.implementation = "Maxi 1.2";
  store.declaration.language = "c++";
  store.recordings = {{.date = "2026-11-26T16:50:00Z"}};
  store.cases["a/b/c"].answers.emplace(
      RequestKey(conformance_case.given, conformance_case.program),
      std::move(answer));
  std::filesystem::create_directories(folder + "/answers/maxi");
  std::ofstream(folder + "/answers/maxi/1.2.json") << AnswersToText(store);
  KnownResult known =
      FindKnownResults(conformance_case, folder + "/deviations", "").front();
  AddRecordedAnswers(conformance_case, {}, folder + "/answers", known);
  return DescribeKnownResult(known);
}

TEST_F(KnownResultsTest, ReadsRecordedAnswers) {
  EXPECT_THAT(DescribedAnswer(Observations{{{"x", 2}}}, folder_),
              StartsWith("  maxi: failed (Maxi 1.2, 2026-11-26)\n"
                         "    observed  {\"observations\": {\"x\": 2}}\n"
                         "    kind      defect\n"));
  Write("deviations/maxi.json",
        R"({"implementation": "maxi", "deviations": [], "unsupported": []})");
  EXPECT_EQ(DescribedAnswer(Observations{{{"x", 1}}}, folder_),
            "  maxi: passed (Maxi 1.2, 2026-11-26)\n");
  EXPECT_EQ(DescribedAnswer(Unsupported{"data.x", "it has no x"}, folder_),
            "  maxi: unsupported (Maxi 1.2, 2026-11-26)\n"
            "    missing   data.x: it has no x\n");
}

TEST_F(KnownResultsTest, MissingFolderIsNotFound) {
  const auto find = [&](const std::string& lists, const std::string& results) {
    FindKnownResults(OfId("a/b/c"), folder_ + "/" + lists,
                     folder_ + "/" + results);
  };
  EXPECT_EQ(CodeOf([&] { find("x", "results"); }), Code::kNotFound);
  EXPECT_EQ(CodeOf([&] { find("deviations", "y"); }), Code::kNotFound);
}

class ExplainCommandLineTest : public testing::Test {
 protected:
  ExplainCommandLineTest() {
    std::filesystem::create_directories(folder_ + "/cases/input");
    std::filesystem::create_directories(folder_ + "/deviations");
    Write("sources.json",
          R"({"sources": [{"id": "issues", "url": "https://example.org/"}]})");
    Write("operations.md", "### `data.x`\n\nGives: it.\n");
    Write("intents.md", "### `data.y`\n\nGives: it.\n");
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
    WriteList("mini", R"("script": ")" + folder_ + R"(/shows.sh", )");
    WriteList("maxi", "");
    Write("shows.sh", "#!/bin/sh\nexit 7\n");
    std::filesystem::permissions(folder_ + "/shows.sh",
                                 std::filesystem::perms::owner_all);
  }

  void Write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ + "/" + name) << text;
  }

  void WriteList(const std::string& name, const std::string& script) const {
    Write("deviations/" + name + ".json",
          R"({"implementation": ")" + name + R"(", "deviations": [
              {"kind": "defect", "reason": "It adds one too many.", )" +
              script + R"("references": ["https://example.org/1"],
               "cases": ["input/numbers/count"]}], "unsupported": []})");
  }

  int Explain(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"explain", "--folder=" + folder_});
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

TEST_F(ExplainCommandLineTest, PrintsAllThatIsKnown) {
  EXPECT_EQ(Explain({"input/numbers/count"}), 0);
  EXPECT_THAT(output_, HasSubstr("input/numbers/count (required)\n"
                                 "  Numbers count.\n"));
  EXPECT_THAT(output_, HasSubstr("issues some/project#7: "
                                 "https://example.org/some/project/issues/7"));
  EXPECT_THAT(output_, HasSubstr("observe x = data.x()"));
  EXPECT_THAT(output_, HasSubstr("x equals [1, 2]"));
  EXPECT_THAT(output_, HasSubstr("known results\n  maxi: deviates\n"));
}

TEST_F(ExplainCommandLineTest, FindsCaseByPartOfItsId) {
  EXPECT_EQ(Explain({"count_down"}), 0);
  EXPECT_THAT(output_, HasSubstr("Numbers count down."));
}

TEST_F(ExplainCommandLineTest, AmbiguousPartGivesSuggestions) {
  EXPECT_EQ(Explain({"numbers"}), 2);
  EXPECT_EQ(error_,
            "[Explain] there is no case 'numbers'; did you mean one of these?\n"
            "  input/numbers/count\n"
            "  input/numbers/count_down\n");
  EXPECT_EQ(Explain({"colours"}), 2);
  EXPECT_EQ(error_, "[Explain] there is no case 'colours'\n");
}

TEST_F(ExplainCommandLineTest, AsRunsTheScript) {
  EXPECT_EQ(Explain({"input/numbers/count", "--as=mini"}), 7);
  EXPECT_THAT(output_, HasSubstr(folder_ + "/shows.sh"));
}

TEST_F(ExplainCommandLineTest, AsSaysWhatIsMissing) {
  EXPECT_EQ(Explain({"input/numbers/count", "--as=unknown"}), 2);
  EXPECT_THAT(error_, HasSubstr("unknown implementation 'unknown'"));
  EXPECT_EQ(Explain({"input/numbers/count", "--as=maxi"}), 2);
  EXPECT_THAT(error_, HasSubstr("maxi has no script for input/numbers/count"));
  EXPECT_EQ(Explain({"input/numbers/count_down", "--as=mini"}), 2);
  EXPECT_THAT(error_, HasSubstr("mini has no deviation for"));
  std::filesystem::remove(folder_ + "/shows.sh");
  EXPECT_EQ(Explain({"input/numbers/count", "--as=mini"}), 2);
  EXPECT_THAT(error_, HasSubstr("names a script that does not exist"));
}

TEST_F(ExplainCommandLineTest, HelpAndBadOptions) {
  EXPECT_EQ(Explain({"--help"}), 0);
  EXPECT_THAT(output_, HasSubstr("--as=tensorflow"));
  EXPECT_EQ(Explain({}), 2);
  EXPECT_EQ(Explain({"input/numbers/count", "--colour"}), 2);
}

namespace fs = std::filesystem;

class UserPathsTest : public testing::Test {
 protected:
  UserPathsTest() {
    unsetenv("BUILD_WORKING_DIRECTORY");
    unsetenv("BUILD_WORKSPACE_DIRECTORY");
    of_user_ = std::string(std::getenv("TEST_TMPDIR")) + "/of_user";
    fs::create_directories(of_user_);
    std::ofstream(of_user_ + "/there.json") << "{}";
  }

  std::string of_user_;
};

TEST_F(UserPathsTest, PathsAreUnchangedWithoutBazel) {
  EXPECT_EQ(InputPath("there.json"), "there.json");
  EXPECT_EQ(OutputPath("out.json"), "out.json");
  EXPECT_EQ(SourcePath("a/b.json"), "a/b.json");
}

TEST_F(UserPathsTest, ReadsFromFolderOfUser) {
  setenv("BUILD_WORKING_DIRECTORY", of_user_.c_str(), 1);
  EXPECT_EQ(InputPath("there.json"), of_user_ + "/there.json");
  EXPECT_EQ(InputPath("not_there.json"), "not_there.json");
}

TEST_F(UserPathsTest, WritesToFolderOfUser) {
  setenv("BUILD_WORKING_DIRECTORY", of_user_.c_str(), 1);
  EXPECT_EQ(OutputPath("out.json"), of_user_ + "/out.json");
  EXPECT_EQ(OutputPath("/tmp/out.json"), "/tmp/out.json");
}

TEST_F(UserPathsTest, SourcesAreInTheTree) {
  setenv("BUILD_WORKSPACE_DIRECTORY", "/tmp/tree", 1);
  EXPECT_EQ(SourcePath("a/b.json"), "/tmp/tree/a/b.json");
}

}  // namespace
}  // namespace lockstep
