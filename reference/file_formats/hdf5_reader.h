// Reads the arrays of an HDF5 file as h5py writes it by default, and Keras.
//
//   const Hdf5Reader file(bytes, "model.weights.h5");
//   file.paths();                          // {"layers/dense/vars/0", ...}
//   file.Read("layers/dense/vars/0");      // the kernel
//
// The HDF5 library is not used for this: version 1.10 goes round for ever where
// one byte of such a file is damaged (18 of 78,192 changes tried). Here every
// address, size and count is checked against the file, memory grows with the
// bytes that are there, and no two datasets share bytes. HDF5 has no checksums:
// changed elements, or letters of a name, cannot be told from others.
#ifndef LOCKSTEP_REFERENCE_FILE_FORMATS_HDF5_READER_H_
#define LOCKSTEP_REFERENCE_FILE_FORMATS_HDF5_READER_H_

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "reference/file_formats/hdf5_object.h"
#include "reference/tensor/tensor.h"

namespace lockstep::export_internal {

class Hdf5Reader {
 public:
  // REQUIRES: `bytes` live as long as this. Errors: DataLoss, with `origin` and
  // the byte, for what is damaged or no HDF5; Unimplemented for versions of the
  // format, types of elements and layouts of data that h5py does not write for
  // plain arrays.
  Hdf5Reader(std::string_view bytes, const std::string& origin);

  // Of all datasets, in bytewise order.
  std::vector<std::string> paths() const;
  bool Contains(const std::string& path) const {
    return datasets_.contains(path);
  }
  // Errors of both: NotFound for no such dataset.
  TensorSpec Spec(const std::string& path) const;
  Tensor Read(const std::string& path) const;

 private:
  void ReadSuperblock();
  void ReadObject(const std::string& path, uint64_t address, int depth);
  void ReadGroup(const std::string& path, const Hdf5Object::Group& group,
                 int depth);
  void ReadTree(const std::string& path, uint64_t address, int depth,
                std::string_view names);
  void ReadMembers(const std::string& path, uint64_t address, int depth,
                   std::string_view names);
  // What a local heap holds.
  std::string_view ReadHeap(uint64_t address) const;
  void AddDataset(const std::string& path, uint64_t address,
                  const Hdf5Object& object);
  void CheckNoOverlap() const;
  // Errors: DataLoss for a place that was visited before.
  void Visit(uint64_t address);
  const Hdf5Object& Find(const std::string& path) const;

  Hdf5Bytes bytes_;
  uint64_t root_ = 0;
  std::set<uint64_t> visited_;
  std::map<std::string, Hdf5Object> datasets_;
};

}  // namespace lockstep::export_internal

#endif  // LOCKSTEP_REFERENCE_FILE_FORMATS_HDF5_READER_H_
