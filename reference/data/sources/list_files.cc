#include <glob.h>

#include <algorithm>
#include <cerrno>
#include <string>
#include <vector>

#include "reference/base/error.h"
#include "reference/data/sources/sources.h"

namespace lockstep::data_internal {
namespace {

// Owns the C library's list of names.
class Matches {
 public:
  explicit Matches(const std::string& pattern) {
    const int status = glob(pattern.c_str(), GLOB_NOSORT, nullptr, &found_);
    if (status == 0 || status == GLOB_NOMATCH) return;
    const int error_number = errno;
    globfree(&found_);
    if (status == GLOB_NOSPACE) {
      throw ResourceExhausted("[ListFiles] no memory to match {}", pattern);
    }
    throw SystemError(error_number, "[ListFiles] cannot match {}", pattern);
  }
  ~Matches() { globfree(&found_); }
  Matches(const Matches&) = delete;
  Matches& operator=(const Matches&) = delete;

  void AppendTo(std::vector<std::string>& names) const {
    for (size_t i = 0; i < found_.gl_pathc; ++i) {
      names.emplace_back(found_.gl_pathv[i]);
    }
  }

 private:
  glob_t found_{};
};

}  // namespace

std::vector<std::string> MatchFiles(const std::vector<std::string>& patterns) {
  std::vector<std::string> names;
  for (const std::string& pattern : patterns) Matches(pattern).AppendTo(names);
  std::ranges::sort(names);
  names.erase(std::unique(names.begin(), names.end()), names.end());
  if (!names.empty()) return names;
  std::string all;
  for (const std::string& pattern : patterns) {
    all += (all.empty() ? "" : ", ") + pattern;
  }
  throw InvalidArgument("[ListFiles] no files matched pattern: {}", all);
}

}  // namespace lockstep::data_internal
