// Records in a file which examples a worker's replicas got, to find examples
// that were lost or read twice.
#ifndef LOCKSTEP_REFERENCE_DATA_SHARDING_ELEMENT_LOG_H_
#define LOCKSTEP_REFERENCE_DATA_SHARDING_ELEMENT_LOG_H_

#include <cstdint>
#include <string>

#include "reference/data/dataset_node.h"

namespace lockstep::data_internal {

// `file` and the replicas that it is for: first_replica, first_replica + 1, ...
struct ElementLogOptions {
  std::string file;
  int64_t first_replica = 0;
  int64_t replicas = 1;
};

// The parts of `parts`, which are those of the replicas in turn, step by step.
// Each row becomes a line of the log (dataset_options.h) before the part is
// returned. By then the operating system has the line, so it survives the
// process.
//
// Errors, of a pass: those of writing a file.
NodePtr MakeElementLog(NodePtr parts, const ElementLogOptions& options);

// Row `row` as in the log: "17", "cat", "#8a9136aa", "(17, cat)", "()".
std::string LoggedExample(const Structure& part, int64_t row);

}  // namespace lockstep::data_internal

#endif  // LOCKSTEP_REFERENCE_DATA_SHARDING_ELEMENT_LOG_H_
