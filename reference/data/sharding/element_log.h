// Which examples a worker's replicas were given, in a file: for whoever looks
// for examples that were lost or read twice.
#ifndef LOCKSTEP_REFERENCE_DATA_SHARDING_ELEMENT_LOG_H_
#define LOCKSTEP_REFERENCE_DATA_SHARDING_ELEMENT_LOG_H_

#include <cstdint>
#include <string>

#include "reference/data/dataset_node.h"

namespace lockstep::data_internal {

// `file` and who writes it: replicas first_replica, first_replica + 1, ...
struct ElementLogOptions {
  std::string file;
  int64_t first_replica = 0;
  int64_t replicas = 1;
};

// The parts of `parts`, which are those of the replicas in turn, step by step.
// Each row is a line of the log (dataset_options.h) before the part is given
// out; what is written is in the system's hands then, whoever is killed.
//
// Errors, of a pass: those of writing a file.
NodePtr MakeElementLog(NodePtr parts, const ElementLogOptions& options);

// "17", "cat", "#8a9136aa", "(17, cat)", "()": row `row` as the log has it.
std::string LoggedExample(const Structure& part, int64_t row);

}  // namespace lockstep::data_internal

#endif  // LOCKSTEP_REFERENCE_DATA_SHARDING_ELEMENT_LOG_H_
