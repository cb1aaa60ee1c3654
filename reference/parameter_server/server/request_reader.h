// Reads the requests of clients. What they send is not trusted.
//
//   const ValueUpdate update = ReadUpdate(request.update(), tensors);
#ifndef LOCKSTEP_REFERENCE_PARAMETER_SERVER_SERVER_REQUEST_READER_H_
#define LOCKSTEP_REFERENCE_PARAMETER_SERVER_SERVER_REQUEST_READER_H_

#include <span>
#include <string>

#include "reference/parameter_server/rpc/parameter.pb.h"
#include "reference/parameter_server/server/stored_values.h"
#include "reference/tensor/tensor.h"

namespace lockstep::parameter_server {

// Errors: InvalidArgument for bytes that are not a request.
Request ReadRequest(const std::string& head);

// Errors: InvalidArgument for another number of tensors than the message says,
// and for an unknown kind of change.
ValueUpdate ReadUpdate(const Update& update, std::span<const Tensor> tensors);

// Errors: InvalidArgument unless there are that many tensors.
void CheckCount(const char* operation, std::span<const Tensor> tensors,
                size_t wanted);

}  // namespace lockstep::parameter_server

#endif  // LOCKSTEP_REFERENCE_PARAMETER_SERVER_SERVER_REQUEST_READER_H_
