// What happens to a full batch that is not divisible by the replicas, and to a
// smaller batch at the end of the data, are conventions. So a case must have
// divisible batches, or use a `when` for what it observes of others, or have
// `departs` for the testees that deviate from a promised result. The reference
// knows which batches a program reads: here it reads them twice.
//
// A model divides its batches itself and must train as on one device, whatever
// the conventions. Exempt is also a loader with an explicit option for the rest.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <set>

#include "conformance/runner/cases/case_loader.h"
#include "conformance/runner/verdicts/run_case.h"
#include "conformance/testees/reference/intents/loader.h"
#include "conformance/testees/reference/reference_testee.h"
#include "conformance/testees/reference/step_call.h"

namespace lockstep::conformance {
namespace {

using Step = PerReplica<Structure>;
// Conventions of which a `when` must have at least one.
using OneOf = std::vector<std::string>;

const OneOf kFull = {"indivisible_batch"};
const OneOf kEnd = {"end_of_data"};
// A single batch may be a full or a smaller one.
const OneOf kFullOrEnd = {"indivisible_batch", "end_of_data"};

const std::set<std::string> kInputReaders = {
    "input.elements", "input.batch_sizes", "input.count_batches",
    "input.for_each"};
const std::set<std::string> kLoaderReaders = {"loader.elements", "train.epoch",
                                              "train.batches", "train.no_sync"};

// The size of a batch that is divided.
struct Size {
  int64_t rows = 0;  // of all replicas
  int64_t replicas = 0;
};

Size SizeOf(const Step& step) {
  Size size;
  for (const Structure& part : step) {
    if (part.Flatten().front().rank() > 0) size.rows += RowsOf(part);
    ++size.replicas;
  }
  return size;
}

// The batches of one data set, as a program reads them.
struct Batches {
  int64_t first = 0;  // its rows
  int count = 0;
};

// The reference, which records the batches that its programs read.
class WatchedTestee : public Testee {
 public:
  WatchedTestee() {
    reference_.steps().Wrap(
        "", [this](const StepFunction& original, const StepCall& call) {
          return Do(original, call);
        });
  }

  const TesteeDeclaration& Start() override { return reference_.Start(); }
  Answer Run(const Request& request) override {
    seen_ = {};
    return reference_.Run(request);
  }

  // The conventions that a `when` of the observation needs; "": of an error.
  const std::set<OneOf>& NeedsOf(const std::string& observation) {
    return needs_[observation];
  }

 private:
  // The state for one program.
  struct Seen {
    bool rest_is_chosen = false;
    // Datasets that a function creates per replica are not divided.
    std::set<distribute_internal::StepSourcePtr> divided;
    std::map<std::shared_ptr<DistributedIterator>, Batches> iterators;
    std::set<OneOf> needs;
  };

  Value Do(const StepFunction& original, const StepCall& call) {
    const std::string step = call.Text("step");
    NoteAhead(step, call);
    Value value = original(call);
    const std::lock_guard lock(mutex_);
    NoteResult(step, call, value);
    if (call.Has("observe")) {
      needs_[call.Text("observe")].insert(seen_.needs.begin(),
                                          seen_.needs.end());
    }
    return value;
  }

  void NoteAhead(const std::string& step, const StepCall& call) {
    if (kInputReaders.contains(step)) {
      const auto inputs = call.Get<DistributedDataset>("of");
      if (IsDivided(inputs)) NoteAll(inputs);
    } else if (kLoaderReaders.contains(step)) {
      const char* loader = call.Has("loader") ? "loader" : "of";
      NoteAll(call.Get<std::shared_ptr<Loader>>(loader)->inputs());
    }
  }

  void NoteResult(const std::string& step, const StepCall& call,
                  const Value& value) {
    using Iterator = std::shared_ptr<DistributedIterator>;
    if (step == "loader.create" && call.Has("uneven")) {
      seen_.rest_is_chosen = true;
    } else if (step == "strategy.distribute_dataset") {
      seen_.divided.insert(std::get<DistributedDataset>(value).source());
    } else if (step == "input.iterator") {
      const auto inputs = call.Get<DistributedDataset>("of");
      if (seen_.divided.contains(inputs.source())) {
        seen_.iterators[std::get<Iterator>(value)];
      }
    } else if (step.starts_with("input.next")) {
      const auto found = seen_.iterators.find(call.Get<Iterator>("of"));
      if (found != seen_.iterators.end()) NoteNext(value, found->second);
    }
  }

