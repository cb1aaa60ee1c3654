#include "reference/cluster/control/grpc/grpc_log.h"

#include <grpc/support/log.h>

#include <cstdlib>
#include <mutex>
#include <string_view>

#include "reference/base/log.h"

namespace lockstep::control_internal {
namespace {

void Log(gpr_log_func_args* args) {
  if (args->severity != GPR_LOG_SEVERITY_ERROR) return;
  const std::string_view path = args->file;
  const std::string_view file = path.substr(path.find_last_of('/') + 1);
  if (file == "ssl_transport_security.cc") return;
  LogWarning("[gRPC] {}:{}: {}", file, args->line, args->message);
}

}  // namespace

void LogForGrpc() {
  static std::once_flag once;
  std::call_once(once, [] {
    if (std::getenv("GRPC_VERBOSITY") == nullptr) gpr_set_log_function(Log);
  });
}

}  // namespace lockstep::control_internal
