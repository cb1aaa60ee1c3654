#include "reference/cluster/slurm/slurm_lists.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "reference/base/error.h"
#include "reference/cluster/cluster_spec.h"
#include "reference/cluster/environment.h"

namespace lockstep {
namespace {

// Each bracket of an entry copies all its hosts once more. No cluster needs
// more brackets.
constexpr int kMostBrackets = 8;
constexpr size_t kMostDigits = 10;

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// Reads a text from left to right.
class Scanner {
 public:
  Scanner(const char* operation, std::string_view text)
      : operation_(operation), text_(text) {}

  bool AtEnd() const { return at_ == text_.size(); }
  bool AtEndOfEntry() const { return AtEnd() || text_[at_] == ','; }

  // Consumes the words if they are next.
  bool Take(std::string_view words) {
    if (text_.substr(at_, words.size()) != words) return false;
    at_ += words.size();
    return true;
  }

  void Want(std::string_view words) {
    if (!Take(words)) Fail("'" + std::string(words) + "'");
  }

  // The text up to the next of `marks` or the end.
  std::string_view TakeUntil(std::string_view marks) {
    const size_t end = std::min(text_.find_first_of(marks, at_), text_.size());
    const std::string_view taken = text_.substr(at_, end - at_);
    at_ = end;
    return taken;
  }

  // At least one digit, a number that fits an int.
  std::string_view TakeDigits() {
    size_t end = at_;
    while (end < text_.size() && IsDigit(text_[end])) ++end;
    const std::string_view taken = text_.substr(at_, end - at_);
    if (!NumberIn(taken) || taken.size() > kMostDigits) {
      Fail("a number below 2147483648");
    }
    at_ = end;
    return taken;
  }

  [[noreturn]] void Fail(const std::string& wanted) const {
    throw InvalidArgument("[{}] wanted {} at character {}, got {} in {}",
                          operation_, wanted, at_ + 1,
                          AtEnd() ? "the end" : Quote(text_.substr(at_, 20)),
                          Quote(text_));
  }

  void CheckCount(size_t count) const {
    if (count <= size_t{kMostWorkers}) return;
    throw InvalidArgument("[{}] a list must have at most {} entries, got {}",
                          operation_, kMostWorkers, Quote(text_));
  }

 private:
  const char* operation_;
  std::string_view text_;
  size_t at_ = 0;
};

// "08-10" as {"08", "09", "10"}, "7" as itself.
void ReadRange(Scanner& scanner, std::vector<std::string>& numbers) {
  const std::string_view first = scanner.TakeDigits();
  std::string_view last = first;
  if (scanner.Take("-")) last = scanner.TakeDigits();
  const int64_t low = *NumberIn(first), high = *NumberIn(last);
  // A shorter end could not keep the zeros, as in 08-9.
  if (high < low || last.size() < first.size()) {
    scanner.Fail("a range that ascends before this");
  }
  scanner.CheckCount(numbers.size() + static_cast<size_t>(high - low) + 1);
  for (int64_t number = low; number <= high; ++number) {
    numbers.push_back(fmt::format("{:0{}}", number, first.size()));
  }
}

// The numbers in a bracket.
std::vector<std::string> ReadNumbers(Scanner& scanner) {
  std::vector<std::string> numbers;
  do {
    ReadRange(scanner, numbers);
  } while (scanner.Take(","));
  scanner.Want("]");
  return numbers;
}

// Combines every beginning with every ending. The last bracket's numbers change
// fastest, then the first's, the second's and so on, which is Slurm's order.
std::vector<std::string> Multiply(const std::vector<std::string>& beginnings,
                                  std::string_view between,
                                  const std::vector<std::string>& endings,
                                  bool is_last) {
  const size_t rows = beginnings.size(), columns = endings.size();
  std::vector<std::string> product(rows * columns);
  for (size_t i = 0; i < rows; ++i) {
    for (size_t j = 0; j < columns; ++j) {
      product[is_last ? i * columns + j : j * rows + i] =
          beginnings[i] + std::string(between) + endings[j];
    }
  }
  return product;
}

// Appends a name and the bracket after it to the hosts so far.
std::vector<std::string> AddBracket(Scanner& scanner,
                                    const std::vector<std::string>& hosts,
                                    std::string_view name) {
  const std::vector<std::string> numbers = ReadNumbers(scanner);
  scanner.CheckCount(hosts.size() * numbers.size());
  if (hosts.front().size() + name.size() > kLongestHost) {
    scanner.Fail("a shorter host's name before this");
  }
  return Multiply(hosts, name, numbers, scanner.AtEndOfEntry());
}

// One entry of the list, with all its brackets.
std::vector<std::string> ReadHosts(Scanner& scanner) {
  std::vector<std::string> hosts = {""};
  for (int brackets = 0; brackets <= kMostBrackets; ++brackets) {
    const std::string_view name = scanner.TakeUntil("[],");
    if (scanner.Take("[")) {
      hosts = AddBracket(scanner, hosts, name);
    } else if (brackets == 0) {
      return {std::string(name)};
    } else if (name.empty()) {
      return hosts;
    } else {
      scanner.Fail("nothing after the last bracket before this");
    }
  }
  scanner.Fail("fewer brackets before this");
}

void CheckHost(const Scanner& scanner, const std::string& host) {
  if (!IsHost(host)) {
    scanner.Fail("a host's name before this instead of " + Quote(host));
  }
}

}  // namespace

std::vector<std::string> ExpandHostList(std::string_view text) {
  Scanner scanner("ExpandHostList", text);
  std::vector<std::string> hosts;
  do {
    for (std::string& host : ReadHosts(scanner)) {
      CheckHost(scanner, host);
      hosts.push_back(std::move(host));
    }
    scanner.CheckCount(hosts.size());
  } while (scanner.Take(","));
  if (!scanner.AtEnd()) scanner.Fail("a comma");
  return hosts;
}

std::vector<int> ExpandTasksPerNode(std::string_view text) {
  Scanner scanner("ExpandTasksPerNode", text);
  std::vector<int> tasks;
  do {
    const int count = *NumberIn(scanner.TakeDigits());
    if (count > kMostWorkers) {
      scanner.Fail(fmt::format("{} tasks or fewer before this", kMostWorkers));
    }
    int nodes = 1;
    if (scanner.Take("(x")) {
      nodes = *NumberIn(scanner.TakeDigits());
      scanner.Want(")");
      if (nodes == 0) scanner.Fail("a repetition from 1 on before this");
    }
    scanner.CheckCount(tasks.size() + static_cast<size_t>(nodes));
    tasks.insert(tasks.end(), static_cast<size_t>(nodes), count);
  } while (scanner.Take(","));
  if (!scanner.AtEnd()) scanner.Fail("a comma");
  return tasks;
}

}  // namespace lockstep
