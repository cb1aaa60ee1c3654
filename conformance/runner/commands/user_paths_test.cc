#include "conformance/runner/commands/user_paths.h"

#include <gtest/gtest.h>

#include <cstdlib>

namespace lockstep {
namespace {

// `here`: the folder of the user who called `bazel run` in /opt/src.
std::string StartIn(const char* here) {
  setenv("BUILD_WORKSPACE_DIRECTORY", "/opt/src", 1);
  setenv("BUILD_WORKING_DIRECTORY", here, 1);
  const std::string command = CommandForUser("//conformance:run", "/opt/run");
  unsetenv("BUILD_WORKSPACE_DIRECTORY");
  unsetenv("BUILD_WORKING_DIRECTORY");
  return command;
}

TEST(CommandForUserTest, NamesBazelwRelativeToFolderOfUser) {
  EXPECT_EQ(StartIn("/opt/src"), "./bazelw run //conformance:run --");
  EXPECT_EQ(StartIn("/opt/src/"), "./bazelw run //conformance:run --");
  EXPECT_EQ(StartIn("/opt/src/docs"), "../bazelw run //conformance:run --");
  EXPECT_EQ(StartIn("/opt/src/a/b c"), "../../bazelw run //conformance:run --");
  EXPECT_EQ(StartIn("/opt/mine"), "../src/bazelw run //conformance:run --");
}

TEST(CommandForUserTest, IsPathOfProgramWithoutBazel) {
  EXPECT_EQ(CommandForUser("//conformance:run", "../bin/run"), "../bin/run");
  EXPECT_EQ(CommandForUser("//conformance:run", "my bin/run"), "'my bin/run'");
  setenv("BUILD_WORKING_DIRECTORY", "/opt/mine",
         1);  // as ChangeToRunfiles does
  EXPECT_EQ(CommandForUser("//conformance:run", "../bin/run"), "../bin/run");
  unsetenv("BUILD_WORKING_DIRECTORY");
}

TEST(CommandForUserTest, IsWhatTheStarterNames) {
  setenv("LOCKSTEP_COMMAND", "lockstep run", 1);
  EXPECT_EQ(CommandForUser("//conformance:run", "/opt/run"), "lockstep run");
  EXPECT_EQ(StartIn("/opt/src"), "lockstep run");
  unsetenv("LOCKSTEP_COMMAND");
}

TEST(ExplainCommandForUserTest, NamesTheProgramBesideThisOne) {
  EXPECT_EQ(ExplainCommandForUser("../bin/run"), "../bin/explain");
  EXPECT_EQ(ExplainCommandForUser("run"), "explain");
}

TEST(ExplainCommandForUserTest, NamesItsTargetInTheSourceTree) {
  setenv("BUILD_WORKSPACE_DIRECTORY", "/opt/src", 1);
  EXPECT_EQ(ExplainCommandForUser("/opt/run"),
            "./bazelw run //conformance:explain --");
  unsetenv("BUILD_WORKSPACE_DIRECTORY");
}

TEST(ExplainCommandForUserTest, IsWhatTheStarterNames) {
  setenv("LOCKSTEP_EXPLAIN_COMMAND", "lockstep explain", 1);
  EXPECT_EQ(ExplainCommandForUser("/opt/run"), "lockstep explain");
  unsetenv("LOCKSTEP_EXPLAIN_COMMAND");
}

}  // namespace
}  // namespace lockstep
