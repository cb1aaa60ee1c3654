// Runs the program on a part of the embedded data and reads its output.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "reference/checkpoint/checkpoint_state.h"
#include "reference/cluster/free_port.h"

namespace lockstep {
namespace {

struct Epoch {
  int number = 0;
  double loss = 0, accuracy = 0, test_loss = 0, test_accuracy = 0;
};

struct Output {
  int devices = 0;
  std::vector<Epoch> epochs;
  std::vector<Epoch> alternatives;  // the epochs of the document's other loops
  double restored_accuracy = 0;
  int status = -1;
};

// The output of a shell's command.
Output OutputOf(const std::string& command) {
  std::FILE* pipe = popen(command.c_str(), "r");
  EXPECT_NE(pipe, nullptr);
  Output output;
  std::array<char, 1000> line;
  while (std::fgets(line.data(), line.size(), pipe) != nullptr) {
    std::sscanf(line.data(), "Number of devices: %d", &output.devices);
    Epoch epoch;
    if (std::sscanf(line.data(),
                    "Epoch %d, Loss: %lf, Accuracy: %lf, Test Loss: %lf, Test "
                    "Accuracy: %lf",
                    &epoch.number, &epoch.loss, &epoch.accuracy,
                    &epoch.test_loss, &epoch.test_accuracy) == 5) {
      output.epochs.push_back(epoch);
    } else if (epoch.accuracy > 0) {
      output.alternatives.push_back(epoch);
    }
    std::sscanf(line.data(),
                "Accuracy after restoring the saved model without strategy: "
                "%lf",
                &output.restored_accuracy);
  }
  output.status = pclose(pipe);
  return output;
}

Output RunProgram(const std::string& flags) {
  return OutputOf("examples/custom_training " + flags);
}

std::string EmptyFolder(const std::string& name) {
  const auto folder = std::filesystem::path(testing::TempDir()) / name;
  std::filesystem::remove_all(folder);
  return folder;
}

std::string ReadText(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

// Every block of C++ in docs/api.md that names its source is in that file,
// except for the indentation.
TEST(ApiDocumentTest, QuotesTheExamples) {
  std::istringstream document(ReadText("docs/api.md"));
  std::vector<std::string> quoted;
  std::string line, source, wanted;
  while (std::getline(document, line)) {
    if (line.starts_with("[") && line.ends_with("):")) {
      source = ReadText(line.substr(1, line.find(']') - 1));
      EXPECT_FALSE(source.empty()) << line;
    } else if (line == "```c++") {
      for (wanted.clear(); std::getline(document, line) && line != "```";) {
        wanted += line.empty() ? "\n" : "  " + line + "\n";
      }
      EXPECT_NE(source.find(wanted), std::string::npos) << wanted;
      quoted.push_back(wanted);
    }
  }
  ASSERT_EQ(quoted.size(), 5u);
  // The body of the training step: without its first line and its last.
  EXPECT_LE(std::ranges::count(quoted[0], '\n') - 2, 8);
}

TEST(CustomTrainingTest, LearnsSavesAndRestores) {
  const std::string folder = EmptyFolder("learns");
  const Output output = RunProgram(
      "--data=embedded --epochs=3 --steps=20 --checkpoint_dir=" + folder);
  EXPECT_EQ(output.status, 0);
  EXPECT_EQ(output.devices, 2);
  ASSERT_EQ(output.epochs.size(), 3u);
  EXPECT_EQ(output.epochs[2].number, 3);
  EXPECT_LT(output.epochs[2].loss, output.epochs[0].loss);
  // Ten classes: an untrained model is correct one time in ten.
  EXPECT_GT(output.epochs[2].test_accuracy, 40);
  // Saved after the first and the third epoch.
  EXPECT_EQ(LatestCheckpoint(folder), folder + "/ckpt-2");
  EXPECT_EQ(output.restored_accuracy, output.epochs[2].test_accuracy);
  // Three epochs of ten steps, then three of all 20, continue training.
  ASSERT_EQ(output.alternatives.size(), 6u);
  EXPECT_LT(output.alternatives[0].loss, output.epochs[2].loss);
  EXPECT_LT(output.alternatives[5].loss, output.alternatives[3].loss);
}

TEST(CustomTrainingTest, RestoresTheLastSavedEpoch) {
  const Output output = RunProgram(
      "--data=embedded --epochs=2 --steps=4 --replicas=1 --checkpoint_dir=" +
      EmptyFolder("last"));
  EXPECT_EQ(output.status, 0);
  EXPECT_EQ(output.devices, 1);
  ASSERT_EQ(output.epochs.size(), 2u);
  EXPECT_EQ(output.restored_accuracy, output.epochs[0].test_accuracy);
  EXPECT_NE(output.restored_accuracy, output.epochs[1].test_accuracy);
}

// Status and output of a program of this folder, errors included.
std::pair<int, std::string> RunToEnd(const std::string& command) {
  std::FILE* pipe = popen(("examples/" + command + " 2>&1").c_str(), "r");
  EXPECT_NE(pipe, nullptr);
  std::string said;
  std::array<char, 1000> piece;
  while (std::fgets(piece.data(), piece.size(), pipe) != nullptr) {
    said += piece.data();
  }
  return {WEXITSTATUS(pclose(pipe)), said};
}

// Every thousandth step of the document's 10,000 is evaluated.
TEST(GraphModeTest, TakesAStepPerPrintedLoss) {
  const auto [status, said] =
      RunToEnd("graph_mode_training --data=embedded --epochs=2 --steps=3000");
  EXPECT_EQ(status, 0);
  std::vector<std::string> steps;
  std::istringstream lines(said);
  for (std::string line; std::getline(lines, line);) {
    const size_t end = line.find(" Loss 2.3");  // log 10, nearly
    if (end != line.npos) steps.push_back(line.substr(0, end));
  }
  EXPECT_EQ(steps,
            (std::vector<std::string>{
                "Epoch 1 Step 0", "Epoch 1 Step 1000", "Epoch 1 Step 2000",
                "Epoch 2 Step 0", "Epoch 2 Step 1000", "Epoch 2 Step 2000"}));
}

// How often `text` occurs in the output.
size_t Count(const std::string& text, const std::string& said) {
  size_t count = 0;
  for (size_t at = said.find(text); at != said.npos;
       at = said.find(text, at + text.size())) {
    ++count;
  }
  return count;
}

// The document's outputs, on its four replicas.
TEST(DistributedInputTest, PrintsTheDocumentsOutput) {
  const auto [status, said] = RunToEnd("distributed_input");
  EXPECT_EQ(status, 0) << said;
  // A loop over 7 steps, of which the last has 4 examples, and 10 x 5 of them.
  const std::string column = "[[0.7], [0.7], [0.7], [0.7]]";
  EXPECT_EQ(Count("Loss is PerReplica:{\n  0: " + column + ",\n", said), 56u);
  EXPECT_EQ(Count("\n  3: " + column + "\n}", said), 56u);
  EXPECT_EQ(Count("Loss is PerReplica:{\n  0: [[0.7]],\n", said), 1u);
  EXPECT_EQ(Count("0) CPU:0\n1) CPU:1\n2) CPU:2\n3) CPU:3\n", said), 1u);
  EXPECT_EQ(Count("\n[[0.7], [0.7], [0.7], [0.7], [0.7],", said), 6u);
  EXPECT_EQ(Count("\n" + column + "\n", said), 1u);  // the last of 7 batches
  EXPECT_EQ(Count("(4, 1)\n(4, 1)\n(4, 1)\n(4, 1)\n", said), 1u);
  EXPECT_EQ(Count("\n# A loop while there is a value\n([0], [1], [2], [3])\n"
                  "([4], [5], [6], [7])\n([8], [], [], [])\n\n",
                  said),
            1u);
  EXPECT_EQ(Count("\n# Where every example goes\n"
                  "Dataset\n"
                  "element_spec: int64 (None,)\n"
                  "cardinality: 3\n"
                  "Prefetch(buffer_size=1)\n"
                  "  Batch(size=8)\n"
                  "    Shuffle(buffer_size=24, seed=1)\n"
                  "      Range(stop=24)\n"
                  "\n"
                  "DistributedDataset\n"
                  "element_spec: int64 (None,) on each of 4 replicas\n"
                  "cardinality: 3\n"
                  "auto_shard_policy: OFF (one worker reads all data)\n"
                  "Rebatch(parts=4)  # each batch in 4 parts, one for each "
                  "replica\n"
                  "  Prefetch(buffer_size=1)\n"
                  "    Batch(size=8)\n"
                  "      Shuffle(buffer_size=24, seed=1)\n"
                  "        Range(stop=24)\n\n",
                  said),
            1u);
  const std::string twos = "([[2], [2], [2], [2]], [[2], [2], [2], [2]])";
  EXPECT_EQ(Count("\n  3: " + twos + "\n}\n", said), 25u);
  EXPECT_EQ(
      Count("\n# A layer in the pipeline\n"
            "PerReplica:{\n  0: [1],\n  1: [3],\n  2: [0],\n  3: [1]\n}\n"
            "PerReplica:{\n  0: [3],\n  1: [0],\n  2: [1],\n  3: [3]\n}\n"
            "PerReplica:{\n  0: [0],\n  1: [1],\n  2: [3],\n  3: [0]\n}\n",
            said),
      1u);
  EXPECT_EQ(Count("{0: 0, 1: 2, 2: 4, 3: 6, 4: 8, 5: 10, 6: 12, 7: 14, 8: 16, "
                  "9: 18, 10: 20, 11: 22, 12: 24, 13: 26, 14: 28, 15: 30, "
                  "16: 32, 17: 34, 18: 36, 19: 38, 20: 40, 21: 42, 22: 44, "
                  "23: 46}\n",
                  said),
            1u)
      << said;
  EXPECT_EQ(Count("{\n  0: 0,\n  1: 1,\n  2: 2,\n  3: 3\n}\n", said), 4u);
  EXPECT_EQ(Count("{\n  0: [0.", said), 4u);  // of a generator
}

// The numbers after `label` in each line that has it.
std::vector<double> NumbersBehind(const std::string& label,
                                  const std::string& said) {
  std::vector<double> numbers;
  for (size_t at = said.find(label); at != said.npos;
       at = said.find(label, at + 1)) {
    numbers.push_back(std::stod(said.substr(at + label.size())));
  }
  return numbers;
}

TEST(FitTrainingTest, WritesTheDocumentsFiles) {
  const std::string folder = EmptyFolder("fit");
  const auto [status, said] = RunToEnd(
      "fit_training --data=embedded --epochs=2 --steps=20 --folder=" + folder);
  EXPECT_EQ(status, 0) << said;
  EXPECT_NE(said.find("\ncheckpoint\nckpt_1.data-00000-of-00001\nckpt_1.index\n"
                      "ckpt_2.data-00000-of-00001\nckpt_2.index\nEval"),
            said.npos)
      << said;
  EXPECT_NE(said.find("Learning rate for epoch 2 is 0.0010000000474974513"),
            said.npos);
  EXPECT_EQ(NumbersBehind(" - loss: ", said).size(), 2u);
  // Of the weights, of the file without a strategy, and with one.
  const std::vector<double> losses = NumbersBehind("Eval loss: ", said);
  const std::vector<double> right = NumbersBehind("Eval accuracy: ", said);
  ASSERT_EQ(losses.size(), 3u);
  EXPECT_NEAR(losses[1], losses[0], 1e-5);  // rounding of sums in another order
  EXPECT_EQ(losses[2], losses[0]);
  EXPECT_EQ(right, std::vector<double>(3, right[0]));
  EXPECT_GT(right[0], 0.4);  // of ten classes
  EXPECT_TRUE(std::filesystem::exists(folder + "/logs/train"));
  EXPECT_TRUE(std::filesystem::exists(folder + "/saved_model/saved_model.pb"));
}

// Killed after its first file, and started again.
TEST(RestartedTrainingTest, ResumesWithTheNewestFileAfterAKill) {
  const std::string folder = EmptyFolder("restarted");
  const std::string program =
      "restarted_training --data=embedded --epochs=1 --steps=60 --folder=" +
      folder;
  const std::string file = folder + "/ckpt-1.keras";
  RunToEnd(program + " & pid=$!; until [ -e " + file +
           " ] || ! kill -0 $pid; do sleep 0.01; done; kill -9 $pid; wait");
  const auto [status, said] = RunToEnd(program);
  EXPECT_EQ(status, 0) << said;
  EXPECT_EQ(said.find("Creating a new model"), said.npos) << said;
  const size_t restored = said.find("Restoring from " + file);
  ASSERT_NE(restored, said.npos);
  EXPECT_NE(said.find("Restoring from " + file, restored + 1), said.npos);
  // One new epoch, then the second and third of the killed run.
  const auto losses = NumbersBehind(" - loss: ", said);
  ASSERT_EQ(losses.size(), 3u);
  EXPECT_LT(losses[1], losses[0]);
  EXPECT_LT(losses[2], losses[1]);
}

// The chief's output: the other worker has none.
Output RunTwoWorkers(const std::string& flags) {
  const std::string program = fmt::format(
      "examples/multi_worker --workers=localhost:{},localhost:1 {} --worker=",
      FreePort(), flags);
  return OutputOf(program + "1 & " + program + "0");
}

TEST(MultiWorkerTest, EqualsOneProcess) {
  const std::string flags =
      "--data=embedded --epochs=1 --steps=6 --checkpoint_dir=";
  const Output one = RunProgram("--replicas=2 " + flags + EmptyFolder("one"));
  const std::string folder = EmptyFolder("workers");
  const Output workers = RunTwoWorkers("--replicas=1 " + flags + folder);
  EXPECT_EQ(workers.status, 0);
  EXPECT_EQ(workers.devices, 2);
  ASSERT_EQ(one.epochs.size(), 1u);
  ASSERT_EQ(workers.epochs.size(), 1u);
  // Gradients are added in another order: only rounding differs.
  EXPECT_NEAR(workers.epochs[0].loss, one.epochs[0].loss, 1e-5);
  EXPECT_NEAR(workers.epochs[0].test_loss, one.epochs[0].test_loss, 1e-5);
  EXPECT_EQ(workers.epochs[0].accuracy, one.epochs[0].accuracy);
  EXPECT_EQ(workers.restored_accuracy, workers.epochs[0].test_accuracy);
  EXPECT_EQ(LatestCheckpoint(folder), folder + "/ckpt-1");
}

TEST(ProgramsTest, WrongCommandLineIsStatus2) {
  for (const auto& [program, option] :
       std::vector<std::pair<std::string, std::string>>{
           {"custom_training", "--replicas=0"},
           {"custom_training", "--data=none"},
           {"custom_training", "--seed=-1"},
           {"custom_training", "--checkpoint_dir= --epochs=1"},
           {"custom_training", "--unknown"},
           {"graph_mode_training", "--epochs=0"},
           {"fit_training", "--folder= --epochs=1"},
           {"restarted_training", "--checkpoint_dir=x"},
           {"multi_worker", "--worker=1"},
           {"multi_worker", "--join_timeout=0"},
           {"checkpoint_interop", "--write= --read=x"},
           {"checkpoint_interop", "--steps=-1 --read=x"}}) {
    const auto [status, said] = RunToEnd(program + " " + option);
    EXPECT_EQ(status, 2) << said;
    EXPECT_NE(said.find(option.substr(0, option.find('='))), said.npos) << said;
  }
  EXPECT_EQ(RunToEnd("checkpoint_interop").first,
            2);  // neither reads nor writes
}

TEST(ProgramsTest, HelpShowsExamples) {
  for (const std::string program : {"custom_training", "graph_mode_training",
                                    "checkpoint_interop", "multi_worker"}) {
    const auto [status, help] = RunToEnd(program + " --help");
    EXPECT_EQ(status, 0);
    EXPECT_NE(help.find("Examples:\n"), help.npos) << help;
    EXPECT_NE(help.find(program + " -", help.find("Examples:")), help.npos)
        << help;
  }
}

TEST(ProgramsTest, FailureIsStatus1) {
  EXPECT_EQ(RunToEnd("checkpoint_interop --read=no/such/ckpt").first, 1);
}

}  // namespace
}  // namespace lockstep
