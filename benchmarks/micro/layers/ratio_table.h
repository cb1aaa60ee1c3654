// Times of the same work by different hands, side by side.
//
//   #  own (us)  other (us)  own/other  entry
//         10.00       12.50      0.800  Softmax/.../by:cudnn
#ifndef LOCKSTEP_BENCHMARKS_MICRO_LAYERS_RATIO_TABLE_H_
#define LOCKSTEP_BENCHMARKS_MICRO_LAYERS_RATIO_TABLE_H_

#include <string>
#include <vector>

namespace lockstep::benchmarks {

struct EntrySamples {
  std::string name = {};             // ends in "/by:" and a word
  std::vector<double> seconds = {};  // of one run; one sample a repetition
  std::string error = {};            // why there is no sample, or not all
};

// A line for each entry that is not by:own, in their order, with the medians;
// "-" where one of the two has no sample. Then how many pairs there are, and in
// how many of them own is the slower one.
std::string RatioTable(const std::vector<EntrySamples>& entries);

}  // namespace lockstep::benchmarks

#endif  // LOCKSTEP_BENCHMARKS_MICRO_LAYERS_RATIO_TABLE_H_
