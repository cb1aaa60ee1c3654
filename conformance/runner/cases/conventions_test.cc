#include "conformance/runner/cases/conventions.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>

namespace lockstep {
namespace {

const Dialect kPadMean = {{"remainder", "pad"},
                          {"gradient_combination", "mean"}};
const When kOnlyPadMean = {{"remainder", {"pad"}},
                           {"gradient_combination", {"mean"}}};
const When kPadOrDrop = {{"remainder", {"pad", "drop"}}};

TEST(WhenTest, AppliesIfEveryConventionMatches) {
  EXPECT_TRUE(Applies({}, kPadMean));
  EXPECT_TRUE(Applies({{"remainder", {"pad"}}}, kPadMean));
  EXPECT_TRUE(Applies(kOnlyPadMean, kPadMean));
  EXPECT_FALSE(Applies({{"remainder", {"drop"}}}, kPadMean));
  EXPECT_FALSE(Applies(kOnlyPadMean, {{"remainder", "pad"}}));
}

TEST(WhenTest, AppliesIfOneOfTheValuesMatches) {
  EXPECT_TRUE(Applies(kPadOrDrop, kPadMean));
  EXPECT_TRUE(Applies(kPadOrDrop, {{"remainder", "drop"}}));
  EXPECT_FALSE(Applies(kPadOrDrop, {{"remainder", "split"}}));
}

TEST(WhenTest, DifferentValuesOfOneConventionExcludeEachOther) {
  EXPECT_TRUE(ExcludeEachOther(kOnlyPadMean, {{"remainder", {"drop"}}}));
  EXPECT_FALSE(ExcludeEachOther(kOnlyPadMean, {{"remainder", {"pad"}}}));
  EXPECT_FALSE(ExcludeEachOther(kOnlyPadMean, {{"empty_replica", {"error"}}}));
  EXPECT_FALSE(ExcludeEachOther(kOnlyPadMean, {}));
}

TEST(WhenTest, ListsThatShareAValueDoNotExcludeEachOther) {
  const When drop = {{"remainder", {"drop"}}};
  EXPECT_FALSE(ExcludeEachOther(kPadOrDrop, drop));
  EXPECT_FALSE(ExcludeEachOther(drop, kPadOrDrop));
  EXPECT_TRUE(ExcludeEachOther(kPadOrDrop, {{"remainder", {"split"}}}));
}

TEST(WhenTest, DescribesItself) {
  EXPECT_EQ(DescribeWhen(kOnlyPadMean),
            "gradient_combination: mean, remainder: pad");
  EXPECT_EQ(DescribeWhen(kPadOrDrop), "remainder: pad or drop");
}

constexpr const char* kRight = R"({"conventions": [
  {"id": "remainder", "question": "What of the rest?",
   "values": [{"id": "split", "means": "It is split."},
              {"id": "pad", "means": "It is filled up."},
              {"id": "drop", "means": "It is left out."}],
   "porting": [{"from": "split", "to": "pad", "note": "Count again."}]},
  {"id": "sum_or_mean", "question": "Which?",
   "values": [{"id": "sum", "means": "Sum."}, {"id": "mean", "means": "Mean."}],
   "porting": [{"from": "sum", "to": "mean", "note": "Divide."}]}]})";

class ConventionsTest : public testing::Test {
 protected:
  Conventions Load(const Json& json) const {
    std::ofstream(path_) << json.dump();
    return Conventions::Load(path_);
  }

  // The error of loading with the value at `place` replaced, without operation
  // and file.
  std::string RefusalWith(const std::string& place, const char* value) const {
    Json corrupted = Json::parse(kRight);
    corrupted[Json::json_pointer("/conventions/" + place)] = Json::parse(value);
    return RefusalOf([&] { Load(corrupted); },
                     "[LoadConventions] " + path_ + " at ");
  }

  template <typename Action>
  std::string RefusalOf(const Action& action, const std::string& lead) const {
    try {
      action();
    } catch (const Error& e) {
      EXPECT_EQ(e.code(), Code::kInvalidArgument);
      const std::string message = e.what();
      EXPECT_TRUE(message.starts_with(lead)) << message;
      return message.substr(std::min(lead.size(), message.size()));
    }
    return "nothing refused";
  }

  When ReadWhen(const char* when) const {
    const Json json = Json::parse(when);
    return Load(Json::parse(kRight))
        .ReadWhen(JsonCursor(json, "case.json", "LoadCases"));
  }

  std::string RefusalOfWhen(const char* when) const {
    return RefusalOf([&] { ReadWhen(when); }, "[LoadCases] case.json at ");
  }

  const std::string path_ =
      std::string(std::getenv("TEST_TMPDIR")) + "/" +
      testing::UnitTest::GetInstance()->current_test_info()->name() + ".json";
};

