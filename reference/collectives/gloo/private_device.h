// A Gloo device to which no other process can connect by itself.
//
//   const auto device = MakePrivateDevice(tcp::CreateDeviceAttr(wanted));
//
// Pairs get their connections from greeted_sockets.h. But in some versions of
// Gloo a device listens at a port of its own as long as it lives, and a process
// that connects there and hangs up ends this one.
#ifndef LOCKSTEP_REFERENCE_COLLECTIVES_GLOO_PRIVATE_DEVICE_H_
#define LOCKSTEP_REFERENCE_COLLECTIVES_GLOO_PRIVATE_DEVICE_H_

#include <gloo/transport/tcp/device.h>

#include <memory>

namespace lockstep::collectives_internal {

// Errors: those of Gloo; ResourceExhausted if the process has no descriptor
// left.
std::shared_ptr<gloo::transport::tcp::Device> MakePrivateDevice(
    const gloo::transport::tcp::attr& attributes);

}  // namespace lockstep::collectives_internal

#endif  // LOCKSTEP_REFERENCE_COLLECTIVES_GLOO_PRIVATE_DEVICE_H_
