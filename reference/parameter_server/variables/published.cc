#include "reference/parameter_server/variables/published.h"

#include <numeric>
#include <span>

#include "reference/base/error.h"

namespace lockstep::parameter_server {
namespace {

struct SetValue {
  Setting& setting;
  const std::string& class_name;

  void operator()(std::monostate) const {}
  void operator()(bool value) const { setting.set_flag(value); }
  void operator()(int64_t value) const { setting.set_integer(value); }
  void operator()(double value) const { setting.set_number(value); }
  void operator()(const std::string& value) const { setting.set_text(value); }
  template <typename Other>
  void operator()(const Other&) const {
    throw Unimplemented(
        "[ApplyRule] the setting '{}' of {} cannot be sent to a server",
        setting.name(), class_name);
  }
};

bool AddsUp(const PublishedVariable& variable, int num_servers) {
  for (const Place& place : variable.places) {
    if (place.server < 0 || place.server >= num_servers) return false;
  }
  if (variable.rows.empty()) return variable.places.size() == 1;
  const auto& rows = variable.rows;
  return rows.size() == variable.places.size() &&
         variable.spec.shape.rank() > 0 &&
         std::accumulate(rows.begin(), rows.end(), int64_t{0}) ==
             variable.spec.shape[0];
}

}  // namespace

Published ToMessage(const PublishedVariable& variable) {
  Published message;
  message.set_name(variable.name);
  message.set_dtype(std::string(DTypeName(variable.spec.dtype)));
  for (const int64_t dim : variable.spec.shape.dims()) message.add_dims(dim);
  for (const Place& place : variable.places) {
    Kept& kept = *message.add_kept();
    kept.set_server(place.server);
    kept.set_variable(place.number);
  }
  for (const int64_t rows : variable.rows) message.add_rows(rows);
  return message;
}

PublishedVariable FromMessage(const Published& message, int num_servers) {
  PublishedVariable variable{.name = message.name()};
  variable.spec.dtype = ParseDType(message.dtype());
  variable.spec.shape = Shape(std::span<const int64_t>(
      message.dims().data(), static_cast<size_t>(message.dims_size())));
  for (const Kept& kept : message.kept()) {
    variable.places.push_back({kept.server(), kept.variable()});
  }
  variable.rows.assign(message.rows().begin(), message.rows().end());
  if (AddsUp(variable, num_servers)) return variable;
  throw Internal("[ParameterClient] variable '{}' is not on these {} servers",
                 variable.name, num_servers);
}

Rule ToMessage(const ObjectConfig& config) {
  Rule rule;
  rule.set_class_name(config.class_name);
  for (const auto& [name, value] : config.settings) {
    Setting& setting = *rule.add_settings();
    setting.set_name(name);
    std::visit(SetValue{setting, config.class_name}, value);
  }
  return rule;
}

}  // namespace lockstep::parameter_server
