// Distributed input: the program of TensorFlow's document "Distributed Input",
// which reads a dataset's steps in every possible way.
//
//   ./bazelw run //examples:distributed_input
//
// runs each of the document's cells, on as many replicas as it had, and prints
// what they print, below a line with the cell's subject. "Where every example
// goes" is ours: it prints the pipelines themselves.

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "command_line/parse.h"
#include "command_line/program.h"
#include "examples/training_options.h"
#include "reference/lockstep.h"

namespace lockstep::examples {
namespace {

constexpr int64_t kGlobalBatchSize = 16;

Structure TrainStep(const Structure& inputs) {
  const Tensor& features = inputs[0];
  const Tensor& labels = inputs[1];
  return labels - features * 0.3;
}

Dataset PairsOfOnes(int64_t count) {
  const Tensor one = Tensor::FromVector<float>({1});
  return Dataset::FromTensors(Structure::Tuple({one, one})).Repeat(count);
}

// In global batches.
Dataset Ones(int64_t count) {
  return PairsOfOnes(count).Batch(kGlobalBatchSize);
}

void ListTheDevices() {
  Print("Available devices:\n");
  int number = 0;
  for (const Device* device : ListLogicalDevices()) {
    Print("{}) {}\n", number++, device->name());
  }
}

void TrainWithoutAStrategy() {
  for (const Structure& inputs : Ones(100)) {
    Print("{}\n", ToString(TrainStep(inputs)));
  }
}

// One global batch is the data of one step.
void ShowOneElement(Strategy& strategy) {
  DistributedIterator iterator =
      strategy.DistributeDataset(Ones(100)).MakeIterator();
  Print("{}\n", ToString(iterator.GetNext()));
}

// What the program's dataset is, and what the strategy made of it.
void ShowWhereExamplesGo(Strategy& strategy) {
  const Dataset dataset =
      Dataset::Range(24).Shuffle(24, 1).Batch(8).Prefetch(1);
  Print("{}\n\n", ToString(dataset));
  Print("{}\n", ToString(strategy.DistributeDataset(dataset)));
}

// Each worker takes every n-th element, also if the dataset reads files.
void ShardByElements(Strategy& strategy) {
  const Dataset dataset =
      Ones(64).WithOptions({.auto_shard_policy = AutoShardPolicy::kData});
  for (const auto& inputs : strategy.DistributeDataset(dataset)) {
    Print("{}\n", ToString(inputs[0][0].leaf().shape()));
  }
}

// The function shards and prefetches by itself: two batches for each device.
void MakeInputInAFunction(Strategy& strategy) {
  const auto make_dataset = [](const InputContext& context) {
    return PairsOfOnes(64)
        .Shard(context.num_input_pipelines(), context.input_pipeline_id())
        .Batch(context.GetPerReplicaBatchSize(kGlobalBatchSize))
        .Prefetch(2);
  };
  DistributedIterator iterator =
      strategy.DistributeDatasetsFromFunction(make_dataset).MakeIterator();
  Print("{}\n", ToString(iterator.GetNext()));
}

void TrainByALoop(Strategy& strategy) {
  for (const auto& inputs : strategy.DistributeDataset(Ones(100))) {
    Print("Loss is {}\n", ToString(strategy.Run(TrainStep, inputs)));
  }
}

// Five of the seven steps; the next epoch starts again.
void TrainByAnIterator(Strategy& strategy) {
  const DistributedDataset dataset = strategy.DistributeDataset(Ones(100));
  for (int epoch = 0; epoch < 10; ++epoch) {
    DistributedIterator iterator = dataset.MakeIterator();
    for (int step = 0; step < 5; ++step) {
      const auto loss = strategy.Run(TrainStep, iterator.GetNext());
      Print("Loss is {}\n", ToString(loss));
    }
  }
}

// The elements of each replica: "([8], [], [], [])".
std::string LocalResultsText(const std::vector<Structure>& results) {
  std::string text;
  for (const Structure& result : results) {
    text += fmt::format("{}[{}]", text.empty() ? "" : ", ",
                        fmt::join(result.leaf().ToVector<int64_t>(), " "));
  }
  return "(" + text + ")";
}

void LoopWhileThereIsAValue(Strategy& strategy) {
  constexpr int kStepsPerLoop = 5;
  const DistributedDataset dataset =
      strategy.DistributeDataset(Dataset::Range(9).Batch(4));
  DistributedIterator iterator = dataset.MakeIterator();
  for (int step = 0; step < kStepsPerLoop; ++step) {
    const auto data = iterator.GetNextAsOptional();
    if (!data.has_value()) break;
    const auto results = strategy.Run(
        [](const Structure& value) { return value; }, data.GetValue());
    Print("{}\n", LocalResultsText(strategy.LocalResults(results)));
  }
}

// A step with a signature: the types and shapes of the dataset's elements.
void TrainBySignature(Strategy& strategy) {
  const DistributedDataset dataset = strategy.DistributeDataset(Ones(100));
  Print("{}\n", ToString(dataset.element_spec()));
  StepGraph train_step(strategy, [](const Structure& inputs) {
    return Structure::Tuple({inputs[0].leaf() * 2, inputs[1].leaf() * 2});
  });
  for (int epoch = 0; epoch < 5; ++epoch) {
    DistributedIterator iterator = dataset.MakeIterator();
    for (int step = 0; step < 5; ++step) {
      Print("{}\n", ToString(train_step.Run(iterator.GetNext())));
    }
  }
}

// The position of each word in the vocabulary, from 1; 0 for other words.
void MapInAFunction(Strategy& strategy) {
  StrategyScope scope = strategy.Scope();
  const StringLookup layer({.vocabulary = {{"a", "b", "c", "d", "f"}}});
  const auto make_dataset = [layer](const InputContext& context) {
    const Tensor words = Tensor::FromVector<std::string>({"a", "c", "e"});
    return Dataset::FromTensorSlices(words)
        .Repeat()
        .Batch(context.GetPerReplicaBatchSize(4))
        .Shard(context.num_input_pipelines(), context.input_pipeline_id())
        .Map([layer](const Structure& batch) { return layer(batch.leaf()); });
  };
  const DistributedDataset dataset =
      strategy.DistributeDatasetsFromFunction(make_dataset);
  DistributedIterator iterator = dataset.MakeIterator();
  for (int step = 0; step < 3; ++step) {
    Print("{}\n", ToString(iterator.GetNext()));
  }
}

// Each element with its number, which gives the order of the predictions.
void PredictInOrder(Strategy& strategy) {
  const Dataset dataset = Dataset::Range(24).Enumerate().Batch(6);
  const auto predict = [](const Structure& element) {
    return Structure::Tuple({element[0], element[1].leaf() * 2});
  };
  std::map<int64_t, int64_t> result;
  for (const auto& batch : strategy.DistributeDataset(dataset)) {
    for (const Structure& outputs :
         strategy.LocalResults(strategy.Run(predict, batch))) {
      const auto indices = outputs[0].leaf().ToVector<int64_t>();
      const auto values = outputs[1].leaf().ToVector<int64_t>();
      for (size_t i = 0; i < indices.size(); ++i) {
        result[indices[i]] = values[i];
      }
    }
  }
  Print("{}\n", result);
}

void ValuesOfAFunction(Strategy& strategy) {
  const auto values =
      strategy.DistributeValuesFromFunction([](const ValueContext& context) {
        return Tensor::Scalar<int32_t>(
            context.replica_id_in_sync_group.value());
      });
  const auto same = [](const Tensor& value) { return value; };
  for (int step = 0; step < 4; ++step) {
    Print("{}\n", ToString(strategy.Run(same, values)));
  }
}

void ReadAGenerator(Strategy& strategy) {
  const auto start = [] {
    return [random = Random(42)]() mutable -> std::optional<Structure> {
      std::vector<float> row(4);
      for (float& value : row) value = random.UniformFloat();
      return Tensor::FromVector(row);
    };
  };
  const DistributedDataset dataset = strategy.DistributeDataset(
      Dataset::FromGenerator(start, TensorSpec{Shape{4}, DType::kFloat32}));
  DistributedIterator iterator = dataset.MakeIterator();
  const auto same = [](const Structure& value) { return value; };
  for (int step = 0; step < 4; ++step) {
    Print("{}\n", ToString(strategy.Run(same, iterator.GetNext())));
  }
}

// Prints the subject, then runs the cell.
void RunCell(const char* subject, const std::function<void()>& cell) {
  Print("\n# {}\n", subject);
  cell();
}

void RunAll() {
  MirroredStrategy strategy(CpuDevices(4));
  using Cell = void (*)(Strategy&);
  const std::vector<std::pair<const char*, Cell>> cells = {
      {"One global batch", ShowOneElement},
      {"Where every example goes", ShowWhereExamplesGo},
      {"Sharding by elements", ShardByElements},
      {"Input made in a function", MakeInputInAFunction},
      {"A loop over a distributed dataset", TrainByALoop},
      {"An iterator, a number of steps at a time", TrainByAnIterator},
      {"A loop while there is a value", LoopWhileThereIsAValue},
      {"A step with a signature", TrainBySignature},
      {"A layer in the pipeline", MapInAFunction},
      {"Predictions in order", PredictInOrder},
      {"Values from a function", ValuesOfAFunction},
      {"A generator", ReadAGenerator}};
  RunCell("Devices", ListTheDevices);
  RunCell("A loop without a strategy", TrainWithoutAStrategy);
  for (const auto& [subject, cell] : cells) {
    RunCell(subject, [&] { cell(strategy); });
  }
}

}  // namespace
}  // namespace lockstep::examples

int main(int argc, char** argv) {
  return lockstep::RunProgram([&] {
    CLI::App app("Input that a strategy divides, in all the document's ways.",
                 "distributed_input");
    app.footer("Example:\n  ./bazelw run //examples:distributed_input\n");
    const auto status = lockstep::ParseCommandLine(app, argc, argv);
    if (status) return *status;
    lockstep::examples::RunAll();
    return 0;
  });
}
