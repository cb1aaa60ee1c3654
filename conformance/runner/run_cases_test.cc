#include "conformance/runner/run_cases.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "conformance/runner/case_testing.h"
#include "conformance/runner/miniature_testee.h"
#include "reference/base/error.h"

namespace lockstep {
namespace {

using testing::ElementsAre;

class RunCasesTest : public testing::Test {
 protected:
  // Each told result with its verdict, and how many cases had been asked then.
  std::vector<std::string> Told() {
    std::vector<std::string> told;
    RunCases({&a_, &b_, &c_}, testee_, {}, [&](const CaseResult& result) {
      told.push_back(fmt::format("{} {} {}", result.conformance_case->id,
                                 VerdictName(result.verdict),
                                 testee_.requests.size()));
    });
    return told;
  }

  // Makes b/b/b complain of a late problem of the case `id`.
  MiniatureTestee::Behaviour SpoilsInTheSecond(const char* id) {
    return [this, id](const Request& request) {
      if (request.case_id == "b/b/b") {
        testee_.late_problems = {{id, ProtocolError{"said it twice", ""}}};
      }
      return Observations{{{"x", 1}}};
    };
  }

  const Case a_ = OneIsOne("a/a/a");
  const Case b_ = OneIsOne("b/b/b");
  const Case c_ = OneIsOne("c/c/c");
  MiniatureTestee testee_{[](const Request&) {
    return Observations{{{"x", 1}}};
  }};
};

TEST_F(RunCasesTest, ResultsAreToldInOrderOnceTheyCannotChange) {
  EXPECT_THAT(Told(), ElementsAre("a/a/a passed 2", "b/b/b passed 3",
                                  "c/c/c passed 3"));
  EXPECT_EQ(testee_.stops, 1);
}

TEST_F(RunCasesTest, ALateProblemSpoilsTheCaseItIsOfAndNoOther) {
  MiniatureTestee testee(SpoilsInTheSecond("a/a/a"));
  std::swap(testee_, testee);
  EXPECT_THAT(Told(), ElementsAre("a/a/a protocol_error 2", "b/b/b passed 3",
                                  "c/c/c passed 3"));
}

TEST_F(RunCasesTest, ALateProblemOfTheCaseItselfCounts) {
  MiniatureTestee testee(SpoilsInTheSecond("b/b/b"));
  std::swap(testee_, testee);
  EXPECT_THAT(Told(), ElementsAre("a/a/a passed 2", "b/b/b protocol_error 3",
                                  "c/c/c passed 3"));
}

class SpoilsOnStop : public MiniatureTestee {
 public:
  using MiniatureTestee::MiniatureTestee;
  void Stop() override { late_problems = {{"a/a/a", Crashed{"SIGBUS", ""}}}; }
};

TEST_F(RunCasesTest, AProblemSeenWhenItStopsSpoilsTheLastCase) {
  SpoilsOnStop testee([](const Request&) { return Observations{{{"x", 1}}}; });
  std::vector<Verdict> told;
  std::string answer;
  const auto tell = [&](const CaseResult& result) {
    told.push_back(result.verdict);
    answer = DescribeAnswer(result.runs[0].answer);
  };
  EXPECT_TRUE(RunCases({&a_}, testee, {}, tell));
  EXPECT_THAT(told, ElementsAre(Verdict::kCrashed));
  EXPECT_EQ(answer, "crashed by SIGBUS");
}

TEST_F(RunCasesTest, StopsWhereItIsAskedTo) {
  std::vector<std::string> told;
  const auto tell = [&](const CaseResult& result) {
    told.push_back(result.conformance_case->id);
  };
  const auto after_two = [&] { return testee_.requests.size() == 2; };
  EXPECT_FALSE(RunCases({&a_, &b_, &c_}, testee_, {}, tell, after_two));
  EXPECT_THAT(told, ElementsAre("a/a/a", "b/b/b"));
  EXPECT_EQ(testee_.requests.size(), 2u);
  EXPECT_EQ(testee_.stops, 1);
}

class StartsNowhere : public MiniatureTestee {
 public:
  using MiniatureTestee::MiniatureTestee;
  const TesteeDeclaration& Start() override {
    throw NotFound("[Start] no such program");
  }
};

TEST_F(RunCasesTest, NothingToStartIsAnErrorOfTheRun) {
  StartsNowhere testee([](const Request&) { return Observations{}; });
  EXPECT_THROW(RunCases({&a_}, testee, {}, [](const CaseResult&) {}), Error);
  EXPECT_TRUE(testee.requests.empty());
}

}  // namespace
}  // namespace lockstep
