// A process's connections to the parameter servers, over which its variables
// are read and changed.
//
//   const auto client = std::make_shared<ParameterClient>(
//       cluster, options, Deadline::clock::now() + options.join_timeout);
//   RemoteVariableMaker maker(client);              // remote_variable_maker.h
//   VariablePtr v = maker.Make({.initial_value = ..., .name = "v"});
//   v->AssignAdd(Tensor::Scalar(1.0f));             // on its server
//
// Thread-safe. Once a server is lost, every call throws rpc::PeerLost, about any
// server: what it held is lost, and a server that is started again at the same
// address is another one. Restart the coordinator, and restore a checkpoint. A
// worker whose connection breaks connects again, and goes on if the server is
// still the same process: this worker had been stopped.
#ifndef LOCKSTEP_REFERENCE_PARAMETER_SERVER_VARIABLES_PARAMETER_CLIENT_H_
#define LOCKSTEP_REFERENCE_PARAMETER_SERVER_VARIABLES_PARAMETER_CLIENT_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "reference/base/deadline.h"
#include "reference/base/naming/object_config.h"
#include "reference/cluster/control/control_plane_options.h"
#include "reference/cluster/parameter_server_cluster.h"
#include "reference/parameter_server/rpc/message.h"
#include "reference/parameter_server/variables/closure_scope.h"
#include "reference/tensor/tensor.h"

namespace lockstep::parameter_server {
class ServerLinks;
}

namespace lockstep {

// Where a value is kept: a variable's, or a shard's.
struct Place {
  int server = 0;
  uint64_t number = 0;  // among those of all servers

  bool operator==(const Place&) const = default;
};

// A variable as all processes know it.
struct PublishedVariable {
  std::string name;
  TensorSpec spec = {};            // of the whole
  std::vector<Place> places = {};  // one, or one per shard
  std::vector<int64_t> rows = {};  // of each shard; empty if it is not sharded
};

// One change of one value.
struct Change {
  enum class Kind { kAssign, kAdd, kSubtract };

  Place place;
  Kind kind = Kind::kAssign;
  Tensor value;              // of the variable's shape, or of the rows'
  Tensor rows = {};          // int64 [n]: only these rows, if defined
  bool wants_value = false;  // the value afterwards is in the reply
  // Only if the value has had this many changes: else nothing is applied.
  std::optional<uint64_t> only_after = std::nullopt;
};

// A value, and how many changes it has had.
struct VersionedValue {
  Tensor value;
  uint64_t changes = 0;
};

// A step of an optimizer, for variables of any servers.
struct RemoteStep {
  struct Item {
    Place variable;
    std::vector<Place> slots = {};
    Tensor gradient;
    Tensor rows = {};  // if defined, the gradient is of these rows
  };

  ObjectConfig rule;  // class and settings, as Optimizer::Rule::config
  double weight_decay = 0;
  Tensor learning_rate;  // float64
  Tensor taken = {};     // bool; undefined means true
  Place counter;         // of steps: 1 is added, or what `taken` says
  std::vector<Item> items = {};
};

class ParameterClient {
 public:
  using Lost = std::function<void(const rpc::PeerLost&)>;

  // Connects to all servers, as the role of `cluster`. A server refuses a
  // second coordinator. `lost` is called once, on any thread, when a server is
  // lost; it must not block. Errors: as rpc::RpcClient.
  ParameterClient(const ParameterServerCluster& cluster,
                  const ControlPlaneOptions& options, Deadline deadline,
                  Lost lost = {});
  // For the coordinator this is the end of the job: servers end when its
  // connection ends.
  ~ParameterClient();

  int num_servers() const;
  bool is_coordinator() const;
  // Errors: rpc::PeerLost if a server is lost.
  void CheckAlive() const;

  // All closures below this number are finished: servers forget the replies of
  // their updates, and refuse further ones. Does not wait. REQUIRES: the
  // coordinator; numbers do not become smaller.
  void SetFinished(ClosureNumber below);

  // Makes a value. REQUIRES: the coordinator. Errors, here and below:
  // rpc::PeerLost, and InvalidArgument for what does not fit.
  void Create(const Place& place, const std::string& name, const Tensor& value);
  // Tells all processes of the `index`th variable. REQUIRES: the coordinator;
  // its values are made.
  void Publish(uint64_t index, const PublishedVariable& variable);
  // Waits until the coordinator has published the variable. Errors:
  // FailedPrecondition, with both names, if it has another name.
  PublishedVariable Await(uint64_t index, const std::string& name);

  // Values of any servers, asked for at once. rows[i], if there are any, are the
  // rows of place i that are wanted, int64 [n]: the value is [n, ...].
  std::vector<VersionedValue> Read(const std::vector<Place>& places,
                                   const std::vector<Tensor>& rows = {});

  // Changes values. Those of one server are changed together, wholly or not at
  // all, and exactly once in a closure. The values that are wanted, else
  // undefined. Errors, here and below: FailedPrecondition if the closure is
  // finished, and on a worker outside of closures, where a worker that starts
  // again would change values again.
  std::vector<Tensor> Apply(const std::vector<Change>& changes);
  // The same, but false, with nothing changed, where an `only_after` failed.
  // REQUIRES: all of one server.
  bool TryApply(const std::vector<Change>& changes);
  // A step of an optimizer: one request to the counter's server, then one to each
  // other, applied as the changes of Apply.
  void Apply(const RemoteStep& step);

 private:
  // Errors: FailedPrecondition.
  void CheckMayChange() const;

  const std::unique_ptr<parameter_server::ServerLinks> links_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_PARAMETER_SERVER_VARIABLES_PARAMETER_CLIENT_H_
