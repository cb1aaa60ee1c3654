#include "conformance/runner/commands/user_paths.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace lockstep {
namespace {

namespace fs = std::filesystem;

class UserPathsTest : public testing::Test {
 protected:
  UserPathsTest() {
    unsetenv("BUILD_WORKING_DIRECTORY");
    unsetenv("BUILD_WORKSPACE_DIRECTORY");
    theirs_ = std::string(std::getenv("TEST_TMPDIR")) + "/theirs";
    fs::create_directories(theirs_);
    std::ofstream(theirs_ + "/there.json") << "{}";
  }

  std::string theirs_;
};

TEST_F(UserPathsTest, WithoutBazelPathsAreAsTyped) {
  EXPECT_EQ(InputPath("there.json"), "there.json");
  EXPECT_EQ(OutputPath("out.json"), "out.json");
  EXPECT_EQ(SourcePath("a/b.json"), "a/b.json");
}

TEST_F(UserPathsTest, WhatIsInThePersonsFolderIsReadThere) {
  setenv("BUILD_WORKING_DIRECTORY", theirs_.c_str(), 1);
  EXPECT_EQ(InputPath("there.json"), theirs_ + "/there.json");
  EXPECT_EQ(InputPath("not_there.json"), "not_there.json");
}

TEST_F(UserPathsTest, OutputGoesToThePersonsFolder) {
  setenv("BUILD_WORKING_DIRECTORY", theirs_.c_str(), 1);
  EXPECT_EQ(OutputPath("out.json"), theirs_ + "/out.json");
  EXPECT_EQ(OutputPath("/tmp/out.json"), "/tmp/out.json");
}

TEST_F(UserPathsTest, SourcesAreThoseOfTheTree) {
  setenv("BUILD_WORKSPACE_DIRECTORY", "/tmp/tree", 1);
  EXPECT_EQ(SourcePath("a/b.json"), "/tmp/tree/a/b.json");
}

}  // namespace
}  // namespace lockstep
