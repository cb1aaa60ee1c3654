#include "text_datasets/mo_catalog.h"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <cstdint>

#include "dataset_files/byte_source.h"
#include "reference/base/error.h"
#include "reference/preprocessing/words/vocabulary/utf8.h"

namespace lockstep {
namespace {

constexpr uint32_t kMagic = 0x950412de;
constexpr uint32_t kSwappedMagic = 0xde120495;
constexpr char kContextEnd = '\x04';

class MoParser {
 public:
  MoParser(std::string_view bytes, const std::string& origin)
      : bytes_(bytes), origin_(origin) {}

  std::vector<CatalogEntry> Parse() {
    ReadMagic();
    const uint32_t revision = Number(4, "the revision");
    if (revision >> 16 > 1) {
      throw Unimplemented(
          "[ReadMo] {}: at offset 4: revision {}, wanted 0 or 1", origin_,
          revision >> 16);
    }
    const uint64_t count = Number(8, "the number of strings");
    const uint64_t originals = Number(12, "the table of originals");
    const uint64_t translations = Number(16, "the table of translations");
    CheckTable(12, originals, count);
    CheckTable(16, translations, count);
    std::vector<CatalogEntry> entries;
    for (uint64_t i = 0; i < count; ++i) {
      const std::string_view original = String(originals + 8 * i);
      const std::string_view translation = String(translations + 8 * i);
      if (original.empty()) {
        CheckCharacterSet(translations + 8 * i, translation);
      } else {
        entries.push_back(EntryOf(original, translation));
      }
    }
    return entries;
  }

 private:
  void ReadMagic() {
    const uint32_t magic = Number(0, "the magic number");
    swapped_ = magic == kSwappedMagic;
    if (magic != kMagic && !swapped_) {
      throw DataLoss(
          "[ReadMo] {}: at offset 0: the magic number is {:08x}, wanted "
          "950412de in either byte order",
          origin_, magic);
    }
  }

  uint32_t Number(uint64_t offset, std::string_view what) const {
    if (offset + 4 > bytes_.size()) {
      throw DataLoss(
          "[ReadMo] {}: truncated at offset {}: {} wants 4 bytes "
          "at offset {}",
          origin_, bytes_.size(), what, offset);
    }
    uint32_t number = 0;
    for (int i = 0; i < 4; ++i) {
      const auto byte = static_cast<uint8_t>(bytes_[offset + i]);
      number |= uint32_t{byte} << 8 * (swapped_ ? 3 - i : i);
    }
    return number;
  }

  void CheckTable(int header, uint64_t begin, uint64_t count) const {
    if (begin + 8 * count > bytes_.size()) {
      throw DataLoss(
          "[ReadMo] {}: at offset {}: a table of {} strings at offset {} ends "
          "after the file, which has {} bytes",
          origin_, header, count, begin, bytes_.size());
    }
  }

  // The string whose length and place are at `offset`.
  std::string_view String(uint64_t offset) {
    const uint64_t length = Number(offset, "a length");
    const uint64_t begin = Number(offset + 4, "a place");
    if (begin + length >= bytes_.size() || bytes_[begin + length] != '\0') {
      throw DataLoss(
          "[ReadMo] {}: at offset {}: a string of {} bytes at offset {} has no "
          "end in the file, which has {} bytes",
          origin_, offset, length, begin, bytes_.size());
    }
    claimed_ += length + 1;
    if (claimed_ > bytes_.size()) {
      throw DataLoss(
          "[ReadMo] {}: at offset {}: strings so far claim {} bytes, and the "
          "file has {}",
          origin_, offset, claimed_, bytes_.size());
    }
    const std::string_view text = bytes_.substr(begin, length);
    if (!words_internal::IsUtf8(text)) {
      throw DataLoss("[ReadMo] {}: the string at offset {} is not UTF-8",
                     origin_, begin);
    }
    return text;
  }

  void CheckCharacterSet(uint64_t offset, std::string_view header) const {
    constexpr std::string_view kKey = "charset=";
    const size_t found = header.find(kKey);
    if (found == std::string_view::npos) return;
    std::string name(header.substr(found + kKey.size()));
    name.resize(std::min(name.find_first_of(" \n;"), name.size()));
    std::ranges::transform(name, name.begin(),
                           [](unsigned char c) { return std::toupper(c); });
    if (name != "UTF-8" && name != "UTF8" && name != "US-ASCII" &&
        name != "ASCII") {
      throw Unimplemented(
          "[ReadMo] {}: at offset {}: texts are {}, wanted UTF-8; msgconv "
          "converts them",
          origin_, offset, name);
    }
  }

  static CatalogEntry EntryOf(std::string_view original,
                              std::string_view translation) {
    CatalogEntry entry;
    if (const size_t end = original.find(kContextEnd);
        end != std::string_view::npos) {
      entry.context = original.substr(0, end);
      original.remove_prefix(end + 1);
    }
    const size_t singular = original.find('\0');
    entry.has_plural = singular != std::string_view::npos;
    entry.original = original.substr(0, singular);
    entry.translation = translation.substr(0, translation.find('\0'));
    return entry;
  }

  std::string_view bytes_;
  const std::string& origin_;
  bool swapped_ = false;
  uint64_t claimed_ = 0;
};

}  // namespace

std::vector<CatalogEntry> ParseMo(std::string_view bytes,
                                  const std::string& origin) {
  return MoParser(bytes, origin).Parse();
}

std::vector<CatalogEntry> ReadMoFile(const std::string& path) {
  return ParseMo(ReadFileBytes(path), path);
}

}  // namespace lockstep
