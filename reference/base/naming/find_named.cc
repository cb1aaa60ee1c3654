#include "reference/base/naming/find_named.h"

#include <fmt/ranges.h>

namespace lockstep {

Error UnknownName(std::string_view operation, std::string_view name,
                  const std::vector<std::string_view>& known) {
  return InvalidArgument("{} there is no '{}', only {}", operation, name,
                         fmt::join(known, ", "));
}

}  // namespace lockstep
