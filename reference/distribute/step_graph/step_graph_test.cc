// A captured step returns the same bits as eager steps.

#include "reference/distribute/step_graph/step_graph.h"

#include <optional>

#include "reference/distribute/gradient_buckets.h"
#include "reference/distribute/step_graph/step_graph_testing.h"
#include "reference/kernels/elementwise/in_place.h"

namespace lockstep {
namespace {

TEST_P(StepGraphAgainstEagerTest, EveryStepGivesTheSameBits) {
  for (int i = 0; i < 8; ++i) Train(Batch(i));
  ExpectCounts(1, 1, 7);
}

TEST_P(StepGraphAgainstEagerTest, ShortLastBatchHasItsOwnGraph) {
  for (int epoch = 0; epoch < 3; ++epoch) {
    Train(Batch(epoch, 4));
    Train(Batch(epoch + 1, 4));
    Train(Batch(epoch + 2, 1));
  }
  ExpectCounts(2, 2, 7);
}

TEST_P(StepGraphAgainstEagerTest, SeesAssignmentsBetweenSteps) {
  for (int i = 0; i < 6; ++i) {
    Train(Batch(i));
    if (i % 2 == 0) continue;
    for (const Model* model : {&eager_, &graphed_}) {
      model->weights->Assign(Row({4.0f - i, 1, 0.5f}));
    }
  }
  ExpectCounts(1, 1, 5);  // into the memory that the graph reads
}

TEST_P(StepGraphAgainstEagerTest, HeldTensorKeepsItsElements) {
  for (int i = 0; i < 3; ++i) Train(Batch(i));
  const Tensor held = graphed_.weights->Read();
  const std::vector<float> elements = held.ToVector<float>();
  Train(Batch(3));  // eagerly, into other memory
  Train(Batch(4));  // captured again
  Train(Batch(5));
  EXPECT_EQ(held.ToVector<float>(), elements);
  EXPECT_NE(graphed_.weights->Read().ToVector<float>(), elements);
  ExpectCounts(2, 2, 4);
}

TEST_P(StepGraphAgainstEagerTest, TensorHeldSinceTheFirstStepIsFine) {
  Train(Batch(0));
  const Tensor held = graphed_.weights->Read();
  const std::vector<float> elements = held.ToVector<float>();
  for (int i = 1; i < 5; ++i) Train(Batch(i));
  EXPECT_EQ(held.ToVector<float>(), elements);
  ExpectCounts(1, 1, 4);
}

TEST_P(StepGraphAgainstEagerTest, ResultsDoNotChangeLater) {
  for (int i = 0; i < 3; ++i) Train(Batch(i));
  const PerReplica<Tensor> losses = graph_.Run(Batch(3));
  std::vector<float> values;
  for (const Tensor& loss : losses) values.push_back(loss.item<float>());
  graph_.Run(Batch(4));
  for (int r = 0; r < replicas(); ++r) {
    EXPECT_EQ(losses[r].item<float>(), values[r]);
  }
}

TEST_P(StepGraphAgainstEagerTest, GraphMemoryIsPrivate) {
  for (int i = 0; i < 2; ++i) Train(Batch(i));
  std::vector<Tensor> others;
  for (int r = 0; r < replicas(); ++r) {
    for (const int64_t size : {1, 3, 6, 50, 64, 100, 200, 500}) {
      for (int i = 0; i < 20; ++i) {
        others.push_back(Tensor::Full(Shape{size}, 9.5f, fake_.gpu(r)));
      }
    }
  }
  for (int i = 2; i < 4; ++i) Train(Batch(i));
  for (const Tensor& other : others) {
    for (const float element : other.ToVector<float>()) {
      ASSERT_EQ(element, 9.5f);
    }
  }
  ExpectCounts(1, 1, 3);
}

TEST_P(StepGraphAgainstEagerTest, CopiesHostBatchesBeforeTheLaunch) {
  for (int i = 0; i < 4; ++i) {
    const PerReplica<Structure> batch = Batch(i);
    const PerReplica<Structure> on_host = batch.Map([](const Structure& part) {
      return part.Map<Tensor>([](const Tensor& leaf) { return leaf.ToHost(); });
    });
    const PerReplica<Tensor> wanted = strategy_->Run(
        [&](const Structure& part) { return eager_.Step(part); }, batch);
    ExpectSameBits(graph_.Run(on_host), wanted);
  }
  ExpectCounts(1, 1, 3);
}

TEST_P(StepGraphAgainstEagerTest, FailedLaunchChangesNothing) {
  for (int i = 0; i < 3; ++i) Train(Batch(i));
  fake_.FailNextLaunch(0);
  EXPECT_EQ(CodeOf([&] { graph_.Run(Batch(3)); }), Code::kInternal);
  for (int i = 3; i < 6; ++i) Train(Batch(i));
  ExpectCounts(1, 2, 5);
}

INSTANTIATE_TEST_SUITE_P(Replicas, StepGraphAgainstEagerTest,
                         testing::Values(1, 2));

TEST_P(StepGraphTest, DroppedGraphFreesItsMemory) {
  const auto strategy = MakeGpuStrategy();
  const Model model(*strategy);
  const auto step = [&](const Structure& part) { return model.Step(part); };
  strategy->Run(step, Batch(0));
  const int64_t before = BytesInUse();
  {
    StepGraph graph(*strategy, step);
    for (int i = 0; i < 3; ++i) graph.Run(Batch(i));
    EXPECT_GT(BytesInUse(), before);
  }
  EXPECT_EQ(BytesInUse(), before);
}

TEST_P(StepGraphTest, KeepsTheGraphsUsedLast) {
  const auto strategy = MakeGpuStrategy();
  const Model model(*strategy);
  StepGraph graph(
      *strategy, [&](const Structure& part) { return model.Step(part); },
      StepGraphOptions{.max_graphs = 2});
  for (const int64_t rows : {1, 1, 2, 2, 1, 3}) graph.Run(Batch(0, rows));
  EXPECT_EQ(graph.statistics().captures, 2);
  graph.Run(Batch(0, 1));  // still cached
  EXPECT_EQ(graph.statistics().eager_steps, 3);
  graph.Run(Batch(0, 2));  // dropped
  EXPECT_EQ(graph.statistics().eager_steps, 4);
}

TEST_P(StepGraphTest, ReturnedVariableStaysInPlace) {
  const auto strategy = MakeGpuStrategy();
  const Model model(*strategy);
  StepGraph graph(*strategy, [&](const Structure& part) {
    const Tensor loss = model.Step(part);
    return Structure::Tuple({loss, model.weights->Read(), part[0]});
  });
  for (int i = 0; i < 4; ++i) {
    const PerReplica<Structure> batch = Batch(i);
    const PerReplica<Structure> results = graph.Run(batch);
    EXPECT_TRUE(BitwiseEqual(results[0][1].leaf(), model.weights->Read()));
    EXPECT_TRUE(BitwiseEqual(results[0][2].leaf(), batch[0][0].leaf()));
  }
  EXPECT_EQ(graph.statistics().captures, 1);
}

TEST_P(StepGraphTest, StepThatMovesAVariableRunsEagerly) {
  const auto strategy = MakeGpuStrategy();
  const LogCapture log;
  const Model eager(*strategy);
  const Model model(*strategy);
  StepGraph graph(*strategy, [&](const Structure& part) {
    const Tensor held = model.weights->Read();
    return model.Step(part);
  });
  for (int i = 0; i < 5; ++i) {
    const PerReplica<Tensor> wanted = strategy->Run(
        [&](const Structure& part) { return eager.Step(part); }, Batch(i));
    ExpectSameBits(graph.Run(Batch(i)), wanted);
  }
  EXPECT_EQ(graph.statistics().eager_steps, 4);
  ASSERT_EQ(log.lines().size(), 1u);
  EXPECT_NE(log.lines()[0].find("moves variable 'weights"), std::string::npos);
}

TEST_P(StepGraphTest, RunsEagerlyOnTheHostAndWithStrings) {
  SetLogicalCpuDevices(replicas());
  const auto strategy = MakeMirrored("CPU:");
  int calls = 0;
  StepGraph graph(*strategy, [&](const Structure& part) {
    if (GetReplicaContext().replica_id_in_sync_group().value() == 0) ++calls;
    return part.leaf();
  });
  const PerReplica<Structure> batch(
      std::vector<Structure>(replicas(), Structure(Row({1, 2}))));
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(graph.Run(batch)[0].ToVector<float>(),
              (std::vector<float>{1, 2}));
  }
  EXPECT_EQ(calls, 4);
  const auto gpus = MakeGpuStrategy();
  StepGraph on_gpus(*gpus, [&](const Structure& part) { return part.leaf(); });
  const PerReplica<Structure> words(std::vector<Structure>(
      replicas(), Structure(Tensor::FromVector<std::string>({"a"}))));
  for (int i = 0; i < 4; ++i) on_gpus.Run(words);
  EXPECT_EQ(on_gpus.statistics().eager_steps, 4);
}

INSTANTIATE_TEST_SUITE_P(Replicas, StepGraphTest, testing::Values(1, 2));

}  // namespace

