// What a parameter server does with any bytes: it answers, or refuses them.
#include <cstddef>
#include <cstdint>
#include <span>

#include "reference/base/check.h"
#include "reference/base/error.h"
#include "reference/parameter_server/rpc/frame.h"
#include "reference/parameter_server/server/parameter_service.h"

namespace lockstep::parameter_server {
namespace {

const rpc::Caller kCoordinator{
    .role = rpc::kCoordinatorRole, .address = "c", .stream = 1};

void Create(ParameterService& service, uint64_t number, const Tensor& value) {
  Request request;
  request.mutable_create()->set_variable(number);
  service.Handle(kCoordinator, {request.SerializeAsString(), {value}},
                 [](rpc::Outcome outcome) { outcome.Take(); });
}

void Try(std::span<const uint8_t> bytes) {
  const grpc::Slice slice(bytes.data(), bytes.size());
  rpc::DecodedFrame decoded = rpc::DecodeFrame(grpc::ByteBuffer(&slice, 1));
  ParameterService service;
  service.Joined(kCoordinator);
  Create(service, 1, Tensor::FromVector<float>({1, 2}));
  Create(service, 2, Tensor::FromVector<float>({3, 4}));
  Create(service, 3, Tensor::Zeros(Shape{3, 2}));
  Create(service, 4, Tensor::Scalar<int64_t>(0));
  Create(service, 5, Tensor::Scalar(std::string("text")));
  int answers = 0;
  service.Handle(kCoordinator,
                 {decoded.frame.message(), std::move(decoded.tensors)},
                 [&](const rpc::Outcome&) { ++answers; });
  service.Left(kCoordinator);
  LOCKSTEP_CHECK(answers == 1);
}

}  // namespace
}  // namespace lockstep::parameter_server

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  try {
    lockstep::parameter_server::Try({data, size});
  } catch (const lockstep::Error&) {
  }
  return 0;
}
