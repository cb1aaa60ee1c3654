// The documents, issue lists and implementations that cases cite.
#ifndef LOCKSTEP_CONFORMANCE_RUNNER_SOURCES_H_
#define LOCKSTEP_CONFORMANCE_RUNNER_SOURCES_H_

#include <map>
#include <string>
#include <string_view>

#include "conformance/runner/case.h"

namespace lockstep {

class Sources {
 public:
  // Reads sources.json. Errors: NotFound, InvalidArgument with file and path.
  static Sources Load(const std::string& path);

  bool Contains(std::string_view id) const { return sources_.contains(id); }
  // "distributed_input 0Qb6nDgxiN_n (https://...)".
  // REQUIRES: the source is one of these.
  std::string Describe(const Citation& citation) const;
  // The address of the issue or file where there is one, else of the source.
  // REQUIRES: the source is one of these.
  std::string Link(const Citation& citation) const;

 private:
  const std::string& UrlOf(const Citation& citation) const;

  std::map<std::string, std::string, std::less<>> sources_;  // id -> URL
};

}  // namespace lockstep

#endif  // LOCKSTEP_CONFORMANCE_RUNNER_SOURCES_H_
