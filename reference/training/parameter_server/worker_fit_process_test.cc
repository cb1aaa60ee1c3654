// Model::Fit with parameter servers and workers in processes of their own.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <thread>
#include <vector>

#include "reference/base/error_testing.h"
#include "reference/base/file_testing.h"
#include "reference/parameter_server/coordinator/processes/cluster_processes_testing.h"
#include "reference/training/callbacks/backup_and_restore.h"
#include "reference/training/parameter_server/fit_program_testing.h"

namespace lockstep {
namespace {

ClusterProcesses::Size Cluster(int workers, int servers,
                               int steps_per_execution = 1) {
  return {.workers = workers,
          .servers = servers,
          .program = "reference/training/parameter_server/fit_process",
          .more = {std::to_string(steps_per_execution)}};
}

FitOptions Epochs(int epochs) {
  return {.epochs = epochs, .steps_per_epoch = 4, .verbose = Verbose::kSilent};
}

void ExpectSameHistory(const History& got, const History& wanted) {
  for (const char* name : {"loss", "mean_absolute_error"}) {
    EXPECT_EQ(got[name], wanted[name]) << name;
  }
}

// One worker takes the steps in their order, so they are those of one replica.
TEST(WorkerFitTest, OneWorkerTrainsAsOneReplica) {
  ClusterProcesses processes(Cluster(1, 2));
  FitProgram program(processes.cluster());
  ExpectSameHistory(program.model->Fit(program.train, Epochs(3)),
                    FitAlone(Epochs(3)));
  EXPECT_EQ(program.model->optimizer().iterations(), 12);
}

TEST(WorkerFitTest, ScheduledFunctionTakesSeveralSteps) {
  ClusterProcesses processes(Cluster(1, 1, /*steps_per_execution=*/3));
  FitProgram program(processes.cluster(), 3);
  const History got = program.model->Fit(program.train, Epochs(2));
  const History wanted = FitAlone(Epochs(2));
  for (int epoch : {0, 1}) {
    EXPECT_NEAR(got["loss"][epoch], wanted["loss"][epoch], 1e-5);
  }
  EXPECT_EQ(program.model->optimizer().iterations(), 8);
}

TEST(WorkerFitTest, TwoWorkersLearn) {
  ClusterProcesses processes(Cluster(2, 2));
  FitProgram program(processes.cluster());
  const History history = program.model->Fit(program.train, Epochs(20));
  EXPECT_LT(history["loss"].back(), 0.1 * history["loss"].front());
  EXPECT_EQ(program.model->optimizer().iterations(), 80);
}

TEST(WorkerFitTest, KilledWorkersStepsAreTakenOnce) {
  ClusterProcesses processes(Cluster(2, 1));
  FitProgram program(processes.cluster());
  std::thread killer([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    processes.KillWorker(1);
    processes.StartWorker(1);
  });
  program.model->Fit(program.train, Epochs(300));
  killer.join();
  EXPECT_EQ(program.model->optimizer().iterations(), 1200);
}

TEST(WorkerFitTest, ValidatesOnWorkersAndInLine) {
  ClusterProcesses processes(Cluster(1, 1));
  FitProgram program(processes.cluster());
  FitOptions options = Epochs(2);
  options.validation_steps = 2;
  options.validation_data = program.train;
  const History on_workers = program.model->Fit(program.train, options);
  options.validation_data = FitData();
  const History wanted = FitAlone(options);
  EXPECT_EQ(on_workers["val_loss"], wanted["val_loss"]);
  const Logs again = program.model->Evaluate(program.train, {.steps = 2});
  EXPECT_EQ(again.at("loss"), wanted["val_loss"].back());
  EXPECT_EQ(program.model->Evaluate(FitData(), {.steps = 2}).at("loss"),
            wanted["val_loss"].back());
}

// After two epochs all processes end; others go on, on another number of servers.
TEST(WorkerFitTest, ResumesOnAnotherNumberOfServers) {
  const TestFolder folder;
  const auto fit = [&](int servers, int epochs) {
    ClusterProcesses processes(Cluster(1, servers));
    FitProgram program(processes.cluster());
    FitOptions options = Epochs(epochs);
    options.callbacks = {MakeCallback<BackupAndRestore>(
        folder / "backup",
        BackupAndRestoreOptions{.delete_checkpoint = false})};
    return program.model->Fit(program.train, options);
  };
  fit(2, 2);
  const History resumed = fit(3, 4);
  const History whole = FitAlone(Epochs(4));
  EXPECT_EQ(resumed.epochs(), (std::vector<int>{2, 3}));
  EXPECT_EQ(resumed["loss"][1], whole["loss"][3]);
}

// A process beside the job. It may miss a checkpoint, but not the last one.
TEST(WorkerFitTest, ASidecarEvaluatesTheCheckpoints) {
  const TestFolder folder;
  ClusterProcesses processes(Cluster(1, 2));
  const auto evaluator = processes.StartEvaluator(folder / "backup");
  FitProgram program(processes.cluster());
  FitOptions options = Epochs(4);
  options.callbacks = {MakeCallback<BackupAndRestore>(
      folder / "backup", BackupAndRestoreOptions{.delete_checkpoint = false})};
  program.model->Fit(program.train, options);
  FitOptions alone = Epochs(4);
  alone.validation_data = FitData();
  alone.validation_steps = 2;
  const std::vector<double> wanted = FitAlone(alone)["val_loss"];
  auto next = wanted.begin();
  while (next != wanted.end()) {
    const std::string line = evaluator->ReadLine();
    ASSERT_NE(line, "") << "it ended before the last checkpoint";
    next = std::find(next, wanted.end(), std::stod(line));
    ASSERT_NE(next, wanted.end()) << line << " is no loss that is to come";
    ++next;
  }
}

TEST(WorkerFitTest, WrongArgumentsAreTyped) {
  ClusterProcesses processes(Cluster(1, 1));
  FitProgram program(processes.cluster());
  ExpectError([&] { program.model->Fit(program.train); },
              Code::kInvalidArgument, "requires steps_per_epoch");
  ExpectError([&] { program.model->Fit(FitData(), Epochs(1)); },
              Code::kInvalidArgument, "give a DatasetCreator");
  ExpectError([&] { program.model->Evaluate(program.train); },
              Code::kInvalidArgument, "requires steps");
  FitOptions options = Epochs(1);
  options.validation_data = program.train;
  ExpectError([&] { program.model->Fit(program.train, options); },
              Code::kInvalidArgument, "requires validation_steps");
  options = Epochs(1);
  options.batch_size = 2;
  ExpectError([&] { program.model->Fit(program.train, options); },
              Code::kInvalidArgument, "are for arrays");
  EXPECT_EQ(CodeOf([] { DatasetCreator("data", nullptr); }),
            Code::kInvalidArgument);
}

TEST(WorkerFitTest, OtherStrategiesCallTheCreatorToo) {
  const DatasetCreator train("train",
                             [](const InputContext&) { return FitData(); });
  ExpectSameHistory(FitModel(1)->Fit(train, Epochs(2)), FitAlone(Epochs(2)));
}

}  // namespace
}  // namespace lockstep
