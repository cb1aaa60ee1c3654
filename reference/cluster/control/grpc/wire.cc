#include "reference/cluster/control/grpc/wire.h"

#include "reference/cluster/control/grpc/connection.h"

namespace lockstep::control_internal {

control::Failing ToMessage(const Failure& failure) {
  control::Failing failing;
  failing.set_code(ToStatusCode(failure.code));
  failing.set_message(failure.message);
  return failing;
}

Failure FromMessage(const control::Failing& failing) {
  return {FromStatusCode(failing.code()), failing.message()};
}

}  // namespace lockstep::control_internal
