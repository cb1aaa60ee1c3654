// Writes named tensors as TensorFlow's TensorBundle: an .index and one data
// file.
//
//   TensorBundleWriter writer("train/ckpt-1");
//   writer.Add("v/.ATTRIBUTES/VARIABLE_VALUE", value);
//   writer.Finish();
//
// Data lie in the order they were added. Both files are written aside and
// renamed, data first: without Finish, or when it throws, nothing is left
// behind, and an older checkpoint of the same name stays as it was.
#ifndef LOCKSTEP_REFERENCE_CHECKPOINT_TENSOR_BUNDLE_WRITER_H_
#define LOCKSTEP_REFERENCE_CHECKPOINT_TENSOR_BUNDLE_WRITER_H_

#include <string>

#include "reference/base/atomic_file.h"
#include "reference/checkpoint/index_table.h"
#include "reference/tensor/tensor.h"

namespace lockstep {

class TensorBundleWriter {
 public:
  // Errors: as AtomicFile.
  explicit TensorBundleWriter(const std::string& prefix);

  // Errors: InvalidArgument for an empty key or one that was added before.
  void Add(const std::string& key, const Tensor& tensor);

  // REQUIRES: called once, nothing added after.
  void Finish();

 private:
  std::string prefix_;
  AtomicFile data_;
  checkpoint_internal::IndexEntries entries_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_CHECKPOINT_TENSOR_BUNDLE_WRITER_H_
