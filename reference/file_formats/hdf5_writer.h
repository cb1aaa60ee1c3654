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

// There is one at a time: the library is for one thread, so another thread's
// waits until this one is gone. REQUIRES: a thread has one at a time.
class Hdf5Writer {
 public:
  // Errors of all: ResourceExhausted where the library fails, which for a file
  // in memory is for want of it.
  Hdf5Writer();
  ~Hdf5Writer();
  Hdf5Writer(const Hdf5Writer&) = delete;
  Hdf5Writer& operator=(const Hdf5Writer&) = delete;

  // A group, with those around it. A `name` that is not empty becomes its
  // attribute "name".
  void AddGroup(const std::string& path, const std::string& name = "");

  // In one piece, without compression; groups are made. Errors: Unimplemented
  // for strings, bools and bfloat16, which h5py writes in ways of its own;
  // InvalidArgument for a path that is taken.
  void Add(const std::string& path, const Tensor& tensor);

  // The file. REQUIRES: called once, nothing added after.
  std::string Finish();

 private:
  std::unique_lock<std::mutex> alone_;
  int64_t file_;  // a handle of the library's
};

}  // namespace lockstep::export_internal

#endif  // LOCKSTEP_REFERENCE_FILE_FORMATS_HDF5_WRITER_H_
