#include "reference/tensor_bundle/tensor_bundle.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>
#include <optional>

#include "reference/base/encoding/crc32c.h"
#include "reference/base/error.h"
#include "reference/base/log.h"
#include "reference/tensor/host_tensor.h"
#include "reference/tensor_bundle/bundle_files.h"
#include "reference/tensor_bundle/entry_threads.h"
#include "reference/tensor_bundle/index_table.h"
#include "reference/tensor_bundle/slices.h"
#include "reference/tensor_bundle/tensor_bundle.pb.h"
#include "reference/tensor_bundle/tensor_codec.h"

namespace lockstep {
namespace {

using namespace tensor_bundle_internal;  // NOLINT: one of its parts

constexpr int kFormatVersion = 1;
constexpr int kMaxShards = 99999;  // file names have five digits

// The number of elements; nullopt if a dimension is negative or it overflows.
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
    throw DataLoss("[TensorBundleReader] {}: the header is not a valid message",
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
    throw Unimplemented(
        "[TensorBundleReader] {} requires a reader of version {}, this one has "
        "version {}",
        index_file_, header.version().min_consumer(), kFormatVersion);
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
    throw DataLoss("[TensorBundleReader] {} is not a valid entry", place);
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
  if (!dtype) return;  // an error only when it is read
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
  for (const auto& [key, entry] : entries_) {
    if (!IsSliceKey(key)) keys.push_back(key);
  }
  return keys;
}

TensorSpec TensorBundleReader::Spec(const std::string& key) const {
  const tensor_bundle::BundleEntryProto& entry = Entry(key);
  const std::optional<DType> dtype = DTypeOf(entry.dtype());
  // The shape of a tensor in slices has not been checked yet.
  if (dtype && entry.shape().dim_size() <= Shape::kMaxRank &&
      CountElements(entry.shape())) {
    std::vector<int64_t> dims;
    for (const auto& dim : entry.shape().dim()) dims.push_back(dim.size());
    const Shape shape(dims);
    if (entry.slices().empty() || FindRows(key, shape, entry)) {
      return {shape, *dtype};
    }
  }
  throw Unimplemented(
      "[TensorBundleReader] {}: '{}' has {} slices, type {} and shape {}",
      index_file_, key, entry.slices_size(), static_cast<int>(entry.dtype()),
      DescribeDims(entry.shape()));
}

Tensor TensorBundleReader::Read(const std::string& key) const {
  const TensorSpec spec = Spec(key);
  const tensor_bundle::BundleEntryProto& entry = Entry(key);
  if (!entry.slices().empty()) return ReadSlices(key, spec);
  const std::string file = DataFile(prefix_, entry.shard_id(),
                                    static_cast<int>(shard_sizes_.size()));
  const StoredBytes stored{
      .size = static_cast<size_t>(entry.size()), .read = [&](char* out) {
        ReadFileRange(file, entry.offset(), entry.size(), out);
      }};
  return DecodeTensor(stored, spec.shape, spec.dtype, entry.crc32c(),
                      fmt::format("{}: '{}'", file, key));
}

Tensor TensorBundleReader::ReadSlices(const std::string& key,
                                      const TensorSpec& spec) const {
  const auto parts = *FindRows(key, spec.shape, Entry(key));
  std::vector<Tensor> values;
  for (const RowsInSlice& part : parts) {
    const TensorSpec wanted{spec.shape.WithDim(0, part.count), spec.dtype};
    const auto found = entries_.find(part.key);
    if (found == entries_.end() || !found->second.slices().empty() ||
        Spec(part.key) != wanted) {
      throw DataLoss(
          "[TensorBundleReader] {}: '{}' has no slice {} of the rows from {} "
          "on",
          index_file_, key, ToString(wanted), part.begin);
    }
    values.push_back(Read(part.key));
  }
  // Only now is it known that the file has that many bytes.
  Tensor whole = Tensor::Empty(spec.shape, spec.dtype, CurrentHost());
  VisitDType(spec.dtype, [&]<typename T>() {
    T* next = whole.mutable_data<T>();
    for (const Tensor& value : values) {
      next = std::ranges::copy(value.span<T>(), next).out;
    }
  });
  return whole;
}

namespace {

// The number of data files for a new checkpoint, chosen so that none of them has
// the name of a data file of an older checkpoint with the same prefix.
int ChooseNumShards(const std::string& prefix) {
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
      num_shards_(ChooseNumShards(prefix)),
      data_(DataFile(prefix, 0, num_shards_), durability) {
  entries_[""] = Header(num_shards_);
  if (num_shards_ > 1) {
    empty_data_.emplace(DataFile(prefix, 1, num_shards_), durability);
  }
}

void TensorBundleWriter::Add(const std::string& key, const Tensor& tensor) {
  if (key.empty()) {
    throw InvalidArgument("[TensorBundleWriter] {}: the key is empty", prefix_);
  }
  if (!keys_.insert(key).second) {
    throw InvalidArgument("[TensorBundleWriter] {}: key '{}' was added before",
                          prefix_, key);
  }
  const bool on_cpu = tensor.device().kind() == DeviceKind::kCpu;
  const Tensor local = on_cpu ? tensor : tensor.Clone(FindDevice("CPU:0"));
  tensor_bundle::BundleEntryProto entry;
  entry.set_dtype(DataTypeOf(local.dtype()));
  entry.mutable_shape();  // present, but empty, for a scalar
  for (const int64_t dim : local.shape().dims()) {
    entry.mutable_shape()->add_dim()->set_size(dim);
  }
  if (local.dtype() != DType::kString) {
    entry.set_size(static_cast<int64_t>(local.bytes()));
    entry.set_offset(data_.Reserve(entry.size()));
    waiting_.push_back({key, local, entry});
    // Write copies from a device now: the host may not have room for all.
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
  // A full disk fails here, before any file has its final name.
  data_.Sync();
  index.Sync();
  try {
    data_.Commit();
    if (empty_data_) empty_data_->Commit();
    index.Commit();  // from here on the new checkpoint is the valid one
  } catch (const Error&) {
    if (index.visible()) {
      RemoveOldDataFiles();
    } else {
      RemoveNewDataFiles();
    }
    throw;
  }
  RemoveOldDataFiles();
}

std::vector<std::string> TensorBundleWriter::NewDataFiles() const {
  std::vector<std::string> files;
  for (int shard = 0; shard < num_shards_; ++shard) {
    files.push_back(DataFile(prefix_, shard, num_shards_));
  }
  return files;
}

void TensorBundleWriter::RemoveNewDataFiles() const {
  for (const std::string& file : NewDataFiles()) RemoveFile(file);
}

void TensorBundleWriter::RemoveOldDataFiles() const {
  const std::vector<std::string> kept = NewDataFiles();
  for (const std::string& file : ExistingFiles(prefix_)) {
    if (file == IndexFile(prefix_) || std::ranges::count(kept, file)) continue;
    RemoveFile(file);
  }
}

}  // namespace lockstep
