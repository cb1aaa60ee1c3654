// Named numbers, in the order in which they came: what fit tells of a batch or
// an epoch.
//
//   Logs logs({{"loss", 0.5}});
//   logs.Set("accuracy", 0.75);
//   logs.at("loss");     // 0.5
#ifndef LOCKSTEP_REFERENCE_TRAINING_EVENTS_LOGS_H_
#define LOCKSTEP_REFERENCE_TRAINING_EVENTS_LOGS_H_

#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lockstep {

class Logs {
 public:
  using Item = std::pair<std::string, double>;

  Logs(std::initializer_list<Item> items = {}) : items_(items) {}

  const std::vector<Item>& items() const { return items_; }
  // Errors: NotFound, with the names there are.
  double at(std::string_view name) const;
  // Nothing for a name that is not there.
  std::optional<double> Find(std::string_view name) const;
  // In the place of an earlier number of this name, else at the end.
  void Set(std::string_view name, double value);
  // All of `other`, under prefix + name.
  void Append(const Logs& other, std::string_view prefix = "");

 private:
  std::vector<Item> items_;
};

// Logs that are made when somebody asks: reading a loss waits for a GPU, so a
// step whose numbers nobody wants never does.
class LazyLogs {
 public:
  explicit LazyLogs(std::function<Logs()> make) : make_(std::move(make)) {}

  const Logs& Get() const;

 private:
  std::function<Logs()> make_;
  mutable std::optional<Logs> logs_;
};

// What training went through: the logs of all epochs.
//
//   History history = model.Fit(dataset, {.epochs = 2});
//   history["loss"];      // {0.9, 0.5}
//   history.epochs();     // {0, 1}
class History {
 public:
  void Add(int epoch, const Logs& logs);

  const std::vector<int>& epochs() const { return epochs_; }
  // One number for each epoch that had it, "val_loss" for those that were
  // validated. Errors: NotFound, with the names there are.
  const std::vector<double>& operator[](std::string_view name) const;
  bool contains(std::string_view name) const;
  std::vector<std::string> names() const;

 private:
  std::vector<int> epochs_;
  std::vector<std::pair<std::string, std::vector<double>>> values_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_TRAINING_EVENTS_LOGS_H_
