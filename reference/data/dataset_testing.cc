#include "reference/data/dataset_testing.h"

namespace lockstep {

std::string ToText(const Structure& element) {
  if (element.is_leaf()) return ToString(element.leaf());
  const bool dict = element.kind() == NestKind::kDict;
  std::string text = dict ? "{" : "(";
  for (size_t i = 0; i < element.size(); ++i) {
    if (i > 0) text += ", ";
    if (dict) text += element.keys()[i] + ": ";
    text += ToText(element.items()[i]);
  }
  return text + (dict ? "}" : ")");
}

std::vector<std::string> ReadAll(const Dataset& dataset) {
  std::vector<std::string> texts;
  for (const Structure& element : dataset) texts.push_back(ToText(element));
  return texts;
}

Dataset Generated(int64_t stop) {
  return Dataset::Range(stop).Map([](const Structure& x) { return x; });
}

std::vector<int64_t> ReadNumbers(const Dataset& dataset) {
  std::vector<int64_t> numbers;
  for (const Structure& element : dataset) {
    const auto rows = element.leaf().span<int64_t>();
    numbers.insert(numbers.end(), rows.begin(), rows.end());
  }
  return numbers;
}

}  // namespace lockstep
