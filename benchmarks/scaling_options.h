// The command line of //benchmarks:scaling.
#ifndef LOCKSTEP_BENCHMARKS_SCALING_OPTIONS_H_
#define LOCKSTEP_BENCHMARKS_SCALING_OPTIONS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace lockstep::benchmarks {

// A deliberate slowdown, to test that it is found.
struct PlantedOptions {
  int work_us = 0;
  int work_percent = 0;  // of the step's CPU time
  int wait_us = 0;
  int at_replicas = 0;  // 0: whatever their number
};

// Which worker this process is, and of which run.
struct WorkerPlace {
  int worker = 0;  // 0: the program that the user started
  int workers = 1;
  int replicas = 1;  // of each
  int port = 0;      // at which the first one listens
};

struct ScalingOptions {
  std::string workload = "fashion_mnist_cnn";  // see AllWorkloads
  int64_t batch = 0;  // examples of a batch; 0: the workload's own number
  std::string scaling = "weak";  // a batch for each replica; strong: for all
  int64_t image_size = 224;      // resnet50: rows and columns
  double l2 = 0;                 // resnet50: penalty on the kernels
  std::string device = "cpu";    // or gpu
  std::string precision = "float32";  // or a mixed policy
  bool graph = true;                  // gpu: training steps as CUDA graphs
  bool tf32 = false;                  // gpu: see kernels/gpu_libraries.h
  bool autotune = false;              // gpu: likewise
  int epochs = 10;
  std::vector<int> workers = {1};      // processes
  std::vector<int> replicas = {1, 2};  // of each worker
  // The address where workers of a launcher meet; empty: this program starts
  // the workers.
  std::string chief;
  bool baseline = false;      // also without a strategy
  std::string data = "auto";  // fashion_mnist_cnn: auto, full, embedded
  std::string json;           // result file; empty: a dated one is made up
  std::string report;         // HTML page; "none": no page
  std::string trace;          // file for a trace of some steps; empty: none
  uint64_t seed = 42;
  int threads = 0;          // cores to use in all; 0: all the machine has
  int steps = 0;            // steps an epoch; 0: as the workload has it
  bool step_times = false;  // the times of every step in the result
  int pace = 0;  // steps of a turn, shared with another program; 0: all
  PlantedOptions planted;
  WorkerPlace place;
  std::vector<std::string> words;  // the command line, with the program's name
};

struct ParsedOptions {
  ScalingOptions options;
  // Help was shown or the command line is wrong: exit with this status.
  std::optional<int> exit_status;
};

// Reads the command line; prints help or what is wrong (with what to do).
ParsedOptions ParseScalingOptions(int argc, const char* const* argv);

}  // namespace lockstep::benchmarks

#endif  // LOCKSTEP_BENCHMARKS_SCALING_OPTIONS_H_
