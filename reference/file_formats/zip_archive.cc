#include "reference/file_formats/zip_archive.h"

#include <zip.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "reference/base/error.h"

namespace lockstep::export_internal {
namespace {

constexpr uint64_t kPiece = 1 << 20;  // bytes read at a time

struct SourceFree {
  void operator()(zip_source_t* source) const { zip_source_free(source); }
};
using Source = std::unique_ptr<zip_source_t, SourceFree>;

// Owns libzip's description of an error.
class ZipError {
 public:
  ZipError() { zip_error_init(&error_); }
  ~ZipError() { zip_error_fini(&error_); }
  ZipError(const ZipError&) = delete;
  ZipError& operator=(const ZipError&) = delete;

  zip_error_t* get() { return &error_; }
  const char* what() { return zip_error_strerror(&error_); }

 private:
  zip_error_t error_;
};

Error NoMemory(std::string_view why) {
  return ResourceExhausted("[WriteZip] cannot write an archive: {}", why);
}

Source BufferSource(std::string_view bytes) {
  Source source(
      zip_source_buffer_create(bytes.data(), bytes.size(), 0, nullptr));
  if (!source) throw NoMemory("no memory");
  return source;
}

void AddMember(zip_t* archive, const ZipMember& member) {
  Source source = BufferSource(member.bytes);
  const zip_int64_t index = zip_file_add(archive, member.name.c_str(),
                                         source.get(), ZIP_FL_ENC_UTF_8);
  if (index < 0) throw NoMemory(zip_strerror(archive));
  source.release();                               // the archive's now
  constexpr zip_uint16_t kFirstDay = 1 << 5 | 1;  // 1980-01-01 in DOS format
  if (zip_set_file_compression(archive, index, ZIP_CM_STORE, 0) != 0 ||
      zip_file_set_dostime(archive, index, 0, kFirstDay, 0) != 0) {
    throw NoMemory(zip_strerror(archive));
  }
}

std::string ReadAll(zip_source_t* source) {
  zip_stat_t stat;
  if (zip_source_stat(source, &stat) != 0 || zip_source_open(source) != 0) {
    throw NoMemory(zip_error_strerror(zip_source_error(source)));
  }
  std::string bytes(stat.size, '\0');
  const zip_int64_t got = zip_source_read(source, bytes.data(), bytes.size());
  zip_source_close(source);
  if (got != static_cast<zip_int64_t>(bytes.size())) {
    throw NoMemory(zip_error_strerror(zip_source_error(source)));
  }
  return bytes;
}

}  // namespace

std::string WriteZip(const std::vector<ZipMember>& members) {
  const Source bytes = BufferSource("");
  ZipError error;
  zip_t* archive = zip_open_from_source(bytes.get(), ZIP_TRUNCATE, error.get());
  if (archive == nullptr) throw NoMemory(error.what());
  zip_source_keep(bytes.get());
  std::unique_ptr<zip_t, decltype(&zip_discard)> open(archive, zip_discard);
  for (const ZipMember& member : members) AddMember(archive, member);
  if (zip_close(archive) != 0) throw NoMemory(zip_strerror(archive));
  open.release();
  return ReadAll(bytes.get());
}

namespace {

// Whether extracting the member would write outside the folder.
bool LeavesFolder(std::string_view name) {
  if (name.empty() || name.front() == '/' || name.front() == '\\' ||
      name.find(':') != std::string_view::npos) {
    return true;
  }
  for (size_t begin = 0; begin <= name.size();) {
    const size_t end = std::min(name.find_first_of("/\\", begin), name.size());
    if (name.substr(begin, end - begin) == "..") return true;
    begin = end + 1;
  }
  return false;
}

}  // namespace

ZipReader::ZipReader(std::string_view bytes, std::string origin)
    : origin_(std::move(origin)) {
  // libzip would accept it as an archive without members.
  if (bytes.empty()) throw DataLoss("[ZipReader] {} is empty", origin_);
  Source source = BufferSource(bytes);
  ZipError error;
  zip_t* archive = zip_open_from_source(
      source.get(), ZIP_RDONLY | ZIP_CHECKCONS, error.get());
  if (archive == nullptr) {
    throw DataLoss("[ZipReader] {} is not a complete archive: {}", origin_,
                   error.what());
  }
  source.release();
  archive_ = {archive, zip_discard};
  const zip_int64_t count = zip_get_num_entries(archive, 0);
  for (zip_int64_t index = 0; index < count; ++index) AddMember(index);
}

void ZipReader::AddMember(uint64_t index) {
  const char* name = zip_get_name(archive_.get(), index, ZIP_FL_ENC_STRICT);
  if (name == nullptr) {
    throw DataLoss("[ZipReader] {}: member {} has no name", origin_, index);
  }
  if (LeavesFolder(name)) {
    throw InvalidArgument("[ZipReader] {}: the member '{}' leaves the folder",
                          origin_, name);
  }
  if (!members_.emplace(name, index).second) {
    throw DataLoss("[ZipReader] {} has two members '{}'", origin_, name);
  }
}

std::vector<std::string> ZipReader::names() const {
  std::vector<std::string> names;
  for (const auto& [name, index] : members_) names.push_back(name);
  return names;
}

zip_stat_t ZipReader::Stat(const std::string& name) const {
  const auto found = members_.find(name);
  if (found == members_.end()) {
    throw NotFound("[ZipReader] {} has no member '{}'", origin_, name);
  }
  zip_stat_t stat;
  constexpr zip_uint64_t kWanted = ZIP_STAT_SIZE | ZIP_STAT_INDEX;
  if (zip_stat_index(archive_.get(), found->second, 0, &stat) != 0 ||
      (stat.valid & kWanted) != kWanted) {
    throw DataLoss("[ZipReader] {}: '{}' has no size", origin_, name);
  }
  return stat;
}

Error ZipReader::CannotOpen(const std::string& name) const {
  const int code = zip_error_code_zip(zip_get_error(archive_.get()));
  const char* why = zip_strerror(archive_.get());
  if (code == ZIP_ER_COMPNOTSUPP || code == ZIP_ER_ENCRNOTSUPP ||
      code == ZIP_ER_NOPASSWD) {
    return Unimplemented("[ZipReader] {}: '{}': {}", origin_, name, why);
  }
  return DataLoss("[ZipReader] {}: '{}': {}", origin_, name, why);
}

std::string ZipReader::Read(const std::string& name,
                            uint64_t most_bytes) const {
  const zip_stat_t stat = Stat(name);
  if (stat.size > most_bytes) {
    throw InvalidArgument(
        "[ZipReader] {}: '{}' declares {} bytes, of {} at most", origin_, name,
        stat.size, most_bytes);
  }
  const std::unique_ptr<zip_file_t, decltype(&zip_fclose)> file(
      zip_fopen_index(archive_.get(), stat.index, 0), zip_fclose);
  if (file == nullptr) throw CannotOpen(name);
  std::string bytes;
  // Reading one byte more reaches the end, where libzip checks the checksum.
  std::string piece(std::min<uint64_t>(stat.size + 1, kPiece), '\0');
  zip_int64_t got = 0;
  do {
    got = zip_fread(file.get(), piece.data(), piece.size());
    if (got < 0) {
      throw DataLoss("[ZipReader] {}: '{}': {}", origin_, name,
                     zip_file_strerror(file.get()));
    }
    bytes.append(piece.data(), got);
  } while (got > 0 && bytes.size() <= stat.size);
  if (bytes.size() != stat.size) {
    throw DataLoss(
        "[ZipReader] {}: '{}' declares {} bytes but has another number",
        origin_, name, stat.size);
  }
  return bytes;
}

}  // namespace lockstep::export_internal
