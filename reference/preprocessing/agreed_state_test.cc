#include "reference/preprocessing/agreed_state.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "reference/autodiff/distribution_context.h"
#include "reference/base/error_testing.h"

namespace lockstep::preprocessing_internal {
namespace {

using Entries = std::vector<std::string>;

// The replica of worker 0 of two, whose other worker has other entries. It
// counts the exchanges.
class WorkerOfTwo : public DistributionContext {
 public:
  bool has_strategy() const override { return true; }
  int num_workers() const override { return 2; }
  std::vector<std::vector<Tensor>> GatherFromWorkers(
      std::string_view /*operation*/,
      const std::function<std::vector<Tensor>()>& local) override {
    ++exchanges;
    const std::vector<Tensor> first = local();
    std::swap(mine, others);
    const std::vector<Tensor> other = local();
    std::swap(mine, others);
    return {first, other};
  }

  Entries mine, others;
  int exchanges = 0;
};

// Checks it as often as given.
void Check(WorkerOfTwo& context, const AgreedState& state, int times = 1) {
  const DistributionContextScope scope(context);
  for (int i = 0; i < times; ++i) {
    state.CheckInRun("words", [&](const StateVisitor& visit) {
      for (const std::string& entry : context.mine) visit(entry);
    });
  }
}

Entries Numbered(int count) {
  Entries entries;
  for (int i = 0; i < count; ++i) {
    entries.push_back("word " + std::to_string(i));
  }
  return entries;
}

TEST(AgreedStateTest, EqualStatesAreComparedOnce) {
  WorkerOfTwo context;
  context.mine = context.others = Numbered(3000);
  AgreedState state;
  Check(context, state, 3);
  EXPECT_EQ(context.exchanges, 1);
  state.Changed();
  Check(context, state, 2);
  EXPECT_EQ(context.exchanges, 2);
}

TEST(AgreedStateTest, TheFirstDifferenceIsNamed) {
  for (const int at : {0, 1023, 1024, 2047, 2999}) {
    WorkerOfTwo context;
    context.mine = context.others = Numbered(3000);
    context.others[at] = "another";
    ExpectError(
        [&] { Check(context, AgreedState()); }, Code::kFailedPrecondition,
        "entry " + std::to_string(at) + " is \"word " + std::to_string(at) +
            "\" on worker 0, \"another\" on worker 1");
  }
}

TEST(AgreedStateTest, AShorterStateEnds) {
  for (const int common : {0, 1, 1024, 1500}) {
    WorkerOfTwo context;
    context.mine = context.others = Numbered(common);
    context.mine.push_back("more");
    ExpectError([&] { Check(context, AgreedState()); },
                Code::kFailedPrecondition,
                "is \"more\" on worker 0, \"nothing more\" on worker 1");
  }
}

TEST(AgreedStateTest, EntriesAreNotJoined) {
  WorkerOfTwo context;
  context.mine = {"ab", "c"};
  context.others = {"a", "bc"};
  EXPECT_EQ(CodeOf([&] { Check(context, AgreedState()); }),
            Code::kFailedPrecondition);
}

TEST(AgreedStateTest, NothingIsComparedElsewhere) {
  const AgreedState state;
  state.CheckInRun("words", [](const StateVisitor&) { ADD_FAILURE(); });
}

}  // namespace
}  // namespace lockstep::preprocessing_internal
