// Makes the variables of a parameter-server strategy.
//
//   RemoteVariableMaker maker(client, FixedShardsPartitioner(2));
//   VariablePtr v = maker.Make(options);
//
// The coordinator's maker evaluates the initial value and makes it on the next
// server in turn, in shards if the partitioner says so. A worker's maker makes
// a handle of the same variable, by the order in which variables are made: both
// run the same program. It waits for the coordinator, and does not evaluate the
// initial value.
#ifndef LOCKSTEP_REFERENCE_PARAMETER_SERVER_VARIABLES_REMOTE_VARIABLE_MAKER_H_
#define LOCKSTEP_REFERENCE_PARAMETER_SERVER_VARIABLES_REMOTE_VARIABLE_MAKER_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "reference/autodiff/variable.h"
#include "reference/parameter_server/variables/parameter_client.h"

namespace lockstep {

class RemoteHome;

// The number of shards along axis 0 of a value of this type and shape.
// REQUIRES: rank at least 1. partitioners.h has some.
using Partitioner = std::function<int64_t(const TensorSpec& spec)>;

class RemoteVariableMaker {
 public:
  explicit RemoteVariableMaker(std::shared_ptr<ParameterClient> client,
                               Partitioner partitioner = {});

  // The value of `options.beside` decides server and shards, if there is one.
  // Errors: FailedPrecondition in a closure, and on a worker if the
  // coordinator's variable at this place in the order has another name;
  // rpc::PeerLost.
  VariablePtr Make(const VariableOptions& options);

 private:
  PublishedVariable MakeOnServers(const VariableOptions& options);
  // Decides the servers, and the shards, of a variable of this spec.
  void Arrange(const VariableOptions& options, PublishedVariable& variable);
  std::vector<int64_t> RowsFor(const TensorSpec& spec) const;

  const std::shared_ptr<RemoteHome> home_;
  const Partitioner partitioner_;
  std::mutex mutex_;
  uint64_t next_index_ = 0;
  uint64_t next_number_ = 0;
  int next_server_ = 0;
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_PARAMETER_SERVER_VARIABLES_REMOTE_VARIABLE_MAKER_H_
