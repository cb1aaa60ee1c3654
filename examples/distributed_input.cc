// Distributed input: the program of TensorFlow's document "Distributed Input",
// which reads a dataset's steps in every possible way.
//
//   ./bazelw run //examples:distributed_input
//
// prints what the document prints, on as many replicas as it had. The document's
// lookup layer is a plain function here.

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
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

// Pairs of ones, in global batches.
Dataset Ones(int64_t count) {
  const Tensor one = Tensor::FromVector<float>({1});
  return Dataset::FromTensors(Structure::Tuple({one, one}))
      .Repeat(count)
      .Batch(kGlobalBatchSize);
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

// The position of each word in the vocabulary, from 1; 0 for other words.
Structure Lookup(const Structure& words) {
  static const std::vector<std::string> vocabulary = {"a", "b", "c", "d", "f"};
  std::vector<int64_t> indices;
  for (const std::string& word : words.leaf().ToVector<std::string>()) {
    const auto found = std::ranges::find(vocabulary, word);
    const bool known = found != vocabulary.end();
    indices.push_back(known ? found - vocabulary.begin() + 1 : 0);
  }
  return Tensor::FromVector(indices);
}

void MapInAFunction(Strategy& strategy) {
  const auto make_dataset = [](const InputContext& context) {
    const Tensor words = Tensor::FromVector<std::string>({"a", "c", "e"});
    return Dataset::FromTensorSlices(words)
        .Repeat()
        .Batch(context.GetPerReplicaBatchSize(4))
        .Shard(context.num_input_pipelines(), context.input_pipeline_id())
        .Map(Lookup);
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

void RunAll() {
  MirroredStrategy strategy(CpuDevices(4));
  TrainByALoop(strategy);
  TrainByAnIterator(strategy);
  LoopWhileThereIsAValue(strategy);
  MapInAFunction(strategy);
  PredictInOrder(strategy);
  ValuesOfAFunction(strategy);
  ReadAGenerator(strategy);
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
