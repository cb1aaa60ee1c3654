// What a client says of itself when it opens a stream, as metadata of the call.
#ifndef LOCKSTEP_REFERENCE_PARAMETER_SERVER_RPC_IDENTITY_H_
#define LOCKSTEP_REFERENCE_PARAMETER_SERVER_RPC_IDENTITY_H_

#include <fmt/core.h>

#include <string>

namespace lockstep::rpc {

// The only method.
inline std::string MethodName() {
  return fmt::format("/{}/{}", "lockstep.rpc.Requests", "Attend");
}

// The suffix -bin allows values of any bytes.
inline constexpr char kVersionKey[] = "lockstep-version-bin";
inline constexpr char kProgramKey[] = "lockstep-program-bin";
inline constexpr char kRoleKey[] = "lockstep-role-bin";
inline constexpr char kIndexKey[] = "lockstep-index";

}  // namespace lockstep::rpc

#endif  // LOCKSTEP_REFERENCE_PARAMETER_SERVER_RPC_IDENTITY_H_
