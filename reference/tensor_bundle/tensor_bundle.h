// TensorBundles, the files of TensorFlow's checkpoints: a set of named tensors
// in an index file and one or more data files.
#ifndef LOCKSTEP_REFERENCE_TENSOR_BUNDLE_TENSOR_BUNDLE_H_
#define LOCKSTEP_REFERENCE_TENSOR_BUNDLE_TENSOR_BUNDLE_H_

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "reference/base/atomic_file.h"
#include "reference/tensor/tensor.h"
#include "reference/tensor_bundle/index_table.h"
#include "reference/tensor_bundle/tensor_bundle.pb.h"

namespace lockstep {

// Reads a TensorBundle that TensorFlow or TensorBundleWriter wrote.
//
//   TensorBundleReader reader("train/ckpt-1");
//   reader.Contains("v/.ATTRIBUTES/VARIABLE_VALUE");       // true
//   reader.Read("v/.ATTRIBUTES/VARIABLE_VALUE");           // the value
//
// Files are not trusted: the reader checks the index's checksums, that each
// entry is inside its data file and has the size of its shape, and the checksum
// of each tensor. Data files are not kept open between reads.
class TensorBundleReader {
 public:
  // Errors: NotFound if the index or a data file is missing; DataLoss, with file,
  // key, got and wanted, if it is damaged; Unimplemented if its numbers are
  // big-endian or it requires a reader of a later version.
  explicit TensorBundleReader(const std::string& prefix);

  const std::string& prefix() const { return prefix_; }
  int num_shards() const { return static_cast<int>(shard_sizes_.size()); }
  // Of whole tensors, in bytewise order.
  std::vector<std::string> keys() const;
  bool Contains(const std::string& key) const { return entries_.contains(key); }

  // Errors: NotFound if there is no such key; Unimplemented for a type or a rank
  // that our tensors do not have, and for a tensor stored in slices other than of
  // whole rows.
  TensorSpec Spec(const std::string& key) const;
  // Errors: as Spec; DataLoss.
  Tensor Read(const std::string& key) const;

 private:
  void ReadHeader(const std::string& bytes);
  void ReadEntry(const std::string& key, const std::string& bytes);
  void CheckEntry(const std::string& place,
                  const tensor_bundle::BundleEntryProto& entry) const;
  const tensor_bundle::BundleEntryProto& Entry(const std::string& key) const;
  Tensor ReadSlices(const std::string& key, const TensorSpec& spec) const;

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
// Tensors are stored in the order of the calls of Add. Files are written under
// temporary names and then renamed, the index last. Without Finish, or if it
// throws, no file is left.
//
// An older checkpoint with the same prefix stays valid until the new index has
// its name, even if the machine stops. So the two must not share a data file: if
// the older one is ...-of-00001, the new one is ...-of-00002 (two files, of which
// the second is empty), and the other way round the next time.
class TensorBundleWriter {
 public:
  // Errors: as AtomicFile; Unavailable if an older checkpoint cannot be read.
  explicit TensorBundleWriter(const std::string& prefix,
                              Durability durability = Durability::kMachine);

  // Keeps a tensor of numbers until Finish writes it. Errors: InvalidArgument if
  // the key is empty or was added before.
  void Add(const std::string& key, const Tensor& tensor);

  // Makes the checkpoint visible. REQUIRES: the last call, and the only one.
  void Finish();

 private:
  // A tensor of numbers with its reserved place in the data file.
  struct Waiting {
    std::string key;
    Tensor tensor;
    tensor_bundle::BundleEntryProto entry;
  };

  void WriteWaiting();
  std::vector<std::string> NewDataFiles() const;
  void RemoveNewDataFiles() const;
  void RemoveOldDataFiles() const;

  std::string prefix_;
  Durability durability_;
  int num_shards_;
  AtomicFile data_;
  std::vector<Waiting> waiting_;
  std::optional<AtomicFile> empty_data_;  // the second of two data files
  std::set<std::string> keys_;
  tensor_bundle_internal::IndexEntries entries_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_TENSOR_BUNDLE_TENSOR_BUNDLE_H_
