// Messages and their translations in the files of gettext, NAME.mo.
//
//   const std::vector<CatalogEntry> entries = ReadMoFile("de/dpkg.mo");
//   entries[0].original;      // "%s is missing"
//   entries[0].translation;   // "%s fehlt"
//
// The format: https://www.gnu.org/software/gettext/manual/html_node/MO-Files.html
#ifndef LOCKSTEP_TEXT_DATASETS_MO_CATALOG_H_
#define LOCKSTEP_TEXT_DATASETS_MO_CATALOG_H_

#include <string>
#include <string_view>
#include <vector>

namespace lockstep {

struct CatalogEntry {
  std::string context;      // "" for none
  std::string original;     // the singular of a message with a plural
  std::string translation;  // the first form of such a message
  bool has_plural = false;

  bool operator==(const CatalogEntry&) const = default;
};

// In the order of the file, without its first entry, which describes the file.
// Either byte order. `origin` leads error messages. Errors, with an offset:
// DataLoss for another magic number, a table or a string that is not in the
// file or has no end, strings that claim more bytes than the file has, and text
// that is not UTF-8; Unimplemented for a revision that is not 0 or 1, and for
// another character set than UTF-8 and ASCII.
std::vector<CatalogEntry> ParseMo(std::string_view bytes,
                                  const std::string& origin);

// Errors also: NotFound, Unavailable.
std::vector<CatalogEntry> ReadMoFile(const std::string& path);

}  // namespace lockstep

#endif  // LOCKSTEP_TEXT_DATASETS_MO_CATALOG_H_
