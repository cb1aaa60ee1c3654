#include "reference/checkpoint/tensor_bundle_writer.h"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "reference/base/error.h"
#include "reference/base/log.h"
#include "reference/base/system_error.h"
#include "reference/checkpoint/bundle_files.h"
#include "reference/checkpoint/crc32c.h"
#include "reference/checkpoint/tensor_bundle.pb.h"
#include "reference/checkpoint/tensor_codec.h"

namespace lockstep {
namespace {

using namespace checkpoint_internal;  // NOLINT: this file is one of its parts

constexpr int kFormatVersion = 1;

// Puts a file out of the way, and back again unless told that it may go.
class FileSetAside {
 public:
  explicit FileSetAside(const std::string& file)
      : file_(file), aside_(fmt::format("{}.tmp-{}-old", file, getpid())) {
    if (!std::filesystem::exists(file)) return;
    if (!std::filesystem::is_regular_file(file)) {
      throw Unavailable("[TensorBundleWriter] cannot replace {}: it is no file",
                        file);
    }
    if (std::rename(file_.c_str(), aside_.c_str()) != 0) {
      throw SystemError(errno, "[TensorBundleWriter] cannot replace {}", file_);
    }
    exists_ = true;
  }
  ~FileSetAside() {
    if (dropped_) return;
    const int failed = exists_ ? std::rename(aside_.c_str(), file_.c_str())
                               : std::remove(file_.c_str());
    if (failed && errno != ENOENT) {
      LogWarning("[TensorBundleWriter] cannot restore {}: {}", file_,
                 std::strerror(errno));
    }
  }
  FileSetAside(const FileSetAside&) = delete;
  FileSetAside& operator=(const FileSetAside&) = delete;

  void Drop() {
    dropped_ = true;
    if (exists_ && std::remove(aside_.c_str()) != 0) {
      LogWarning("[TensorBundleWriter] cannot remove {}: {}", aside_,
                 std::strerror(errno));
    }
  }

 private:
  std::string file_;
  std::string aside_;
  bool exists_ = false;
  bool dropped_ = false;
};

std::string Header() {
  checkpoint::BundleHeaderProto header;
  header.set_num_shards(1);
  header.mutable_version()->set_producer(kFormatVersion);
  return header.SerializeAsString();
}

}  // namespace

TensorBundleWriter::TensorBundleWriter(const std::string& prefix)
    : prefix_(prefix), data_(DataFile(prefix, 0, 1)) {
  entries_[""] = Header();
}

void TensorBundleWriter::Add(const std::string& key, const Tensor& tensor) {
  if (key.empty() || entries_.contains(key)) {
    throw InvalidArgument("[TensorBundleWriter] {}: key '{}' is {}", prefix_,
                          key, key.empty() ? "empty" : "there already");
  }
  const bool on_cpu = tensor.device().kind() == DeviceKind::kCpu;
  const Tensor local = on_cpu ? tensor : tensor.Clone(FindDevice("CPU:0"));
  checkpoint::BundleEntryProto entry;
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
  // A full disk shows here, before anything is replaced.
  data_.Sync();
  index.Sync();
  FileSetAside old_data(DataFile(prefix_, 0, 1));
  try {
    data_.Commit();
    index.Commit();
  } catch (const Error&) {
    if (index.visible()) old_data.Drop();  // the new pair is in place
    throw;
  }
  old_data.Drop();
}

}  // namespace lockstep
