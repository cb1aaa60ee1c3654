// Parameters of programs, and inputs moved by a rounding unit.
#include "conformance/runner/cases/parameters.h"

#include "conformance/runner/cases/case_loader_testing.h"
#include "conformance/runner/cases/moved_inputs.h"

namespace lockstep {
namespace {

TEST(ParametersTest, ReplacesAtAnyDepth) {
  const Json program = Json::parse(R"([
    {"step": "a", "size": {"parameter": "batch"}, "program": [
      {"step": "b", "value": [1, {"parameter": "rows"}]}]}])");
  EXPECT_EQ(WithParameters(program, {{"batch", 4}, {"rows", {2, 3}}}),
            Json::parse(R"([
    {"step": "a", "size": 4, "program": [
      {"step": "b", "value": [1, [2, 3]]}]}])"));
}

TEST(ParametersTest, SplitsOffParameters) {
  const Json given = {{"replicas", 2}, {"parameters", {{"batch", 4}}}};
  const SplitGiven split = SplitOff(given);
  EXPECT_EQ(split.given, Json({{"replicas", 2}}));
  EXPECT_EQ(split.parameters, Json({{"batch", 4}}));
  EXPECT_EQ(SplitOff(split.given).parameters, Json::object());
}

TEST(ParametersTest, MergesGiven) {
  const Json given = {{"replicas", 2},
                      {"parameters", {{"batch", 4}, {"steps", 3}}}};
  EXPECT_EQ(
      MergeGiven(given, {{"replicas", 1}, {"parameters", {{"batch", 8}}}}),
      Json({{"replicas", 1}, {"parameters", {{"batch", 8}, {"steps", 3}}}}));
}

// The valid case with a parameter for the end of its range.
Json OpenCase() {
  Json open = RightCase();
  open["given"]["parameters"] = {{"end", 2}};
  open["program"][0]["stop"] = {{"parameter", "end"}};
  return open;
}

TEST_F(CaseLoaderTest, ChecksProgramWithItsParameters) {
  const Case loaded = LoadCase(OpenCase())[0];
  EXPECT_EQ(loaded.program[0]["stop"], Json({{"parameter", "end"}}));
  const auto refusal = [&](const char* parameters) {
    Json corrupted = OpenCase();
    corrupted["given"]["parameters"] = Json::parse(parameters);
    return Refusal([&] { LoadCase(corrupted); });
  };
  EXPECT_EQ(refusal(R"({"end": true})"),
            "$.cases[0].program[0].stop: wanted integer, got true");
  EXPECT_EQ(refusal(R"({"end": 2, "more": 1})"),
            "$.cases[0].given.parameters.more: the program does not use "
            "'more'");
  EXPECT_EQ(refusal("{}"),
            "$.cases[0].program[0].stop: 'parameters' of 'given' has no 'end'");
  Json none = OpenCase();
  none["given"].erase("parameters");
  EXPECT_EQ(Refusal([&] { LoadCase(none); }),
            "$.cases[0].program[0].stop: wanted integer, got "
            "{\"parameter\":\"end\"}");
}

TEST_F(CaseLoaderTest, ChecksParametersOfOtherRun) {
  Json other = OpenCase();
  other["expect"][1] = Json::parse(
      R"({"observation": "seen", "same_as": {"given": {"parameters": {"end": 3}}}})");
  EXPECT_EQ(LoadCase(other)[0].expect[1].other_given,
            Json({{"parameters", {{"end", 3}}}}));
  other["expect"][1]["same_as"]["given"]["parameters"]["end"] = 0.5;
  EXPECT_EQ(Refusal([&] { LoadCase(other); }),
            "$.cases[0].program[0].stop: wanted integer, got 0.5");
  other["expect"][1]["same_as"]["given"]["parameters"] = {{"start", 1}};
  EXPECT_EQ(
      Refusal([&] { LoadCase(other); }),
      "$.cases[0].given.parameters.start: the program does not use 'start'");
}

// The valid case, compared with another run up to rounding.
Json RoundedCase() {
  Json rounded = RightCase();
  rounded["program"][1]["program"].push_back(
      Json::parse(R"({"observe": "more", "step": "data.make", "value": 1.5})"));
  rounded["expect"].push_back(Json::parse(
      R"({"observation": "more", "same_as": {"given": {"replicas": 1}},
          "tolerance": "rounding"})"));
  return rounded;
}

TEST_F(CaseLoaderTest, FindsInputsForRounding) {
  Write("operations.md", std::string(kOperations) +
                             "### `data.make`\n| value | data | it |\n\n"
                             "Gives: it.\n");
  const Case loaded = LoadCase(RoundedCase())[0];
  EXPECT_TRUE(loaded.expect[1].to_rounding);
  EXPECT_EQ(loaded.inputs, (InputFields{{"data.make", "value"}}));
  const auto refusal = [&](const char* field, const Json& value) {
    Json corrupted = RoundedCase();
    corrupted["expect"][1][field] = value;
    return Refusal([&] { LoadCase(corrupted); });
  };
  EXPECT_EQ(refusal("tolerance", "small"),
            "$.cases[0].expect[1].tolerance: wanted rounding, got \"small\"");
  const std::string alone =
      "$.cases[0].expect[1].tolerance: an estimated tolerance is only allowed "
      "with same_as another run, without rtol and atol";
  EXPECT_EQ(refusal("same_as", {{"observation", "seen"}}), alone);
  Json two = RoundedCase();
  two["expect"][1].update({{"rtol", 0.5}, {"because", "It is."}});
  EXPECT_EQ(Refusal([&] { LoadCase(two); }), alone);
}

TEST_F(CaseLoaderTest, RoundingNeedsInputs) {
  Json none = RightCase();
  none["expect"][1] = Json::parse(
      R"({"observation": "seen", "same_as": {"given": {"replicas": 1}},
          "tolerance": "rounding"})");
  EXPECT_EQ(Refusal([&] { LoadCase(none); }),
            "$.cases[0].expect: rounding is estimated by perturbing the "
            "program's inputs, but no step has an argument of type data");
}

TEST(MovedInputsTest, MovesOnlyInputsByAUnit) {
  const Json program = Json::parse(R"([
    {"step": "make", "value": [1, 0.5, 0], "size": 3},
    {"step": "make", "value": [1], "dtype": "int64"},
    {"step": "each", "program": [{"step": "make", "value": {"x": -8.0}}]}])");
  const InputFields fields = {{"make", "value"}};
  const double unit = 0x1p-23;
  std::set<double> seen;
  for (int trial = 1; trial <= 8; ++trial) {
    const Json moved = MoveInputs(program, fields, trial);
    seen.insert(moved[0]["value"][0].get<double>());
    EXPECT_EQ(std::abs(moved[0]["value"][1].get<double>() - 0.5), unit / 2);
    EXPECT_EQ(moved[0]["value"][2], 0);
    EXPECT_EQ(moved[0]["size"], 3);
    EXPECT_EQ(moved[1], program[1]);
    const double inner = moved[2]["program"][0]["value"]["x"];
    EXPECT_EQ(std::abs(inner + 8), 8 * unit);
    EXPECT_EQ(MoveInputs(program, fields, trial), moved);  // deterministic
  }
  EXPECT_EQ(seen, (std::set<double>{1 - unit, 1 + unit}));
  EXPECT_EQ(MoveInputs(program, fields, 0), program);
}

}  // namespace
}  // namespace lockstep
