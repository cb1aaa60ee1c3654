#include "conformance/runner/commands/choose_testee.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "conformance/runner/miniature_testee.h"
#include "reference/base/error.h"

namespace lockstep {
namespace {

const std::string& Path() {
  static const std::string* const path =
      new std::string(std::string(std::getenv("TEST_TMPDIR")) + "/t.json");
  return *path;
}

TesteeTable Load(const char* text) {
  std::ofstream(Path()) << text;
  return TesteeTable::Load(Path());
}

std::string Refusal(const char* text) {
  try {
    Load(text);
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), Code::kInvalidArgument);
    return e.what();
  }
  return "nothing refused";
}

TEST(TesteeTableTest, FindsByName) {
  const TesteeTable table = Load(R"({"testees": [
    {"name": "mini", "means": "A small one.", "command": ["sh", "mini"]},
    {"name": "mini_fast", "means": "A fast one.", "command": ["sh", "fast"],
     "deviations": "mini"}]})");
  ASSERT_NE(table.Find("mini"), nullptr);
  EXPECT_EQ(table.Find("mini")->command,
            (std::vector<std::string>{"sh", "mini"}));
  EXPECT_EQ(table.Find("mini")->deviations, "mini");
  EXPECT_EQ(table.Find("mini_fast")->deviations, "mini");
  EXPECT_EQ(table.Find("maxi"), nullptr);
}

TEST(TesteeTableTest, RefusesMalformedTables) {
  const std::string lead = "[LoadTestees] " + Path() + " at ";
  EXPECT_EQ(Refusal(R"({"testees": [
    {"name": "a", "means": "A.", "command": ["a"]},
    {"name": "a", "means": "A.", "command": ["a"]}]})"),
            lead + "$.testees[1].name: duplicate testee 'a'");
  EXPECT_EQ(Refusal(R"({"testees": [
    {"name": "a", "means": "A.", "command": []}]})"),
            lead + "$.testees[0].command: wanted at least one item, got none");
  EXPECT_EQ(Refusal(R"({"testees": [{"name": "a", "means": "A."}]})"),
            lead + "$.testees[0]: the field 'command' is missing");
}

// The result for a make_venv.py with this text.
std::string PythonOf(const std::string& script) {
  const std::string path =
      std::string(std::getenv("TEST_TMPDIR")) + "/make venv.py";
  std::ofstream(path) << script;
  return FrameworksPython(path);
}

TEST(FrameworksPythonTest, IsTheLineThatTheScriptPrints) {
  EXPECT_EQ(PythonOf("import sys\n"
                     "print('making', file=sys.stderr)\n"
                     "print('/opt/venv/bin/python')\n"),
            "/opt/venv/bin/python");
}

TEST(FrameworksPythonTest, RefusesOtherOutput) {
  EXPECT_THROW(PythonOf(""), Error);
  EXPECT_THROW(PythonOf("print('one')\nprint('two')\n"), Error);
}

TEST(FrameworksPythonTest, ReportsFailure) {
  try {
    PythonOf("print('/opt/venv/bin/python')\nraise SystemExit(3)\n");
    FAIL();
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), Code::kUnavailable);
  }
}

TEST(FrameworksPythonTest, IsTheUsersOwn) {
  setenv("LOCKSTEP_PYTHON", "/opt/my python", 1);
  EXPECT_EQ(PythonOf("raise SystemExit(3)"), "/opt/my python");
  unsetenv("LOCKSTEP_PYTHON");
}

TEST(ResolvePythonTest, CallsPythonOnceIfNeeded) {
  int calls = 0;
  const auto python = [&] {
    ++calls;
    return std::string("/opt/python");
  };
  EXPECT_EQ(ResolvePython({"sh", "x"}, python),
            (std::vector<std::string>{"sh", "x"}));
  EXPECT_EQ(calls, 0);
  EXPECT_EQ(ResolvePython({"{python}", "x", "exec {python}"}, python),
            (std::vector<std::string>{"/opt/python", "x", "exec /opt/python"}));
  EXPECT_EQ(calls, 1);
}

