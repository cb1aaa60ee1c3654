#include "conformance/runner/commands/frameworks_python.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include "reference/base/error.h"

namespace lockstep {
namespace {

// What is said of a make_venv.py with this text.
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

TEST(FrameworksPythonTest, RefusesWhatIsNoPath) {
  EXPECT_THROW(PythonOf(""), Error);
  EXPECT_THROW(PythonOf("print('one')\nprint('two')\n"), Error);
}

TEST(FrameworksPythonTest, TellsOfAFailure) {
  try {
    PythonOf("print('/opt/venv/bin/python')\nraise SystemExit(3)\n");
    FAIL();
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), Code::kUnavailable);
  }
}

TEST(ResolvePythonTest, AsksOnceAndOnlyWhenNeeded) {
  int asked = 0;
  const auto python = [&] {
    ++asked;
    return std::string("/opt/python");
  };
  EXPECT_EQ(ResolvePython({"sh", "x"}, python),
            (std::vector<std::string>{"sh", "x"}));
  EXPECT_EQ(asked, 0);
  EXPECT_EQ(ResolvePython({"{python}", "x", "exec {python}"}, python),
            (std::vector<std::string>{"/opt/python", "x", "exec /opt/python"}));
  EXPECT_EQ(asked, 1);
}

}  // namespace
}  // namespace lockstep
