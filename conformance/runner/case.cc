#include "conformance/runner/case.h"

#include "reference/base/check.h"

namespace lockstep {

std::string_view LevelName(Level level) {
  switch (level) {
    case Level::kRequired:
      return "required";
    case Level::kRecommended:
      return "recommended";
    case Level::kObserved:
      return "observed";
  }
  LOCKSTEP_CHECK(false);
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
  }
  LOCKSTEP_CHECK(false);
}

}  // namespace lockstep
