#include "conformance/runner/cases/case.h"

#include <optional>

#include "conformance/runner/text/json_file.h"
#include "reference/base/check.h"

namespace lockstep {

std::string_view LevelName(Level level) {
  switch (level) {
    case Level::kRequired:
      return "required";
    case Level::kRecommended:
      return "recommended";
    case Level::kDecision:
      return "decision";
    case Level::kObserved:
      return "observed";
  }
  LOCKSTEP_CHECK(false);
}

bool HasSeveralReplicaCounts(const Json& given) {
  return given.contains("replicas") && given["replicas"].is_array();
}

std::string_view RelationName(Relation relation) {
  switch (relation) {
    case Relation::kEquals:
      return "equals";
    case Relation::kClose:
      return "close";
    case Relation::kError:
      return "error";
    case Relation::kSameOnAllReplicas:
      return "same_on_all_replicas";
    case Relation::kMultipleOf:
      return "multiple_of";
    case Relation::kSameMultiset:
      return "same_multiset";
    case Relation::kSameAs:
      return "same_as";
    case Relation::kDiffersFrom:
      return "differs_from";
    case Relation::kEntriesDiffer:
      return "entries_differ";
  }
  LOCKSTEP_CHECK(false);
}

namespace {

// "owner/name/issues/7" of "owner/name#7"; nullopt for any other anchor.
std::optional<std::string> IssuePath(std::string_view anchor) {
  const size_t hash = anchor.rfind('#');
  if (hash == anchor.npos) return std::nullopt;
  const std::string_view repository = anchor.substr(0, hash);
  const std::string_view number = anchor.substr(hash + 1);
  const size_t slash = repository.find('/');
  const bool has_owner_and_name = slash != repository.npos && slash > 0 &&
                                  slash + 1 < repository.size() &&
                                  repository.rfind('/') == slash;
  const bool is_number =
      !number.empty() && number.find_first_not_of("0123456789") == number.npos;
  if (!has_owner_and_name || !is_number) return std::nullopt;
  return fmt::format("{}/issues/{}", repository, number);
}

}  // namespace

Sources Sources::Load(const std::string& path) {
  const Json json = ReadJsonFile(path);
  const JsonCursor root(json, path, "LoadSources");
  Sources sources;
  for (const JsonCursor& source : root["sources"].NonEmptyItems()) {
    const std::string id = source["id"].Text();
    if (!sources.sources_.emplace(id, source["url"].Text()).second) {
      source["id"].Fail(fmt::format("duplicate source '{}'", id));
    }
  }
  return sources;
}

std::string Sources::Describe(const Citation& citation) const {
  return fmt::format("{} {} ({})", citation.source, citation.anchor,
                     UrlOf(citation));
}

std::string Sources::Link(const Citation& citation) const {
  const std::string& url = UrlOf(citation);
  if (const auto issue = IssuePath(citation.anchor)) return url + *issue;
  if (!url.starts_with("https://")) return url + "#" + citation.anchor;
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
