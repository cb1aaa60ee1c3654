#include "conformance/runner/verdicts/run_cases.h"

#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "conformance/runner/cases/case_testing.h"
#include "conformance/runner/miniature_testee.h"
#include "reference/base/error.h"

namespace lockstep {
namespace {

using testing::ElementsAre;

class StartsNowhere : public MiniatureTestee {
 public:
  using MiniatureTestee::MiniatureTestee;
  const TesteeDeclaration& Start() override {
    throw NotFound("[Start] no such program");
  }
};

class RunCasesTest : public testing::Test {
 protected:
  // Each told result with its verdict, and how many cases had been asked then.
  std::vector<std::string> Told() {
    std::vector<std::string> told;
    RunCases({&a_, &b_, &c_}, {{&testee_}}, {}, [&](const CaseResult& result) {
      told.push_back(fmt::format("{} {} {}", result.conformance_case->id,
                                 VerdictName(result.verdict),
                                 testee_.requests.size()));
    });
    return told;
  }

  // Makes the second request complain of a late problem of one of them.
  MiniatureTestee::Behaviour SpoilsInTheSecond(size_t spoilt) {
    return [this, spoilt](const Request&) {
      if (testee_.requests.size() == 2) {
        testee_.late_problems = {{testee_.requests[spoilt].token,
                                  ProtocolError{"said it twice", ""}}};
      }
      return Observations{{{"x", 1}}};
    };
  }

