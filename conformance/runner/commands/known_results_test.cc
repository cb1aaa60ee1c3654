#include "conformance/runner/commands/known_results.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace lockstep {
namespace {

class KnownResultsTest : public testing::Test {
 protected:
  KnownResultsTest() {
    std::filesystem::create_directories(folder_ + "/deviations/repro");
    std::filesystem::create_directories(folder_ + "/results");
    Write("deviations/maxi.json",
          R"({"implementation": "maxi", "entries": [
              {"id": "a/b/*", "verdict": "failed", "kind": "defect",
               "observed": {"observations": {"x": [2]}},
               "reason": "It adds one too many.",
               "reference": "https://example.org/1", "versions": "1.2",
               "repro": "maxi/adds.py"}]})");
    Write("deviations/mini.json",
          R"({"implementation": "mini", "entries": []})");
    Write("results/mini.json",
          R"({"started": "2026-11-21T18:50:00Z",
              "testee": {"implementation": "Mini 1.2"},
              "cases": [{"id": "a/b/c", "verdict": "passed"}]})");
  }

  void Write(const std::string& name, const char* text) const {
    std::ofstream(folder_ + "/" + name) << text;
  }

  std::string Told(const std::string& id) const {
    std::string text;
    for (const KnownResult& known :
         FindKnownResults(id, folder_ + "/deviations", folder_ + "/results")) {
      text += DescribeKnownResult(known);
    }
    return text;
  }

  const std::string folder_ =
      std::string(std::getenv("TEST_TMPDIR")) + "/" +
      testing::UnitTest::GetInstance()->current_test_info()->name();
};

TEST_F(KnownResultsTest, ListsAndKeptResultsAreTold) {
  EXPECT_EQ(Told("a/b/c"),
            "  maxi: failed\n"
            "    observed  {\"observations\": {\"x\": [2]}}\n"
            "    kind      defect\n"
            "    reason    It adds one too many.\n"
            "    reference https://example.org/1\n"
            "    versions  1.2\n"
            "    shown by  maxi/adds.py\n"
            "  mini: passed (Mini 1.2, 2026-11-21)\n");
}

TEST_F(KnownResultsTest, ACaseNobodyRan) {
  EXPECT_EQ(Told("x/y/z"),
            "  maxi: no deviation is known\n"
            "  mini: no deviation is known\n");
}

TEST_F(KnownResultsTest, FoldersThatAreNotThereHoldNothing) {
  EXPECT_TRUE(
      FindKnownResults("a/b/c", folder_ + "/x", folder_ + "/y").empty());
}

}  // namespace
}  // namespace lockstep