  bool IsDivided(const DistributedDataset& inputs) {
    const std::lock_guard lock(mutex_);
    return seen_.divided.contains(inputs.source());
  }

  void NoteAll(const DistributedDataset& inputs) {
    const std::vector<uint64_t> passes = inputs.SavePasses();
    std::vector<Size> sizes;
    for (const Step& step : inputs) sizes.push_back(SizeOf(step));
    inputs.RestorePasses(passes);
    const std::lock_guard lock(mutex_);  // not while functions of data do steps
    Batches batches;
    for (const Size& size : sizes) Note(size, batches);
  }

  void NoteNext(const Value& value, Batches& batches) {
    if (const auto* step = std::get_if<Step>(&value)) {
      return Note(SizeOf(*step), batches);
    }
    const auto& next = std::get<Optional<Step>>(value);
    if (next.has_value()) Note(SizeOf(next.GetValue()), batches);
  }

  void Note(const Size& size, Batches& batches) {
    if (++batches.count == 1) batches.first = size.rows;
    const bool is_smaller = size.rows < batches.first;
    if (size.replicas == 1 || (!is_smaller && size.rows % size.replicas == 0)) {
      return;
    }
    const bool may_be_rest = is_smaller || batches.count == 1;
    if (may_be_rest && seen_.rest_is_chosen) return;
    Need(is_smaller ? kEnd : may_be_rest ? kFullOrEnd : kFull);
  }

  void Need(const OneOf& conventions) {
    seen_.needs.insert(conventions);
    needs_[""].insert(conventions);
  }

