#include "reference/file_formats/hdf5_writer.h"

#include <hdf5/serial/hdf5.h>

#include <algorithm>
#include <array>
#include <utility>

#include "reference/base/error.h"

namespace lockstep::export_internal {
namespace {

constexpr size_t kGrowth = 1 << 20;  // bytes of memory at a time

// Owns a handle of the library.
class Handle {
 public:
  using Close = herr_t (*)(hid_t);

  Handle(hid_t id, Close close, const char* action) : id_(id), close_(close) {
    if (id < 0) throw ResourceExhausted("[Hdf5] cannot {}", action);
  }
  Handle(Handle&& other) noexcept
      : id_(std::exchange(other.id_, -1)), close_(other.close_) {}
  ~Handle() {
    if (id_ >= 0) close_(id_);
  }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;

  operator hid_t() const { return id_; }  // NOLINT: as the library takes it

 private:
  hid_t id_;
  Close close_;
};

void Check(herr_t result, const char* action) {
  if (result < 0) throw ResourceExhausted("[Hdf5] cannot {}", action);
}

hid_t TypeOf(DType dtype) {
  switch (dtype) {
    case DType::kFloat32:
      return H5T_IEEE_F32LE;
    case DType::kFloat64:
      return H5T_IEEE_F64LE;
    case DType::kInt32:
      return H5T_STD_I32LE;
    case DType::kInt64:
      return H5T_STD_I64LE;
    case DType::kUInt8:
      return H5T_STD_U8LE;
    default:
      throw Unimplemented("[Hdf5] no element of type {} can be written",
                          DTypeName(dtype));
  }
}

Handle Dataspace(const Shape& shape) {
  std::array<hsize_t, Shape::kMaxRank> dims{};
  std::ranges::copy(shape.dims(), dims.begin());
  const hid_t id = shape.rank() == 0
                       ? H5Screate(H5S_SCALAR)
                       : H5Screate_simple(shape.rank(), dims.data(), nullptr);
  return Handle(id, H5Sclose, "describe a shape");
}

// Properties with which a link creates its missing parent groups.
Handle LinkProperties() {
  Handle properties(H5Pcreate(H5P_LINK_CREATE), H5Pclose, "make a link");
  Check(H5Pset_create_intermediate_group(properties, 1), "make a link");
  return properties;
}

// A UTF-8 string of variable length, as h5py writes it.
void AddName(hid_t group, const std::string& name) {
  const Handle type(H5Tcopy(H5T_C_S1), H5Tclose, "make a type");
  Check(H5Tset_size(type, H5T_VARIABLE), "make a type");
  Check(H5Tset_cset(type, H5T_CSET_UTF8), "make a type");
  const Handle space = Dataspace(Shape{});
  const Handle attribute(
      H5Acreate2(group, "name", type, space, H5P_DEFAULT, H5P_DEFAULT),
      H5Aclose, "make an attribute");
  const char* text = name.c_str();
  Check(H5Awrite(attribute, type, &text), "write an attribute");
}

std::mutex& LibraryMutex() {
  static std::mutex mutex;
  return mutex;
}

bool Exists(hid_t file, const std::string& path) {
  for (size_t end = path.find('/');; end = path.find('/', end + 1)) {
    const std::string part = path.substr(0, end);
    if (H5Lexists(file, part.c_str(), H5P_DEFAULT) <= 0) return false;
    if (end == std::string::npos) return true;
  }
}

}  // namespace

Hdf5Writer::Hdf5Writer() : alone_(LibraryMutex()) {
  // Turns off the library's messages to stderr on this thread; we report errors.
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  const Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose, "make a file");
  Check(H5Pset_fapl_core(access, kGrowth, /*backing_store=*/0), "make a file");
  file_ = H5Fcreate("memory", H5F_ACC_TRUNC, H5P_DEFAULT, access);
  if (file_ < 0) throw ResourceExhausted("[Hdf5] cannot make a file");
}

Hdf5Writer::~Hdf5Writer() { H5Fclose(file_); }

void Hdf5Writer::AddGroup(const std::string& path, const std::string& name) {
  const Handle links = LinkProperties();
  const bool exists = Exists(file_, path);
  const Handle group(
      exists ? H5Gopen2(file_, path.c_str(), H5P_DEFAULT)
             : H5Gcreate2(file_, path.c_str(), links, H5P_DEFAULT, H5P_DEFAULT),
      H5Gclose, "make a group");
  if (!name.empty()) AddName(group, name);
}

void Hdf5Writer::Add(const std::string& path, const Tensor& tensor) {
  const hid_t type = TypeOf(tensor.dtype());
  if (Exists(file_, path)) {
    throw InvalidArgument("[Hdf5] '{}' was added before", path);
  }
  const Handle links = LinkProperties();
  const Handle space = Dataspace(tensor.shape());
  const Handle dataset(H5Dcreate2(file_, path.c_str(), type, space, links,
                                  H5P_DEFAULT, H5P_DEFAULT),
                       H5Dclose, "make a dataset");
  if (tensor.num_elements() == 0) return;
  Check(H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT,
                 tensor.ToHost().raw_data()),
        "write a dataset");
}

std::string Hdf5Writer::Finish() {
  Check(H5Fflush(file_, H5F_SCOPE_LOCAL), "write a file");
  const ssize_t size = H5Fget_file_image(file_, nullptr, 0);
  if (size < 0) throw ResourceExhausted("[Hdf5] cannot write a file");
  std::string bytes(static_cast<size_t>(size), '\0');
  if (H5Fget_file_image(file_, bytes.data(), bytes.size()) != size) {
    throw ResourceExhausted("[Hdf5] cannot write a file");
  }
  return bytes;
}

}  // namespace lockstep::export_internal
