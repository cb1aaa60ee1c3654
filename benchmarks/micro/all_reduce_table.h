// All-reduce timings as nccl-tests shows them.
//
//   #       size         count      type   redop  ranks      time  algbw ...
//        4194304       1048576   float32     sum      4     61.20  68.53 ...
//
// algbw is bytes / time, busbw is algbw * 2 (n - 1) / n: what each of n ranks
// must send and receive at least, so it can be compared with a link's speed
// whatever n is. Bytes are those of one rank, GB are 10^9 bytes.
#ifndef LOCKSTEP_BENCHMARKS_MICRO_ALL_REDUCE_TABLE_H_
#define LOCKSTEP_BENCHMARKS_MICRO_ALL_REDUCE_TABLE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "reference/base/json.h"
#include "reference/collectives/reduce_op.h"
#include "reference/tensor/dtype.h"

namespace lockstep::benchmarks {

struct AllReduceTiming {
  std::string algorithm = {};  // "NcclAllReduce"
  int ranks = 0;
  DType dtype = DType::kFloat32;
  ReduceOp op = ReduceOp::kSum;
  int64_t count = 0;  // elements of each rank
  std::vector<double> seconds =
      {};             // of one all-reduce; one sample a repetition
  int64_t wrong = 0;  // elements that are not the sum

  int64_t bytes() const {
    return count * static_cast<int64_t>(DTypeSize(dtype));
  }
};

// Of the samples. REQUIRES: at least one.
double MedianSeconds(const AllReduceTiming& timing);
// In bytes a second; 0 for no bytes.
double AlgBandwidth(const AllReduceTiming& timing);
double BusBandwidth(const AllReduceTiming& timing);

// Two lines: names and units.
std::string AllReduceTableHead();
std::string AllReduceTableLine(const AllReduceTiming& timing);

// An entry of a result file, named
// "AllReduce/algorithm:nccl_all_reduce/dtype:float32/bytes:4096/replicas:2/
// device:gpu", with the samples.
Json AllReduceEntry(const AllReduceTiming& timing);

}  // namespace lockstep::benchmarks

#endif  // LOCKSTEP_BENCHMARKS_MICRO_ALL_REDUCE_TABLE_H_
