// Reads the arrays of HDF5 files that h5py writes by default, such as Keras'.
//
//   const Hdf5Reader file(bytes, "model.weights.h5");
//   file.paths();                          // {"layers/dense/vars/0", ...}
//   file.Read("layers/dense/vars/0");      // the kernel
//
// It does not use the HDF5 library, because version 1.10 loops forever on some
// files with one damaged byte (18 of 78,192 changes that were tried). This reader
// checks each address, size and count against the file's size, allocates no more
// than the file's size, and refuses datasets that share bytes. HDF5 has no
// checksums, so changed elements and changed names are not detected.
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
  // REQUIRES: `bytes` outlive this object. Errors: DataLoss, with `origin` and the
  // offset, if the file is damaged or not HDF5; Unimplemented for format versions,
  // element types and layouts that h5py does not write for plain arrays.
  Hdf5Reader(std::string_view bytes, const std::string& origin);

  // The paths of all datasets, in bytewise order.
  std::vector<std::string> paths() const;
  bool Contains(const std::string& path) const {
    return datasets_.contains(path);
  }
  // Errors of both: NotFound if there is no such dataset.
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
  // The content of a local heap.
  std::string_view ReadHeap(uint64_t address) const;
  void AddDataset(const std::string& path, uint64_t address,
                  const Hdf5Object& object);
  void CheckNoOverlap() const;
  // Errors: DataLoss if the address was visited before.
  void Visit(uint64_t address);
  const Hdf5Object& Find(const std::string& path) const;

  Hdf5Bytes bytes_;
  uint64_t root_ = 0;
  std::set<uint64_t> visited_;
  std::map<std::string, Hdf5Object> datasets_;
};

}  // namespace lockstep::export_internal

#endif  // LOCKSTEP_REFERENCE_FILE_FORMATS_HDF5_READER_H_
