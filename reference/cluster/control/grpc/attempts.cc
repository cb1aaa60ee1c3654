#include "reference/cluster/control/grpc/attempts.h"

#include <algorithm>
#include <chrono>
#include <thread>

#include "reference/base/error.h"
#include "reference/cluster/control/grpc/connection.h"

namespace lockstep::control_internal {
namespace {

constexpr std::chrono::milliseconds kLongestPause(100);

// The pause between attempts to reach a process that does not listen yet. It
// grows with the time since the first, so processes that start together connect
// within milliseconds.
std::chrono::nanoseconds PauseAfter(std::chrono::nanoseconds waited) {
  return std::clamp<std::chrono::nanoseconds>(
      waited / 4, std::chrono::milliseconds(2), kLongestPause);
}

bool Has(const std::string& text, const char* words) {
  return text.find(words) != std::string::npos;
}

// Nothing listens, or it is shutting down and dropped the call. A restarted
// process may listen soon.
bool MayComeBack(const grpc::Status& status) {
  return status.error_code() == grpc::StatusCode::UNAVAILABLE ||
         status.error_code() == grpc::StatusCode::CANCELLED;
}

// gRPC reports every connection failure as Unavailable; only its text has the
// cause.
void ThrowIfMistrusted(const Attempted& what, const std::string& why) {
  if (!Has(why, "Ssl handshake failed") && !Has(why, "peer certificate")) {
    return;
  }
  throw Unauthenticated("[{}] the certificate of {} is not trusted: {}",
                        what.operation, what.peer, why);
}

// How a listener ends a connection that it does not trust. A process that is
// killed ends it the same way.
bool IsHangUp(const std::string& why) {
  return Has(why, "Socket closed") || Has(why, "handshaker shutdown");
}

[[noreturn]] void ThrowNotReached(const Attempted& what, const std::string& why,
                                  int hang_ups) {
  if (Has(why, "DNS resolution failed")) {
    throw NotFound("[{}] the name of {} does not resolve: {}", what.operation,
                   what.peer, why);
  }
  // It hung up and listened again. A killed process hangs up only once.
  if (hang_ups > 1) {
    throw Unauthenticated(
        "[{}] {} does not trust this worker's certificate, or only one of them "
        "has TLS: {}",
        what.operation, what.peer, why);
  }
  throw DeadlineExceeded("[{}] {} was not reached: {}", what.operation,
                         what.peer, why);
}

}  // namespace

void TryUntil(Deadline deadline, const Attempted& what,
              const std::function<grpc::Status()>& attempt) {
  // The error to report: of the last attempt at which the other hung up, else
  // of the last one that the deadline did not cut off.
  std::string why = "no answer";
  int hang_ups = 0;
  const auto began = std::chrono::steady_clock::now();
  for (;;) {
    const grpc::Status status = attempt();
    if (status.ok()) return;
    if (!MayComeBack(status)) {
      throw Error(FromStatusCode(status.error_code()), status.error_message());
    }
    const bool hung_up = IsHangUp(status.error_message());
    if (hung_up) ++hang_ups;
    if (hung_up || (hang_ups == 0 && !status.error_message().empty())) {
      why = status.error_message();
    }
    ThrowIfMistrusted(what, why);
    const auto now = std::chrono::steady_clock::now();
    const auto pause = hang_ups > 0 ? kLongestPause : PauseAfter(now - began);
    if (now + pause >= deadline) ThrowNotReached(what, why, hang_ups);
    std::this_thread::sleep_for(pause);
  }
}

}  // namespace lockstep::control_internal
