#include "command_line/parse.h"

#include <algorithm>
#include <string>
#include <string_view>

namespace lockstep {
namespace {

[[noreturn]] void RefuseEmpty(const std::string& name) {
  throw CLI::ValidationError(name, "has no value; give one or leave it out");
}

// "--json=": CLI11 would take the next argument for its value.
void CheckHaveValues(int argc, const char* const* argv) {
  for (int i = 1; i < argc && std::string_view(argv[i]) != "--"; ++i) {
    const std::string_view argument = argv[i];
    if (!argument.starts_with("--")) continue;
    if (argument.find('=') + 1 != argument.size()) continue;
    RefuseEmpty(std::string(argument.substr(0, argument.size() - 1)));
  }
}

void CheckNotEmpty(const CLI::App& app) {
  for (const CLI::Option* option : app.get_options()) {
    if (std::ranges::count(option->results(), "") > 0) {
      RefuseEmpty(option->get_name());
    }
  }
}

}  // namespace

std::optional<int> ParseCommandLine(CLI::App& app, int argc,
                                    const char* const* argv,
                                    const std::function<void()>& check) {
  try {
    CheckHaveValues(argc, argv);
    app.parse(argc, argv);
    CheckNotEmpty(app);
    check();
    return std::nullopt;
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : kWrongUsage;
  }
}

}  // namespace lockstep
