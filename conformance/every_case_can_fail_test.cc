// Every case can fail: each expectation that holds for the reference is broken
// by an answer that is corrupted in just that place.
#include <gtest/gtest.h>

#include <algorithm>

#include "conformance/runner/cases/case_loader.h"
#include "conformance/runner/verdicts/compare.h"
#include "conformance/runner/verdicts/run_case.h"
#include "conformance/testees/reference/reference_testee.h"

namespace lockstep {
namespace {

// The reference, but what it observes is corrupted.
class CorruptingTestee : public Testee {
 public:
  using Corrupt = std::function<void(Json& observations, int request)>;

  CorruptingTestee(Testee& testee, Corrupt corrupt)
      : testee_(testee), corrupt_(std::move(corrupt)) {}

  const TesteeDeclaration& Start() override { return testee_.Start(); }
  Answer Run(const Request& request) override {
    Answer answer = testee_.Run(request);
    if (auto* observations = std::get_if<Observations>(&answer)) {
      corrupt_(observations->values, requests_);
    }
    ++requests_;
    return answer;
  }

 private:
  Testee& testee_;
  Corrupt corrupt_;
  int requests_ = 0;
};

// Another value of the same kind.
void CorruptLeaf(Json& leaf) {
  if (leaf.is_number_integer()) {
    leaf = leaf.get<int64_t>() + 1;
  } else if (leaf.is_number()) {
    // Beyond every tolerance, and no multiple of anything.
    const double number = leaf.get<double>();
    leaf = number * 1.5 + (number < 0 ? -0.5 : 0.5);
  } else if (leaf.is_boolean()) {
    leaf = !leaf.get<bool>();
  } else {
    leaf = "corrupted";
  }
}

// Spoils the last leaf; a value without leaves gets one.
void CorruptLastLeaf(Json& value) {
  if (!value.is_structured()) return CorruptLeaf(value);
  if (value.empty()) {
    value = Json::array({"corrupted"});
  } else {
    CorruptLastLeaf(value.is_array() ? value.back()
                                     : std::prev(value.end()).value());
  }
}

// What breaks an expectation that holds.
void CorruptObservation(const Expectation& expectation, Json& observations) {
  Json& observation = observations[expectation.observation];
  if (expectation.relation == Relation::kDiffersFrom) {
    observation = Json(observations[expectation.other_observation]);
  } else if (expectation.relation == Relation::kEntriesDiffer) {
    observation.back() = Json(observation.front());
  } else {
    CorruptLastLeaf(observation);
  }
}

class EveryCaseCanFailTest : public testing::Test {
 protected:
  static const CaseLoader& Loader() {
    static const auto* const loader =
        new CaseLoader(CaseLoader::OfFolder("conformance"));
    return *loader;
  }

  bool Holds(const Expectation& expectation, const Case& whole,
             Testee& testee) const {
    Case only = whole;
    only.expect = {expectation};
    Dialect dialect = Loader().conventions().Complete({});
    for (const auto& [convention, values] : expectation.when) {
      dialect[convention] = values.front();
    }
    return RunCase(only, testee, dialect).matches;
  }

  conformance::ReferenceTestee reference_;
};

// A program that runs to its end, or fails in another way, breaks an expected
// error; any error breaks an expected value.
TEST_F(EveryCaseCanFailTest, OtherKindOfAnswerFails) {
  class Other : public Testee {
   public:
    explicit Other(Answer answer) : answer_(std::move(answer)) {}
    const TesteeDeclaration& Start() override { return declaration_; }
    Answer Run(const Request&) override { return answer_; }

   private:
    Answer answer_;
    TesteeDeclaration declaration_;
  };
  Other ends_well{Observations{}};
  Other fails_oddly{Failure{"DeadlineExceeded", "", ""}};
  for (const Case& conformance_case : Loader().cases()) {
    for (const Expectation& expectation : conformance_case.expect) {
      EXPECT_FALSE(Holds(expectation, conformance_case, ends_well))
          << conformance_case.id;
      EXPECT_FALSE(Holds(expectation, conformance_case, fails_oddly))
          << conformance_case.id;
    }
  }
}

TEST_F(EveryCaseCanFailTest, CorruptedObservationFails) {
  const Dialect documented = Loader().conventions().Complete({});
  for (const Case& conformance_case : Loader().cases()) {
    for (const Expectation& expectation : conformance_case.expect) {
      if (expectation.relation == Relation::kError) continue;
      // What holds in another dialect can be what the corrupted value happens to be.
      if (!Applies(expectation.when, documented)) continue;
      // Where two runs are compared only the first one is corrupted.
      CorruptingTestee corrupting(
          reference_, [&](Json& observations, int request) {
            if (request == 0) CorruptObservation(expectation, observations);
          });
      Case one_count = conformance_case;
      Json& replicas = one_count.given["replicas"];
      if (replicas.is_array()) replicas = replicas.back();
      if (replicas.is_null()) one_count.given.erase("replicas");
      EXPECT_FALSE(Holds(expectation, one_count, corrupting))
          << conformance_case.id << " " << expectation.observation << " "
          << RelationName(expectation.relation);
    }
  }
}

TEST_F(EveryCaseCanFailTest, ChangedExpectationFails) {
  for (const Case& conformance_case : Loader().cases()) {
    for (const Expectation& expectation : conformance_case.expect) {
      Expectation changed = expectation;
      switch (expectation.relation) {
        case Relation::kEquals:
        case Relation::kClose:
        case Relation::kSameMultiset:
          CorruptLastLeaf(changed.value);
          break;
        case Relation::kError:
          changed.value = "DeadlineExceeded";
          break;
        default:
          continue;  // no value to change
      }
      EXPECT_FALSE(Holds(changed, conformance_case, reference_))
          << conformance_case.id << " " << expectation.observation;
    }
  }
}

}  // namespace
}  // namespace lockstep
