// The named numbers of a batch or an epoch, in the order in which they were added.
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
  // Errors: NotFound, with the existing names.
  double at(std::string_view name) const;
  // nullopt if there is no such name.
  std::optional<double> Find(std::string_view name) const;
  // Replaces the number of this name, or adds it at the end.
  void Set(std::string_view name, double value);
  // Adds all numbers of `other`, named prefix + name.
  void Append(const Logs& other, std::string_view prefix = "");

 private:
  std::vector<Item> items_;
};

// Logs that are computed on the first call of Get. Reading a loss waits for the GPU;
// a step whose logs no callback reads does not wait.
class LazyLogs {
 public:
  explicit LazyLogs(std::function<Logs()> make) : make_(std::move(make)) {}

  const Logs& Get() const;

 private:
  std::function<Logs()> make_;
  mutable std::optional<Logs> logs_;
};

// The logs of all epochs of a training.
//
//   History history = model.Fit(dataset, {.epochs = 2});
//   history["loss"];      // {0.9, 0.5}
//   history.epochs();     // {0, 1}
class History {
 public:
  void Add(int epoch, const Logs& logs);

  const std::vector<int>& epochs() const { return epochs_; }
  // One number for each epoch that has it; "val_loss" only for epochs with
  // validation. Errors: NotFound, with the existing names.
  const std::vector<double>& operator[](std::string_view name) const;
  bool contains(std::string_view name) const;
  std::vector<std::string> names() const;

 private:
  std::vector<int> epochs_;
  std::vector<std::pair<std::string, std::vector<double>>> values_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_TRAINING_EVENTS_LOGS_H_
