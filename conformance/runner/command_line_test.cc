#include "conformance/runner/command_line.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "conformance/runner/miniature_testee.h"

namespace lockstep {
namespace {

class CommandLineTest : public testing::Test {
 protected:
  CommandLineTest() {
    folder_ = std::string(std::getenv("TEST_TMPDIR")) + "/" +
              testing::UnitTest::GetInstance()->current_test_info()->name();
    std::filesystem::create_directories(folder_ + "/input");
    Write("sources.json",
          R"({"sources": [{"id": "guide", "url": "https://example.org/"}]})");
    Write("operations.md", "### `data.x`\n");
    Write("input/numbers.json", R"({"topic": "Numbers", "cases": [{
      "id": "input/numbers/count", "level": "required",
      "states": "Numbers count.",
      "cites": [{"source": "guide", "anchor": "split"}],
      "given": {"strategy": "default"},
      "program": [{"observe": "x", "step": "data.x"}],
      "expect": [{"observation": "x", "equals": 1}]}]})");
  }

  void Write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ + "/" + name) << text;
  }

  int Run(std::vector<std::string> arguments, int x = 1) const {
    arguments.insert(arguments.begin(),
                     {"run", "--cases=" + folder_ + "/input",
                      "--sources=" + folder_ + "/sources.json",
                      "--operations=" + folder_ + "/operations.md"});
    std::vector<char*> argv;
    for (std::string& argument : arguments) argv.push_back(argument.data());
    return RunCommandLine(
        static_cast<int>(argv.size()), argv.data(),
        {{"reference", [x] {
            return std::make_unique<MiniatureTestee>([x](const Request&) {
              return Observations{{{"x", x}}};
            });
          }}});
  }

  std::string folder_;
};

TEST_F(CommandLineTest, ZeroWhenEveryCasePassed) { EXPECT_EQ(Run({}), 0); }

TEST_F(CommandLineTest, OneWhenACaseFailed) { EXPECT_EQ(Run({}, 2), 1); }

TEST_F(CommandLineTest, TwoWhenItCouldNotRun) {
  EXPECT_EQ(Run({"--testee=nobody"}), 2);
  EXPECT_EQ(Run({"--filter=output/*"}), 2);
  EXPECT_EQ(Run({"--colour"}), 2);
  EXPECT_EQ(Run({"--json=" + folder_ + "/missing/results.json"}), 2);
  Write("input/numbers.json", "{");
  EXPECT_EQ(Run({}), 2);
}

TEST_F(CommandLineTest, FilterSelects) {
  EXPECT_EQ(Run({"--filter=input/*/count"}, 2), 1);
}

TEST_F(CommandLineTest, WritesReports) {
  const std::string json = folder_ + "/results.json";
  const std::string markdown = folder_ + "/results.md";
  EXPECT_EQ(Run({"--json=" + json, "--markdown=" + markdown}), 0);
  EXPECT_EQ(ReadJsonFile(json)["summary"]["passed"], 1);
  EXPECT_GT(std::filesystem::file_size(markdown), 0u);
}

}  // namespace
}  // namespace lockstep
