#include "reference/cluster/control/grpc/control_server.h"

#include <grpcpp/grpcpp.h>

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <set>
#include <utility>

#include "reference/cluster/control/grpc/connection.h"
#include "reference/cluster/control/grpc/control.grpc.pb.h"
#include "reference/cluster/control/grpc/tls_credentials.h"
#include "reference/cluster/control/grpc/worker_stream.h"

namespace lockstep::control_internal {
namespace {

// Ends a stream without reading from it.
class Refusal
    : public grpc::ServerBidiReactor<control::FromWorker, control::FromChief> {
 public:
  explicit Refusal(const grpc::Status& status) { Finish(status); }
  void OnDone() override { delete this; }
};

}  // namespace

class ControlServer::Service : public control::Control::CallbackService {
 public:
  Service(std::vector<std::string> names, JobIdentity job, std::string token)
      : token_(std::move(token)),
        job_(std::move(job)),
        job_state_(std::move(names)) {}
  ~Service() override;

  void Listen(const std::string& address, const ControlPlaneOptions& options);

  int port() const { return port_; }
  JobState& job_state() { return job_state_; }

 private:
  grpc::ServerBidiReactor<control::FromWorker, control::FromChief>* Attend(
      grpc::CallbackServerContext* call) override;

  const std::string token_;
  const JobIdentity job_;
  JobState job_state_;
  int port_ = 0;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::set<WorkerStream*> streams_;
  bool closed_ = false;
  std::chrono::milliseconds shutdown_limit_{0};
  std::unique_ptr<grpc::Server> server_;
};

void ControlServer::Service::Listen(const std::string& address,
                                    const ControlPlaneOptions& options) {
  shutdown_limit_ = options.heartbeat_interval;
  grpc::ServerBuilder builder;
  SetArguments(options, builder);
  builder.AddListeningPort(address, MakeServerCredentials(options.tls), &port_);
  builder.RegisterService(this);
  server_ = builder.BuildAndStart();
  if (server_ && port_ != 0) return;
  throw Unavailable(
      "[ConnectControlPlane] the chief cannot listen at {}: the port is in "
      "use, or the address is not of this machine",
      address);
}

ControlServer::Service::~Service() {
  if (!server_) return;
  job_state_.Close();
  {
    std::lock_guard lock(mutex_);
    closed_ = true;
    for (WorkerStream* worker : streams_) worker->Close();
  }
  server_->Shutdown(std::chrono::system_clock::now() + shutdown_limit_);
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return streams_.empty(); });
}

grpc::ServerBidiReactor<control::FromWorker, control::FromChief>*
ControlServer::Service::Attend(grpc::CallbackServerContext* call) {
  if (!HasToken(*call, token_)) {
    const Error why = Unauthenticated("[Join] wrong token");
    job_state_.NoteRefusal(call->peer(), why);
    return new Refusal(ToStatus(why));
  }
  std::lock_guard lock(mutex_);
  if (closed_) {
    return new Refusal(ToStatus(Unavailable("[Join] the chief has ended")));
  }
  auto* worker =
      new WorkerStream(job_state_, job_, *call, [this](WorkerStream* w) {
        std::lock_guard leaving(mutex_);
        streams_.erase(w);
        changed_.notify_all();
      });
  streams_.insert(worker);
  return worker;
}

ControlServer::ControlServer(std::vector<std::string> names, std::string run_id,
                             const std::string& address,
                             const ControlPlaneOptions& options)
    : service_([&] {
        const int workers = static_cast<int>(names.size());
        return std::make_unique<Service>(
            std::move(names), JobIdentity{workers, std::move(run_id)},
            options.token);
      }()) {
  service_->Listen(address, options);
}

ControlServer::~ControlServer() = default;

int ControlServer::port() const { return service_->port(); }
JobState& ControlServer::job_state() { return service_->job_state(); }

}  // namespace lockstep::control_internal
