#include "reference/parameter_server/server/parameter_server.h"

#include "reference/base/deadline.h"
#include "reference/parameter_server/rpc/rpc_server.h"
#include "reference/parameter_server/server/parameter_service.h"

namespace lockstep {

class ParameterServer::Store {
 public:
  Store(const std::string& address, const ControlPlaneOptions& options)
      : deadline_(Deadline::clock::now() + options.join_timeout),
        server_(address, options, service_) {}

  int port() const { return server_.port(); }
  void Wait() { service_.WaitForEnd(deadline_); }

 private:
  const Deadline deadline_;
  parameter_server::ParameterService service_;
  rpc::RpcServer server_;
};

ParameterServer::ParameterServer(const std::string& address,
                                 const ControlPlaneOptions& options)
    : store_(std::make_unique<Store>(address, options)) {}

ParameterServer::~ParameterServer() = default;

int ParameterServer::port() const { return store_->port(); }
void ParameterServer::Wait() { store_->Wait(); }

int RunParameterServer(const ParameterServerCluster& cluster,
                       const ControlPlaneOptions& options) {
  const WorkerAddress address{options.listen_host, cluster.own_address().port};
  ParameterServer server(address.ToString(), options);
  if (options.listening) options.listening(server.port());
  server.Wait();
  return 0;
}

}  // namespace lockstep