TEST_F(ConventionsTest, CompletesWithDocumentedValues) {
  const Conventions conventions = Load(Json::parse(kRight));
  EXPECT_EQ(conventions.Complete({}),
            (Dialect{{"remainder", "split"}, {"sum_or_mean", "sum"}}));
  EXPECT_EQ(conventions.Complete({{"remainder", "drop"}}),
            (Dialect{{"remainder", "drop"}, {"sum_or_mean", "sum"}}));
}

TEST_F(ConventionsTest, RefusesUnknownDeclarations) {
  const Conventions conventions = Load(Json::parse(kRight));
  EXPECT_EQ(RefusalOf(
                [&] {
                  conventions.Complete({{"colour", "red"}});
                },
                ""),
            "[Conventions] a testee declared colour: red: unknown convention "
            "'colour', not in conventions.json");
  EXPECT_EQ(RefusalOf(
                [&] {
                  conventions.Complete({{"remainder", "eat"}});
                },
                ""),
            "[Conventions] a testee declared remainder: eat: the convention "
            "'remainder' has no value 'eat', wanted one of: split, pad, drop");
}

TEST_F(ConventionsTest, ReadsWhen) {
  EXPECT_EQ(ReadWhen(R"({"remainder": "pad", "sum_or_mean": "mean"})"),
            (When{{"remainder", {"pad"}}, {"sum_or_mean", {"mean"}}}));
}

TEST_F(ConventionsTest, ReadsWhenWithSeveralValues) {
  const When pad_or_drop = {{"remainder", {"pad", "drop"}}};
  EXPECT_EQ(ReadWhen(R"({"remainder": ["drop", "pad"]})"), pad_or_drop);
  EXPECT_EQ(ReadWhen(R"({"remainder": {"not": "split"}})"), pad_or_drop);
  EXPECT_EQ(ReadWhen(R"({"remainder": {"not": ["split", "drop"]}})"),
            (When{{"remainder", {"pad"}}}));
}

TEST_F(ConventionsTest, RefusesMalformedWhen) {
  EXPECT_EQ(RefusalOfWhen("[]"), "$: wanted an object, got []");
  EXPECT_EQ(RefusalOfWhen("{}"), "$: wanted at least one convention, got none");
  EXPECT_EQ(RefusalOfWhen(R"({"colour": "red"})"),
            "$.colour: unknown convention 'colour', not in conventions.json");
  EXPECT_EQ(RefusalOfWhen(R"({"remainder": "eat"})"),
            "$.remainder: the convention 'remainder' has no value 'eat', "
            "wanted one of: split, pad, drop");
  EXPECT_EQ(RefusalOfWhen(R"({"remainder": 1})"),
            "$.remainder: wanted a string, got 1");
  EXPECT_EQ(RefusalOfWhen(R"({"remainder": []})"),
            "$.remainder: wanted at least one item, got none");
  EXPECT_EQ(RefusalOfWhen(R"({"remainder": ["pad", "eat"]})"),
            "$.remainder[1]: the convention 'remainder' has no value 'eat', "
            "wanted one of: split, pad, drop");
  EXPECT_EQ(RefusalOfWhen(R"({"remainder": ["pad", "pad"]})"),
            "$.remainder[1]: duplicate value 'pad'");
  EXPECT_EQ(RefusalOfWhen(R"({"remainder": {"or": "pad"}})"),
            "$.remainder: unknown field 'or', wanted one of: not");
  EXPECT_EQ(RefusalOfWhen(R"({"remainder": {"not": []}})"),
            "$.remainder.not: wanted at least one item, got none");
  EXPECT_EQ(RefusalOfWhen(R"({"sum_or_mean": {"not": ["mean", "sum"]}})"),
            "$.sum_or_mean.not: this excludes every value of 'sum_or_mean': "
            "exclude fewer");
}

TEST_F(ConventionsTest, RefusesMalformedConventions) {
  EXPECT_EQ(RefusalWith("1/id", "\"remainder\""),
            "$.conventions[1].id: duplicate convention 'remainder'");
  EXPECT_EQ(RefusalWith("0/values/1/id", "\"split\""),
            "$.conventions[0].values[1].id: duplicate value 'split'");
  EXPECT_EQ(RefusalWith("0/values", R"([{"id": "a", "means": "A."}])"),
            "$.conventions[0].values: wanted at least two values, got one");
  EXPECT_EQ(RefusalWith("0/porting/0/to", "\"eat\""),
            "$.conventions[0].porting[0].to: the convention has no value "
            "'eat'");
  EXPECT_EQ(RefusalWith("0/colour", "1"),
            "$.conventions[0]: unknown field 'colour', wanted one of: id, "
            "question, values, porting");
}

}  // namespace
}  // namespace lockstep
