// TensorBundles, the files of TensorFlow's checkpoints: named tensors, read and
// written.
#ifndef LOCKSTEP_REFERENCE_TENSOR_BUNDLE_TENSOR_BUNDLE_H_
#define LOCKSTEP_REFERENCE_TENSOR_BUNDLE_TENSOR_BUNDLE_H_

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "reference/base/atomic_file.h"
#include "reference/tensor/tensor.h"
#include "reference/tensor_bundle/index_table.h"
#include "reference/tensor_bundle/tensor_bundle.pb.h"

namespace lockstep {

// Reads a TensorBundle: named tensors as TensorFlow or TensorBundleWriter
// wrote them.
//
//   TensorBundleReader reader("train/ckpt-1");
//   reader.Contains("v/.ATTRIBUTES/VARIABLE_VALUE");       // true
//   reader.Read("v/.ATTRIBUTES/VARIABLE_VALUE");           // the value
//
// Nothing is believed: the index's checksums, every entry's place in its data
// file, its shape against its size, and each tensor's checksum are checked.
// Data files are opened for each tensor, not held.
class TensorBundleReader {
 public:
  // Errors: NotFound when the index or a data file is missing; DataLoss with
  // file, key, got and wanted for a damaged one; Unimplemented for a bundle of
  // big-endian numbers or for readers of a later version.
  explicit TensorBundleReader(const std::string& prefix);

  const std::string& prefix() const { return prefix_; }
  int num_shards() const { return static_cast<int>(shard_sizes_.size()); }
  // In bytewise order.
  std::vector<std::string> keys() const;
  bool Contains(const std::string& key) const { return entries_.contains(key); }

  // Errors: NotFound for no such key; Unimplemented for a type or a rank that
  // tensors here do not have, and for a tensor stored in slices.
  TensorSpec Spec(const std::string& key) const;
  // Errors: as Spec; DataLoss.
  Tensor Read(const std::string& key) const;

 private:
  void ReadHeader(const std::string& bytes);
  void ReadEntry(const std::string& key, const std::string& bytes);
  void CheckEntry(const std::string& place,
                  const tensor_bundle::BundleEntryProto& entry) const;
  const tensor_bundle::BundleEntryProto& Entry(const std::string& key) const;

  std::string prefix_;
  std::string index_file_;
  std::vector<int64_t> shard_sizes_;
  std::map<std::string, tensor_bundle::BundleEntryProto> entries_;
};

// Writes named tensors as TensorFlow's TensorBundle: an .index and a data file.
//
//   TensorBundleWriter writer("train/ckpt-1");
//   writer.Add("v/.ATTRIBUTES/VARIABLE_VALUE", value);
//   writer.Finish();
//
// Data lie in the order they were added. Files are written aside and renamed,
// the index last: without Finish, or when it throws, no file is left. An older
// checkpoint of the same name stays whole until then, even when the machine
// stops: its data file is named ...-of-00001, the new one ...-of-00002 (the
// second of these is empty), and the other way round the next time.
class TensorBundleWriter {
 public:
  // Errors: as AtomicFile; Unavailable when an older one cannot be examined.
  explicit TensorBundleWriter(const std::string& prefix,
                              Durability durability = Durability::kMachine);

  // Numbers are written later, and kept until then. Errors: InvalidArgument for
  // an empty key or one that was added before.
  void Add(const std::string& key, const Tensor& tensor);

  // REQUIRES: called once, nothing added after.
  void Finish();

 private:
  // A tensor of numbers whose place in the data file is known.
  struct Waiting {
    std::string key;
    Tensor tensor;
    tensor_bundle::BundleEntryProto entry;
  };

  void WriteWaiting();
  void RemoveDataFiles(bool of_the_new) const;

  std::string prefix_;
  Durability durability_;
  int num_shards_;
  AtomicFile data_;
  std::vector<Waiting> waiting_;
  std::optional<AtomicFile> no_data_;  // the second of two
  tensor_bundle_internal::IndexEntries entries_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_TENSOR_BUNDLE_TENSOR_BUNDLE_H_
