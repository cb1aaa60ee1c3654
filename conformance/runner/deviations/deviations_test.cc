#include "conformance/runner/deviations/deviations.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "conformance/runner/deviations/case_testing.h"

namespace lockstep {
namespace {

constexpr const char* kRight =
    R"({"format": 1, "implementation": "mini", "entries": [
  {"id": "a/b/c", "verdict": "failed", "kind": "defect",
   "observed": {"observations": {"x": 2}}, "reason": "It adds one too many.",
   "reference": "https://example.org/1", "versions": "1.2",
   "repro": "mini/adds.py"}]})";

class DeviationsTest : public testing::Test {
 protected:
  Deviations Load(const Json& json, const char* name = "mini") const {
    return LoadDeviations(Write(json.dump(), name));
  }

  std::string Write(const std::string& text, const char* name) const {
    std::filesystem::create_directories(folder_);
    const std::string path = folder_ + "/" + name + ".json";
    std::ofstream(path) << text;
    return path;
  }

  // The refusal of a right list with the value at "verdict" of its entry, say,
  // replaced, behind operation and file.
  std::string RefusalWith(const std::string& field, const char* value) const {
    Json spoilt = Json::parse(kRight);
    spoilt["entries"][0][field] = Json::parse(value);
    return Refusal(spoilt);
  }

  std::string Refusal(const Json& json) const {
    try {
      Load(json);
    } catch (const Error& e) {
      EXPECT_EQ(e.code(), Code::kInvalidArgument);
      const std::string lead = "[LoadDeviations] " + folder_ + "/mini.json at ";
      const std::string message = e.what();
      EXPECT_TRUE(message.starts_with(lead)) << message;
      return message.substr(std::min(lead.size(), message.size()));
    }
    return "nothing refused";
  }

  const std::string folder_ =
      std::string(std::getenv("TEST_TMPDIR")) + "/" +
      testing::UnitTest::GetInstance()->current_test_info()->name();
};

TEST_F(DeviationsTest, AProtocolErrorIsNoneOfTheImplementation) {
  EXPECT_NE(RefusalWith("verdict", "\"protocol_error\"")
                .find("$.entries[0].verdict: a protocol error is the testee's"),
            std::string::npos);
}

TEST_F(DeviationsTest, RefusesWhateverTheLength) {
  const std::string id = "\"" + std::string(1'000'000, 'a') + "\"";
  EXPECT_LT(RefusalWith("id", id.c_str()).size(), 1200u);
}

TEST_F(DeviationsTest, ReadsAnEntry) {
  const Deviations deviations = Load(Json::parse(kRight));
  EXPECT_EQ(deviations.implementation, "mini");
  ASSERT_EQ(deviations.entries.size(), 1u);
  const Deviation& entry = deviations.entries[0];
  EXPECT_EQ(entry.id, "a/b/c");
  EXPECT_EQ(entry.verdict, Verdict::kFailed);
  EXPECT_EQ(entry.kind, "defect");
  EXPECT_EQ(entry.observed, Json::parse(R"({"observations": {"x": 2}})"));
  EXPECT_EQ(entry.reason, "It adds one too many.");
  EXPECT_EQ(entry.reference, "https://example.org/1");
  EXPECT_EQ(entry.versions, "1.2");
  EXPECT_EQ(entry.repro, "mini/adds.py");
  EXPECT_EQ(entry.place, folder_ + "/mini.json at $.entries[0]");
}

TEST_F(DeviationsTest, IsWrittenAsItWasRead) {
  EXPECT_EQ(Load(Json::parse(kRight)).ToJson(), Json::parse(kRight));
  const Json none = {
      {"format", 1}, {"implementation", "mini"}, {"entries", Json::array()}};
  EXPECT_EQ(Load(none).ToJson(), none);
}

TEST_F(DeviationsTest, AStarStandsForAnythingButASlash) {
  Deviation entry{.id = "a/*/c_*", .kind = "defect"};
  EXPECT_TRUE(entry.IsPattern());
  EXPECT_TRUE(entry.Matches("a/b/c_d"));
  EXPECT_TRUE(entry.Matches("a/b/c_"));
  EXPECT_FALSE(entry.Matches("a/b/d"));
  EXPECT_FALSE(entry.Matches("a/b/b/c_d"));
  entry.id = "a/b/c";
  EXPECT_FALSE(entry.IsPattern());
  EXPECT_TRUE(entry.Matches("a/b/c"));
  EXPECT_FALSE(entry.Matches("a/b/cc"));
}

TEST_F(DeviationsTest, FindsTheEntryOfACase) {
  const Deviations deviations = Load(Json::parse(kRight));
  EXPECT_EQ(deviations.Find("a/b/c"), &deviations.entries[0]);
  EXPECT_EQ(deviations.Find("a/b/d"), nullptr);
}

TEST_F(DeviationsTest, RefusesMalformedEntries) {
  EXPECT_EQ(RefusalWith("verdict", "\"passed\""),
            "$.entries[0].verdict: unknown verdict 'passed' of a case that "
            "differs");
  EXPECT_EQ(
      RefusalWith("kind", "\"bad_luck\""),
      "$.entries[0].kind: unknown kind 'bad_luck', wanted one of: defect, "
      "by_design, unsupported, document_unclear");
  EXPECT_EQ(RefusalWith("id", "\"a/b\""),
            "$.entries[0].id: 'a/b' is neither <area>/<topic>/<claim> nor a "
            "pattern of it with *");
  EXPECT_EQ(RefusalWith("id", "\"a/b/[c]\""),
            "$.entries[0].id: 'a/b/[c]' is neither <area>/<topic>/<claim> nor "
            "a pattern of it with *");
  EXPECT_EQ(RefusalWith("observed", "2"),
            "$.entries[0].observed: wanted an object, got 2");
  EXPECT_EQ(
      RefusalWith("because", "\"it is so\""),
      "$.entries[0]: unknown field 'because', wanted one of: id, verdict, "
      "kind, observed, reason, reference, versions, repro");
}

TEST_F(DeviationsTest, RefusesMissingFields) {
  for (const char* field : {"id", "verdict", "kind", "observed", "reason",
                            "reference", "versions"}) {
    Json spoilt = Json::parse(kRight);
    spoilt["entries"][0].erase(field);
    EXPECT_EQ(Refusal(spoilt),
              fmt::format("$.entries[0]: the field '{}' is missing", field));
  }
}

TEST_F(DeviationsTest, RefusesAListOfAnother) {
  Json other = Json::parse(kRight);
  other["implementation"] = "maxi";
  EXPECT_EQ(Refusal(other),
            "$.implementation: wanted the file's name mini, got 'maxi'");
  other = Json::parse(kRight);
  other["format"] = 2;
  EXPECT_EQ(Refusal(other), "$.format: this runner reads format 1, got 2");
}

TEST_F(DeviationsTest, RefusesWhatIsNoJson) {
  const std::string path = Write("{\n\"entries\": ,", "mini");
  try {
    LoadDeviations(path);
    FAIL();
  } catch (const Error& e) {
    EXPECT_NE(std::string(e.what()).find(path), std::string::npos);
    EXPECT_NE(std::string(e.what()).find("line 2"), std::string::npos);
  }
}

}  // namespace
}  // namespace lockstep
