#include "conformance/runner/sources.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include "reference/base/error.h"

namespace lockstep {
namespace {

Sources Load(const char* text) {
  const std::string path =
      std::string(std::getenv("TEST_TMPDIR")) + "/sources.json";
  std::ofstream(path) << text;
  return Sources::Load(path);
}

const char* const kSources = R"({"sources": [
  {"id": "guide", "url": "https://example.org/guide"},
  {"id": "issues", "url": "https://example.org/"},
  {"id": "code", "url": "https://example.org/p/tree/v1"}]})";

TEST(SourcesTest, DescribesACitation) {
  EXPECT_EQ(Load(kSources).Describe({"guide", "split"}),
            "guide split (https://example.org/guide)");
}

TEST(SourcesTest, LinksToIssuesAndFilesThemselves) {
  const Sources sources = Load(kSources);
  EXPECT_EQ(sources.Link({"guide", "split"}), "https://example.org/guide");
  EXPECT_EQ(sources.Link({"issues", "some/project#7"}),
            "https://example.org/some/project/issues/7");
  EXPECT_EQ(sources.Link({"code", "src/split.py"}),
            "https://example.org/p/tree/v1/src/split.py");
  EXPECT_EQ(sources.Link({"code", "p.split"}), "https://example.org/p/tree/v1");
}

TEST(SourcesTest, ASourceThatStandsTwiceIsRefusedWithItsPlace) {
  try {
    Load(R"({"sources": [{"id": "a", "url": "u"}, {"id": "a", "url": "u"}]})");
    FAIL();
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), Code::kInvalidArgument);
    EXPECT_NE(std::string(e.what()).find("sources.json at $.sources[1].id"),
              std::string::npos);
  }
}

}  // namespace
}  // namespace lockstep
