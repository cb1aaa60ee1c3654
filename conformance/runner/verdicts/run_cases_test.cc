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
  // Each reported result with its verdict, and the number of requests until
  // then.
  std::vector<std::string> Reported() {
    std::vector<std::string> reported;
    RunCases({&a_, &b_, &c_}, {{&testee_}}, {}, [&](const CaseResult& result) {
      reported.push_back(fmt::format("{} {} {}", result.conformance_case->id,
                                     VerdictName(result.verdict),
                                     testee_.requests.size()));
    });
    return reported;
  }

  // Reports a late problem of a request during the second one.
  MiniatureTestee::Behaviour LateProblemOf(size_t corrupted) {
    return [this, corrupted](const Request&) {
      if (testee_.requests.size() == 2) {
        testee_.late_problems = {{testee_.requests[corrupted].token,
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

TEST_F(RunCasesTest, ReportsFinalResultsInOrder) {
  EXPECT_THAT(Reported(), ElementsAre("a/a/a passed 2", "b/b/b passed 3",
                                      "c/c/c passed 3"));
  EXPECT_EQ(testee_.stops, 1);
}

TEST_F(RunCasesTest, LateProblemAffectsItsCaseOnly) {
  MiniatureTestee testee(LateProblemOf(0));
  std::swap(testee_, testee);
  EXPECT_THAT(Reported(), ElementsAre("a/a/a protocol_error 2",
                                      "b/b/b passed 3", "c/c/c passed 3"));
}

TEST_F(RunCasesTest, LateProblemOfCurrentCaseCounts) {
  MiniatureTestee testee(LateProblemOf(1));
  std::swap(testee_, testee);
  EXPECT_THAT(Reported(),
              ElementsAre("a/a/a passed 2", "b/b/b protocol_error 3",
                          "c/c/c passed 3"));
}

class ProblemOnStop : public MiniatureTestee {
 public:
  using MiniatureTestee::MiniatureTestee;
  void Stop() override {
    late_problems = {{requests.back().token, Crashed{"SIGBUS", ""}}};
  }
};

TEST_F(RunCasesTest, ProblemAtStopAffectsLastCase) {
  ProblemOnStop testee([](const Request&) { return Observations{{{"x", 1}}}; });
  std::vector<Verdict> reported;
  std::string answer;
  const auto tell = [&](const CaseResult& result) {
    reported.push_back(result.verdict);
    answer = DescribeAnswer(result.runs[0].answer);
  };
  EXPECT_TRUE(RunCases({&a_}, {{&testee}}, {}, tell));
  EXPECT_THAT(reported, ElementsAre(Verdict::kCrashed));
  EXPECT_EQ(answer, "crashed by SIGBUS");
}

TEST_F(RunCasesTest, ParallelTesteesShareTheCases) {
  std::vector<Case> cases;
  for (int i = 0; i < 40; ++i) {
    cases.push_back(OneIsOne(fmt::format("a/b/c{:02}", i)));
  }
  cases[0].given["strategy"] = "first";
  std::vector<const Case*> all_cases;
  for (const Case& one : cases) all_cases.push_back(&one);
  // The testee with the first case is the last to answer.
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
  std::vector<const Case*> reported;
  EXPECT_TRUE(
      RunCases(all_cases, {{&one, &other}}, {}, [&](const CaseResult& result) {
        EXPECT_EQ(result.verdict, Verdict::kPassed);
        reported.push_back(result.conformance_case);
      }));
  EXPECT_EQ(reported, all_cases);
  EXPECT_EQ(std::min(one.requests.size(), other.requests.size()), 1u);
  EXPECT_EQ(one.requests.size() + other.requests.size(), 40u);
  EXPECT_EQ(one.stops + other.stops, 2);
}

TEST_F(RunCasesTest, MultiWorkerCasesDoNotBlockOthers) {
  a_.given["workers"] = 2;
  c_.given["workers"] = 2;
  // The first case with workers begins before the others and ends after them.
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
  MiniatureTestee general(answer);
  MiniatureTestee multi_worker(answer);
  general.declaration.workers = multi_worker.declaration.workers = 2;
  std::vector<std::string> reported;
  const auto tell = [&](const CaseResult& result) {
    reported.push_back(result.conformance_case->id);
  };
  const Case d = OneIsOne("d/d/d");
  EXPECT_TRUE(
      RunCases({&a_, &b_, &c_, &d}, {{&general}, &multi_worker}, {}, tell));
  EXPECT_THAT(reported, ElementsAre("a/a/a", "b/b/b", "c/c/c", "d/d/d"));
  ASSERT_GE(general.requests.size(), 2u);
  EXPECT_FALSE(general.requests[0].given.contains("workers"));
  EXPECT_FALSE(general.requests[1].given.contains("workers"));
  ASSERT_GE(multi_worker.requests.size(), 1u);
  for (const Request& request : multi_worker.requests) {
    EXPECT_TRUE(request.given.contains("workers"));
  }
  EXPECT_EQ(general.requests.size() + multi_worker.requests.size(), 4u);
  EXPECT_EQ(multi_worker.stops, 1);
}

TEST_F(RunCasesTest, ErrorOfOneTesteeEndsAll) {
  StartsNowhere broken([](const Request&) { return Observations{}; });
  const auto tell = [](const CaseResult&) {};
  EXPECT_THROW(RunCases({&a_, &b_, &c_}, {{&testee_, &broken}}, {}, tell),
               Error);
  EXPECT_THROW(RunCases({&a_, &b_, &c_}, {{&broken, &testee_}}, {}, tell),
               Error);
}

TEST_F(RunCasesTest, StopsOnRequest) {
  std::vector<std::string> reported;
  const auto tell = [&](const CaseResult& result) {
    reported.push_back(result.conformance_case->id);
  };
  const auto after_two = [&] { return testee_.requests.size() == 2; };
  EXPECT_FALSE(RunCases({&a_, &b_, &c_}, {{&testee_}}, {}, tell, after_two));
  EXPECT_THAT(reported, ElementsAre("a/a/a", "b/b/b"));
  EXPECT_EQ(testee_.requests.size(), 2u);
  EXPECT_EQ(testee_.stops, 1);
}

TEST_F(RunCasesTest, FailedStartIsAnError) {
  StartsNowhere testee([](const Request&) { return Observations{}; });
  EXPECT_THROW(RunCases({&a_}, {{&testee}}, {}, [](const CaseResult&) {}),
               Error);
  EXPECT_TRUE(testee.requests.empty());
}

}  // namespace
}  // namespace lockstep
