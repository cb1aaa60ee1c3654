#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <vector>

#include "reference/autodiff/gradient_tape.h"
#include "reference/autodiff/ops/math_ops.h"
#include "reference/base/error_testing.h"
#include "reference/optimizers/decay_schedules.h"
#include "reference/optimizers/update_rules.h"
#include "reference/parameter_server/variables/parameter_servers_testing.h"
#include "reference/parameter_server/variables/partitioners.h"
#include "reference/parameter_server/variables/remote_variable.h"
#include "reference/parameter_server/variables/remote_variable_maker.h"

namespace lockstep {
namespace {

using MakeOptimizer = std::function<std::shared_ptr<Optimizer>()>;

// A table [6, 2] and a bias [2], trained for some steps.
struct Trained {
  VariablePtr table;
  VariablePtr bias;
  std::shared_ptr<Optimizer> optimizer;
};

Trained MakeAll(const MakeOptimizer& make) {
  Trained trained;
  trained.table = MakeVariable({.initial_value =
                                    [] {
                                      return Tensor::Full(Shape{6, 2}, 1.0f);
                                    },
                                .name = "table"});
  trained.bias = MakeVariable({.initial_value =
                                   [] {
                                     return Tensor::FromVector<float>({1, -1});
                                   },
                               .name = "bias"});
  trained.optimizer = make();
  trained.optimizer->Build({trained.table, trained.bias});
  return trained;
}

void Step(const Trained& trained, const std::vector<int64_t>& ids) {
  const std::vector<VariablePtr> variables = {trained.table, trained.bias};
  GradientTape tape;
  const Tensor rows = trained.table->ReadRows(Tensor::FromVector(ids));
  const Tensor sums = ops::Add(rows, trained.bias->Read());
  const Tensor loss = ops::ReduceSum(ops::Multiply(sums, sums));
  trained.optimizer->ApplyGradients(
      ZipRows(tape.SparseGradient(loss, variables), variables));
}

void TrainThreeSteps(const Trained& trained) {
  Step(trained, {0, 5, 0});
  Step(trained, {3, 5});
  Step(trained, {2});
}

struct NamedCase {
  const char* name;
  MakeOptimizer make;
};

const NamedCase kOptimizers[] = {
    {"Sgd", [] { return std::make_shared<Sgd>(SgdOptions{0.125}); }},
    {"Momentum",
     [] {
       return std::make_shared<Sgd>(
           SgdOptions{.learning_rate = 0.125, .momentum = 0.5});
     }},
    {"Adam", [] { return std::make_shared<Adam>(AdamOptions{0.125}); }},
    {"AdamW", [] { return std::make_shared<AdamW>(AdamWOptions{0.125}); }},
    {"Adagrad",
     [] { return std::make_shared<Adagrad>(AdagradOptions{0.125}); }},
    {"RmsProp",
     [] { return std::make_shared<RmsProp>(RmsPropOptions{0.125}); }},
    {"Schedule",
     [] {
       return std::make_shared<Adam>(AdamOptions{
           std::make_shared<const ExponentialDecay>(0.125, 2, 0.5)});
     }},
    {"Clipped",
     [] {
       SgdOptions options{.learning_rate = 0.125};
       options.options.clipnorm = 1.0;
       return std::make_shared<Sgd>(options);
     }},
};

class RemoteOptimizerTest : public testing::TestWithParam<int> {
 protected:
  RemoteOptimizerTest()
      : servers_(GetParam()),
        maker_(servers_.Connect(ParameterServerRole::kCoordinator),
               FixedShardsPartitioner(2)) {}

  Trained MakeRemote(const MakeOptimizer& make) {
    const VariableCreatorScope scope([this](const VariableOptions& options) {
      return maker_.Make(options);
    });
    return MakeAll(make);
  }

  ServersOfTest servers_;
  RemoteVariableMaker maker_;
};

// Where the variables are does not change a bit.
TEST_P(RemoteOptimizerTest, TrainsAsHere) {
  for (const NamedCase& one : kOptimizers) {
    const Trained here = MakeAll(one.make);
    const Trained there = MakeRemote(one.make);
    ASSERT_EQ(ShardsOf(*there.table).size(), 2);
    TrainThreeSteps(here);
    TrainThreeSteps(there);
    EXPECT_TRUE(BitwiseEqual(there.table->Read(), here.table->Read()))
        << one.name;
    EXPECT_TRUE(BitwiseEqual(there.bias->Read(), here.bias->Read()))
        << one.name;
    EXPECT_EQ(there.optimizer->iterations(), 3);
  }
}

TEST_P(RemoteOptimizerTest, SlotsAreBesideTheirVariables) {
  const Trained trained =
      MakeRemote([] { return std::make_shared<Adam>(AdamOptions{0.125}); });
  for (const VariablePtr& variable : {trained.table, trained.bias}) {
    const auto slot = trained.optimizer->Slot(*variable, "velocity");
    const auto shards = ShardsOf(*variable);
    const auto of_slot = ShardsOf(*slot);
    ASSERT_EQ(of_slot.size(), shards.size());
    for (size_t i = 0; i < shards.size(); ++i) {
      EXPECT_EQ(of_slot[i].place.server, shards[i].place.server);
    }
  }
}

// A scheduled function that is run again, because its worker was lost.
TEST_P(RemoteOptimizerTest, AStepThatIsRunAgainIsTakenOnce) {
  const Trained trained =
      MakeRemote([] { return std::make_shared<Sgd>(SgdOptions{0.125}); });
  {
    const ClosureScope scope(1);
    Step(trained, {0, 5});
  }
  const Tensor table = trained.table->Read();
  const Tensor bias = trained.bias->Read();
  {
    const ClosureScope scope(1);
    Step(trained, {0, 5});
  }
  EXPECT_TRUE(BitwiseEqual(trained.table->Read(), table));
  EXPECT_TRUE(BitwiseEqual(trained.bias->Read(), bias));
  EXPECT_EQ(trained.optimizer->iterations(), 1);
}

class OwnRule : public Optimizer {
 public:
  OwnRule()
      : Optimizer(0.5, {.name = "own"},
                  {"Own", {}, [](auto, const kernels::StepScalars&) {}}) {}
};

TEST_P(RemoteOptimizerTest, ARuleOfTheProgramIsRefused) {
  const Trained trained =
      MakeRemote([] { return std::make_shared<OwnRule>(); });
  ExpectError([&] { Step(trained, {0}); }, Code::kUnimplemented,
              "'own' has a rule of the program's own");
}

INSTANTIATE_TEST_SUITE_P(Servers, RemoteOptimizerTest, testing::Values(1, 2),
                         testing::PrintToStringParamName());

}  // namespace
}  // namespace lockstep
