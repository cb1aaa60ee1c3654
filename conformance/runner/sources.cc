#include "conformance/runner/sources.h"

#include "conformance/runner/json_cursor.h"
#include "reference/base/check.h"

namespace lockstep {

Sources Sources::Load(const std::string& path) {
  const Json json = ReadJsonFile(path);
  const JsonCursor root(json, path);
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
  const auto found = sources_.find(citation.source);
  LOCKSTEP_CHECK(found != sources_.end());
  return fmt::format("{} {} ({})", citation.source, citation.anchor,
                     found->second);
}

}  // namespace lockstep
