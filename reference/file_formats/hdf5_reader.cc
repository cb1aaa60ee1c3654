// The format is in the "HDF5 File Format Specification": version 0 of the
// superblock in II.A, groups with symbol tables in III.A to III.D.
#include "reference/file_formats/hdf5_reader.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <utility>

#include "reference/base/error.h"
#include "reference/tensor/host_tensor.h"

namespace lockstep::export_internal {
namespace {

using std::string_view_literals::operator""sv;

constexpr std::string_view kSignature = "\x89HDF\r\n\x1a\n"sv;
constexpr int kDeepest = 64;          // groups in groups
constexpr uint64_t kEntryBytes = 40;  // of a symbol table
constexpr uint64_t kRootEntry = 56;   // in the superblock

}  // namespace

Hdf5Reader::Hdf5Reader(std::string_view bytes, const std::string& origin)
    : bytes_(bytes, origin) {
  ReadSuperblock();
  ReadObject("", root_, 0);
  CheckNoOverlap();
}

void Hdf5Reader::ReadSuperblock() {
  bytes_.Expect(0, kSignature, "signature of HDF5");
  const uint64_t version = bytes_.Integer(8, 1, "the superblock");
  if (version != 0) {
    throw bytes_.NotSupported(8, "the superblock has the version {}, not 0",
                              version);
  }
  if (bytes_.Integer(13, 2, "the superblock") != 0x0808) {
    throw bytes_.NotSupported(13, "addresses or sizes are not of 8 bytes");
  }
  const uint64_t base = bytes_.Integer(24, 8, "the superblock");
  const uint64_t end = bytes_.Integer(40, 8, "the superblock");
  if (base != 0 || end != bytes_.size()) {
    throw bytes_.Damaged(40, "the file declares {} bytes but has {}", end,
                         bytes_.size());
  }
  root_ = bytes_.Integer(kRootEntry + 8, 8, "the superblock");
}

void Hdf5Reader::Visit(uint64_t address) {
  if (!visited_.insert(address).second) {
    throw bytes_.Damaged(address, "an object is a member of two groups");
  }
}

void Hdf5Reader::ReadObject(const std::string& path, uint64_t address,
                            int depth) {
  if (depth > kDeepest) {
    throw bytes_.Damaged(address, "groups are nested more than {} deep",
                         kDeepest);
  }
  Visit(address);
  const Hdf5Object object = ReadHdf5Object(bytes_, address);
  if (object.group && !object.is_dataset()) {
    return ReadGroup(path, *object.group, depth);
  }
  AddDataset(path, address, object);
}

void Hdf5Reader::ReadGroup(const std::string& path,
                           const Hdf5Object::Group& group, int depth) {
  ReadTree(path, group.tree, depth, ReadHeap(group.heap));
}

std::string_view Hdf5Reader::ReadHeap(uint64_t address) const {
  bytes_.Expect(address, "HEAP"sv, "heap of names");
  const uint64_t size = bytes_.Integer(address + 8, 8, "a heap");
  const uint64_t data = bytes_.Integer(address + 24, 8, "a heap");
  return bytes_.At(data, size, "a heap's names");
}

void Hdf5Reader::ReadTree(const std::string& path, uint64_t address, int depth,
                          std::string_view names) {
  Visit(address);
  bytes_.Expect(address, "TREE\0"sv, "tree of a group");
  const uint64_t level = bytes_.Integer(address + 5, 1, "a tree");
  const uint64_t children = bytes_.Integer(address + 6, 2, "a tree");
  if (level > 8) throw bytes_.Damaged(address, "a tree has {} levels", level);
  for (uint64_t i = 0; i < children; ++i) {
    const uint64_t child = bytes_.Integer(address + 32 + 16 * i, 8, "a tree");
    if (level == 0) {
      ReadMembers(path, child, depth, names);
      continue;
    }
    if (bytes_.Integer(child + 5, 1, "a tree") != level - 1) {
      throw bytes_.Damaged(child, "a tree has another level than {}",
                           level - 1);
    }
    ReadTree(path, child, depth, names);
  }
}

void Hdf5Reader::ReadMembers(const std::string& path, uint64_t address,
                             int depth, std::string_view names) {
  Visit(address);
  bytes_.Expect(address, "SNOD\1"sv, "list of members");
  const uint64_t count = bytes_.Integer(address + 6, 2, "a list of members");
  for (uint64_t i = 0; i < count; ++i) {
    const uint64_t entry = address + 8 + kEntryBytes * i;
    const uint64_t place = bytes_.Integer(entry, 8, "a member");
    const size_t end =
        place < names.size() ? names.find('\0', place) : std::string_view::npos;
    if (end == std::string_view::npos || end == place) {
      throw bytes_.Damaged(entry, "a member has no name");
    }
    if (bytes_.Integer(entry + 16, 4, "a member") == 2) {
      throw bytes_.NotSupported(entry, "a member is a link");
    }
    const std::string_view name = names.substr(place, end - place);
    if (name.find('/') != std::string_view::npos) {
      throw bytes_.Damaged(entry, "a name has a slash");
    }
    ReadObject(
        path.empty() ? std::string(name) : path + "/" + std::string(name),
        bytes_.Integer(entry + 8, 8, "a member"), depth + 1);
  }
}

void Hdf5Reader::AddDataset(const std::string& path, uint64_t address,
                            const Hdf5Object& object) {
  if (object.group || !object.dtype || !object.shape) {
    throw bytes_.Damaged(address, "'{}' is neither a group nor a dataset",
                         path);
  }
  uint64_t bytes = DTypeSize(*object.dtype);
  bool overflows = false;
  for (const int64_t dim : object.shape->dims()) {
    overflows |= __builtin_mul_overflow(bytes, dim, &bytes);
  }
  if (overflows || bytes != object.data_bytes) {
    throw bytes_.Damaged(address, "'{}' of shape {} has {} bytes of data", path,
                         ToString(*object.shape), object.data_bytes);
  }
  if (bytes > 0) bytes_.At(object.data, bytes, "'" + path + "'");
  if (!datasets_.emplace(path, object).second) {
    throw bytes_.Damaged(address, "'{}' is there twice", path);
  }
}

void Hdf5Reader::CheckNoOverlap() const {
  std::vector<std::pair<uint64_t, const std::string*>> places;
  for (const auto& [path, object] : datasets_) {
    if (object.data_bytes > 0) places.emplace_back(object.data, &path);
  }
  std::ranges::sort(places);
  for (size_t i = 0; i + 1 < places.size(); ++i) {
    const auto& [begin, path] = places[i];
    if (datasets_.at(*path).data_bytes <= places[i + 1].first - begin) continue;
    throw bytes_.Damaged(begin, "'{}' and '{}' share data", *path,
                         *places[i + 1].second);
  }
}

std::vector<std::string> Hdf5Reader::paths() const {
  std::vector<std::string> paths;
  for (const auto& [path, object] : datasets_) paths.push_back(path);
  return paths;
}

const Hdf5Object& Hdf5Reader::Find(const std::string& path) const {
  const auto found = datasets_.find(path);
  if (found == datasets_.end()) {
    throw NotFound("[Hdf5] {} has no dataset '{}'", bytes_.origin(), path);
  }
  return found->second;
}

TensorSpec Hdf5Reader::Spec(const std::string& path) const {
  const Hdf5Object& object = Find(path);
  return {*object.shape, *object.dtype};
}

Tensor Hdf5Reader::Read(const std::string& path) const {
  const Hdf5Object& object = Find(path);
  Tensor tensor = EmptyOnHost(*object.shape, *object.dtype);
  if (object.data_bytes == 0) return tensor;
  const std::string_view data =
      bytes_.At(object.data, object.data_bytes, "'" + path + "'");
  std::memcpy(tensor.mutable_raw_data(), data.data(), data.size());
  return tensor;
}

}  // namespace lockstep::export_internal
