#include "conformance/runner/commands/run_program.h"

#include <gtest/gtest.h>

#include <csignal>

#include "reference/base/error.h"

namespace lockstep {
namespace {

TEST(RunProgramTest, GivesTheExitStatus) {
  EXPECT_EQ(RunProgram({"true"}), 0);
  EXPECT_EQ(RunProgram({"sh", "-c", "exit 7"}), 7);
}

TEST(RunProgramTest, TellsOfASignalAsShellsDo) {
  EXPECT_EQ(RunProgram({"sh", "-c", "kill -SEGV $$"}), 128 + SIGSEGV);
}

TEST(RunProgramTest, PassesArgumentsOnAsTheyAre) {
  EXPECT_EQ(RunProgram({"test", "a  b", "=", "a  b"}), 0);
}

TEST(RunProgramTest, RefusesWhatIsNoProgram) {
  try {
    RunProgram({"no_such_program_here"});
    FAIL();
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), Code::kNotFound);
    EXPECT_NE(std::string(e.what()).find("no_such_program_here"),
              std::string::npos);
  }
}

}  // namespace
}  // namespace lockstep