// A testee of the pipe protocol that declares its working directory.
constexpr const char* kScript = R"sh(
read start
printf '{"version": 1, "name": "shell", "implementation": "%s", ' "$(pwd)"
echo '"language": "sh", "devices": [], "conventions": {}, "steps": []}'
read stop
)sh";

class ChooseTesteeTest : public testing::Test {
 protected:
  ChooseTesteeTest() {
    folder_ = std::string(std::getenv("TEST_TMPDIR"));
    std::ofstream(folder_ + "/testee.sh") << kScript;
    std::ofstream(folder_ + "/testees.json")
        << R"({"testees": [{"name": "shell", "means": "A shell.",
               "command": ["sh", ")"
        << folder_ << R"(/testee.sh"], "deviations": "shells"}]})";
  }

  ChosenTestee Make(const std::string& name_or_command) const {
    return ChooseTestee(name_or_command, {.deadline_s = 10},
                        {{"mini",
                          [] {
                            return std::make_unique<MiniatureTestee>(
                                [](const Request&) { return Observations{}; });
                          }}},
                        TesteeTable::Load(folder_ + "/testees.json"));
  }

  std::string folder_;
};

TEST_F(ChooseTesteeTest, ChoosesInProcessTestee) {
  const ChosenTestee chosen = Make("mini");
  EXPECT_EQ(chosen.make()->Start().name, "miniature");
  EXPECT_EQ(chosen.deviations, "mini");
}

TEST_F(ChooseTesteeTest, ChoosesNamedTestee) {
  const ChosenTestee chosen = Make("shell");
  EXPECT_EQ(chosen.make()->Start().name, "shell");
  EXPECT_EQ(chosen.deviations, "shells");
}

TEST_F(ChooseTesteeTest, CommandUsesFolderOfUser) {
  setenv("BUILD_WORKING_DIRECTORY", folder_.c_str(), 1);
  const ChosenTestee chosen = Make("sh './testee.sh'");
  unsetenv("BUILD_WORKING_DIRECTORY");
  const std::string runs_in = chosen.make()->Start().implementation;
  EXPECT_THAT(runs_in, testing::HasSubstr("/lockstep-")) << "its own folder";
  EXPECT_EQ(chosen.deviations, "");
}

TEST_F(ChooseTesteeTest, StartHasItsOwnDeadline) {
  const ChosenTestee chosen =
      ChooseTestee("sleep 60 ", {.start_deadline_s = 0.1}, {}, TesteeTable());
  const auto testee = chosen.make();
  testee->Start();
  ASSERT_TRUE(testee->StartProblem().has_value());
  EXPECT_EQ(DescribeAnswer(*testee->StartProblem()), "no answer in 0.1 s");
}

TEST_F(ChooseTesteeTest, FindsWordsAndFolder) {
  setenv("BUILD_WORKING_DIRECTORY", folder_.c_str(), 1);
  const auto table = TesteeTable::Load(folder_ + "/testees.json");
  const TesteeCommand typed = FindCommand("sh './my testee.sh' x.sh", table);
  const TesteeCommand named = FindCommand("shell", table);
  unsetenv("BUILD_WORKING_DIRECTORY");
  EXPECT_THAT(typed.words,
              testing::ElementsAre("sh", "./my testee.sh", "x.sh"));
  EXPECT_EQ(typed.files, folder_ + "/.");
  EXPECT_THAT(named.words, testing::ElementsAre("sh", folder_ + "/testee.sh"));
  EXPECT_EQ(named.files, ".");
}

TEST_F(ChooseTesteeTest, RefusesShellSyntax) {
  for (const char* wanted : {"x/y; z", "cd x && y", "x 'y", " "}) {
    EXPECT_THROW(Make(wanted), Error) << wanted;
  }
}

TEST_F(ChooseTesteeTest, RefusesUnknownNameAndListsKnownNames) {
  try {
    Make("shel");
    FAIL();
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), Code::kNotFound);
    EXPECT_STREQ(e.what(),
                 "[Run] there is no testee 'shel', wanted one of mini, "
                 "shell, or a command (which contains a space or a slash); did "
                 "you mean shell?");
  }
}

}  // namespace
}  // namespace lockstep
