#include "reference/tensor_bundle/tensor_bundle.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <limits>
#include <optional>

#include "reference/base/encoding/crc32c.h"
#include "reference/base/error.h"
#include "reference/base/log.h"
#include "reference/tensor_bundle/bundle_files.h"
#include "reference/tensor_bundle/entry_threads.h"
#include "reference/tensor_bundle/index_table.h"
#include "reference/tensor_bundle/tensor_bundle.pb.h"
#include "reference/tensor_bundle/tensor_codec.h"

namespace lockstep {
namespace {

using namespace tensor_bundle_internal;  // NOLINT: one of its parts

constexpr int kFormatVersion = 1;
constexpr int kMaxShards = 99999;  // what a file's name has digits for

// Elements, or nullopt for a negative dimension or a product past int64.
std::optional<int64_t> CountElements(
    const tensor_bundle::TensorShapeProto& shape) {
  int64_t count = 1;
  bool empty = false;
  for (const auto& dim : shape.dim()) {
    if (dim.size() < 0) return std::nullopt;
    if (dim.size() == 0) {
      empty = true;
    } else if (__builtin_mul_overflow(count, dim.size(), &count)) {
      return std::nullopt;
    }
  }
  return empty ? 0 : count;
}

std::string DescribeDims(const tensor_bundle::TensorShapeProto& shape) {
  std::string text = "(";
  for (const auto& dim : shape.dim()) {
    text += fmt::format("{}{}", text.size() > 1 ? ", " : "", dim.size());
  }
  return text + ")";
}

}  // namespace

TensorBundleReader::TensorBundleReader(const std::string& prefix)
    : prefix_(prefix), index_file_(IndexFile(prefix)) {
  const std::string bytes =
      ReadFileRange(index_file_, 0, FileSize(index_file_));
  IndexEntries entries = ParseIndexTable(bytes, index_file_);
  const auto header = entries.find("");
  if (header == entries.end()) {
    throw DataLoss("[TensorBundleReader] {} has no header", index_file_);
  }
  ReadHeader(header->second);
  entries.erase(header);
  for (const auto& [key, value] : entries) ReadEntry(key, value);
}

void TensorBundleReader::ReadHeader(const std::string& bytes) {
  tensor_bundle::BundleHeaderProto header;
  if (!header.ParseFromString(bytes)) {
    throw DataLoss("[TensorBundleReader] {}: the header is no message",
                   index_file_);
  }
  if (header.num_shards() < 1 || header.num_shards() > kMaxShards) {
    throw DataLoss("[TensorBundleReader] {}: {} data files, wanted 1 to {}",
                   index_file_, header.num_shards(), kMaxShards);
  }
  if (header.endianness() != tensor_bundle::BundleHeaderProto::LITTLE) {
    throw Unimplemented("[TensorBundleReader] {}: endianness {}, wanted 0",
                        index_file_, static_cast<int>(header.endianness()));
  }
  if (header.version().min_consumer() > kFormatVersion) {
    throw Unimplemented("[TensorBundleReader] {} is for version {}, got {}",
                        index_file_, header.version().min_consumer(),
                        kFormatVersion);
  }
  for (int shard = 0; shard < header.num_shards(); ++shard) {
    shard_sizes_.push_back(
        FileSize(DataFile(prefix_, shard, header.num_shards())));
  }
}

void TensorBundleReader::ReadEntry(const std::string& key,
                                   const std::string& bytes) {
  const std::string place = fmt::format("{}: '{}'", index_file_, key);
  tensor_bundle::BundleEntryProto entry;
  if (!entry.ParseFromString(bytes)) {
    throw DataLoss("[TensorBundleReader] {} is no entry", place);
  }
  // A tensor in slices has its data under other keys.
  if (entry.slices().empty()) CheckEntry(place, entry);
  entries_.emplace(key, std::move(entry));
}

void TensorBundleReader::CheckEntry(
    const std::string& place,
    const tensor_bundle::BundleEntryProto& entry) const {
  if (entry.shard_id() < 0 ||
      static_cast<size_t>(entry.shard_id()) >= shard_sizes_.size()) {
    throw DataLoss("[TensorBundleReader] {} is in data file {} of {}", place,
                   entry.shard_id(), shard_sizes_.size());
  }
  const int64_t limit = shard_sizes_[entry.shard_id()];
  if (entry.offset() < 0 || entry.size() < 0 || entry.size() > limit ||
      entry.offset() > limit - entry.size()) {
    throw DataLoss(
        "[TensorBundleReader] {} has {} bytes from {} on, the data file {}",
        place, entry.size(), entry.offset(), limit);
  }
  const std::optional<int64_t> count = CountElements(entry.shape());
  if (!count) {
    throw DataLoss("[TensorBundleReader] {} has the shape {}", place,
                   DescribeDims(entry.shape()));
  }
  const std::optional<DType> dtype = DTypeOf(entry.dtype());
  if (!dtype) return;  // only asking for it is an error
  if (*dtype == DType::kString) {
    // Every string has a length of at least one byte.
    if (*count <= entry.size()) return;
  } else if (*count <= limit &&
             *count * static_cast<int64_t>(DTypeSize(*dtype)) == entry.size()) {
    return;
  }
  throw DataLoss("[TensorBundleReader] {} has {} bytes for {} {}", place,
                 entry.size(), DTypeName(*dtype), DescribeDims(entry.shape()));
}

const tensor_bundle::BundleEntryProto& TensorBundleReader::Entry(
    const std::string& key) const {
  const auto found = entries_.find(key);
  if (found != entries_.end()) return found->second;
  throw NotFound("[TensorBundleReader] {} has no key '{}'", index_file_, key);
}

std::vector<std::string> TensorBundleReader::keys() const {
  std::vector<std::string> keys;
  for (const auto& [key, entry] : entries_) keys.push_back(key);
  return keys;
}

TensorSpec TensorBundleReader::Spec(const std::string& key) const {
  const tensor_bundle::BundleEntryProto& entry = Entry(key);
  const std::optional<DType> dtype = DTypeOf(entry.dtype());
  if (!entry.slices().empty() || !dtype ||
      entry.shape().dim_size() > Shape::kMaxRank) {
    throw Unimplemented(
        "[TensorBundleReader] {}: '{}' has {} slices, type {} and shape {}",
        index_file_, key, entry.slices_size(), static_cast<int>(entry.dtype()),
        DescribeDims(entry.shape()));
  }
  std::vector<int64_t> dims;
  for (const auto& dim : entry.shape().dim()) dims.push_back(dim.size());
  return {Shape(dims), *dtype};
}

Tensor TensorBundleReader::Read(const std::string& key) const {
  const TensorSpec spec = Spec(key);
  const tensor_bundle::BundleEntryProto& entry = Entry(key);
  const std::string file = DataFile(prefix_, entry.shard_id(),
                                    static_cast<int>(shard_sizes_.size()));
  const StoredBytes stored{
      .size = static_cast<size_t>(entry.size()), .read = [&](char* out) {
        ReadFileRange(file, entry.offset(), entry.size(), out);
      }};
  return DecodeTensor(stored, spec.shape, spec.dtype, entry.crc32c(),
                      fmt::format("{}: '{}'", file, key));
}

namespace {

// How many data files a new checkpoint has, so that none of them bears the
// name of one that an older checkpoint under the same prefix still needs.
int NumShardsBeside(const std::string& prefix) {
  try {
    return TensorBundleReader(prefix).num_shards() == 1 ? 2 : 1;
  } catch (const Error& error) {
    const bool nothing_to_keep = error.code() == Code::kNotFound ||
                                 error.code() == Code::kDataLoss ||
                                 error.code() == Code::kUnimplemented;
    if (!nothing_to_keep) throw;
    return 1;
  }
}

void RemoveFile(const std::string& file) {
  if (unlink(file.c_str()) != 0 && errno != ENOENT) {
    LogWarning("[TensorBundleWriter] cannot remove {}: {}", file,
               std::strerror(errno));
  }
}

std::string Header(int num_shards) {
  tensor_bundle::BundleHeaderProto header;
  header.set_num_shards(num_shards);
  header.mutable_version()->set_producer(kFormatVersion);
  return header.SerializeAsString();
}

}  // namespace

TensorBundleWriter::TensorBundleWriter(const std::string& prefix,
                                       Durability durability)
    : prefix_(prefix),
      durability_(durability),
      num_shards_(NumShardsBeside(prefix)),
      data_(DataFile(prefix, 0, num_shards_), durability) {
  entries_[""] = Header(num_shards_);
  if (num_shards_ > 1) {
    no_data_.emplace(DataFile(prefix, 1, num_shards_), durability);
  }
}

void TensorBundleWriter::Add(const std::string& key, const Tensor& tensor) {
  if (key.empty() || entries_.contains(key)) {
    throw InvalidArgument("[TensorBundleWriter] {}: key '{}' is {}", prefix_,
                          key, key.empty() ? "empty" : "there already");
  }
  const bool on_cpu = tensor.device().kind() == DeviceKind::kCpu;
  const Tensor local = on_cpu ? tensor : tensor.Clone(FindDevice("CPU:0"));
  tensor_bundle::BundleEntryProto entry;
  entry.set_dtype(DataTypeOf(local.dtype()));
  entry.mutable_shape();  // present, though empty for a scalar
  for (const int64_t dim : local.shape().dims()) {
    entry.mutable_shape()->add_dim()->set_size(dim);
  }
  entries_[key] = "";  // taken
  if (local.dtype() != DType::kString) {
    entry.set_size(static_cast<int64_t>(local.bytes()));
    entry.set_offset(data_.Reserve(entry.size()));
    waiting_.push_back({key, local, entry});
    // Copies of what a device holds: the host need not have room for all.
    if (!on_cpu) WriteWaiting();
    return;
  }
  entry.set_offset(data_.bytes_written());
  entry.set_crc32c(MaskCrc32c(EncodeTensor(
      local, [this](std::string_view bytes) { data_.Append(bytes); })));
  entry.set_size(data_.bytes_written() - entry.offset());
  entries_[key] = entry.SerializeAsString();
}

void TensorBundleWriter::WriteWaiting() {
  int64_t bytes = 0;
  for (const Waiting& waiting : waiting_) bytes += waiting.entry.size();
  ForEachEntry(std::ssize(waiting_), bytes, [&](int64_t i) {
    Waiting& waiting = waiting_[i];
    waiting.entry.set_crc32c(
        MaskCrc32c(EncodeTensor(waiting.tensor, [&](std::string_view piece) {
          data_.WriteAt(waiting.entry.offset(), piece);
        })));
  });
  for (const Waiting& waiting : waiting_) {
    entries_[waiting.key] = waiting.entry.SerializeAsString();
  }
  waiting_.clear();
}

void TensorBundleWriter::Finish() {
  WriteWaiting();
  AtomicFile index(IndexFile(prefix_), durability_);
  index.Append(BuildIndexTable(entries_));
  // A full disk shows here, before anything has its name.
  data_.Sync();
  index.Sync();
  try {
    data_.Commit();
    if (no_data_) no_data_->Commit();
    index.Commit();  // from here on the new checkpoint counts
  } catch (const Error&) {
    RemoveDataFiles(/*of_the_new=*/!index.visible());
    throw;
  }
  RemoveDataFiles(/*of_the_new=*/false);
}

void TensorBundleWriter::RemoveDataFiles(bool of_the_new) const {
  for (const std::string& file : ExistingFiles(prefix_)) {
    const bool is_new = file == DataFile(prefix_, 0, num_shards_) ||
                        file == DataFile(prefix_, 1, num_shards_);
    if (file != IndexFile(prefix_) && is_new == of_the_new) RemoveFile(file);
  }
}

}  // namespace lockstep
