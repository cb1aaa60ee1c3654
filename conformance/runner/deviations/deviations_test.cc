#include "conformance/runner/deviations/deviations.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "conformance/runner/deviations/case_testing.h"

namespace lockstep {
namespace {

constexpr const char* kRight =
    R"({"format": 3, "implementation": "mini", "deviations": [
  {"kind": "defect", "reason": "It adds one too many.",
   "references": ["https://example.org/1"],
   "script": "conformance/defects/mini/adds.py", "cases": ["a/b/c", "a/b/d*"]}],
  "unsupported": [
  {"steps": ["data.*", "train.join"], "reference": "https://example.org/2"}]})";

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

  // The error of a valid list with `field` of its entry replaced, without
  // operation and file.
  std::string RefusalWith(const std::string& field, const char* value) const {
    Json corrupted = Json::parse(kRight);
    corrupted["deviations"][0][field] = Json::parse(value);
    return Refusal(corrupted);
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

TEST_F(DeviationsTest, ErrorsAreShort) {
  const std::string id = "[\"" + std::string(1'000'000, 'a') + "\"]";
  EXPECT_LT(RefusalWith("cases", id.c_str()).size(), 1200u);
}

TEST_F(DeviationsTest, ReadsEntry) {
  const Deviations deviations = Load(Json::parse(kRight));
  EXPECT_EQ(deviations.implementation, "mini");
  ASSERT_EQ(deviations.entries.size(), 1u);
  const Deviation& entry = deviations.entries[0];
  EXPECT_EQ(entry.kind, "defect");
  EXPECT_EQ(entry.reason, "It adds one too many.");
  EXPECT_EQ(entry.references,
            std::vector<std::string>{"https://example.org/1"});
  EXPECT_EQ(entry.script, "conformance/defects/mini/adds.py");
  EXPECT_EQ(entry.cases, (std::vector<std::string>{"a/b/c", "a/b/d*"}));
  EXPECT_EQ(entry.place, folder_ + "/mini.json at $.deviations[0]");
}

TEST_F(DeviationsTest, ReadsUnsupportedSteps) {
  const Deviations deviations = Load(Json::parse(kRight));
  ASSERT_EQ(deviations.unsupported.size(), 1u);
  const UnsupportedSteps& unsupported = deviations.unsupported[0];
  EXPECT_EQ(unsupported.reference, "https://example.org/2");
  EXPECT_EQ(unsupported.place, folder_ + "/mini.json at $.unsupported[0]");
  EXPECT_EQ(deviations.FindStep("data.x"), &unsupported);
  EXPECT_EQ(deviations.FindStep("train.join"), &unsupported);
  EXPECT_EQ(deviations.FindStep("train.join_all"), nullptr);
}

TEST_F(DeviationsTest, RoundTrips) {
  EXPECT_EQ(Load(Json::parse(kRight)).ToJson(), Json::parse(kRight));
  const Json none = {{"format", 3},
                     {"implementation", "mini"},
                     {"deviations", Json::array()},
                     {"unsupported", Json::array()}};
  EXPECT_EQ(Load(none).ToJson(), none);
}

TEST_F(DeviationsTest, StarMatchesAnythingButSlash) {
  Deviation entry{.kind = "defect", .cases = {"x/y/z", "a/*/c_*"}};
  EXPECT_TRUE(entry.Matches("x/y/z"));
  EXPECT_TRUE(entry.Matches("a/b/c_d"));
  EXPECT_TRUE(entry.Matches("a/b/c_"));
  EXPECT_FALSE(entry.Matches("a/b/d"));
  EXPECT_FALSE(entry.Matches("a/b/b/c_d"));
  entry.cases = {"a/b/c"};
  EXPECT_TRUE(entry.Matches("a/b/c"));
  EXPECT_FALSE(entry.Matches("a/b/cc"));
}

TEST_F(DeviationsTest, FindsEntryOfCase) {
  const Deviations deviations = Load(Json::parse(kRight));
  EXPECT_EQ(deviations.Find("a/b/c"), &deviations.entries[0]);
  EXPECT_EQ(deviations.Find("a/b/x"), nullptr);
}

TEST_F(DeviationsTest, FindsUnsupportedStepOfCase) {
  const Deviations deviations = Load(Json::parse(kRight));
  const Case conformance_case = OneIsOne("x/y/z");
  const auto known = [&](const char* step) {
    return deviations.FindFor(
        ResultOf(conformance_case, Unsupported{step, "it has no data"}));
  };
  ASSERT_TRUE(known("data.x").has_value());
  EXPECT_EQ(known("data.x")->kind, "unsupported");
  EXPECT_EQ(known("data.x")->reason, "it has no data");
  EXPECT_EQ(known("data.x")->references,
            std::vector<std::string>{"https://example.org/2"});
  EXPECT_FALSE(known("train.epoch").has_value());
  ASSERT_TRUE(known("").has_value()) << "conventions leave nothing";
  EXPECT_EQ(known("")->references,
            std::vector<std::string>{"conformance/conventions.json"});
}

TEST_F(DeviationsTest, NeedsEveryUnsupportedStep) {
  const Deviations deviations = Load(Json::parse(kRight));
  Case counts = OneIsOne("x/y/z");
  counts.given = {{"strategy", "mirrored"}, {"replicas", {1, 2}}};
  const auto known = [&](const char* step_of_two) {
    MiniatureTestee testee([&](const Request& request) {
      return Unsupported{
          request.given["replicas"] == 1 ? "data.x" : step_of_two, "it is so"};
    });
    return deviations.FindFor(RunCase(counts, testee, {})).has_value();
  };
  EXPECT_TRUE(known("train.join"));
  EXPECT_FALSE(known("train.epoch"));
}

TEST_F(DeviationsTest, RefusesMalformedEntries) {
  EXPECT_EQ(
      RefusalWith("kind", "\"bad_luck\""),
      "$.deviations[0].kind: unknown kind 'bad_luck', wanted one of: defect, "
      "by_design, document_unclear");
  EXPECT_EQ(RefusalWith("cases", "[\"a/b\"]"),
            "$.deviations[0].cases[0]: 'a/b' is neither <area>/<topic>/<claim> "
            "nor such a pattern with *");
  EXPECT_EQ(RefusalWith("cases", "[\"a/b/[c]\"]"),
            "$.deviations[0].cases[0]: 'a/b/[c]' is neither "
            "<area>/<topic>/<claim> nor such a pattern with *");
  EXPECT_EQ(RefusalWith("cases", "[]"),
            "$.deviations[0].cases: wanted at least one item, got none");
  EXPECT_EQ(
      RefusalWith("because", "\"it is so\""),
      "$.deviations[0]: unknown field 'because', wanted one of: kind, reason, "
      "references, script, cases");
}

TEST_F(DeviationsTest, RefusesMissingFields) {
  for (const char* field : {"kind", "reason", "references", "cases"}) {
    Json corrupted = Json::parse(kRight);
    corrupted["deviations"][0].erase(field);
    EXPECT_EQ(Refusal(corrupted),
              fmt::format("$.deviations[0]: the field '{}' is missing", field));
  }
  for (const char* field : {"steps", "reference"}) {
    Json corrupted = Json::parse(kRight);
    corrupted["unsupported"][0].erase(field);
    EXPECT_EQ(
        Refusal(corrupted),
        fmt::format("$.unsupported[0]: the field '{}' is missing", field));
  }
}

TEST_F(DeviationsTest, RefusesOtherImplementationAndFormat) {
  Json other = Json::parse(kRight);
  other["implementation"] = "maxi";
  EXPECT_EQ(Refusal(other),
            "$.implementation: wanted the file's name mini, got 'maxi'");
  other = Json::parse(kRight);
  other["format"] = 1;
  EXPECT_EQ(Refusal(other), "$.format: this runner reads format 3, got 1");
}

TEST_F(DeviationsTest, RefusesInvalidJson) {
  const std::string path = Write("{\n\"deviations\": ,", "mini");
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
