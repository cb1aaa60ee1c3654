// How it works. Each worker sends the hash of every 1024 entries of its state.
// All see the same hashes, so that all know the first block that differs, and
// on which worker. Only then they send the entries of that block, and all throw
// the same error.
#include "reference/preprocessing/agreed_state.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "reference/autodiff/distribution_context.h"
#include "reference/base/encoding/sha256.h"
#include "reference/base/error.h"
#include "reference/tensor/tensor.h"
#include "reference/tensor/text_bytes.h"

namespace lockstep::preprocessing_internal {
namespace {

constexpr int64_t kBlock = 1024;
constexpr size_t kDigits = 64;  // of a hash
constexpr std::string_view kOperation = "CheckState";

// The hash of each block, one after another.
std::string HashBlocks(const StateEntries& entries) {
  std::string hashes;
  std::optional<Sha256> block;
  int64_t count = 0;
  entries([&](std::string_view entry) {
    if (count++ % kBlock == 0) {
      if (block) hashes += block->HexDigest();
      block.emplace();
    }
    block->Update(fmt::format("{}:", entry.size()));
    block->Update(entry);
  });
  if (block) hashes += block->HexDigest();
  return hashes;
}

std::vector<Tensor> PackBlock(const StateEntries& entries, int64_t block) {
  std::vector<std::string> kept;
  int64_t count = 0;
  entries([&](std::string_view entry) {
    if (count++ / kBlock == block) kept.emplace_back(entry);
  });
  return PackTexts(std::vector<std::string_view>(kept.begin(), kept.end()));
}

std::string EntryAt(const std::vector<std::string>& entries, size_t index) {
  return index < entries.size() ? entries[index] : "nothing more";
}

// REQUIRES: they differ.
template <typename List>
size_t FirstDifference(const List& a, const List& b) {
  const auto [first, second] = std::ranges::mismatch(a, b);
  return static_cast<size_t>(first - a.begin());
}

[[noreturn]] void Refuse(DistributionContext& context, const std::string& layer,
                         const StateEntries& entries, int64_t block,
                         size_t worker) {
  const auto blocks = context.GatherFromWorkers(
      kOperation, [&] { return PackBlock(entries, block); });
  const std::vector<std::string> first = UnpackTexts(blocks[0]);
  const std::vector<std::string> other = UnpackTexts(blocks[worker]);
  const size_t at = FirstDifference(first, other);
  throw FailedPrecondition(
      "[Run] layer '{}' must have the same state on all workers: entry {} is "
      "\"{}\" on worker 0, \"{}\" on worker {}; call Adapt in the strategy's "
      "scope, or give the layer the same state on all workers",
      layer, block * kBlock + static_cast<int64_t>(at), EntryAt(first, at),
      EntryAt(other, at), worker);
}

void Compare(DistributionContext& context, const std::string& layer,
             const StateEntries& entries) {
  std::vector<std::string> hashes;
  for (const std::vector<Tensor>& list : context.GatherFromWorkers(
           kOperation,
           [&] { return std::vector<Tensor>{BytesOf(HashBlocks(entries))}; })) {
    hashes.push_back(TextOf(list.at(0)));
  }
  for (size_t worker = 1; worker < hashes.size(); ++worker) {
    if (hashes[worker] == hashes[0]) continue;
    const size_t digit = FirstDifference(hashes[0], hashes[worker]);
    Refuse(context, layer, entries, static_cast<int64_t>(digit / kDigits),
           worker);
  }
}

}  // namespace

void AgreedState::CheckInRun(const std::string& layer,
                             const StateEntries& entries) const {
  DistributionContext& caller = DistributionContext::Current();
  // Other threads than replicas' must not even read `agreed_`.
  if (caller.num_workers() == 1 || !caller.in_run() || agreed_) return;
  caller.MergeCall([&] {
    if (agreed_) return;
    Compare(DistributionContext::Current(), layer, entries);
    agreed_ = true;
  });
}

}  // namespace lockstep::preprocessing_internal
