// Custom training on several workers: the loop of //examples:custom_training in
// as many processes as a launcher starts, on one machine or several.
//
//   mpirun -np 2 --bind-to none bazel-bin/examples/multi_worker --epochs=2
//
// Each process learns its worker number from the launcher, or from --workers
// and --worker. docs/multi_worker.md describes all launchers.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "command_line/parse.h"
#include "command_line/program.h"
#include "examples/custom_training_loop.h"
#include "examples/training_options.h"
#include "reference/distribute/multi_worker/multi_worker_mirrored_strategy.h"
#include "reference/lockstep.h"

namespace lockstep::examples {
namespace {

struct Options {
  TrainingOptions training;
  std::vector<std::string> workers;
  int worker = 0;
  std::string chief;
  std::string listen_host = "127.0.0.1";
  std::string address = "127.0.0.1";
  std::string tls_folder;
  double join_timeout = 60;
};

// Not on the command line, which all users of the machine can read.
constexpr char kTokenVariable[] = "LOCKSTEP_TOKEN";

constexpr char kExamples[] =
    "Examples:\n"
    "  in two terminals:\n"
    "    multi_worker --workers=localhost:7000,localhost:7001 --worker=0\n"
    "    multi_worker --workers=localhost:7000,localhost:7001 --worker=1\n"
    "  mpirun -np 2 --bind-to none multi_worker --chief=localhost:7000\n"
    "  torchrun --nproc-per-node=2 --no-python multi_worker "
    "--chief=localhost:7000\n"
    "  srun -n 2 multi_worker --chief=localhost:7000\n"
    "  TF_CONFIG='{\"cluster\": {\"worker\": [\"a:7000\", \"b:7000\"]},\n"
    "              \"task\": {\"type\": \"worker\", \"index\": 0}}' "
    "multi_worker\n"
    "\n"
    "Workers on several machines need --listen_host and --address, and a "
    "token in\n"
    "LOCKSTEP_TOKEN, or --tls_folder: see docs/multi_worker.md.\n"
    "\n"
    "Exit status: 0; 1 when something failed, on this worker or another; 2 for "
    "a wrong\n"
    "command line.\n";

void AddClusterOptions(CLI::App& app, Options& options) {
  CLI::Option* const workers =
      app.add_option("--workers", options.workers,
                     "host:port of every worker (default: what the launcher "
                     "says)")
          ->delimiter(',');
  app.add_option("--worker", options.worker, "which of them this process is")
      ->check(WholeNumber(0))
      ->needs(workers);
  app.add_option("--chief", options.chief,
                 "host:port where workers meet, where the launcher says none");
  app.add_option("--listen_host", options.listen_host,
                 "the interface that the chief listens on")
      ->capture_default_str();
  app.add_option("--address", options.address,
                 "the address by which others reach this worker's tensors")
      ->capture_default_str();
  app.add_option("--tls_folder", options.tls_folder,
                 "has authority.pem, certificate.pem and key.pem");
  app.add_option("--join_timeout", options.join_timeout,
                 "seconds that all workers have to come")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
}

ControlPlaneOptions ControlOptions(const Options& options) {
  ControlPlaneOptions control;
  if (!options.chief.empty()) {
    control.chief = ParseWorkerAddress(options.chief, "--chief");
  }
  control.listen_host = options.listen_host;
  control.join_timeout = std::chrono::milliseconds(
      static_cast<int64_t>(1000 * options.join_timeout));
  // Numbers of replicas may differ between workers, the model may not.
  control.program =
      fmt::format("multi_worker --epochs={} --data={} --seed={} --steps={}",
                  options.training.epochs, options.training.data,
                  options.training.seed, options.training.steps);
  if (const char* token = std::getenv(kTokenVariable)) control.token = token;
  if (!options.tls_folder.empty()) {
    control.tls = {.authority = options.tls_folder + "/authority.pem",
                   .certificate = options.tls_folder + "/certificate.pem",
                   .key = options.tls_folder + "/key.pem"};
  }
  return control;
}

std::unique_ptr<MultiWorkerMirroredStrategy> Connect(const Options& options) {
  MultiWorkerMirroredStrategyOptions strategy;
  strategy.devices = CpuDevices(options.training.replicas);
  strategy.control = ControlOptions(options);
  strategy.communication.gloo.address = options.address;
  if (options.workers.empty()) {
    return std::make_unique<MultiWorkerMirroredStrategy>(strategy);
  }
  return std::make_unique<MultiWorkerMirroredStrategy>(
      SimpleClusterResolver(options.workers, WorkerId(options.worker)),
      strategy);
}

int Main(int argc, char** argv) {
  Options options;
  options.training.replicas = 1;
  options.training.results = "multi_worker_checkpoints";
  CLI::App app("Custom training on several workers.", "multi_worker");
  app.footer(kExamples);
  AddOptions(app, options.training, "--checkpoint_dir");
  AddClusterOptions(app, options);
  if (const auto status = ReadOptions(app, argc, argv, options.training)) {
    return *status;
  }
  const auto strategy = Connect(options);
  CustomTraining(*strategy, options.training).Run();
  return 0;
}

}  // namespace
}  // namespace lockstep::examples

int main(int argc, char** argv) {
  std::setvbuf(stdout, nullptr, _IOLBF, 0);  // line by line
  return lockstep::RunProgram(
      [&] { return lockstep::examples::Main(argc, argv); });
}
