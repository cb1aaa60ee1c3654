// A process of a cluster with one parameter server, for tests.
//
//   server PORT         serves; prints its port, and "ended" at the end
//   coordinator PORT    makes a float 0 at place 0, prints "ready", waits
//   worker PORT COUNT   adds 1 to it in COUNT functions, prints each value
#include <chrono>
#include <cstdio>
#include <string>
#include <thread>

#include "reference/parameter_server/server/parameter_server.h"
#include "reference/parameter_server/variables/parameter_client.h"

namespace lockstep {
namespace {

using namespace std::chrono_literals;

ControlPlaneOptions Options() {
  return {.heartbeat_interval = 100ms, .heartbeat_timeout = 300ms};
}

int Serve(int port) {
  ParameterServer server("127.0.0.1:" + std::to_string(port), Options());
  std::printf("%d\n", server.port());
  std::fflush(stdout);
  server.Wait();
  std::puts("ended");
  return 0;
}

ParameterClient Connect(ParameterServerRole role, int port) {
  return ParameterClient({.role = role,
                          .index = 0,
                          .coordinator = {"127.0.0.1", 1},
                          .workers = {{"127.0.0.1", 2}},
                          .servers = {{"127.0.0.1", port}}},
                         Options(), Deadline::clock::now() + 30s);
}

int Coordinate(int port) {
  ParameterClient client = Connect(ParameterServerRole::kCoordinator, port);
  client.Create({}, "v", Tensor::Scalar(0.0f));
  std::puts("ready");
  std::fflush(stdout);
  std::this_thread::sleep_for(60s);
  return 0;
}

int Work(int port, int count) {
  ParameterClient client = Connect(ParameterServerRole::kWorker, port);
  for (int i = 1; i <= count; ++i) {
    const ClosureScope scope(static_cast<ClosureNumber>(i));
    const Tensor after = client.Apply({{.place = {},
                                        .kind = Change::Kind::kAdd,
                                        .value = Tensor::Scalar(1.0f),
                                        .wants_value = true}})[0];
    std::printf("%g\n", after.item<float>());
    std::fflush(stdout);
    std::this_thread::sleep_for(5ms);
  }
  return 0;
}

int Run(const std::string& role, int port, int count) {
  if (role == "server") return Serve(port);
  return role == "worker" ? Work(port, count) : Coordinate(port);
}

}  // namespace
}  // namespace lockstep

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  try {
    return lockstep::Run(argv[1], std::stoi(argv[2]),
                         argc > 3 ? std::stoi(argv[3]) : 0);
  } catch (const lockstep::Error& error) {
    std::printf("%s\n", error.what());
    return 1;
  }
}
