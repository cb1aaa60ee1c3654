#include "reference/parameter_server/variables/remote_variable_maker.h"

#include <utility>

#include "reference/base/error.h"
#include "reference/parameter_server/variables/partitioners.h"
#include "reference/parameter_server/variables/remote_home.h"
#include "reference/parameter_server/variables/remote_variable.h"
#include "reference/tensor/host_tensor.h"

namespace lockstep {

RemoteVariableMaker::RemoteVariableMaker(
    std::shared_ptr<ParameterClient> client, Partitioner partitioner)
    : home_(std::make_shared<RemoteHome>(std::move(client))),
      partitioner_(std::move(partitioner)) {}

VariablePtr RemoteVariableMaker::Make(const VariableOptions& options) {
  if (!options.initial_value) {
    throw InvalidArgument("[Variable] '{}' has no initial value", options.name);
  }
  if (ClosureScope::Current() != nullptr) {
    throw FailedPrecondition(
        "[Variable] '{}' is made in a scheduled function; make it before, in "
        "the strategy's scope (an optimizer makes its own in Build)",
        options.name);
  }
  std::lock_guard lock(mutex_);
  ParameterClient& client = home_->client();
  const PublishedVariable published =
      client.is_coordinator() ? MakeOnServers(options)
                              : client.Await(next_index_, options.name);
  ++next_index_;
  return std::make_shared<RemoteVariable>(home_, published, options);
}

// The rows of each shard; empty if the variable is to be whole.
std::vector<int64_t> RemoteVariableMaker::RowsFor(
    const TensorSpec& spec) const {
  if (!partitioner_ || spec.shape.rank() == 0 || spec.shape[0] <= 1) return {};
  const int64_t shards = partitioner_(spec);
  if (shards < 1 || shards > spec.shape[0]) {
    throw InvalidArgument(
        "[Variable] a partitioner must give 1 to {} shards for {}, got {}",
        spec.shape[0], ToString(spec), shards);
  }
  if (shards == 1) return {};
  return RowsOfShards(spec.shape[0], shards);
}

void RemoteVariableMaker::Arrange(const VariableOptions& options,
                                  PublishedVariable& variable) {
  const std::vector<VariableShard> beside =
      options.beside ? ShardsOf(*options.beside) : std::vector<VariableShard>();
  const bool fits =
      !beside.empty() && options.beside->shape() == variable.spec.shape;
  if (fits) {
    for (const VariableShard& shard : beside) {
      variable.places.push_back({shard.place.server, next_number_++});
      if (beside.size() > 1) variable.rows.push_back(shard.shape[0]);
    }
    return;
  }
  variable.rows = RowsFor(variable.spec);
  const size_t parts = variable.rows.empty() ? 1 : variable.rows.size();
  for (size_t i = 0; i < parts; ++i) {
    variable.places.push_back({next_server_, next_number_++});
    next_server_ = (next_server_ + 1) % home_->client().num_servers();
  }
}

PublishedVariable RemoteVariableMaker::MakeOnServers(
    const VariableOptions& options) {
  const HostScope scope;
  const Tensor value = options.initial_value().ToHost();
  PublishedVariable variable{.name = options.name, .spec = SpecOf(value)};
  Arrange(options, variable);
  ParameterClient& client = home_->client();
  int64_t begin = 0;
  for (size_t i = 0; i < variable.places.size(); ++i) {
    if (variable.rows.empty()) {
      client.Create(variable.places[i], options.name, value);
      continue;
    }
    const int64_t end = begin + variable.rows[i];
    client.Create(variable.places[i],
                  options.name + "/part_" + std::to_string(i),
                  value.Slice(begin, end));
    begin = end;
  }
  client.Publish(next_index_, variable);
  return variable;
}

}  // namespace lockstep
