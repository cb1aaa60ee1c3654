// Writes arrays as an HDF5 file in memory, as h5py does by default.
//
//   Hdf5Writer writer;
//   writer.AddGroup("layers/dense/vars", "dense");
//   writer.Add("layers/dense/vars/0", kernel);
//   std::string bytes = writer.Finish();
#ifndef LOCKSTEP_REFERENCE_FILE_FORMATS_HDF5_WRITER_H_
#define LOCKSTEP_REFERENCE_FILE_FORMATS_HDF5_WRITER_H_

#include <cstdint>
#include <mutex>
#include <string>

#include "reference/tensor/tensor.h"

namespace lockstep::export_internal {

// The HDF5 library is not thread-safe, so there is one writer at a time: the
// constructor waits until other threads' writers are destroyed. REQUIRES: a thread
// has at most one.
class Hdf5Writer {
 public:
  // Errors of all: ResourceExhausted if the library fails, which for a file in
  // memory means that there is not enough.
  Hdf5Writer();
  ~Hdf5Writer();
  Hdf5Writer(const Hdf5Writer&) = delete;
  Hdf5Writer& operator=(const Hdf5Writer&) = delete;

  // Adds a group and its parents. A `name` that is not empty becomes the attribute
  // "name".
  void AddGroup(const std::string& path, const std::string& name = "");

  // Adds a contiguous, uncompressed dataset, and its parent groups. Errors:
  // Unimplemented for strings, bools and bfloat16, for which h5py has its own
  // encodings; InvalidArgument if the path exists.
  void Add(const std::string& path, const Tensor& tensor);

  // Returns the file's bytes. REQUIRES: the last call, and the only one.
  std::string Finish();

 private:
  std::unique_lock<std::mutex> alone_;
  int64_t file_;  // the library's handle
};

}  // namespace lockstep::export_internal

#endif  // LOCKSTEP_REFERENCE_FILE_FORMATS_HDF5_WRITER_H_
