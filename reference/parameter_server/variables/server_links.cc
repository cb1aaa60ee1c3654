#include "reference/parameter_server/variables/server_links.h"

#include <fmt/core.h>

#include <utility>

#include "reference/base/error.h"

namespace lockstep::parameter_server {
namespace {

rpc::Message MessageOf(const ServerRequest& request) {
  return {request.head.SerializeAsString(), request.tensors};
}

rpc::Introduction IntroductionOf(const ParameterServerCluster& cluster) {
  const bool coordinates = cluster.role == ParameterServerRole::kCoordinator;
  return {.role = coordinates ? rpc::kCoordinatorRole
                              : std::string(NameOf(cluster.role)),
          .index = cluster.index};
}

}  // namespace

ServerLinks::ServerLinks(const ParameterServerCluster& cluster,
                         const ControlPlaneOptions& options, Deadline deadline,
                         Lost lost)
    : is_coordinator_(cluster.role == ParameterServerRole::kCoordinator),
      tell_lost_(std::move(lost)) {
  CheckParameterServerCluster(cluster);
  for (size_t i = 0; i < cluster.servers.size(); ++i) {
    links_.push_back(std::make_unique<ServerLink>(
        ServerLink::Options{
            .peer = {.name = fmt::format("parameter server {}", i),
                     .address = cluster.servers[i]},
            .self = IntroductionOf(cluster),
            .control = options,
            .reconnects = !is_coordinator_,
            .lost = [this](const rpc::PeerLost& why) { Lose(why); }},
        deadline));
  }
}

void ServerLinks::Lose(const rpc::PeerLost& lost) {
  {
    std::lock_guard lock(mutex_);
    if (lost_) return;
    lost_ = lost;
  }
  if (tell_lost_) tell_lost_(lost);
}

void ServerLinks::CheckAlive() {
  std::lock_guard lock(mutex_);
  if (lost_) throw *lost_;
}

std::vector<rpc::Message> ServerLinks::Call(
    const std::vector<ServerRequest>& requests) {
  CheckAlive();
  std::vector<rpc::Message> messages;
  std::vector<ServerLink::Sent> sent;
  for (const ServerRequest& request : requests) {
    messages.push_back(MessageOf(request));
    sent.push_back(links_.at(request.server)->Send(messages.back()));
  }
  std::vector<rpc::Message> replies;
  std::exception_ptr failed;
  for (size_t i = 0; i < requests.size(); ++i) {
    try {
      replies.push_back(links_[requests[i].server]->Finish(
          std::move(sent[i]), messages[i], requests[i].repeatable));
    } catch (const Error&) {
      if (!failed) failed = std::current_exception();
    }
  }
  if (failed) std::rethrow_exception(failed);
  return replies;
}

void ServerLinks::Post(const ServerRequest& request) {
  CheckAlive();
  links_.at(request.server)->Send(MessageOf(request));
}

}  // namespace lockstep::parameter_server
