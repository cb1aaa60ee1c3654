// Writes named tensors as TensorFlow's TensorBundle: an .index and a data file.
//
//   TensorBundleWriter writer("train/ckpt-1");
//   writer.Add("v/.ATTRIBUTES/VARIABLE_VALUE", value);
//   writer.Finish();
//
// Data lie in the order they were added. Files are written aside and renamed,
// the index last: without Finish, or when it throws, nothing is left behind.
// An older checkpoint of the same name stays whole until then, even when the
// machine stops: its data file is named ...-of-00001, the new one ...-of-00002
// (the second of these is empty), and the other way round the next time.
#ifndef LOCKSTEP_REFERENCE_TENSOR_BUNDLE_TENSOR_BUNDLE_WRITER_H_
#define LOCKSTEP_REFERENCE_TENSOR_BUNDLE_TENSOR_BUNDLE_WRITER_H_

#include <optional>
#include <string>

#include "reference/base/atomic_file.h"
#include "reference/tensor/tensor.h"
#include "reference/tensor_bundle/index_table.h"

namespace lockstep {

class TensorBundleWriter {
 public:
  // Errors: as AtomicFile; Unavailable when an older one cannot be examined.
  explicit TensorBundleWriter(const std::string& prefix);

  // Errors: InvalidArgument for an empty key or one that was added before.
  void Add(const std::string& key, const Tensor& tensor);

  // REQUIRES: called once, nothing added after.
  void Finish();

 private:
  void RemoveDataFiles(bool of_the_new) const;

  std::string prefix_;
  int num_shards_;
  AtomicFile data_;
  std::optional<AtomicFile> no_data_;  // the second of two
  tensor_bundle_internal::IndexEntries entries_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_TENSOR_BUNDLE_TENSOR_BUNDLE_WRITER_H_
