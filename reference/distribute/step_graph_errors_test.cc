// What no graph can hold is a typed error, changes nothing and leaves everything
// usable.
#include "reference/distribute/step_graph_testing.h"

namespace lockstep {
namespace {

class StepGraphErrorsTest : public StepGraphTest {
 protected:
  // What the second step, which is captured, throws when it does `extra` at its
  // end; then the model must not have changed, and must go on.
  template <typename Extra>
  std::string WhyNotCaptured(Extra extra) {
    const auto strategy = MakeGpuStrategy();
    const Model model(*strategy);
    bool now = false;
    StepGraph graph(*strategy, [&](const Structure& part) {
      Tensor loss = model.Step(part);
      if (now) extra(model, loss);
      return loss;
    });
    graph.Run(Batch(0));
    const std::vector<float> before = model.weights->Read().ToVector<float>();
    now = true;
    std::string message = "no error";
    try {
      graph.Run(Batch(1));
    } catch (const Error& error) {
      message = std::string(CodeName(error.code())) + ": " + error.what();
    }
    EXPECT_EQ(model.weights->Read().ToVector<float>(), before);
    now = false;
    for (int i = 1; i < 4; ++i) graph.Run(Batch(i));
    EXPECT_EQ(graph.statistics().launches, 3);
    EXPECT_NE(model.weights->Read().ToVector<float>(), before);
    return message;
  }

  static int Id() { return GetReplicaContext().replica_id_in_sync_group(); }
};

TEST_P(StepGraphErrorsTest, AHostThatReads) {
  EXPECT_EQ(WhyNotCaptured([](const Model&, const Tensor& loss) {
              if (Id() == 0) loss.item<float>();
            }),
            "FailedPrecondition: [StepGraph] 4 bytes were read by the host "
            "from GPU:0 while the step is captured as a graph; return the "
            "tensor from the step, or read it between steps");
}

TEST_P(StepGraphErrorsTest, AHostThatWaitsOrSends) {
  const std::string wait = WhyNotCaptured([](const Model&, const Tensor& loss) {
    loss.device().memory()->Synchronize();
  });
  EXPECT_TRUE(wait.starts_with("FailedPrecondition: [StepGraph] the host"));
  const std::string send = WhyNotCaptured(
      [](const Model&, const Tensor&) { Tensor::FromVector<float>({1}); });
  EXPECT_TRUE(send.starts_with("FailedPrecondition: [StepGraph] 4 bytes"));
}

TEST_P(StepGraphErrorsTest, AnExceptionOnAnyReplica) {
  for (int failing = 0; failing < replicas(); ++failing) {
    EXPECT_EQ(WhyNotCaptured([&](const Model&, const Tensor& loss) {
                if (Id() == failing) throw DataLoss("[Test] {}", failing);
                GetReplicaContext().AllReduce(ReduceOp::kSum, loss);
              }),
              "DataLoss: [Test] " + std::to_string(failing));
  }
}

// Within a capture nothing is returned to a GPU; behind it is tried once more.
TEST_P(StepGraphErrorsTest, ALackOfMemoryIsTriedOnceMore) {
  const auto strategy = MakeGpuStrategy();
  const Model model(*strategy);
  int calls = 0;
  int lacks = 0;  // calls to come that have no memory
  StepGraph graph(*strategy, [&](const Structure& part) {
    Tensor loss = model.Step(part);
    if (Id() > 0) return loss;
    ++calls;
    if (lacks > 0) {
      --lacks;
      throw ResourceExhausted("[Test] {}", "no memory");
    }
    return loss;
  });
  graph.Run(Batch(0));
  lacks = 1;
  graph.Run(Batch(1));
  EXPECT_EQ(calls, 1 + 2);
  EXPECT_EQ(graph.statistics().captures, 1);
  EXPECT_EQ(graph.statistics().launches, 1);
  graph.Run(Batch(0, 3));
  lacks = 2;
  EXPECT_THROW(graph.Run(Batch(1, 3)), Error);
  EXPECT_EQ(lacks, 0);
}

TEST_P(StepGraphErrorsTest, AVariableThatIsMade) {
  const std::string why = WhyNotCaptured([](const Model&, const Tensor&) {
    GetReplicaContext().MergeCall([](Strategy&) {
      MakeVariable({.initial_value = [] { return Tensor::Zeros(Shape{2}); },
                    .name = "late"});
    });
  });
  EXPECT_EQ(why,
            "FailedPrecondition: [StepGraph] variable 'late' is made while the "
            "step is captured as a graph; make it before, or in the step's "
            "first call");
}

TEST_P(StepGraphErrorsTest, AVariableOfTheHosts) {
  const VariablePtr counter = std::make_shared<LocalVariable>(VariableOptions{
      .initial_value = [] { return Tensor::Scalar(1.0f, Device::Host()); },
      .name = "counter"});
  EXPECT_EQ(
      WhyNotCaptured([&](const Model&, const Tensor&) { counter->Read(); }),
      "FailedPrecondition: [StepGraph] variable 'counter' lies on CPU:0 and is "
      "read while the step is captured as a graph, which the host has no part "
      "in; make it on the replica's GPU");
}

// The variable moves, into memory that nobody writes.
TEST_P(StepGraphErrorsTest, AnExceptionAfterAVariableMoved) {
  EXPECT_EQ(WhyNotCaptured([](const Model& model, const Tensor&) {
              const Tensor held = model.weights->Read();
              model.weights->AssignAdd(held);
              throw OutOfRange("[Test] {}", "late");
            }),
            "OutOfRange: [Test] late");
}

TEST_P(StepGraphErrorsTest, AResultOfTheHosts) {
  const auto strategy = MakeGpuStrategy();
  StepGraph graph(*strategy, [](const Structure&) {
    return Tensor::Scalar(1.0f, Device::Host());
  });
  graph.Run(Batch(0));
  EXPECT_EQ(CodeOf([&] { graph.Run(Batch(0)); }), Code::kFailedPrecondition);
}

TEST_P(StepGraphErrorsTest, WrongCallsAreThoseOfRun) {
  const auto strategy = MakeGpuStrategy();
  StepGraph graph(*strategy, [](const Structure& part) { return part; });
  EXPECT_EQ(CodeOf([&] { graph.Run(PerReplica<Structure>()); }),
            Code::kInvalidArgument);
  for (int i = 0; i < 4; ++i) {  // also when there is a graph
    EXPECT_EQ(CodeOf([&] { strategy->Run([&] { graph.Run(Batch(0)); }); }),
              Code::kFailedPrecondition);
    graph.Run(Batch(0));
  }
  const auto none = [](const Structure& part) { return part; };
  EXPECT_EQ(CodeOf([&] {
              StepGraph(*strategy, none, StepGraphOptions{.max_graphs = 0});
            }),
            Code::kInvalidArgument);
}

INSTANTIATE_TEST_SUITE_P(Replicas, StepGraphErrorsTest, testing::Values(1, 2));

}  // namespace
}  // namespace lockstep
