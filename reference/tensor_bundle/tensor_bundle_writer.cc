#include "reference/tensor_bundle/tensor_bundle_writer.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "reference/base/error.h"
#include "reference/base/log.h"
#include "reference/tensor_bundle/bundle_files.h"
#include "reference/tensor_bundle/crc32c.h"
#include "reference/tensor_bundle/tensor_bundle.pb.h"
#include "reference/tensor_bundle/tensor_bundle_reader.h"
#include "reference/tensor_bundle/tensor_codec.h"

namespace lockstep {
namespace {

using namespace tensor_bundle_internal;  // NOLINT: this file is one of its parts

constexpr int kFormatVersion = 1;

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

TensorBundleWriter::TensorBundleWriter(const std::string& prefix)
    : prefix_(prefix),
      num_shards_(NumShardsBeside(prefix)),
      data_(DataFile(prefix, 0, num_shards_)) {
  entries_[""] = Header(num_shards_);
  if (num_shards_ > 1) no_data_.emplace(DataFile(prefix, 1, num_shards_));
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
  entry.set_offset(data_.bytes_written());
  entry.set_crc32c(MaskCrc32c(EncodeTensor(
      local, [this](std::string_view bytes) { data_.Append(bytes); })));
  entry.set_size(data_.bytes_written() - entry.offset());
  entries_[key] = entry.SerializeAsString();
}

void TensorBundleWriter::Finish() {
  AtomicFile index(IndexFile(prefix_));
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
