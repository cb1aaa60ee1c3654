#include "reference/parameter_server/variables/parameter_client.h"

#include <map>
#include <span>
#include <utility>

#include "reference/base/error.h"
#include "reference/parameter_server/variables/published.h"
#include "reference/parameter_server/variables/server_links.h"

namespace lockstep {

using parameter_server::Request;
using parameter_server::ServerRequest;

namespace {

constexpr int kDirectory = 0;  // the server that knows all variables

template <typename Head>
Head ReadHead(const std::string& bytes) {
  Head head;
  if (head.ParseFromString(bytes)) return head;
  throw Internal("[ParameterClient] a server sent an unknown reply");
}

parameter_server::Change::Kind KindOf(Change::Kind kind) {
  switch (kind) {
    case Change::Kind::kAdd:
      return parameter_server::Change::ADD;
    case Change::Kind::kSubtract:
      return parameter_server::Change::SUBTRACT;
    case Change::Kind::kAssign:
      break;
  }
  return parameter_server::Change::ASSIGN;
}

uint64_t NextOrdinal(const Place& place) {
  ClosureScope* scope = ClosureScope::Current();
  return scope ? scope->NextUpdate(place.server, place.number) : 0;
}

// An update of one server, without a content.
ServerRequest UpdateOf(int server) {
  const ClosureScope* scope = ClosureScope::Current();
  ServerRequest request{.server = server};
  request.head.mutable_update()->set_closure(scope ? scope->closure() : 0);
  request.repeatable = scope != nullptr;
  return request;
}

void AddChange(const Change& change, ServerRequest& request) {
  auto& sent = *request.head.mutable_update()->add_changes();
  sent.set_variable(change.place.number);
  sent.set_ordinal(NextOrdinal(change.place));
  sent.set_kind(KindOf(change.kind));
  sent.set_wants_value(change.wants_value);
  if (change.only_after) sent.set_only_after(*change.only_after);
  request.tensors.push_back(change.value);
  request.tensors.push_back(change.rows);
}

// Appends the indices of what each server is asked, in the order of servers.
template <typename Items, typename ServerOf>
std::map<int, std::vector<size_t>> ByServer(const Items& items,
                                            const ServerOf& server_of) {
  std::map<int, std::vector<size_t>> by_server;
  for (size_t i = 0; i < items.size(); ++i) {
    by_server[server_of(items[i])].push_back(i);
  }
  return by_server;
}

// Errors: Internal for a reply without its tensors.
void CheckTensors(const rpc::Message& reply, size_t wanted) {
  if (reply.tensors.size() == wanted) return;
  throw Internal("[ParameterClient] a server sent {} tensors, wanted {}",
                 reply.tensors.size(), wanted);
}

}  // namespace

ParameterClient::ParameterClient(const ParameterServerCluster& cluster,
                                 const ControlPlaneOptions& options,
                                 Deadline deadline, Lost lost)
    : links_(std::make_unique<parameter_server::ServerLinks>(
          cluster, options, deadline, std::move(lost))) {}

ParameterClient::~ParameterClient() = default;

int ParameterClient::num_servers() const { return links_->size(); }
bool ParameterClient::is_coordinator() const {
  return links_->is_coordinator();
}
void ParameterClient::CheckAlive() const { links_->CheckAlive(); }

void ParameterClient::SetFinished(ClosureNumber below) {
  for (int server = 0; server < num_servers(); ++server) {
    ServerRequest request{.server = server};
    request.head.mutable_finish()->set_below(below);
    links_->Post(request);
  }
}

void ParameterClient::Create(const Place& place, const std::string& name,
                             const Tensor& value) {
  ServerRequest request{.server = place.server, .tensors = {value}};
  request.head.mutable_create()->set_variable(place.number);
  request.head.mutable_create()->set_name(name);
  links_->Call({request});
}

void ParameterClient::Publish(uint64_t index,
                              const PublishedVariable& variable) {
  ServerRequest request{.server = kDirectory};
  request.head.mutable_publish()->set_index(index);
  *request.head.mutable_publish()->mutable_variable() =
      parameter_server::ToMessage(variable);
  links_->Call({request});
}

PublishedVariable ParameterClient::Await(uint64_t index,
                                         const std::string& name) {
  ServerRequest request{.server = kDirectory, .repeatable = true};
  request.head.mutable_await()->set_index(index);
  request.head.mutable_await()->set_name(name);
  const auto reply = links_->Call({request});
  return parameter_server::FromMessage(
      ReadHead<parameter_server::Published>(reply[0].head), num_servers());
}

std::vector<VersionedValue> ParameterClient::Read(
    const std::vector<Place>& places, const std::vector<Tensor>& rows) {
  const auto by_server =
      ByServer(places, [](const Place& place) { return place.server; });
  std::vector<ServerRequest> requests;
  for (const auto& [server, indices] : by_server) {
    ServerRequest& request = requests.emplace_back();
    request.server = server;
    request.repeatable = true;
    for (const size_t i : indices) {
      request.head.mutable_read()->add_variables(places[i].number);
      request.tensors.push_back(rows.empty() ? Tensor() : rows[i]);
    }
  }
  const std::vector<rpc::Message> replies = links_->Call(requests);
  std::vector<VersionedValue> values(places.size());
  size_t next = 0;
  for (const auto& [server, indices] : by_server) {
    const rpc::Message& reply = replies[next++];
    const auto head = ReadHead<parameter_server::Values>(reply.head);
    CheckTensors(reply, indices.size());
    CheckTensors(reply, static_cast<size_t>(head.changes_size()));
    for (size_t k = 0; k < indices.size(); ++k) {
      values[indices[k]] = {reply.tensors[k],
                            head.changes(static_cast<int>(k))};
    }
  }
  return values;
}

void ParameterClient::CheckMayChange() const {
  if (is_coordinator() || ClosureScope::Current() != nullptr) return;
  throw FailedPrecondition(
      "[ParameterClient] {}",
      "a worker changes variables of parameter servers only in a scheduled "
      "function, on the thread that runs it; change them on the coordinator, "
      "or let it schedule a function that does");
}

std::vector<Tensor> ParameterClient::Apply(const std::vector<Change>& changes) {
  CheckMayChange();
  const auto by_server = ByServer(
      changes, [](const Change& change) { return change.place.server; });
  std::vector<ServerRequest> requests;
  for (const auto& [server, indices] : by_server) {
    requests.push_back(UpdateOf(server));
    for (const size_t i : indices) AddChange(changes[i], requests.back());
  }
  const std::vector<rpc::Message> replies = links_->Call(requests);
  std::vector<Tensor> values(changes.size());
  size_t next = 0;
  for (const auto& [server, indices] : by_server) {
    const rpc::Message& reply = replies[next++];
    CheckTensors(reply, indices.size());
    for (size_t k = 0; k < indices.size(); ++k) {
      values[indices[k]] = reply.tensors[k];
    }
  }
  return values;
}

bool ParameterClient::TryApply(const std::vector<Change>& changes) {
  CheckMayChange();
  ServerRequest request = UpdateOf(changes[0].place.server);
  for (const Change& change : changes) AddChange(change, request);
  const auto reply = links_->Call({request});
  if (ReadHead<parameter_server::Updated>(reply[0].head).applied()) return true;
  if (ClosureScope* scope = ClosureScope::Current()) {
    for (const Change& change : changes) {
      scope->TakeBack(change.place.server, change.place.number);
    }
  }
  return false;
}

namespace {

void AddStep(const RemoteStep& step, const std::vector<size_t>& items,
             ServerRequest& request) {
  parameter_server::Step& sent = *request.head.mutable_update()->mutable_step();
  *sent.mutable_rule() = parameter_server::ToMessage(step.rule);
  sent.set_weight_decay(step.weight_decay);
  request.tensors.push_back(step.learning_rate);
  request.tensors.push_back(step.taken);
  for (const size_t i : items) {
    const RemoteStep::Item& item = step.items[i];
    parameter_server::Item& of_server = *sent.add_items();
    of_server.set_variable(item.variable.number);
    of_server.set_ordinal(NextOrdinal(item.variable));
    for (const Place& slot : item.slots) of_server.add_slots(slot.number);
    request.tensors.push_back(item.gradient);
    request.tensors.push_back(item.rows);
  }
}

// How many steps this one is.
Tensor CountOf(const RemoteStep& step) {
  return step.taken.defined() ? step.taken.Cast(DType::kInt64)
                              : Tensor::Scalar<int64_t>(1);
}

}  // namespace

void ParameterClient::Apply(const RemoteStep& step) {
  CheckMayChange();
  auto by_server = ByServer(step.items, [](const RemoteStep::Item& item) {
    return item.variable.server;
  });
  const Tensor count = CountOf(step);
  ServerRequest first = UpdateOf(step.counter.server);
  AddChange({.place = step.counter,
             .kind = Change::Kind::kAdd,
             .value = count,
             .wants_value = true},
            first);
  if (const auto own = by_server.extract(step.counter.server)) {
    AddStep(step, own.mapped(), first);
    first.head.mutable_update()->mutable_step()->set_counter_change(0);
  }
  const rpc::Message reply = links_->Call({first})[0];
  if (by_server.empty()) return;
  CheckTensors(reply, 1);
  const int64_t iterations =
      reply.tensors[0].item<int64_t>() - count.item<int64_t>();
  std::vector<ServerRequest> others;
  for (const auto& [server, indices] : by_server) {
    others.push_back(UpdateOf(server));
    AddStep(step, indices, others.back());
    others.back().head.mutable_update()->mutable_step()->set_iterations(
        iterations);
  }
  links_->Call(others);
}

}  // namespace lockstep