// What cannot be captured is a typed error, changes nothing, and the step can
// be used afterwards.

namespace {

class StepGraphErrorsTest : public StepGraphTest {
 protected:
  // The error of the second step, which is captured, if it ends with `extra`.
  // The model must then be unchanged, and training must continue.
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

  static int Id() {
    return GetReplicaContext().replica_id_in_sync_group().value();
  }
};

TEST_P(StepGraphErrorsTest, HostReads) {
  EXPECT_EQ(WhyNotCaptured([](const Model&, const Tensor& loss) {
              if (Id() == 0) loss.item<float>();
            }),
            "FailedPrecondition: [StepGraph] 4 bytes were read by the host "
            "from GPU:0 while the step is captured as a graph; return the "
            "tensor from the step, or read it between steps");
}

TEST_P(StepGraphErrorsTest, HostWaitsOrSends) {
  const std::string wait = WhyNotCaptured([](const Model&, const Tensor& loss) {
    loss.device().memory()->Synchronize();
  });
  EXPECT_TRUE(wait.starts_with("FailedPrecondition: [StepGraph] the host"));
  const std::string send = WhyNotCaptured(
      [](const Model&, const Tensor&) { Tensor::FromVector<float>({1}); });
  EXPECT_TRUE(send.starts_with("FailedPrecondition: [StepGraph] 4 bytes"));
}

TEST_P(StepGraphErrorsTest, ExceptionOnAnyReplica) {
  for (int failing = 0; failing < replicas(); ++failing) {
    EXPECT_EQ(WhyNotCaptured([&](const Model&, const Tensor& loss) {
                if (Id() == failing) throw DataLoss("[Test] {}", failing);
                GetReplicaContext().AllReduce(ReduceOp::kSum, loss);
              }),
              "DataLoss: [Test] " + std::to_string(failing));
  }
}

// No memory is returned to a GPU during a capture; afterwards the step is
// retried.
TEST_P(StepGraphErrorsTest, RetriesAfterLackOfMemory) {
  const auto strategy = MakeGpuStrategy();
  const Model model(*strategy);
  int calls = 0;
  int failures = 0;  // coming calls without memory
  StepGraph graph(*strategy, [&](const Structure& part) {
    Tensor loss = model.Step(part);
    if (Id() > 0) return loss;
    ++calls;
    if (failures > 0) {
      --failures;
      throw ResourceExhausted("[Test] {}", "no memory");
    }
    return loss;
  });
  graph.Run(Batch(0));
  failures = 1;
  graph.Run(Batch(1));
  EXPECT_EQ(calls, 1 + 2);
  EXPECT_EQ(graph.statistics().captures, 1);
  EXPECT_EQ(graph.statistics().launches, 1);
  graph.Run(Batch(0, 3));
  failures = 2;
  EXPECT_THROW(graph.Run(Batch(1, 3)), Error);
  EXPECT_EQ(failures, 0);
}

TEST_P(StepGraphErrorsTest, NewVariable) {
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

TEST_P(StepGraphErrorsTest, HostVariable) {
  const VariablePtr counter = std::make_shared<LocalVariable>(VariableOptions{
      .initial_value = [] { return Tensor::Scalar(1.0f, Device::Host()); },
      .name = "counter"});
  EXPECT_EQ(
      WhyNotCaptured([&](const Model&, const Tensor&) { counter->Read(); }),
      "FailedPrecondition: [StepGraph] variable 'counter' is on CPU:0 and is "
      "read while the step is captured as a graph, which cannot use the host's "
      "memory; make it on the replica's GPU");
}

// The variable moves to memory that is never written.
TEST_P(StepGraphErrorsTest, ExceptionAfterAVariableMoved) {
  EXPECT_EQ(WhyNotCaptured([](const Model& model, const Tensor&) {
              const Tensor held = model.weights->Read();
              model.weights->AssignAdd(held);
              throw OutOfRange("[Test] {}", "late");
            }),
            "OutOfRange: [Test] late");
}

TEST_P(StepGraphErrorsTest, HostResult) {
  const auto strategy = MakeGpuStrategy();
  StepGraph graph(*strategy, [](const Structure&) {
    return Tensor::Scalar(1.0f, Device::Host());
  });
  graph.Run(Batch(0));
  EXPECT_EQ(CodeOf([&] { graph.Run(Batch(0)); }), Code::kFailedPrecondition);
}

TEST_P(StepGraphErrorsTest, WrongCallsFailAsInRun) {
  const auto strategy = MakeGpuStrategy();
  StepGraph graph(*strategy, [](const Structure& part) { return part; });
  EXPECT_EQ(CodeOf([&] { graph.Run(PerReplica<Structure>()); }),
            Code::kInvalidArgument);
  for (int i = 0; i < 4; ++i) {  // also with a graph
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

// A captured step sums its gradients in buckets during the backward pass, as an
// eager one does.

namespace {

enum class Sums { kAtOnce, kInBuckets };

// A straight line through the points of all replicas, by gradient descent.
class Line {
 public:
  Line(Strategy& strategy, Sums sums) : sums_(sums) {
    StrategyScope scope = strategy.Scope();
    for (const char* name : {"slope", "offset"}) {
      weights_.push_back(MakeVariable({.initial_value =
                                           [] {
                                             return Row({1, 2, 3});
                                           },
                                       .name = name}));
    }
  }

  Tensor Step(const Structure& batch) const {
    GradientTape tape;
    const Tensor error = ops::Subtract(
        ops::Add(ops::Multiply(batch[0].leaf(), weights_[0]->Read()),
                 weights_[1]->Read()),
        batch[1].leaf());
    const Tensor loss = ops::ReduceSum(ops::Multiply(error, error));
    const std::vector<Tensor> sums = Summed(tape, loss);
    for (size_t i = 0; i < weights_.size(); ++i) {
      weights_[i]->Update("Descend", std::array{ops::Scale(sums[i], 0.01)},
                          [](Tensor& weight, std::span<const Tensor> inputs) {
                            kernels::SubtractInPlace(weight, inputs[0]);
                          });
    }
    return loss;
  }

  const std::vector<VariablePtr>& weights() const { return weights_; }

 private:
  std::vector<Tensor> Summed(GradientTape& tape, const Tensor& loss) const {
    ReplicaContext& replica = GetReplicaContext();
    if (sums_ == Sums::kAtOnce) {
      return replica.AllReduce(ReduceOp::kSum,
                               Values(tape.Gradient(loss, weights_)));
    }
    GradientBuckets buckets(replica, weights_.size(),
                            {.first = 1, .others = 1});
    tape.Gradient(loss, weights_, buckets.on_ready());
    return Values(buckets.Finish());
  }

  static std::vector<Tensor> Values(const Gradients& gradients) {
    std::vector<Tensor> values;
    for (const auto& gradient : gradients) values.push_back(gradient.value());
    return values;
  }

  const Sums sums_;
  std::vector<VariablePtr> weights_;
};

class BucketedStepGraphTest : public StepGraphTest {
 protected:
  void ExpectSameWeights(const Line& got, const Line& wanted) {
    for (size_t i = 0; i < got.weights().size(); ++i) {
      ExpectSameBits(
          strategy_->Run([&] { return got.weights()[i]->Read(); }),
          strategy_->Run([&] { return wanted.weights()[i]->Read(); }));
    }
  }

  std::unique_ptr<MirroredStrategy> strategy_ = MakeGpuStrategy();
  Line eager_{*strategy_, Sums::kAtOnce};
  Line graphed_{*strategy_, Sums::kInBuckets};
  StepGraph<Tensor> graph_{*strategy_, [this](const Structure& part) {
                             return graphed_.Step(part);
                           }};
};

TEST_P(BucketedStepGraphTest, EqualsOneEagerAllReduce) {
  for (int i = 0; i < 6; ++i) {
    const PerReplica<Structure> batch = Batch(i);
    const PerReplica<Tensor> wanted = strategy_->Run(
        [&](const Structure& part) { return eager_.Step(part); }, batch);
    ExpectSameBits(graph_.Run(batch), wanted);
    ExpectSameWeights(graphed_, eager_);
  }
  EXPECT_EQ(graph_.statistics().captures, 1);
  EXPECT_EQ(graph_.statistics().launches, 5);
}

INSTANTIATE_TEST_SUITE_P(Replicas, BucketedStepGraphTest,
                         testing::Values(1, 2));

}  // namespace
}  // namespace lockstep
