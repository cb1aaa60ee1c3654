#include "conformance/runner/cases/conventions.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>

namespace lockstep {
namespace {

const Dialect kPadMean = {{"remainder", "pad"},
                          {"gradient_combination", "mean"}};

TEST(DialectTest, AppliesWhereEveryWantedValueIsTheDialects) {
  EXPECT_TRUE(Applies({}, kPadMean));
  EXPECT_TRUE(Applies({{"remainder", "pad"}}, kPadMean));
  EXPECT_TRUE(Applies(kPadMean, kPadMean));
  EXPECT_FALSE(Applies({{"remainder", "drop"}}, kPadMean));
  EXPECT_FALSE(Applies(kPadMean, {{"remainder", "pad"}}));
}

TEST(DialectTest, DifferentValuesOfOneConventionExcludeEachOther) {
  EXPECT_TRUE(ExcludeEachOther(kPadMean, {{"remainder", "drop"}}));
  EXPECT_FALSE(ExcludeEachOther(kPadMean, {{"remainder", "pad"}}));
  EXPECT_FALSE(ExcludeEachOther(kPadMean, {{"empty_replica", "error"}}));
  EXPECT_FALSE(ExcludeEachOther(kPadMean, {}));
}

TEST(DialectTest, DescribesItself) {
  EXPECT_EQ(DescribeDialect(kPadMean),
            "gradient_combination: mean, remainder: pad");
}

constexpr const char* kRight = R"({"conventions": [
  {"id": "remainder", "question": "What of the rest?",
   "values": [{"id": "split", "means": "It is split."},
              {"id": "pad", "means": "It is filled up."},
              {"id": "drop", "means": "It is left out."}],
   "porting": [{"from": "split", "to": "pad", "note": "Count anew."}]},
  {"id": "sum_or_mean", "question": "Which?",
   "values": [{"id": "sum", "means": "Sum."}, {"id": "mean", "means": "Mean."}],
   "porting": [{"from": "sum", "to": "mean", "note": "Divide."}]}]})";

class ConventionsTest : public testing::Test {
 protected:
  Conventions Load(const Json& json) const {
    std::ofstream(path_) << json.dump();
    return Conventions::Load(path_);
  }

  // What loading is refused with when the value at `place` is replaced, behind
  // operation and file.
  std::string RefusalWith(const std::string& place, const char* value) const {
    Json spoilt = Json::parse(kRight);
    spoilt[Json::json_pointer("/conventions/" + place)] = Json::parse(value);
    return RefusalOf([&] { Load(spoilt); },
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

  std::string RefusalOfWhen(const char* when) const {
    const Json json = Json::parse(when);
    const Conventions conventions = Load(Json::parse(kRight));
    return RefusalOf(
        [&] {
          conventions.ReadWhen(JsonCursor(json, "case.json", "LoadCases"));
        },
        "[LoadCases] case.json at ");
  }

  const std::string path_ =
      std::string(std::getenv("TEST_TMPDIR")) + "/" +
      testing::UnitTest::GetInstance()->current_test_info()->name() + ".json";
};

TEST_F(ConventionsTest, CompletesWhatIsDeclaredByTheDocumentedValues) {
  const Conventions conventions = Load(Json::parse(kRight));
  EXPECT_EQ(conventions.Complete({}),
            (Dialect{{"remainder", "split"}, {"sum_or_mean", "sum"}}));
  EXPECT_EQ(conventions.Complete({{"remainder", "drop"}}),
            (Dialect{{"remainder", "drop"}, {"sum_or_mean", "sum"}}));
}

TEST_F(ConventionsTest, RefusesToDeclareWhatIsUnknown) {
  const Conventions conventions = Load(Json::parse(kRight));
  EXPECT_EQ(RefusalOf(
                [&] {
                  conventions.Complete({{"colour", "red"}});
                },
                ""),
            "[Conventions] a testee declared colour: red: unknown convention "
            "'colour': conventions.json has none such");
  EXPECT_EQ(RefusalOf(
                [&] {
                  conventions.Complete({{"remainder", "eat"}});
                },
                ""),
            "[Conventions] a testee declared remainder: eat: the convention "
            "'remainder' has no value 'eat', wanted one of: split, pad, drop");
}

TEST_F(ConventionsTest, ReadsWhen) {
  const Json json = {{"remainder", "pad"}, {"sum_or_mean", "mean"}};
  EXPECT_EQ(Load(Json::parse(kRight))
                .ReadWhen(JsonCursor(json, "case.json", "LoadCases")),
            (Dialect{{"remainder", "pad"}, {"sum_or_mean", "mean"}}));
}

TEST_F(ConventionsTest, RefusesAWhenThatIsNone) {
  EXPECT_EQ(RefusalOfWhen("[]"), "$: wanted an object, got []");
  EXPECT_EQ(RefusalOfWhen("{}"), "$: wanted at least one convention, got none");
  EXPECT_EQ(RefusalOfWhen(R"({"colour": "red"})"),
            "$.colour: unknown convention 'colour': conventions.json has none "
            "such");
  EXPECT_EQ(RefusalOfWhen(R"({"remainder": "eat"})"),
            "$.remainder: the convention 'remainder' has no value 'eat', "
            "wanted one of: split, pad, drop");
  EXPECT_EQ(RefusalOfWhen(R"({"remainder": 1})"),
            "$.remainder: wanted a string, got 1");
}

TEST_F(ConventionsTest, RefusesMalformedConventions) {
  EXPECT_EQ(RefusalWith("1/id", "\"remainder\""),
            "$.conventions[1].id: convention 'remainder' stands here twice");
  EXPECT_EQ(RefusalWith("0/values/1/id", "\"split\""),
            "$.conventions[0].values[1].id: value 'split' stands here twice");
  EXPECT_EQ(RefusalWith("0/values", R"([{"id": "a", "means": "A."}])"),
            "$.conventions[0].values: wanted at least two values: else nobody "
            "differs");
  EXPECT_EQ(RefusalWith("0/porting/0/to", "\"eat\""),
            "$.conventions[0].porting[0].to: the convention has no value "
            "'eat'");
  EXPECT_EQ(RefusalWith("0/colour", "1"),
            "$.conventions[0]: unknown field 'colour', wanted one of: id, "
            "question, values, porting");
}

}  // namespace
}  // namespace lockstep
