#include "reference/parameter_server/variables/remote_home.h"

#include <set>

#include "reference/base/error.h"
#include "reference/kernels/movement/movement.h"
#include "reference/parameter_server/variables/remote_variable.h"
#include "reference/tensor/host_tensor.h"

namespace lockstep {
namespace {

// Errors: InvalidArgument for a variable that is kept elsewhere.
const RemoteVariable& AtHome(std::string_view operation, const RemoteHome& home,
                             const Variable& variable) {
  if (variable.home() == &home) {
    return static_cast<const RemoteVariable&>(variable);
  }
  throw InvalidArgument(
      "[{}] variable '{}' is not kept by the parameter servers that keep the "
      "others; make all variables in the scope of one strategy",
      operation, variable.name());
}

// The places of variables that can be changed together.
std::vector<Place> PlacesTogether(std::string_view name, const RemoteHome& home,
                                  const std::vector<Variable*>& variables) {
  std::vector<Place> places;
  std::set<int> servers;
  for (const Variable* variable : variables) {
    const auto& shards = AtHome(name, home, *variable).shards();
    places.push_back(shards[0].place);
    for (const VariableShard& shard : shards) {
      servers.insert(shard.place.server);
    }
    if (servers.size() == 1 && shards.size() == 1) continue;
    throw Unimplemented(
        "[{}] variables of several parameter servers, and variables in shards, "
        "cannot be changed together by a rule of the program; '{}' is one",
        name, variable->name());
  }
  return places;
}

// One item of a step for each shard of its variable that has a part in it.
void AddItems(const RemoteHome& home, const RuleHome::Item& item,
              std::vector<RemoteStep::Item>& items) {
  const RemoteVariable& variable = AtHome("ApplyRule", home, *item.variable);
  const auto add = [&](size_t shard, const Tensor& gradient,
                       const Tensor& rows) {
    RemoteStep::Item part{.variable = variable.shards()[shard].place,
                          .gradient = gradient,
                          .rows = rows};
    for (const Variable* slot : item.slots) {
      const auto& shards = AtHome("ApplyRule", home, *slot).shards();
      if (shards.size() != variable.shards().size() ||
          shards[shard].place.server != part.variable.server) {
        throw Internal("[ApplyRule] '{}' is not kept beside '{}'", slot->name(),
                       variable.name());
      }
      part.slots.push_back(shards[shard].place);
    }
    items.push_back(std::move(part));
  };
  if (!variable.is_sharded()) {
    return add(0, item.gradient, item.rows);
  }
  if (item.rows.defined()) {
    for (const auto& part : variable.Divide("ApplyRule", item.rows)) {
      add(part.shard, kernels::Gather(item.gradient, part.positions),
          part.rows);
    }
    return;
  }
  for (size_t s = 0; s < variable.shards().size(); ++s) {
    const VariableShard& shard = variable.shards()[s];
    add(s, item.gradient.Slice(shard.begin, shard.begin + shard.shape[0]),
        Tensor());
  }
}

}  // namespace

void RemoteHome::UpdateTogether(std::string_view name,
                                const std::vector<Variable*>& variables,
                                std::span<const Tensor> inputs,
                                const UpdateRule& rule) {
  const HostScope scope;
  const std::vector<Place> places = PlacesTogether(name, *this, variables);
  for (;;) {
    const std::vector<VersionedValue> before = client_->Read(places);
    std::vector<Tensor> values;
    for (const VersionedValue& value : before) {
      values.push_back(value.value.Clone());
    }
    std::vector<Tensor*> pointers;
    for (Tensor& value : values) pointers.push_back(&value);
    rule(pointers, inputs);
    std::vector<Change> changes;
    for (size_t i = 0; i < places.size(); ++i) {
      changes.push_back({.place = places[i],
                         .value = values[i],
                         .only_after = before[i].changes});
    }
    if (client_->TryApply(changes)) return;
  }
}

void RemoteHome::ApplyRule(const Step& step) {
  const HostScope scope;
  const auto& counter = AtHome("ApplyRule", *this, *step.counter).shards();
  RemoteStep sent{.rule = step.rule,
                  .weight_decay = step.weight_decay,
                  .learning_rate = step.learning_rate,
                  .taken = step.taken,
                  .counter = counter[0].place};
  for (const Item& item : step.items) AddItems(*this, item, sent.items);
  client_->Apply(sent);
}

}  // namespace lockstep
