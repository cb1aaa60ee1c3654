// Asynchronous training with parameter servers: two tables of embeddings on
// servers, workers that compute, and a coordinator that schedules the steps.
//
//   ./bazelw run //examples/parameter_server -- --local=2,1
//
// starts two workers and a server beside the coordinator, on this machine.
// Without --local each process learns its task from TF_CONFIG:
// docs/parameter_server.md.
#include "reference/parameter_server/server/parameter_server.h"

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "command_line/parse.h"
#include "command_line/program.h"
#include "examples/parameter_server/ratings.h"
#include "reference/parameter_server/coordinator/cluster_coordinator.h"
#include "reference/parameter_server/coordinator/parameter_server_strategy.h"
#include "reference/parameter_server/local/local_cluster.h"
#include "reference/parameter_server/variables/partitioners.h"

namespace lockstep::examples {
namespace {

struct Options {
  RatingsOptions ratings;
  std::vector<int> local;  // workers, servers
  int64_t epochs = 5;
  int64_t steps = 200;
  int64_t batch_size = 64;
  std::string listen_host = "127.0.0.1";
};

// Not on the command line, which all users of the machine can read.
constexpr char kTokenVariable[] = "LOCKSTEP_TOKEN";
// A table of at least this size is divided among the servers.
constexpr int64_t kShardBytes = 16 << 10;

ControlPlaneOptions ControlOptions(const Options& options) {
  ControlPlaneOptions control;
  control.listen_host = options.listen_host;
  control.program = fmt::format("parameter_server --users={} --items={}",
                                options.ratings.users, options.ratings.items);
  if (const char* token = std::getenv(kTokenVariable)) control.token = token;
  return control;
}

// The mean absolute error of some ratings.
double ErrorOf(const RatingsModel& model, const Structure& batch) {
  const Tensor predicted = model.Predict(batch[0], batch[1]);
  return ops::ReduceMean(ops::Abs(batch[2].leaf() - predicted)).item<float>();
}

// Coordinator and workers.
void Train(const ParameterServerCluster& cluster, const Options& options) {
  ParameterServerStrategy strategy(
      cluster, {.partitioner = MinSizePartitioner(
                    kShardBytes, static_cast<int64_t>(cluster.servers.size())),
                .control = ControlOptions(options)});
  const StrategyScope scope = strategy.Scope();
  const RatingsModel model(options.ratings);
  Adam optimizer({.learning_rate = 0.01});
  optimizer.Build(model.variables());

  const losses::MeanSquaredError loss_object;
  const WorkerFunction step =
      strategy.Function("step", [&](const WorkerArguments& in) -> Structure {
        const Structure batch = in.Next("ratings");
        GradientTape tape;
        const Tensor loss =
            loss_object(batch[2], model.Predict(batch[0], batch[1]));
        // Of the tables only the rows that were looked up travel.
        const auto gradients = tape.SparseGradient(loss, model.variables());
        optimizer.ApplyGradients(ZipRows(gradients, model.variables()));
        return loss;
      });
  const WorkerDataset ratings =
      strategy.DatasetFunction("ratings", [&](const InputContext&) {
        return SyntheticRatings(options.ratings, options.batch_size,
                                std::random_device()());
      });
  if (strategy.is_worker()) {
    strategy.Serve();
    return;
  }

  ClusterCoordinator coordinator(strategy);
  const PerWorkerValue batches =
      coordinator.CreatePerWorkerDataset(ratings).MakeIterator();
  const Structure test =
      *SyntheticRatings(options.ratings, 1000, /*seed=*/1).begin();
  std::printf("%zu workers, %zu servers, synthetic ratings\n",
              cluster.workers.size(), cluster.servers.size());
  for (int64_t epoch = 1; epoch <= options.epochs; ++epoch) {
    for (int64_t i = 0; i < options.steps; ++i) {
      coordinator.Schedule(step, {{"ratings", batches}});
    }
    coordinator.Join();
    std::printf("epoch %ld: mean absolute error %.3f\n", epoch,
                ErrorOf(model, test));
  }
}

void AddOptions(CLI::App& app, Options& options) {
  app.add_option("--local", options.local,
                 "start this many workers and servers on this machine")
      ->delimiter(',')
      ->expected(2)
      ->check(WholeNumber(1));
  app.add_option("--users", options.ratings.users, "rows of their table")
      ->check(WholeNumber(1))
      ->capture_default_str();
  app.add_option("--items", options.ratings.items, "rows of their table")
      ->check(WholeNumber(1))
      ->capture_default_str();
  app.add_option("--epochs", options.epochs, "passes over --steps steps")
      ->check(WholeNumber(1))
      ->capture_default_str();
  app.add_option("--steps", options.steps, "steps of an epoch, of all workers")
      ->check(WholeNumber(1))
      ->capture_default_str();
  app.add_option("--batch", options.batch_size, "ratings of a step")
      ->check(WholeNumber(1))
      ->capture_default_str();
  app.add_option("--listen_host", options.listen_host,
                 "the interface that servers and workers listen on")
      ->capture_default_str();
}

int Main(int argc, char** argv) {
  Options options;
  CLI::App app("Training with parameter servers.", "parameter_server");
  AddOptions(app, options);
  if (const auto status = ParseCommandLine(app, argc, argv)) return *status;
  if (!options.local.empty()) {
    StartLocalCluster(options.local[0], options.local[1]);
  }
  const ParameterServerCluster cluster = ParameterServerClusterOfTfConfig();
  if (cluster.role == ParameterServerRole::kServer) {
    return RunParameterServer(cluster, ControlOptions(options));
  }
  Train(cluster, options);
  return 0;
}

}  // namespace
}  // namespace lockstep::examples

int main(int argc, char** argv) {
  std::setvbuf(stdout, nullptr, _IOLBF, 0);  // line by line
  return lockstep::RunProgram(
      [&] { return lockstep::examples::Main(argc, argv); });
}
