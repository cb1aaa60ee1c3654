#include "conformance/runner/commands/make_testee.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include "conformance/runner/miniature_testee.h"
#include "reference/base/error.h"

namespace lockstep {
namespace {

// A testee of the pipe protocol that says where it runs.
constexpr const char* kScript = R"sh(
read start
printf '{"version": 1, "name": "shell", "implementation": "%s", ' "$(pwd)"
echo '"language": "sh", "devices": [], "conventions": {}, "steps": []}'
read stop
)sh";

class MakeTesteeTest : public testing::Test {
 protected:
  MakeTesteeTest() {
    folder_ = std::string(std::getenv("TEST_TMPDIR"));
    std::ofstream(folder_ + "/testee.sh") << kScript;
    std::ofstream(folder_ + "/testees.json")
        << R"({"testees": [{"name": "shell", "means": "A shell.",
               "command": ["sh", ")"
        << folder_ << R"(/testee.sh"], "deviations": "shells"}]})";
  }

  ChosenTestee Make(const std::string& wanted) const {
    return MakeTestee(wanted, {.deadline_s = 10},
                      {{"mini",
                        [] {
                          return std::make_unique<MiniatureTestee>(
                              [](const Request&) { return Observations{}; });
                        }}},
                      TesteeTable::Load(folder_ + "/testees.json"));
  }

  std::string folder_;
};

TEST_F(MakeTesteeTest, OneOfThisProcess) {
  const ChosenTestee chosen = Make("mini");
  EXPECT_EQ(chosen.testee->Start().name, "miniature");
  EXPECT_EQ(chosen.deviations, "mini");
}

TEST_F(MakeTesteeTest, OneOfTheTable) {
  const ChosenTestee chosen = Make("shell");
  EXPECT_EQ(chosen.testee->Start().name, "shell");
  EXPECT_EQ(chosen.deviations, "shells");
}

TEST_F(MakeTesteeTest, ACommandRunsWhereItWasTyped) {
  setenv("BUILD_WORKING_DIRECTORY", folder_.c_str(), 1);
  const ChosenTestee chosen = Make("sh './testee.sh'");
  unsetenv("BUILD_WORKING_DIRECTORY");
  EXPECT_EQ(chosen.testee->Start().implementation, folder_);
  EXPECT_EQ(chosen.deviations, "");
}

TEST_F(MakeTesteeTest, AnUnknownNameIsRefusedWithTheNamesThereAre) {
  try {
    Make("tensorflo");
    FAIL();
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), Code::kNotFound);
    EXPECT_STREQ(e.what(),
                 "[Run] there is no testee 'tensorflo', wanted one of mini, "
                 "shell, or a command (with a space or a slash in it)");
  }
}

}  // namespace
}  // namespace lockstep
