// The bytes of a message between two processes.
//
//   4 bytes           size of the Frame, little-endian
//   that many bytes   Frame, a protocol buffer
//   the rest          the tensors' elements, little-endian, without padding
//
//   grpc::ByteBuffer bytes = EncodeFrame(frame, tensors);
//   DecodedFrame decoded = DecodeFrame(bytes);
#ifndef LOCKSTEP_REFERENCE_PARAMETER_SERVER_RPC_FRAME_H_
#define LOCKSTEP_REFERENCE_PARAMETER_SERVER_RPC_FRAME_H_

#include <grpcpp/support/byte_buffer.h>

#include <vector>

#include "reference/parameter_server/rpc/frame.pb.h"
#include "reference/parameter_server/rpc/message.h"
#include "reference/tensor/tensor.h"

namespace lockstep::rpc {

// Large tensors are not copied: the bytes share their memory.
grpc::ByteBuffer EncodeFrame(Frame frame, const std::vector<Tensor>& tensors);

struct DecodedFrame {
  Frame frame;
  std::vector<Tensor> tensors;  // in host memory
};

// Bytes are not trusted. Errors: InvalidArgument for bytes that are not a frame:
// cut off, too many, an unknown type, a shape of more elements than there are
// bytes, a bool that is neither 0 nor 1.
DecodedFrame DecodeFrame(const grpc::ByteBuffer& bytes);

}  // namespace lockstep::rpc

#endif  // LOCKSTEP_REFERENCE_PARAMETER_SERVER_RPC_FRAME_H_
