// How it works. A collective begins with one message from every rank to every
// other. All messages have the same size limit, so no rank needs to know what
// is coming in order to have memory for it:
//
//   | header | description: shapes, or an error | the tensors' bytes |
//   0        64                                                 kMessageBytes
//
// The header says whether the other two are inside. A description that is not
// is sent on its own channel when the operation needs it (Specs); tensors that
// are not are exchanged by the caller, once all ranks agree (MeshGroup).
//
// Receives are posted before they are needed, by two sets of buffers in turn.
// A rank cannot enter collective n + 2 before all have sent their message of
// n + 1, which they do after Recycle of n: so every message finds its receive.
//
//   collective     n                n + 1            n + 2
//   buffers 0      read | Recycle   posted           read ...
//   buffers 1      posted           read | Recycle   posted ...
//
// All ranks then have the same headers, so each reaches the same verdict
// without a second round: first whether a rank has left, then whether all call
// the same operation, then the lowest rank's own error, then whether the
// tensors have the same specs. The last compares hashes; the descriptions
// themselves are read only if these differ, to say what differs.
#include "reference/collectives/mesh/agreement.h"

#include <algorithm>
#include <numeric>
#include <string_view>
#include <utility>

#include "reference/base/error.h"
#include "reference/collectives/cross_device_ops.h"
#include "reference/collectives/mesh/channels.h"
#include "reference/collectives/mesh/tensor_transfer.h"

