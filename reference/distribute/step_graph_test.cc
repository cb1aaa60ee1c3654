// A captured step gives what eager steps give, bit by bit.
#include "reference/distribute/step_graph.h"

#include "reference/distribute/step_graph_testing.h"

namespace lockstep {
namespace {

TEST_P(StepGraphAgainstEagerTest, EveryStepGivesTheSameBits) {
  for (int i = 0; i < 8; ++i) Train(Batch(i));
  ExpectCounts(1, 1, 7);
}

TEST_P(StepGraphAgainstEagerTest, AShortLastBatchHasAGraphOfItsOwn) {
  for (int epoch = 0; epoch < 3; ++epoch) {
    Train(Batch(epoch, 4));
    Train(Batch(epoch + 1, 4));
    Train(Batch(epoch + 2, 1));
  }
  ExpectCounts(2, 2, 7);
}

TEST_P(StepGraphAgainstEagerTest, WhatIsAssignedBetweenStepsCounts) {
  for (int i = 0; i < 6; ++i) {
    Train(Batch(i));
    if (i % 2 == 0) continue;
    for (const Model* model : {&eager_, &graphed_}) {
      model->weights->Assign(Row({4.0f - i, 1, 0.5f}));
    }
  }
  ExpectCounts(1, 1, 5);  // into the memory that the graph reads
}

TEST_P(StepGraphAgainstEagerTest, ATensorThatSomebodyHoldsKeepsItsElements) {
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

TEST_P(StepGraphAgainstEagerTest, ATensorHeldSinceTheFirstStepDoesNoHarm) {
  Train(Batch(0));
  const Tensor held = graphed_.weights->Read();
  const std::vector<float> elements = held.ToVector<float>();
  for (int i = 1; i < 5; ++i) Train(Batch(i));
  EXPECT_EQ(held.ToVector<float>(), elements);
  ExpectCounts(1, 1, 4);
}

TEST_P(StepGraphAgainstEagerTest, ResultsStayWhatTheyWere) {
  for (int i = 0; i < 3; ++i) Train(Batch(i));
  const PerReplica<Tensor> losses = graph_.Run(Batch(3));
  std::vector<float> values;
  for (const Tensor& loss : losses) values.push_back(loss.item<float>());
  graph_.Run(Batch(4));
  for (int r = 0; r < replicas(); ++r) {
    EXPECT_EQ(losses[r].item<float>(), values[r]);
  }
}

TEST_P(StepGraphAgainstEagerTest, NobodyElseGetsTheMemoryOfAGraph) {
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

TEST_P(StepGraphAgainstEagerTest, HostsBatchesAreCopiedBeforeTheLaunch) {
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

TEST_P(StepGraphAgainstEagerTest, AFailedLaunchChangesNothing) {
  for (int i = 0; i < 3; ++i) Train(Batch(i));
  fake_.FailNextLaunch(0);
  EXPECT_EQ(CodeOf([&] { graph_.Run(Batch(3)); }), Code::kInternal);
  for (int i = 3; i < 6; ++i) Train(Batch(i));
  ExpectCounts(1, 2, 5);
}

INSTANTIATE_TEST_SUITE_P(Replicas, StepGraphAgainstEagerTest,
                         testing::Values(1, 2));

TEST_P(StepGraphTest, AGraphThatIsGoneGivesItsMemoryBack) {
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
  graph.Run(Batch(0, 1));  // still there
  EXPECT_EQ(graph.statistics().eager_steps, 3);
  graph.Run(Batch(0, 2));  // forgotten
  EXPECT_EQ(graph.statistics().eager_steps, 4);
}

TEST_P(StepGraphTest, AVariableThatAStepReturnsStaysWhereItIs) {
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

TEST_P(StepGraphTest, AStepThatMovesAVariableRunsEagerly) {
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

TEST_P(StepGraphTest, OnTheHostAndWithStringsStepsRunAsEver) {
  SetLogicalCpuDevices(replicas());
  const auto strategy = MakeMirrored("CPU:");
  int calls = 0;
  StepGraph graph(*strategy, [&](const Structure& part) {
    if (GetReplicaContext().replica_id_in_sync_group() == 0) ++calls;
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
}  // namespace lockstep
