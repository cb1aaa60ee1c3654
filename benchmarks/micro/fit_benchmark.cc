// The overhead of Model::Fit over a hand-written loop.
//
//   ./bazelw run //benchmarks/micro:fit_benchmark
//
// One epoch of the Fashion-MNIST CNN, or of a model so small that hardly
// anything but the loop is left, by Fit and by the documents' loop: the same
// steps on the same batches. items_per_second counts steps, images_per_second
// what benchmarks/peers/compare.py compares with Keras' fit. Every run is
// checked: the same loss at the end of the first epoch.
//
// Runs of both take turns with --benchmark_enable_random_interleaving=true.
#include <benchmark/benchmark.h>
#include <fmt/core.h>

#include <cmath>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "benchmarks/measurement/result_entry.h"
#include "benchmarks/micro/benchmark_options.h"
#include "benchmarks/workloads/fashion_mnist_cnn.h"
#include "image_datasets/embedded/choose_fashion_mnist.h"
#include "image_datasets/image_data.h"
#include "reference/autodiff/gradient_tape.h"
#include "reference/base/log.h"
#include "reference/device/device.h"
#include "reference/distribute/mirrored_strategy.h"
#include "reference/layers/core_layers.h"
#include "reference/layers/initializers.h"
#include "reference/losses/cross_entropy.h"
#include "reference/metrics/accuracy.h"
#include "reference/metrics/metric.h"
#include "reference/optimizers/update_rules.h"
#include "reference/training/model/model.h"

namespace lockstep::benchmarks {
namespace {

constexpr int64_t kBatchPerReplica = 64;

struct FitCase {
  std::string model;
  std::string loop;
  int replicas = 1;
  int64_t steps = 100;  // of an epoch

  int64_t global_batch_size() const { return kBatchPerReplica * replicas; }
};

Sequential MakeModel(const FitCase& what) {
  if (what.model == "dense_10") return Sequential({Flatten(), Dense(10)});
  return MakeFashionMnistCnn();
}

Dataset Batches(const FitCase& what) {
  static const ImageData images = Scaled(ChooseFashionMnist("auto").data);
  return ToDataset(images.train)
      .Shuffle(images.train.size(), /*seed=*/1)
      .Batch(what.global_batch_size())
      .Take(what.steps);
}

losses::SparseCategoricalCrossentropy LossOf(losses::Reduction reduction) {
  return losses::SparseCategoricalCrossentropy(
      {.from_logits = true, .reduction = reduction});
}

std::unique_ptr<MirroredStrategy> MakeStrategy(int replicas) {
  LogCapture quiet;
  SetLogicalCpuDevices(replicas);
  std::vector<std::string> devices;
  for (int i = 0; i < replicas; ++i)
    devices.push_back(fmt::format("CPU:{}", i));
  return std::make_unique<MirroredStrategy>(devices);
}

// The loop of the document on custom training.
class HandWritten {
 public:
  HandWritten(Strategy& strategy, const FitCase& what)
      : strategy_(strategy),
        global_batch_size_(what.global_batch_size()),
        data_(strategy.DistributeDataset(Batches(what))),
        model_(MakeModel(what)) {}

  double Epoch() {
    loss_.ResetState();
    accuracy_.ResetState();
    for (const PerReplica<Structure>& batch : data_) {
      strategy_.Run([&](const Structure& part) { Step(part); }, batch);
    }
    benchmark::DoNotOptimize(accuracy_.Result());
    // A mean over parts: each replica adds one per batch.
    return loss_.Result() * strategy_.num_replicas_in_sync();
  }

 private:
  void Step(const Structure& part) {
    GradientTape tape;
    const Tensor logits = model_(part[0], /*training=*/true);
    const Tensor loss =
        ComputeAverageLoss(cross_entropy_(part[1], logits),
                           {.global_batch_size = global_batch_size_});
    const auto variables = model_.trainable_variables();
    adam_.ApplyGradients(Zip(tape.Gradient(loss, variables), variables));
    loss_.UpdateState(loss);
    accuracy_.UpdateState(part[1], logits);
  }

  Strategy& strategy_;
  const int64_t global_batch_size_;
  const DistributedDataset data_;
  const Sequential model_;
  const losses::SparseCategoricalCrossentropy cross_entropy_ =
      LossOf(losses::Reduction::kNone);
  Adam adam_;
  Mean loss_{"loss"};
  SparseCategoricalAccuracy accuracy_{"accuracy"};
};

class ByFit {
 public:
  ByFit(Strategy&, const FitCase& what)
      : data_(Batches(what)), model_(MakeModel(what)) {
    model_.Compile({.optimizer = "adam",
                    .loss = LossOf(losses::Reduction::kAuto),
                    .metrics = {"accuracy"}});
  }

  double Epoch() {
    return model_.Fit(data_, {.verbose = Verbose::kSilent})["loss"].at(0);
  }

 private:
  const Dataset data_;
  const Sequential model_;
};

template <typename Loop>
double TrainEpochs(benchmark::State& state, const FitCase& what) {
  const auto strategy = MakeStrategy(what.replicas);
  const auto scope = strategy->Scope();
  SetRandomSeed(1);
  Loop loop(*strategy, what);
  const double first = loop.Epoch();
  for (auto unused : state) loop.Epoch();
  return first;
}

void Fit(benchmark::State& state, const FitCase& what) {
  const double first = what.loop == "fit"
                           ? TrainEpochs<ByFit>(state, what)
                           : TrainEpochs<HandWritten>(state, what);
  // What the other loop had, of this process's first run of both.
  static std::map<std::string, double> losses;
  const auto [other, is_new] =
      losses.emplace(fmt::format("{}/{}", what.model, what.replicas), first);
  if (!(std::abs(other->second - first) < 1e-4)) {
    state.SkipWithError("the loops train differently");
  }
  const int64_t steps = state.iterations() * what.steps;
  state.SetItemsProcessed(steps);
  state.counters["images_per_second"] =
      benchmark::Counter(static_cast<double>(steps * what.global_batch_size()),
                         benchmark::Counter::kIsRate);
}

void RegisterAll() {
  for (const std::string model : {"fashion_mnist_cnn", "dense_10"}) {
    for (const int replicas : {1, 2}) {
      for (const std::string loop : {"hand_written", "fit"}) {
        const FitCase what{.model = model,
                           .loop = loop,
                           .replicas = replicas,
                           .steps = model == "dense_10" ? 500 : 100};
        const auto name =
            EntryName("Fit")
                .With("model", model)
                .With("loop", loop)
                .With("replicas", replicas)
                .With("global_batch_size", what.global_batch_size());
        benchmark::RegisterBenchmark(name.str().c_str(), Fit, what)
            ->Unit(benchmark::kMillisecond)
            ->MeasureProcessCPUTime()
            ->UseRealTime();
      }
    }
  }
}

}  // namespace
}  // namespace lockstep::benchmarks

int main(int argc, char** argv) {
  using namespace lockstep::benchmarks;
  return RunBenchmarks(argc, argv, RegisterAll);
}
