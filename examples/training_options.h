// The command lines of the documents' programs.
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
  // Folder for files; by default a folder of this name in the results folder.
  std::string folder;
  std::string results = "training_checkpoints";
  uint64_t seed = 42;
  int64_t steps = -1;  // maximum per epoch; below 0 all
};

// `folder_flag` is the option for the folder: "--checkpoint_dir". Without one
// the program writes no files.
void AddOptions(CLI::App& app, TrainingOptions& options,
                const std::string& folder_flag = "");

// Parses the command line, changes to the user's folder, and completes the
// options. Returns the exit status if the program should end.
std::optional<int> ReadOptions(CLI::App& app, int argc, char** argv,
                               TrainingOptions& options);

// Makes this many logical devices CPU:0 and so on.
std::vector<std::string> CpuDevices(int count);

// A program of a document: its text for `--help`, and its body, which runs on
// logical devices of this process.
struct TrainingProgram {
  const char* name;
  const char* description;
  const char* examples;
  std::string folder_flag;  // as in AddOptions
  TrainingOptions options = {};
  std::function<void(Strategy& strategy, const TrainingOptions& options)> train;
};

// Its main function.
int RunTrainingProgram(TrainingProgram program, int argc, char** argv);

}  // namespace lockstep::examples

#endif  // LOCKSTEP_EXAMPLES_TRAINING_OPTIONS_H_
