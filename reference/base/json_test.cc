#include "reference/base/json.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <limits>
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

// What refuses `text`; "" when nothing does.
std::string Refusal(const std::string& text, int deepest = kDeepestJson) {
  try {
    ParseJson(text, "here", deepest);
    return "";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Code::kInvalidArgument);
    return error.what();
  }
}

TEST(JsonTest, NumbersThatNoDoubleHoldsAreRefused) {
  for (const char* number : {"1e400", "[-1e400]", "{\"x\": 1e400}"}) {
    const std::string refusal = Refusal(number);
    EXPECT_EQ(refusal.find("[ParseJson] here is no JSON: "), 0u) << refusal;
    EXPECT_NE(refusal.find("1e400"), std::string::npos) << refusal;
  }
  EXPECT_EQ(Refusal("[1.7e308, 1e-400, 18446744073709551616]"), "");
}

TEST(JsonTest, AFieldTwiceIsRefused) {
  EXPECT_EQ(Refusal(R"([{"a": {"b": 1, "c": 2, "b": 3}}])"),
            "[ParseJson] here: the field 'b' stands in one object twice");
  EXPECT_EQ(Refusal(R"({"a": {"a": 1}, "b": {"a": {"a": 1}}})"), "");
}

TEST(JsonTest, DepthIsBounded) {
  const auto lists = [](int levels) {
    return std::string(levels, '[') + std::string(levels, ']');
  };
  EXPECT_EQ(Refusal(lists(200)), "");
  EXPECT_EQ(Refusal(lists(201)),
            "[ParseJson] here: nested deeper than 200 levels");
  EXPECT_EQ(Refusal(R"({"a": [1]})", 2), "");
  EXPECT_NE(Refusal(R"({"a": [{}]})", 2), "");
  EXPECT_NE(Refusal(lists(1'000'000)), "");
  EXPECT_NE(Refusal(std::string(1'000'000, '[')), "");
}

TEST(JsonTest, FieldsOfAnObjectAreBounded) {
  const auto object = [](int fields) {
    std::string text = "{\"x\": 0";
    for (int i = 1; i < fields; ++i) {
      text += ", \"x" + std::to_string(i) + "\": 0";
    }
    return text + "}";
  };
  EXPECT_EQ(Refusal("[" + object(1000) + "," + object(1000) + "]"), "");
  EXPECT_EQ(Refusal(object(1001)),
            "[ParseJson] here: an object has more than 1000 fields");
}

TEST(JsonTest, ALongMistakeIsNotQuotedWhole) {
  EXPECT_LT(Refusal("\"" + std::string(1'000'000, 'x')).size(), 400u);
}

TEST(JsonTest, IntegersAreThoseOf64BitsWithASign) {
  const auto integer = [](const char* text) {
    return IntegerIn(Json::parse(text));
  };
  EXPECT_EQ(integer("-9223372036854775808"),
            std::numeric_limits<int64_t>::min());
  EXPECT_EQ(integer("9223372036854775807"),
            std::numeric_limits<int64_t>::max());
  EXPECT_EQ(integer("9223372036854775808"), std::nullopt);
  EXPECT_EQ(integer("18446744073709551615"), std::nullopt);
  EXPECT_EQ(integer("1.0"), std::nullopt);
  EXPECT_EQ(integer("true"), std::nullopt);
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
