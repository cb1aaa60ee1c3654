#include "conformance/runner/sources.h"

#include <regex>

#include "conformance/runner/json_cursor.h"
#include "reference/base/check.h"

namespace lockstep {

Sources Sources::Load(const std::string& path) {
  const Json json = ReadJsonFile(path);
  const JsonCursor root(json, path, "LoadSources");
  Sources sources;
  for (const JsonCursor& source : root["sources"].SomeItems()) {
    const std::string& id = source["id"].Text();
    if (!sources.sources_.emplace(id, source["url"].Text()).second) {
      source["id"].Fail(fmt::format("source '{}' stands here twice", id));
    }
  }
  return sources;
}

std::string Sources::Describe(const Citation& citation) const {
  return fmt::format("{} {} ({})", citation.source, citation.anchor,
                     UrlOf(citation));
}

std::string Sources::Link(const Citation& citation) const {
  static const std::regex kIssue("([^/]+/[^/]+)#([0-9]+)");
  const std::string& url = UrlOf(citation);
  if (std::smatch issue; std::regex_match(citation.anchor, issue, kIssue)) {
    return fmt::format("{}{}/issues/{}", url, issue.str(1), issue.str(2));
  }
  const bool is_file = url.find("/tree/") != std::string::npos &&
                       citation.anchor.find('/') != std::string::npos;
  return is_file ? url + "/" + citation.anchor : url;
}

const std::string& Sources::UrlOf(const Citation& citation) const {
  const auto found = sources_.find(citation.source);
  LOCKSTEP_CHECK(found != sources_.end());
  return found->second;
}

}  // namespace lockstep
