// Programs that write files for a framework, or read its files, and print their
// results.
#ifndef LOCKSTEP_EXAMPLES_EXCHANGE_PROGRAM_H_
#define LOCKSTEP_EXAMPLES_EXCHANGE_PROGRAM_H_

#include <CLI/CLI.hpp>
#include <functional>
#include <memory>
#include <string>

#include "reference/base/json.h"
#include "reference/distribute/strategy.h"

namespace lockstep::examples {

// One of `write` and `read` is not empty.
struct ExchangeOptions {
  std::string write;
  std::string read;
  int replicas;
};

// `what` is read: "folder to read from".
void AddExchangeOptions(CLI::App& app, ExchangeOptions& options,
                        const std::string& what);

// The default strategy for 0 replicas; else one over logical CPU devices, owned
// by `owner`.
Strategy& ExchangeStrategy(int replicas, std::unique_ptr<Strategy>& owner);

// The main function: parses the options and prints the result of `exchange`.
int RunExchange(CLI::App& app, const ExchangeOptions& options, int argc,
                char** argv, const std::function<Json()>& exchange);

}  // namespace lockstep::examples

#endif  // LOCKSTEP_EXAMPLES_EXCHANGE_PROGRAM_H_
