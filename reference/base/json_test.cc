#include "reference/base/json.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "reference/base/error.h"

namespace lockstep {
namespace {

std::string TestPath(const std::string& name) {
  return std::filesystem::path(testing::TempDir()) / name;
}

TEST(JsonTest, ParsesAndKeepsTheOrderOfKeys) {
  const Json value = ParseJson(R"({"b": [1, 2.5], "a": null})", "here");
  EXPECT_EQ(value["b"][1], 2.5);
  EXPECT_EQ(value.dump(), R"({"b":[1,2.5],"a":null})");
}

TEST(JsonTest, MalformedTextIsNamedWithItsPlace) {
  try {
    ParseJson("{\"a\": 1,\n  oops}", "case.json");
    FAIL() << "malformed text was parsed";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Code::kInvalidArgument);
    const std::string message = error.what();
    EXPECT_NE(message.find("case.json"), std::string::npos) << message;
    EXPECT_NE(message.find("line 2, column 3"), std::string::npos) << message;
  }
}

TEST(JsonTest, WritesIndentedAndReadsBack) {
  const std::string path = TestPath("written.json");
  WriteJsonFile(path, Json{{"x", {1, 2}}});
  std::ifstream file(path);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  EXPECT_EQ(text, "{\n  \"x\": [\n    1,\n    2\n  ]\n}\n");
  EXPECT_EQ(ReadJsonFile(path), (Json{{"x", {1, 2}}}));
}

TEST(JsonTest, AMissingFileIsNotFound) {
  try {
    ReadJsonFile(TestPath("missing.json"));
    FAIL() << "read a file that is not there";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Code::kNotFound);
    EXPECT_NE(std::string(error.what()).find("missing.json"),
              std::string::npos);
  }
}

TEST(JsonTest, AMalformedFileIsNamed) {
  const std::string path = TestPath("malformed.json");
  std::ofstream(path) << "[1, 2";
  try {
    ReadJsonFile(path);
    FAIL() << "read a malformed file";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Code::kInvalidArgument);
    EXPECT_NE(std::string(error.what()).find(path), std::string::npos);
  }
}

}  // namespace
}  // namespace lockstep