  ReferenceTestee reference_;
  std::mutex mutex_;
  Seen seen_;
  std::map<std::string, std::set<OneOf>> needs_;
};

// Runs the replicas of all workers in one process. With parameter servers
// nothing is divided.
Case InOneProcess(Case whole) {
  const bool divides = !whole.given.contains("servers");
  if (!whole.given.contains("workers") || !divides) return whole;
  whole.given["strategy"] = "mirrored";
  whole.given["replicas"] =
      whole.given["replicas"].get<int>() * whole.given["workers"].get<int>();
  whole.given.erase("workers");
  return whole;
}

bool Names(const When& when, const OneOf& conventions) {
  return std::ranges::any_of(conventions, [&](const std::string& convention) {
    return when.contains(convention);
  });
}

// For an error one convention is enough.
bool NamesAll(const Expectation& expectation, const std::set<OneOf>& needs) {
  const auto is_named = [&](const OneOf& one) {
    return Names(expectation.when, one);
  };
  if (expectation.relation == Relation::kError) {
    return needs.empty() || std::ranges::any_of(needs, is_named);
  }
  return std::ranges::all_of(needs, is_named);
}

// A promised result needs a `departs` for each of the conventions.
bool IsPromised(const Expectation& promised,
                const std::vector<Expectation>& expectations,
                const std::set<OneOf>& needs) {
  return std::ranges::all_of(needs, [&](const OneOf& one) {
    return std::ranges::any_of(expectations, [&](const Expectation& other) {
      return other.departs && Names(other.when, one) &&
             (other.relation == Relation::kError ||
              other.observation == promised.observation);
    });
  });
}

// "end_of_data, and indivisible_batch or end_of_data".
std::string Describe(const std::set<OneOf>& needs) {
  std::vector<std::string> parts;
  for (const OneOf& one : needs) {
    parts.push_back(fmt::format("{}", fmt::join(one, " or ")));
  }
  return fmt::format("{}", fmt::join(parts, ", and "));
}

// One line per expectation that depends on a convention that it does not name.
std::vector<std::string> ProblemsOf(const Case& whole) {
  WatchedTestee testee;
  const Case conformance_case = InOneProcess(whole);
  RunCase(conformance_case, testee, testee.Start().conventions);
  std::vector<std::string> problems;
  for (const Expectation& expectation : conformance_case.expect) {
    const auto& needs = testee.NeedsOf(expectation.observation);
    if (!IsJudged(expectation.level) || expectation.is_implied ||
        NamesAll(expectation, needs) ||
        IsPromised(expectation, conformance_case.expect, needs)) {
      continue;
    }
    problems.push_back(fmt::format(
        "{}: {} depends on a batch that is not divisible, or is smaller than "
        "the first: name {} in its `when`, or use divisible batches",
        whole.id,
        expectation.observation.empty() ? "the error" : expectation.observation,
        Describe(needs)));
  }
  return problems;
}

TEST(UnevenBatchesTest, CasesNameTheirConventions) {
  const CaseLoader loader = CaseLoader::OfFolder("conformance");
  for (const Case& conformance_case : loader.cases()) {
    EXPECT_EQ(ProblemsOf(conformance_case), std::vector<std::string>());
  }
}

// Planted cases.

const Json kInputs = {{"let", "inputs"},
                      {"step", "strategy.distribute_dataset"},
                      {"of", "batches"}};
const Json kObserved = {
    {"observe", "sizes"}, {"step", "input.batch_sizes"}, {"of", "inputs"}};

Json Numbers(const Json& stop) {
  return {{"let", "numbers"}, {"step", "dataset.range"}, {"stop", stop}};
}

Json BatchesOf(int size, bool drop_remainder = false) {
  return {{"let", "batches"},
          {"step", "dataset.batch"},
          {"of", "numbers"},
          {"size", size},
          {"drop_remainder", drop_remainder}};
}

Json Examples(int count, const Json& options) {
  Json loader = {{"let", "loader"},
                 {"step", "loader.create"},
                 {"inputs", Json(std::vector<std::vector<int>>(count, {1}))},
                 {"batch", 4}};
  loader.update(options);
  return Json::array(
      {loader,
       {{"observe", "sizes"}, {"step", "loader.elements"}, {"of", "loader"}}});
}

Case CaseOf(Json program, Json replicas) {
  Expectation expectation;
  expectation.observation = "sizes";
  Case planted;
  planted.id = "input/a/b";
  planted.given = {{"strategy", "mirrored"}, {"replicas", std::move(replicas)}};
  planted.program = std::move(program);
  planted.expect = {expectation};
  return planted;
}

Case Divided(int stop, int size, Json replicas, bool drop_remainder = false) {
  return CaseOf(
      {Numbers(stop), BatchesOf(size, drop_remainder), kInputs, kObserved},
      std::move(replicas));
}

using Needs = std::set<OneOf>;

Needs NeedsOf(const Case& planted) {
  WatchedTestee testee;
  RunCase(planted, testee, testee.Start().conventions);
  return testee.NeedsOf("sizes");
}

TEST(WatchedTesteeTest, DivisibleBatchesNeedNothing) {
  EXPECT_EQ(NeedsOf(Divided(8, 4, 2)), Needs());
  EXPECT_EQ(NeedsOf(Divided(8, 4, {1, 2, 4})), Needs());
}

TEST(WatchedTesteeTest, FullBatch) {
  EXPECT_EQ(NeedsOf(Divided(8, 4, 3)), (Needs{kFullOrEnd, kFull}));
  EXPECT_EQ(NeedsOf(Divided(8, 4, {1, 2, 3})), (Needs{kFullOrEnd, kFull}));
}

TEST(WatchedTesteeTest, SmallerLastBatchNeedsEnd) {
  EXPECT_EQ(NeedsOf(Divided(9, 4, 2)), Needs{kEnd});
  EXPECT_EQ(NeedsOf(Divided(10, 4, 2)), Needs{kEnd});
  EXPECT_EQ(NeedsOf(Divided(10, 4, 1)), Needs());
  EXPECT_EQ(NeedsOf(Divided(9, 4, 2, true)), Needs());
}

TEST(WatchedTesteeTest, SingleBatchNeedsFullOrEnd) {
  EXPECT_EQ(NeedsOf(Divided(3, 4, 2)), Needs{kFullOrEnd});
  EXPECT_EQ(NeedsOf(Divided(3, 3, 2)), Needs{kFullOrEnd});
}

TEST(WatchedTesteeTest, EarlierObservationsNeedNothing) {
  const Json before = {{"observe", "sizes"}, {"step", "strategy.context"}};
  Json after = kObserved;
  after["observe"] = "others";
  EXPECT_EQ(NeedsOf(CaseOf({Numbers(9), BatchesOf(4), kInputs, before, after},
                           {2, 4})),
            Needs());
}

TEST(WatchedTesteeTest, UnreachedEndNeedsNothing) {
  const Json iterator = {
      {"let", "iterator"}, {"step", "input.iterator"}, {"of", "inputs"}};
  const Json after = {{"observe", "sizes"}, {"step", "strategy.context"}};
  for (const char* next : {"input.next", "input.next_as_optional"}) {
    const auto read = [&](int times) {
      const Json rounds = {{"step", "program.repeat"},
                           {"times", times},
                           {"program", {{{"step", next}, {"of", "iterator"}}}}};
      return CaseOf(
          {Numbers(9), BatchesOf(4), kInputs, iterator, rounds, after}, 2);
    };
    EXPECT_EQ(NeedsOf(read(2)), Needs()) << next;
    EXPECT_EQ(NeedsOf(read(3)), Needs{kEnd}) << next;
  }
}

TEST(WatchedTesteeTest, BlockThatReads) {
  const Json shape = {
      {"observe", "sizes"}, {"step", "value.shape"}, {"of", "batch"}};
  const Json inside = {{"step", "input.for_each"},
                       {"of", "inputs"},
                       {"as", "batch"},
                       {"program", Json::array({shape})}};
  EXPECT_EQ(NeedsOf(CaseOf({Numbers(9), BatchesOf(4), kInputs, inside}, 2)),
            Needs{kEnd});
}

TEST(WatchedTesteeTest, LoaderMayDecideTheRest) {
  EXPECT_EQ(NeedsOf(CaseOf(Examples(8, Json::object()), 2)), Needs());
  EXPECT_EQ(NeedsOf(CaseOf(Examples(9, Json::object()), 2)), Needs{kEnd});
  EXPECT_EQ(NeedsOf(CaseOf(Examples(9, {{"drop_last", true}}), 2)), Needs());
  EXPECT_EQ(NeedsOf(CaseOf(Examples(9, {{"uneven", "keep"}}), 2)), Needs());
}

TEST(WatchedTesteeTest, ReplicasOfAllWorkersDivideABatch) {
  Case workers = Divided(8, 4, 2);
  workers.given["workers"] = 2;
  workers.given["strategy"] = "multi_worker_mirrored";
  EXPECT_EQ(InOneProcess(workers).given, Divided(8, 4, 4).given);
}

TEST(ProblemsOfTest, ReportsAllMissingConventions) {
  Case planted = Divided(9, 4, 3);
  When& when = planted.expect[0].when;
  when = {{"indivisible_batch", {"split"}}};
  EXPECT_EQ(
      ProblemsOf(planted),
      std::vector<std::string>{
          "input/a/b: sizes depends on a batch that is not divisible, or is "
          "smaller than the first: name end_of_data, and "
          "indivisible_batch, and indivisible_batch or end_of_data in "
          "its `when`, or use divisible batches"});
  when["end_of_data"] = {"split"};
  EXPECT_EQ(ProblemsOf(planted), std::vector<std::string>());
}

TEST(ProblemsOfTest, PromiseNeedsDepartures) {
  Case planted = Divided(8, 4, 3);
  planted.expect.push_back(planted.expect[0]);
  planted.expect[1].departs = true;
  planted.expect[1].when = {{"end_of_data", {"pad"}}};
  EXPECT_EQ(ProblemsOf(planted).size(), 2u);  // the full batches divide neither
  planted.expect[1].when = {{"indivisible_batch", {"error"}}};
  EXPECT_EQ(ProblemsOf(planted), std::vector<std::string>());
}

TEST(ProblemsOfTest, ErrorNeedsOneConvention) {
  Case planted = Divided(9, 4, 3);
  planted.expect[0].relation = Relation::kError;
  planted.expect[0].observation = "";
  planted.expect[0].value = "InvalidArgument";
  planted.expect[0].at_steps = {"input.batch_sizes"};
  EXPECT_EQ(ProblemsOf(planted).size(), 1u);
  planted.expect[0].when = {{"indivisible_batch", {"error"}}};
  EXPECT_EQ(ProblemsOf(planted), std::vector<std::string>());
}

TEST(ProblemsOfTest, OtherLevelsNeedNothing) {
  Case planted = Divided(8, 4, 3);
  EXPECT_EQ(ProblemsOf(planted).size(), 1u);
  planted.expect[0].level = Level::kObserved;
  EXPECT_EQ(ProblemsOf(planted), std::vector<std::string>());
}

}  // namespace
}  // namespace lockstep::conformance