namespace lockstep::collectives_internal {
namespace {

constexpr size_t kLongestError = 4096;

// Larger than any list's description: a message that claims more is damaged.
constexpr uint64_t kLongestDescription = 1 << 30;

std::vector<TensorSpec> TensorSpecs(const std::vector<SentSpec>& specs) {
  std::vector<TensorSpec> tensors;
  for (const SentSpec& sent : specs) tensors.push_back(sent.spec);
  return tensors;
}

std::shared_ptr<std::byte> BytesOf(const std::shared_ptr<std::string>& text) {
  return {text, reinterpret_cast<std::byte*>(text->data())};
}

}  // namespace

Agreement::Agreement(Mesh& mesh) : mesh_(mesh), headers_(mesh.size()) {
  for (int turn = 0; turn < 2; ++turn) {
    buffers_[turn].theirs = std::vector<CallMessage>(mesh.size());
    buffers_[turn].coming.resize(mesh.size());
    Post(buffers_[turn], turn);
  }
}

CallMessage& Agreement::MessageOf(int rank) {
  MessageBuffers& buffers = buffers_[turn_];
  return rank == mesh_.rank() ? buffers.mine : buffers.theirs[rank];
}

void Agreement::Post(MessageBuffers& buffers, int turn) {
  for (int rank = 0; rank < mesh_.size(); ++rank) {
    if (rank == mesh_.rank()) continue;
    buffers.coming[rank] =
        mesh_.Receive(rank, kFirstCallChannel + turn,
                      buffers.theirs[rank].memory(), kMessageBytes);
  }
}

void Agreement::Recycle() {
  Post(buffers_[turn_], turn_);
  turn_ = 1 - turn_;
}

// Sends to all ranks before waiting for any.
void Agreement::SendAll(Deadline deadline) {
  MessageBuffers& buffers = buffers_[turn_];
  Transfers sent;
  for (int rank = 0; rank < mesh_.size(); ++rank) {
    if (rank == mesh_.rank()) continue;
    sent.push_back(mesh_.Send(rank, kFirstCallChannel + turn_,
                              buffers.mine.memory(), buffers.mine.bytes()));
  }
  for (const auto& coming : buffers.coming) {
    if (coming) coming->Wait(deadline);
  }
  for (const auto& transfer : sent) transfer->Wait(deadline);
}

std::optional<Error> Agreement::Negotiate(const Call& call, bool same_specs,
                                          Deadline deadline,
                                          StallTimeout stall_timeout) {
  CallHeader header = {.operation = call.operation,
                       .parameter = call.parameter};
  const PieceList pieces(call.encoded);
  if (call.error) {
    header.failed = static_cast<uint32_t>(call.error->code()) + 1;
    description_ = std::string(call.error->what()).substr(0, kLongestError);
  } else {
    header.payload_bytes = pieces.bytes();
    description_ = DescribeSpecs(call.specs);
  }
  CallMessage& mine = buffers_[turn_].mine;
  mine.Write(header, description_);
  if (std::byte* payload = mine.payload(); payload != nullptr) {
    PackUnits(call.encoded, pieces, {0, pieces.units()}, payload);
  }
  SendAll(deadline);
  ReadHeaders();
  CheckAllPresent();
  std::optional<Error> refused = Disagreement();
  if (!refused) refused = OwnErrors();
  if (!refused && same_specs) refused = DifferentSpecs(stall_timeout);
  return refused;
}

void Agreement::ReadHeaders() {
  for (int rank = 0; rank < mesh_.size(); ++rank) {
    headers_[rank] = MessageOf(rank).header();
  }
}

void Agreement::CheckAllPresent() {
  const auto left =
      std::ranges::find(headers_, Operation::kLeave, &CallHeader::operation);
  if (left == headers_.end()) return;
  const Error error = FailedPrecondition(
      "[Collective] workers disagree: worker {} is done while others wait for "
      "it in {}",
      left - headers_.begin(), OperationName(headers_[mesh_.rank()].operation));
  mesh_.GiveUp(error);
  throw error;
}

std::optional<Error> Agreement::Disagreement() const {
  for (int rank = 1; rank < mesh_.size(); ++rank) {
    const CallHeader& first = headers_[0];
    const CallHeader& other = headers_[rank];
    if (first.operation == other.operation &&
        first.parameter == other.parameter) {
      continue;
    }
    return FailedPrecondition(
        "[Collective] workers disagree: worker 0 calls {}({}), worker {} calls "
        "{}({})",
        OperationName(first.operation), first.parameter, rank,
        OperationName(other.operation), other.parameter);
  }
  return std::nullopt;
}

std::optional<Error> Agreement::OwnErrors() {
  for (int rank = 0; rank < mesh_.size(); ++rank) {
    const uint32_t failed = headers_[rank].failed;
    if (failed == 0) continue;
    return Error(static_cast<Code>(failed - 1),
                 std::string(MessageOf(rank).description()));
  }
  return std::nullopt;
}

std::optional<Error> Agreement::DifferentSpecs(StallTimeout stall_timeout) {
  const auto same = [&](const CallHeader& other) {
    return other.description_hash == headers_[0].description_hash &&
           other.description_bytes == headers_[0].description_bytes &&
           other.payload_bytes == headers_[0].payload_bytes;
  };
  if (std::ranges::all_of(headers_, same)) return std::nullopt;
  std::vector<int> all(mesh_.size());
  std::iota(all.begin(), all.end(), 0);
  const auto specs = Specs(all, stall_timeout);
  try {
    for (int rank = 1; rank < mesh_.size(); ++rank) {
      CheckSameSpecs(TensorSpecs(specs[0]), TensorSpecs(specs[rank]), "worker",
                     rank);
    }
  } catch (const Error& error) {
    return error;
  }
  throw DataLoss("[Collective] descriptions of equal tensors differ");
}

bool Agreement::PayloadInside(int rank) const {
  return headers_[rank].payload_inside != 0;
}

void Agreement::CheckPayload(int rank,
                             const std::vector<SentSpec>& specs) const {
  size_t bytes = 0;
  for (const auto& [spec, string_bytes] : specs) {
    bytes += RoundUp(spec.dtype == DType::kString
                         ? string_bytes
                         : spec.shape.num_elements() * DTypeSize(spec.dtype));
  }
  if (bytes == headers_[rank].payload_bytes) return;
  throw DataLoss(
      "[Collective] worker {} describes tensors of {} bytes but sends {}", rank,
      bytes, headers_[rank].payload_bytes);
}

const std::byte* Agreement::Payload(int rank) {
  return MessageOf(rank).payload();
}

std::vector<std::vector<SentSpec>> Agreement::Specs(
    const std::vector<int>& ranks, StallTimeout stall_timeout) {
  std::vector<std::shared_ptr<std::string>> texts(mesh_.size());
  Transfers transfers;
  for (const int rank : ranks) {
    const CallHeader& header = headers_[rank];
    if (rank == mesh_.rank()) {
      texts[rank] = std::make_shared<std::string>(description_);
      if (!header.description_inside) {
        SendDescription(texts[rank], transfers);
      }
    } else if (header.description_inside) {
      texts[rank] =
          std::make_shared<std::string>(MessageOf(rank).description());
    } else {
      if (header.description_bytes > kLongestDescription) {
        throw DataLoss("[Collective] a description is too long: {} bytes",
                       header.description_bytes);
      }
      texts[rank] =
          std::make_shared<std::string>(header.description_bytes, '\0');
      transfers.push_back(mesh_.Receive(rank, kDescriptionChannel,
                                        BytesOf(texts[rank]),
                                        texts[rank]->size()));
    }
  }
  for (const auto& transfer : transfers) transfer->Wait(stall_timeout());
  std::vector<std::vector<SentSpec>> specs(mesh_.size());
  for (const int rank : ranks) specs[rank] = ReadSpecs(*texts[rank]);
  return specs;
}

void Agreement::SendDescription(const std::shared_ptr<std::string>& text,
                                Transfers& transfers) {
  for (int rank = 0; rank < mesh_.size(); ++rank) {
    if (rank == mesh_.rank()) continue;
    transfers.push_back(
        mesh_.Send(rank, kDescriptionChannel, BytesOf(text), text->size()));
  }
}

void Agreement::Leave(std::chrono::milliseconds limit) {
  const auto end = std::chrono::steady_clock::now() + limit;
  MessageBuffers& buffers = buffers_[turn_];
  buffers.mine.Write({.operation = Operation::kLeave}, "");
  Transfers transfers;
  for (int rank = 0; rank < mesh_.size(); ++rank) {
    if (rank == mesh_.rank()) continue;
    transfers.push_back(mesh_.Send(rank, kFirstCallChannel + turn_,
                                   buffers.mine.memory(),
                                   buffers.mine.bytes()));
    transfers.push_back(std::move(buffers.coming[rank]));
  }
  for (const auto& transfer : transfers) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        end - std::chrono::steady_clock::now());
    if (left.count() <= 0 || !transfer->WaitUpTo(left)) return;
  }
}

}  // namespace lockstep::collectives_internal
