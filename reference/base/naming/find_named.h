// Choices by name.
//
//   struct Entry {
//     std::vector<std::string_view> names;   // the first is the one to show
//     int value;
//   };
//   const std::array<Entry, 2> table = {{{{"one", "1"}, 1}, {{"two"}, 2}}};
//   FindNamed("[Count]", "1", table).value;     // 1
//   FindNamed("[Count]", "six", table);
//   // InvalidArgument: [Count] there is no 'six', only one, two
#ifndef LOCKSTEP_REFERENCE_BASE_NAMING_FIND_NAMED_H_
#define LOCKSTEP_REFERENCE_BASE_NAMING_FIND_NAMED_H_

#include <string_view>
#include <vector>

#include "reference/base/error.h"

namespace lockstep {

// The error for a name that is not one of `known`.
Error UnknownName(std::string_view operation, std::string_view name,
                  const std::vector<std::string_view>& known);

// The entry that has `name` among its names. Errors: InvalidArgument, led by
// `operation`, with the known names.
template <typename Table>
const auto& FindNamed(std::string_view operation, std::string_view name,
                      const Table& table) {
  std::vector<std::string_view> known;
  for (const auto& entry : table) {
    for (const std::string_view candidate : entry.names) {
      if (candidate == name) return entry;
    }
    known.push_back(entry.names.front());
  }
  throw UnknownName(operation, name, known);
}

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_BASE_NAMING_FIND_NAMED_H_
