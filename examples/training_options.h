// What the documents' programs take on their command lines.
#ifndef LOCKSTEP_EXAMPLES_TRAINING_OPTIONS_H_
#define LOCKSTEP_EXAMPLES_TRAINING_OPTIONS_H_

#include <CLI/CLI.hpp>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "reference/distribute/strategy.h"

namespace lockstep::examples {

struct TrainingOptions {
  int epochs = 10;
  int replicas = 2;  // logical CPU devices of this process
  std::string data = "auto";
  // Where files go; by itself a folder of this name in the folder of results.
  std::string folder;
  std::string results = "training_checkpoints";
  uint64_t seed = 42;
  int64_t steps = -1;  // of an epoch, at most; below 0 all
};

// `folder_flag` asks for the folder: "--checkpoint_dir"; without one the program
// writes no files.
void AddOptions(CLI::App& app, TrainingOptions& options,
                const std::string& folder_flag = "");

// Reads the command line, goes to the folder that the person is in, and fills in
// what depends on it. Returns the status to end with, if the program is to end.
std::optional<int> ReadOptions(CLI::App& app, int argc, char** argv,
                               TrainingOptions& options);

// CPU:0 and so on; makes that many.
std::vector<std::string> CpuDevices(int count);

// A program of a document: what `--help` says of it, and what it does on logical
// devices of this process.
struct TrainingProgram {
  const char* name;
  const char* description;
  const char* examples;
  std::string folder_flag;  // as AddOptions has it
  TrainingOptions options = {};
  std::function<void(Strategy& strategy, const TrainingOptions& options)> train;
};

// The whole of its main function.
int RunTrainingProgram(TrainingProgram program, int argc, char** argv);

}  // namespace lockstep::examples

#endif  // LOCKSTEP_EXAMPLES_TRAINING_OPTIONS_H_
