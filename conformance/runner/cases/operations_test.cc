#include "conformance/runner/cases/operations.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "conformance/runner/cases/case_loader_testing.h"
#include "reference/base/error.h"

namespace lockstep {
namespace {

std::string ParseRefusal(const std::string& text) {
  try {
    Operations::Parse(text, "o.md");
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), Code::kInvalidArgument);
    return e.what();
  }
  return "nothing refused";
}

TEST(OperationsTest, ReadsStepsAndTheirArguments) {
  const Operations operations = Operations::Parse(kOperations, "o.md");
  EXPECT_EQ(operations.by_name().size(), 7u);
  EXPECT_EQ(operations.Find("data.guess"), nullptr);
  const Operation& range = *operations.Find("data.range");
  EXPECT_TRUE(range.gives_something);
  EXPECT_TRUE(range.gives_a_value);
  EXPECT_EQ(range.arguments.at("stop").type, ArgumentType::kInteger);
  EXPECT_FALSE(range.arguments.at("stop").optional);
  EXPECT_TRUE(range.arguments.at("kind").optional);
  EXPECT_EQ(range.arguments.at("kind").Describe(), "choice of up, down");
  EXPECT_FALSE(operations.Find("data.each")->gives_something);
  EXPECT_TRUE(operations.Find("data.load")->gives_something);
  EXPECT_FALSE(operations.Find("data.load")->gives_a_value);
}

TEST_F(CaseLoaderTest, LoadsSeveralDocuments) {
  const std::string calls = Write("calls.md", "### `data.x`\n\nGives: it.\n");
  const std::string intents =
      Write("intents.md", "### `train.y`\n\nGives: nothing.\n");
  const Operations both = Operations::Load({calls, intents});
  EXPECT_EQ(both.by_name().size(), 2u);
  EXPECT_FALSE(both.Find("train.y")->gives_something);
  try {
    Operations::Load({calls, intents, calls});
    FAIL() << "nothing refused";
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), Code::kInvalidArgument);
    EXPECT_STREQ(
        e.what(),
        ("[LoadOperations] " + calls + " describes 'data.x' again").c_str());
  }
}

TEST(OperationsTest, KnowsTypesOfBlocks) {
  const Operations operations = Operations::Parse(kOperations, "o.md");
  const auto type_of = [&](std::string_view step) {
    return operations.Find(step)->BlockType();
  };
  EXPECT_EQ(type_of("program.repeat"), ArgumentType::kProgram);
  EXPECT_EQ(type_of("gradient.tape"), ArgumentType::kOpenProgram);
  EXPECT_EQ(type_of("dataset.map"), ArgumentType::kUnseenProgram);
  EXPECT_EQ(type_of("data.show"), ArgumentType::kProgram);
}

TEST(OperationsTest, RefusesMalformedDocuments) {
  const std::string lead = "[LoadOperations] o.md ";
  EXPECT_EQ(ParseRefusal("text\n"), lead + "describes no step");
  EXPECT_EQ(ParseRefusal("### Range\n"),
            lead + "has a heading that is not the name of a step: ### Range");
  EXPECT_EQ(ParseRefusal("### `a.b`\n\n### `c.d`\nGives: it.\n"),
            lead + "needs one line for a.b that begins with 'Gives: ', has 0");
  EXPECT_EQ(ParseRefusal("### `a.b`\nGives: x.\n### `a.b`\nGives: x.\n"),
            lead + "describes 'a.b' twice");
  EXPECT_EQ(ParseRefusal("### `a.b`\n| x | integer |\nGives: it.\n"),
            lead + "has a malformed row of arguments for a.b: | x | integer |");
  for (const std::string type : {"tensor", "choice", "integer: 1, 2"}) {
    EXPECT_EQ(ParseRefusal("### `a.b`\n| x | " + type + " | y |\n"),
              lead + "has an argument of an unknown type for a.b: " + type);
  }
}

TEST(OperationsTest, TypesAcceptTheirValues) {
  const auto accepts = [](ArgumentType type, const char* value) {
    const Argument argument{.type = type, .choices = {"up", "down"}};
    return argument.Accepts(Json::parse(value));
  };
  const std::vector<std::pair<ArgumentType, std::vector<const char*>>> right{
      {ArgumentType::kName, {R"("x")", R"("x.0")"}},
      {ArgumentType::kValue, {R"("x")", "1", "[[1, true], []]"}},
      {ArgumentType::kLiteral, {"1", R"({"a": ["b", 2]})", R"("b")"}},
      {ArgumentType::kStructure, {"1", R"({"a": "x"})", R"(["x", "y"])"}},
      {ArgumentType::kNames, {"[]", R"(["x"])"}},
      {ArgumentType::kValues, {R"([1, "x", [2]])"}},
      {ArgumentType::kBindings, {R"({"a": "x", "b": 1})"}},
      {ArgumentType::kInteger, {"-1", R"("x")"}},
      {ArgumentType::kNumber, {"1.5", "2"}},
      {ArgumentType::kBoolean, {"true"}},
      {ArgumentType::kChoice, {R"("up")"}},
      {ArgumentType::kProgram, {R"([{"step": "a.b"}])"}},
      {ArgumentType::kOpenProgram, {R"([{"step": "a.b"}])"}},
      {ArgumentType::kUnseenProgram, {R"([{"step": "a.b"}])"}},
      {ArgumentType::kResult, {R"("x")", R"({"a": ["x"]})"}}};
  for (const auto& [type, values] : right) {
    for (const char* value : values) {
      EXPECT_TRUE(accepts(type, value)) << value;
    }
  }
  const std::vector<std::pair<ArgumentType, std::vector<const char*>>> wrong{
      {ArgumentType::kName, {"1", "null"}},
      {ArgumentType::kValue, {R"({"a": 1})", R"(["x"])", "null"}},
      {ArgumentType::kLiteral, {"{}", "null"}},
      {ArgumentType::kStructure, {"{}", R"({"a": 1})"}},
      {ArgumentType::kNames, {R"("x")", "[1]"}},
      {ArgumentType::kValues, {R"("x")", R"([{"a": 1}])"}},
      {ArgumentType::kBindings, {"[]", R"({"a": {}})"}},
      {ArgumentType::kInteger, {"1.5", "true"}},
      {ArgumentType::kNumber, {"true", R"("x")"}},
      {ArgumentType::kBoolean, {"1"}},
      {ArgumentType::kChoice, {R"("left")", "1"}},
      {ArgumentType::kProgram, {"[]", R"("x")"}},
      {ArgumentType::kOpenProgram, {"[]"}},
      {ArgumentType::kUnseenProgram, {"[]"}},
      {ArgumentType::kResult, {"{}", "1"}}};
  for (const auto& [type, values] : wrong) {
    for (const char* value : values) {
      EXPECT_FALSE(accepts(type, value)) << value;
    }
  }
}

}  // namespace
}  // namespace lockstep
