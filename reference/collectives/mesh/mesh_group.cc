#include "reference/collectives/mesh/mesh_group.h"

#include <algorithm>
#include <exception>
#include <numeric>
#include <optional>
#include <utility>

#include "reference/base/error.h"
#include "reference/base/log.h"
#include "reference/base/trace.h"
#include "reference/collectives/cross_device_ops.h"
#include "reference/collectives/mesh/channels.h"
#include "reference/collectives/mesh/mesh_reduction.h"
#include "reference/collectives/mesh/tensor_transfer.h"
#include "reference/collectives/reduction.h"
#include "reference/tensor/host_tensor.h"

namespace lockstep::collectives_internal {
namespace {

// Fills in the call's tensors, or why there are none.
template <typename Prepare>
Call MakeCall(Operation operation, int parameter, const Prepare& prepare) {
  Call call = {.operation = operation, .parameter = parameter};
  try {
    const TensorList values = prepare();
    for (const Tensor& value : values) {
      if (!value.defined()) {
        throw InvalidArgument("[{}] there is no tensor",
                              OperationName(operation));
      }
      if (!value.on_host()) {
        throw Unimplemented(
            "[{}] tensors must be on CPUs, got one on {}: this group of "
            "workers does not support GPUs",
            OperationName(operation), value.device().name());
      }
    }
    call.encoded = Encoded(values);
    call.specs = SpecsOf(values, call.encoded);
  } catch (const Error& error) {
    call.encoded.clear();
    call.error = error;
  }
  return call;
}

bool IsOnGpu(const Tensor& tensor) {
  return tensor.defined() && !tensor.on_host();
}

std::vector<int> AllRanks(int size) {
  std::vector<int> ranks(size);
  std::iota(ranks.begin(), ranks.end(), 0);
  return ranks;
}

}  // namespace

MeshGroup::MeshGroup(std::unique_ptr<Mesh> mesh,
                     const MeshGroupOptions& options)
    : leave_limit_(options.leave_limit),
      stall_timeout_{options.stall_limit},
      gpu_sums_(options.gpu_sums),
      mesh_(std::move(mesh)),
      agreement_(*mesh_) {}

MeshGroup::~MeshGroup() {
  queue_.Drain();
  try {
    mesh_->Check();
    agreement_.Leave(leave_limit_);
  } catch (const std::exception& error) {
    // All ranks have been notified that the group has ended.
    LogInfo("a group of workers ends: {}", error.what());
  }
}

void MeshGroup::Run(const Call& call, bool same_specs, Deadline deadline,
                    const std::function<void()>& body) {
  std::optional<Error> refused;
  mesh_->Check();
  try {
    refused = agreement_.Negotiate(call, same_specs, deadline, stall_timeout_);
    if (!refused) body();
    agreement_.Recycle();
    mesh_->CollectiveDone();
  } catch (...) {
    // The others may still wait for any message, so the mesh is unusable.
    mesh_->GiveUp(PeerFailure());
    throw;
  }
  if (refused) throw *refused;
}

Pending<TensorList> MeshGroup::AllReduce(ReduceOp op, const TensorList& values,
                                         const CollectiveOptions& options) {
  if (size() == 1) return Pending(PrepareForReduce(op, values));
  const TraceSpan span("AllReduce", "communication");
  if (gpu_sums_ && std::ranges::any_of(values, IsOnGpu)) {
    return Pending(AllReduceOnGpus(op, values, options.deadline));
  }
  Call call = MakeCall(Operation::kAllReduce, static_cast<int>(op),
                       [&] { return PrepareForReduce(op, values); });
  if (span.wanted()) {
    int64_t bytes = 0;
    for (const Tensor& t : call.encoded) bytes += t.bytes();
    span.set_bytes(bytes);
  }
  TensorList results = EmptyLike(call.encoded, CurrentHost());
  auto reduce = [this, call = std::move(call), results,
                 deadline = options.deadline,
                 divisor = DivisorOf(op)]() mutable {
    Run(call, true, deadline, [&] { ReduceTogether(call, divisor, results); });
  };
  if (options.overlapped) {
    return {std::move(results), queue_.Add(std::move(reduce))};
  }
  queue_.Drain();
  reduce();
  return Pending(std::move(results));
}

TensorList MeshGroup::AllReduceOnGpus(ReduceOp op, const TensorList& values,
                                      Deadline deadline) {
  Device& device = Device::Current();
  Call call = {.operation = Operation::kGpuAllReduce,
               .parameter = static_cast<int>(op)};
  TensorList inputs, sums;
  try {
    for (const Tensor& value : values) inputs.push_back(value.To(device));
    inputs = PrepareForReduce(op, inputs);
    sums = EmptyLike(inputs, device);
    call.specs = SpecsOf(inputs, inputs);
  } catch (const Error& error) {
    call.error = error;
  }
  queue_.Drain();
  Run(call, true, deadline,
      [&] { gpu_sums_->Sum(inputs, sums, [this] { mesh_->Check(); }); });
  if (op != ReduceOp::kMean) return sums;
  TensorList results = EmptyLike(sums, device);
  const Reduction division(op, {&sums}, {&results});
  division.Sum({{.input = true, .rank = 0}}, {0}, size());
  return results;
}

TensorList MeshGroup::CopiedToHost(const TensorList& values) const {
  TensorList here;
  for (const Tensor& value : values) {
    const bool fetch = gpu_sums_ && value.defined() && IsOnGpu(value);
    here.push_back(fetch ? value.To(Device::Host()) : value);
  }
  return here;
}

std::vector<const std::byte*> MeshGroup::Payloads() {
  std::vector<const std::byte*> payloads;
  for (int r = 0; r < size(); ++r) payloads.push_back(agreement_.Payload(r));
  return payloads;
}

void MeshGroup::ReduceTogether(const Call& call, int divisor,
                               TensorList& results) {
  const PieceList pieces(call.encoded);
  if (agreement_.PayloadInside(0)) {
    SumPacked(Payloads(), call.encoded, pieces, {0, pieces.units()}, divisor,
              results);
  } else {
    Reduce(*mesh_,
           {.inputs = call.encoded,
            .outputs = results,
            .parts = EqualParts(pieces.units(), size()),
            .divisor = divisor},
           stall_timeout_);
  }
}

Pending<Tensor> MeshGroup::ReduceScatter(ReduceOp op, const TensorList& parts,
                                         const CollectiveOptions& options) {
  const auto prepare = [&] {
    if (static_cast<int>(parts.size()) != size()) {
      throw InvalidArgument(
          "[ReduceScatter] wanted a part for each of {} ranks, got {} on rank "
          "{}",
          size(), parts.size(), rank());
    }
    return PrepareForReduce(op, CopiedToHost(parts));
  };
  const Call call =
      MakeCall(Operation::kReduceScatter, static_cast<int>(op), prepare);
  queue_.Drain();
  Tensor result;
  Run(call, true, options.deadline,
      [&] { result = ReduceOwnPart(call, DivisorOf(op)); });
  return Pending(gpu_sums_ ? result.To(Device::Current()) : result);
}

Tensor MeshGroup::ReduceOwnPart(const Call& call, int divisor) {
  const TensorList& parts = call.encoded;
  const PieceList pieces(parts);
  std::vector<Units> units;
  int64_t begin = 0;
  for (const Tensor& part : parts) {
    const auto length =
        static_cast<int64_t>(RoundUp(part.bytes()) / kAlignment);
    units.push_back({begin, begin + length});
    begin += length;
  }
  TensorList results(parts.size());
  results[rank()] = EmptyLike({parts[rank()]}, CurrentHost())[0];
  if (agreement_.PayloadInside(0)) {
    std::vector<const std::byte*> packed;
    for (const std::byte* payload : Payloads()) {
      packed.push_back(payload + units[rank()].begin * kAlignment);
    }
    SumPacked(packed, parts, pieces, units[rank()], divisor, results);
  } else {
    Reduce(*mesh_,
           {.inputs = parts,
            .outputs = results,
            .parts = units,
            .divisor = divisor,
            .all_reduce = false},
           stall_timeout_);
  }
  return results[rank()];
}

Pending<std::vector<TensorList>> MeshGroup::AllGather(
    const TensorList& values, const CollectiveOptions& options) {
  const Call call =
      MakeCall(Operation::kAllGather, 0, [&] { return CopiedToHost(values); });
  queue_.Drain();
  std::vector<TensorList> all;
  Run(call, false, options.deadline,
      [&] { all = Collect(call, AllRanks(size())); });
  all[rank()] = values;
  return Pending(std::move(all));
}

Pending<TensorList> MeshGroup::Broadcast(const TensorList& values, int root,
                                         const CollectiveOptions& options) {
  const auto prepare = [&] {
    if (root < 0 || root >= size()) {
      throw InvalidArgument("[Broadcast] root must be a rank, 0 to {}, got {}",
                            size() - 1, root);
    }
    return root == rank() ? CopiedToHost(values) : TensorList();
  };
  const Call call = MakeCall(Operation::kBroadcast, root, prepare);
  queue_.Drain();
  TensorList results;
  Run(call, false, options.deadline,
      [&] { results = Collect(call, {root})[root]; });
  if (root == rank()) return Pending(values);
  for (Tensor& result : results) {
    if (gpu_sums_) result = result.To(Device::Current());
  }
  return Pending(std::move(results));
}

void MeshGroup::Barrier(const CollectiveOptions& options) {
  queue_.Drain();
  Run({.operation = Operation::kBarrier}, false, options.deadline, [] {});
}

std::vector<TensorList> MeshGroup::Collect(const Call& call,
                                           const std::vector<int>& ranks) {
  const auto specs = agreement_.Specs(ranks, stall_timeout_);
  std::vector<TensorList> collected(size());
  Transfers transfers;
  for (const int from : ranks) {
    if (from != rank()) {
      ReceiveFrom(from, specs[from], collected[from], transfers);
    }
  }
  if (!call.encoded.empty() && !agreement_.PayloadInside(rank())) {
    for (int to = 0; to < size(); ++to) {
      if (to == rank()) continue;
      SendList(*mesh_, {to, kValueChannel}, call.encoded, transfers);
    }
  }
  for (const auto& transfer : transfers) transfer->Wait(stall_timeout_());
  for (const int from : ranks) {
    collected[from] = Decoded(collected[from], specs[from]);
  }
  return collected;
}

void MeshGroup::ReceiveFrom(int rank, const std::vector<SentSpec>& specs,
                            TensorList& values, Transfers& transfers) {
  agreement_.CheckPayload(rank, specs);
  values = EmptyEncoded(specs);
  const PieceList pieces(values);
  if (agreement_.PayloadInside(rank)) {
    UnpackUnits(agreement_.Payload(rank), pieces, {0, pieces.units()}, values);
  } else {
    ReceiveList(*mesh_, {rank, kValueChannel}, values, transfers);
  }
}

}  // namespace lockstep::collectives_internal
