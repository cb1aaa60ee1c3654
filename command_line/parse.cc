#include "command_line/parse.h"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

#include "command_line/version.h"

namespace lockstep {
namespace {

// Nothing if the whole text is not a number.
std::optional<double> Parse(const std::string& text) {
  double value = 0;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{} || rest != end) return std::nullopt;
  return value;
}

}  // namespace

CLI::Validator RealNumber(double least, double most) {
  const auto check = [=](const std::string& text) -> std::string {
    const std::optional<double> value = Parse(text);
    // False for NaN.
    if (value && least <= *value && *value <= most) return "";
    return fmt::format("wanted a number from {} to {}, got '{}'", least, most,
                       text);
  };
  return CLI::Validator(check, fmt::format("{} to {}", least, most));
}

namespace {

[[noreturn]] void RefuseEmpty(const std::string& name) {
  throw CLI::ValidationError(name, "has no value; give one or leave it out");
}

// "--json=": CLI11 would use the next argument as its value.
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
  app.set_version_flag("--version", app.get_name() + " " + kVersion,
                       "print the version");
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
