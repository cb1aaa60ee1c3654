#include "conformance/runner/commands/same_answers.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "conformance/runner/deviations/case_testing.h"

namespace lockstep {
namespace {

// Implementations that deviate in a/b/c, which expects 1.
class SameAnswersTest : public testing::Test {
 protected:
  SameAnswersTest() { std::filesystem::create_directories(At("deviations")); }

  std::string At(const std::string& path) const { return folder_ + "/" + path; }

  void Add(const std::string& name, Answer answer, const std::string& reason) {
    AnswerStore store;
    store.declaration.name = name;
    store.declaration.implementation = "Other 1.2";
    store.declaration.language = "c++";
    store.recordings = {{.date = "2026-11-26T16:50:00Z"}};
    store.cases["a/b/c"].answers.emplace(RequestKey(case_.given, case_.program),
                                         std::move(answer));
    std::filesystem::create_directories(At("answers/" + name));
    std::ofstream(At("answers/" + name + "/1.2.json")) << AnswersToText(store);
    std::ofstream(At("deviations/" + name + ".json"))
        << R"({"implementation": ")" << name << R"(", "deviations": [
              {"kind": "defect", "reason": ")"
        << reason << R"(",
               "references": ["https://example.org/1"], "cases": ["a/b/c"]}],
              "unsupported": []})";
  }

  std::string Describe(Answer answer, const std::string& name = "mine") const {
    return SameAnswers(folder_, conventions_)
        .Describe(ResultOf(case_, std::move(answer)), name);
  }

  const std::string folder_ =
      std::string(std::getenv("TEST_TMPDIR")) + "/same_answers_" +
      testing::UnitTest::GetInstance()->current_test_info()->name();
  const Case case_ = OneIsOne("a/b/c");
  const Conventions conventions_;
};

TEST_F(SameAnswersTest, NamesTheReasonOfTheSameValue) {
  Add("maxi", Observe(2), "It adds one.");
  Add("tiny", Observe(2), "It adds one.");
  Add("huge", Observe(3), "It adds two.");
  EXPECT_EQ(Describe(Observe(2)), "  same as   maxi, tiny: It adds one.\n");
  EXPECT_EQ(Describe(Observe(3)), "  same as   huge: It adds two.\n");
  EXPECT_EQ(Describe(Observe(4)), "");
}

TEST_F(SameAnswersTest, OmitsTheTesteeItself) {
  Add("maxi", Observe(2), "It adds one.");
  EXPECT_EQ(Describe(Observe(2), "maxi"), "");
}

TEST_F(SameAnswersTest, ComparesOnlyWrongValues) {
  Add("maxi", Failure{"Internal", "", "data.x"}, "It fails.");
  EXPECT_EQ(Describe(Failure{"Internal", "", "data.x"}), "");
  Add("maxi", Observe(1), "It passes.");
  EXPECT_EQ(Describe(Observe(1)), "");
}

TEST(SameAnswersOfNobodyTest, AreNone) {
  const Case one = OneIsOne("a/b/c");
  const Conventions conventions;
  EXPECT_EQ(SameAnswers("no_such_folder", conventions)
                .Describe(ResultOf(one, Observe(2)), "mine"),
            "");
}

}  // namespace
}  // namespace lockstep
