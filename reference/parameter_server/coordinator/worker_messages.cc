#include "reference/parameter_server/coordinator/worker_messages.h"

#include <utility>
#include <vector>

#include "reference/base/error.h"
#include "reference/parameter_server/coordinator/worker_messages.pb.h"

namespace lockstep::coordinator_internal {
namespace {

namespace proto = lockstep::coordinator;

Error Malformed(const char* what) {
  return InvalidArgument(
      "[ClusterCoordinator] a message that is no {}; is the other process a "
      "part of this job, of the same version?",
      what);
}

// Appends the leaves to `tensors`.
void Write(const Structure& value, proto::Form* form,
           std::vector<Tensor>* tensors) {
  form->set_kind(static_cast<proto::Form::Kind>(value.kind()));
  if (value.is_leaf()) {
    tensors->push_back(value.leaf());
    return;
  }
  for (const std::string& key : value.keys()) form->add_keys(key);
  for (const Structure& item : value.items()) {
    Write(item, form->add_items(), tensors);
  }
}

// Takes the leaves of a message in order.
class LeafReader {
 public:
  explicit LeafReader(const std::vector<Tensor>& tensors) : tensors_(tensors) {}

  Structure Read(const proto::Form& form) {
    if (form.kind() == proto::Form::LEAF) return NextLeaf();
    const bool is_dict = form.kind() == proto::Form::DICT;
    if (!is_dict && form.kind() != proto::Form::TUPLE) throw Malformed("value");
    if (form.keys_size() != (is_dict ? form.items_size() : 0)) {
      throw Malformed("value");
    }
    std::vector<Structure> items;
    for (const proto::Form& item : form.items()) items.push_back(Read(item));
    return Structure::WithForm(is_dict ? NestKind::kDict : NestKind::kTuple,
                               {form.keys().begin(), form.keys().end()},
                               std::move(items));
  }

  void CheckAtEnd() const {
    if (next_ != tensors_.size()) throw Malformed("value");
  }

 private:
  Structure NextLeaf() {
    if (next_ == tensors_.size()) throw Malformed("value");
    return tensors_[next_++];
  }

  const std::vector<Tensor>& tensors_;
  size_t next_ = 0;
};

void Write(const Argument& argument, proto::Argument* written,
           std::vector<Tensor>* tensors) {
  if (const auto* resource = std::get_if<ResourceId>(&argument)) {
    written->set_resource(resource->value);
  } else {
    Write(std::get<Structure>(argument), written->mutable_value(), tensors);
  }
}

void Write(const Call& call, proto::Call* written,
           std::vector<Tensor>* tensors) {
  written->set_function(call.function);
  for (const Argument& argument : call.arguments) {
    Write(argument, written->add_arguments(), tensors);
  }
  for (const auto& [name, argument] : call.named_arguments) {
    proto::Argument* named = written->add_arguments();
    named->set_name(name);
    Write(argument, named, tensors);
  }
}

Call ReadCall(const proto::Call& written, const std::vector<Tensor>& tensors) {
  LeafReader leaves(tensors);
  Call call{.function = written.function()};
  for (const proto::Argument& argument : written.arguments()) {
    Argument value = ResourceId{argument.resource()};
    if (argument.has_value()) value = leaves.Read(argument.value());
    if (argument.name().empty()) {
      call.arguments.push_back(std::move(value));
    } else {
      call.named_arguments.emplace(argument.name(), std::move(value));
    }
  }
  leaves.CheckAtEnd();
  return call;
}

Resource ReadResource(const proto::Make& make,
                      const std::vector<Tensor>& tensors) {
  if (make.kind() < Resource::kValue || make.kind() > Resource::kIterator) {
    throw Malformed("kind of resource");
  }
  return {.id = {make.id()},
          .kind = static_cast<Resource::Kind>(make.kind()),
          .call = ReadCall(make.call(), tensors),
          .dataset = {make.dataset()}};
}

Error ReadFailure(const proto::Failure& failure) {
  const bool is_known = failure.code() >= 0 &&
                        failure.code() <= static_cast<int>(Code::kInternal);
  return Error(is_known ? static_cast<Code>(failure.code()) : Code::kInternal,
               failure.text());
}

}  // namespace

rpc::Message ToMessage(uint64_t number, uint64_t epoch, const Call& call) {
  rpc::Message message;
  proto::Request request;
  request.mutable_run()->set_number(number);
  request.mutable_run()->set_epoch(epoch);
  Write(call, request.mutable_run()->mutable_call(), &message.tensors);
  request.SerializeToString(&message.head);
  return message;
}

rpc::Message ToMessage(const Resource& resource) {
  rpc::Message message;
  proto::Request request;
  request.mutable_make()->set_id(resource.id.value);
  request.mutable_make()->set_kind(resource.kind);
  request.mutable_make()->set_dataset(resource.dataset.value);
  Write(resource.call, request.mutable_make()->mutable_call(),
        &message.tensors);
  request.SerializeToString(&message.head);
  return message;
}

rpc::Message ToMessage(const RecallRequest& recall) {
  rpc::Message message;
  proto::Request request;
  request.mutable_recall()->set_epoch(recall.epoch);
  request.SerializeToString(&message.head);
  return message;
}

WorkerRequest RequestOf(const rpc::Message& message) {
  proto::Request request;
  if (!request.ParseFromString(message.head)) throw Malformed("request");
  switch (request.asks_case()) {
    case proto::Request::kRun:
      return RunRequest{
          .number = request.run().number(),
          .epoch = request.run().epoch(),
          .call = ReadCall(request.run().call(), message.tensors)};
    case proto::Request::kMake:
      return ReadResource(request.make(), message.tensors);
    case proto::Request::kRecall:
      return RecallRequest{request.recall().epoch()};
    default:
      throw Malformed("request");
  }
}

rpc::Message ToMessage(const RunReply& reply) {
  rpc::Message message;
  proto::Reply written;
  written.set_nanoseconds(reply.took.count());
  if (const auto* value = std::get_if<Structure>(&reply.result)) {
    Write(*value, written.mutable_value(), &message.tensors);
  } else if (const auto* error = std::get_if<Error>(&reply.result)) {
    written.mutable_failure()->set_code(static_cast<int>(error->code()));
    written.mutable_failure()->set_text(error->what());
  } else if (const auto* lost = std::get_if<ServerIsLost>(&reply.result)) {
    written.mutable_server_lost()->set_text(lost->text);
  } else {
    written.mutable_returned();
  }
  written.SerializeToString(&message.head);
  return message;
}

RunReply ReplyOf(const rpc::Message& message) {
  proto::Reply written;
  if (!written.ParseFromString(message.head)) throw Malformed("reply");
  RunReply reply{.result = NotRun(),
                 .took = std::chrono::nanoseconds(written.nanoseconds())};
  switch (written.says_case()) {
    case proto::Reply::kValue: {
      LeafReader leaves(message.tensors);
      reply.result = leaves.Read(written.value());
      leaves.CheckAtEnd();
      return reply;
    }
    case proto::Reply::kFailure:
      reply.result = ReadFailure(written.failure());
      return reply;
    case proto::Reply::kReturned:
      return reply;
    case proto::Reply::kServerLost:
      reply.result = ServerIsLost{written.server_lost().text()};
      return reply;
    default:
      throw Malformed("reply");
  }
}

}  // namespace lockstep::coordinator_internal
