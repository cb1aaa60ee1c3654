// Expands Slurm's compact lists.
//
//   ExpandHostList("tux[1-2,07],x");     // {"tux1", "tux2", "tux07", "x"}
//   ExpandHostList("a[1-2]b[01-02]");    // {"a1b01", "a1b02", "a2b01", "a2b02"}
//   ExpandTasksPerNode("2(x2),1");       // {2, 2, 1}
//
// The result is that of `scontrol show hostnames`, which needs Slurm's
// configuration.
#ifndef LOCKSTEP_REFERENCE_CLUSTER_SLURM_SLURM_LISTS_H_
#define LOCKSTEP_REFERENCE_CLUSTER_SLURM_SLURM_LISTS_H_

#include <string>
#include <string_view>
#include <vector>

namespace lockstep {

// Both throw InvalidArgument for malformed text, with the position, and for
// more than kMostWorkers entries.
//
// As in Slurm, leading zeros are kept and nothing may follow the last bracket
// of a host ("gpu[08-10]a").
std::vector<std::string> ExpandHostList(std::string_view text);
std::vector<int> ExpandTasksPerNode(std::string_view text);

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_CLUSTER_SLURM_SLURM_LISTS_H_