  Case a_ = OneIsOne("a/a/a");
  const Case b_ = OneIsOne("b/b/b");
  Case c_ = OneIsOne("c/c/c");
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
  MiniatureTestee testee(SpoilsInTheSecond(0));
  std::swap(testee_, testee);
  EXPECT_THAT(Told(), ElementsAre("a/a/a protocol_error 2", "b/b/b passed 3",
                                  "c/c/c passed 3"));
}

TEST_F(RunCasesTest, ALateProblemOfTheCaseItselfCounts) {
  MiniatureTestee testee(SpoilsInTheSecond(1));
  std::swap(testee_, testee);
  EXPECT_THAT(Told(), ElementsAre("a/a/a passed 2", "b/b/b protocol_error 3",
                                  "c/c/c passed 3"));
}

class SpoilsOnStop : public MiniatureTestee {
 public:
  using MiniatureTestee::MiniatureTestee;
  void Stop() override {
    late_problems = {{requests.back().token, Crashed{"SIGBUS", ""}}};
  }
};

TEST_F(RunCasesTest, AProblemSeenWhenItStopsSpoilsTheLastCase) {
  SpoilsOnStop testee([](const Request&) { return Observations{{{"x", 1}}}; });
  std::vector<Verdict> told;
  std::string answer;
  const auto tell = [&](const CaseResult& result) {
    told.push_back(result.verdict);
    answer = DescribeAnswer(result.runs[0].answer);
  };
  EXPECT_TRUE(RunCases({&a_}, {{&testee}}, {}, tell));
  EXPECT_THAT(told, ElementsAre(Verdict::kCrashed));
  EXPECT_EQ(answer, "crashed by SIGBUS");
}

TEST_F(RunCasesTest, SeveralTesteesShareTheCasesAndResultsKeepTheirOrder) {
  std::vector<Case> cases;
  for (int i = 0; i < 40; ++i) {
    cases.push_back(OneIsOne(fmt::format("a/b/c{:02}", i)));
  }
  cases[0].given["strategy"] = "first";
  std::vector<const Case*> wanted;
  for (const Case& one : cases) wanted.push_back(&one);
  // Whoever has the first case is the last to answer it.
  std::atomic<int> answered{0};
  const auto slow_at_first = [&](const Request& request) {
    while (request.given["strategy"] == "first" && answered < 39) {
      std::this_thread::yield();
    }
    ++answered;
    return Observations{{{"x", 1}}};
  };
  MiniatureTestee one(slow_at_first);
  MiniatureTestee other(slow_at_first);
  std::vector<const Case*> told;
  EXPECT_TRUE(
      RunCases(wanted, {{&one, &other}}, {}, [&](const CaseResult& result) {
        EXPECT_EQ(result.verdict, Verdict::kPassed);
        told.push_back(result.conformance_case);
      }));
  EXPECT_EQ(told, wanted);
  EXPECT_EQ(std::min(one.requests.size(), other.requests.size()), 1u);
  EXPECT_EQ(one.requests.size() + other.requests.size(), 40u);
  EXPECT_EQ(one.stops + other.stops, 2);
}

TEST_F(RunCasesTest, CasesOfSeveralWorkersHoldUpNoOther) {
  a_.given["workers"] = 2;
  c_.given["workers"] = 2;
  // The first case of workers begins before the others and ends behind them.
  std::atomic<int> begun{0}, others_done{0};
  const auto answer = [&](const Request& request) {
    if (request.given.contains("workers")) {
      ++begun;
      while (others_done < 2) std::this_thread::yield();
    } else {
      while (begun < 1) std::this_thread::yield();
      ++others_done;
    }
    return Observations{{{"x", 1}}};
  };
  MiniatureTestee of_all(answer);
  MiniatureTestee of_workers(answer);
  of_all.declaration.workers = of_workers.declaration.workers = 2;
  std::vector<std::string> told;
  const auto tell = [&](const CaseResult& result) {
    told.push_back(result.conformance_case->id);
  };
  const Case d = OneIsOne("d/d/d");
  EXPECT_TRUE(
      RunCases({&a_, &b_, &c_, &d}, {{&of_all}, &of_workers}, {}, tell));
  EXPECT_THAT(told, ElementsAre("a/a/a", "b/b/b", "c/c/c", "d/d/d"));
  ASSERT_GE(of_all.requests.size(), 2u);
  EXPECT_FALSE(of_all.requests[0].given.contains("workers"));
  EXPECT_FALSE(of_all.requests[1].given.contains("workers"));
  ASSERT_GE(of_workers.requests.size(), 1u);
  for (const Request& request : of_workers.requests) {
    EXPECT_TRUE(request.given.contains("workers"));
  }
  EXPECT_EQ(of_all.requests.size() + of_workers.requests.size(), 4u);
  EXPECT_EQ(of_workers.stops, 1);
}

TEST_F(RunCasesTest, AnErrorOfOneEndsAll) {
  StartsNowhere broken([](const Request&) { return Observations{}; });
  const auto tell = [](const CaseResult&) {};
  EXPECT_THROW(RunCases({&a_, &b_, &c_}, {{&testee_, &broken}}, {}, tell),
               Error);
  EXPECT_THROW(RunCases({&a_, &b_, &c_}, {{&broken, &testee_}}, {}, tell),
               Error);
}

TEST_F(RunCasesTest, StopsWhereItIsAskedTo) {
  std::vector<std::string> told;
  const auto tell = [&](const CaseResult& result) {
    told.push_back(result.conformance_case->id);
  };
  const auto after_two = [&] { return testee_.requests.size() == 2; };
  EXPECT_FALSE(RunCases({&a_, &b_, &c_}, {{&testee_}}, {}, tell, after_two));
  EXPECT_THAT(told, ElementsAre("a/a/a", "b/b/b"));
  EXPECT_EQ(testee_.requests.size(), 2u);
  EXPECT_EQ(testee_.stops, 1);
}

TEST_F(RunCasesTest, NothingToStartIsAnErrorOfTheRun) {
  StartsNowhere testee([](const Request&) { return Observations{}; });
  EXPECT_THROW(RunCases({&a_}, {{&testee}}, {}, [](const CaseResult&) {}),
               Error);
  EXPECT_TRUE(testee.requests.empty());
}

}  // namespace
}  // namespace lockstep
