// The command line of //benchmarks:scaling.
#ifndef LOCKSTEP_BENCHMARKS_SCALING_OPTIONS_H_
#define LOCKSTEP_BENCHMARKS_SCALING_OPTIONS_H_

#include <cstdint>
#include <string>
#include <vector>

namespace lockstep::benchmarks {

struct ScalingOptions {
  int epochs = 10;
  std::vector<int> replicas = {1, 2};
  std::string data = "auto";  // auto, full, embedded
  std::string json;           // result file; empty: a dated one is made up
  std::string report;         // HTML page; "none": no page
  uint64_t seed = 42;
  int threads = 0;  // cores to use in all; 0: all the machine has
  int steps = 0;    // steps an epoch; 0: the whole data set
};

struct ParsedOptions {
  ScalingOptions options;
  bool exit = false;  // help was shown or the command line is wrong
  int exit_status = 0;
};

// Reads the command line; prints help or what is wrong (with what to do).
ParsedOptions ParseScalingOptions(int argc, const char* const* argv);

}  // namespace lockstep::benchmarks

#endif  // LOCKSTEP_BENCHMARKS_SCALING_OPTIONS_H_
