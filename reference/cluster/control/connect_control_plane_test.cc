#include "reference/cluster/control/connect_control_plane.h"

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <thread>

#include "reference/base/error_testing.h"
#include "reference/base/log.h"
#include "reference/cluster/control/chief_address.h"
#include "reference/cluster/control/grpc_control_plane_testing.h"

namespace lockstep {
namespace {

using control_internal::FindChief;
using std::chrono::milliseconds;

constexpr auto kQuickly = milliseconds(500);

ControlPlaneOptions At(const Chief& chief, ControlPlaneOptions options = {}) {
  options.chief = chief.address();
  return options;
}

// Worker 1 of 2 can still join the chief, and both continue.
void ExpectAnotherCanJoin(Chief& chief,
                          const ControlPlaneOptions& options = {}) {
  const auto worker = ConnectControlPlane(WorkerOf(2, 1), At(chief, options));
  const auto first = chief.control.get();
  auto other = std::async(std::launch::async,
                          [&] { worker->Exchange("on", "b", Soon()); });
  EXPECT_EQ(first->Exchange("on", "a", Soon())[1], "b");
  other.get();
}

TEST(FindChiefTest, TakesTheFirstAddress) {
  const ClusterSpec spec({.num_workers = 2,
                          .worker = WorkerId(1),
                          .addresses = {{"a", 2222}, {"b", 2223}}});
  EXPECT_EQ(FindChief(spec, {}).ToString(), "a:2222");
}

TEST(FindChiefTest, TakesTheMasterAndAnotherPortIfItsOwnIsTaken) {
  ClusterFacts facts{.num_workers = 2, .master_host = "m", .master_port = 9};
  EXPECT_EQ(FindChief(ClusterSpec(facts), {}).ToString(), "m:9");
  facts.is_master_port_taken = true;
  EXPECT_EQ(FindChief(ClusterSpec(facts), {}).ToString(), "m:10");
  facts.master_port = 65535;
  EXPECT_EQ(FindChief(ClusterSpec(facts), {}).ToString(), "m:65534");
}

// Slurm and Kubernetes assign no ports: those of the addresses are defaults,
// which two jobs on one machine could not both use.
TEST(FindChiefTest, TheMasterThatAScriptSetsOverridesTheAddresses) {
  ClusterFacts facts{.num_workers = 2,
                     .addresses = {{"a", 8888}, {"b", 8888}},
                     .master_host = "m"};
  EXPECT_EQ(FindChief(ClusterSpec(facts), {}).ToString(), "a:8888");
  facts.master_port = 9;
  EXPECT_EQ(FindChief(ClusterSpec(facts), {}).ToString(), "m:9");
}

TEST(FindChiefTest, TheOptionOverrides) {
  const ClusterSpec spec(
      {.num_workers = 2, .addresses = {{"a", 2222}, {"b", 2223}}});
  EXPECT_EQ(FindChief(spec, {.chief = WorkerAddress{"c", 1}}).ToString(),
            "c:1");
  EXPECT_EQ(FindChief(spec, {.chief = WorkerAddress{"c", 0}}).port, 0);
}

TEST(FindChiefTest, SaysWhatIsMissing) {
  ExpectError(
      [] {
        FindChief(ClusterSpec({.origin = "Open MPI", .num_workers = 2}), {});
      },
      Code::kInvalidArgument,
      "Open MPI does not name the chief's address: ControlPlaneOptions::chief");
  ExpectError(
      [] {
        FindChief(WorkerOf(2, 1), {.chief = WorkerAddress{"c", 0}});
      },
      Code::kInvalidArgument, "'c:0'");
}

TEST(ControlPlaneOptionsTest, AnOpenInterfaceNeedsATokenOrTls) {
  ControlPlaneOptions options;
  options.listen_host = "0.0.0.0";
  ExpectError([&] { ConnectControlPlane(ClusterSpec(), options); },
              Code::kInvalidArgument, "any process could join at 0.0.0.0");
  options.token = "sesame";
  ConnectControlPlane(ClusterSpec(), options)->Leave();
}

TEST(ControlPlaneOptionsTest, TimesAndInterfacesAreChecked) {
  ControlPlaneOptions options;
  options.heartbeat_timeout = milliseconds(0);
  ExpectError([&] { ConnectControlPlane(ClusterSpec(), options); },
              Code::kInvalidArgument, "got 0 ms");
  options = {};
  options.listen_host = "a/b";
  ExpectError([&] { ConnectControlPlane(ClusterSpec(), options); },
              Code::kInvalidArgument, "'a/b'");
}

TEST(ConnectControlPlaneTest, WorkersMayStartBeforeTheChief) {
  // A port that is free now, and probably later.
  const int port = [] {
    Chief chief = StartChief(WorkerOf(2, 0), {.join_timeout = milliseconds(1)});
    EXPECT_EQ(CodeOf([&] { chief.control.get(); }), Code::kDeadlineExceeded);
    return chief.port;
  }();
  ControlPlaneOptions options;
  options.chief = WorkerAddress{kTestHost, port};
  auto worker = std::async(std::launch::async, ConnectControlPlane,
                           WorkerOf(2, 1), options);
  std::this_thread::sleep_for(milliseconds(300));
  const auto first = ConnectControlPlane(WorkerOf(2, 0), options);
  EXPECT_EQ(worker.get()->worker(), WorkerId(1));
}

TEST(ConnectControlPlaneTest, TheDeadlineNamesMissingWorkers) {
  const ClusterSpec spec(
      {.num_workers = 3, .addresses = {{"a", 1}, {"b", 2}, {"c", 3}}});
  Chief chief = StartChief(spec, {.join_timeout = kQuickly});
  const auto worker = std::async(std::launch::async, [&] {
    ExpectError([&] { ConnectControlPlane(WorkerOf(3, 1), At(chief)); },
                Code::kDeadlineExceeded, "worker 2 (c:3), which never joined");
  });
  ExpectError([&] { chief.control.get(); }, Code::kDeadlineExceeded,
              "worker 2 (c:3), which never joined; worker 0 listened on "
              "127.0.0.1");
}

TEST(ConnectControlPlaneTest, TheDeadlineNamesRefusedConnections) {
  Chief chief = StartChief(
      WorkerOf(2, 0), {.token = "sesame", .join_timeout = milliseconds(900)});
  for (const char* token : {"sesam", ""}) {
    EXPECT_EQ(CodeOf([&] {
                ConnectControlPlane(WorkerOf(2, 1),
                                    At(chief, {.token = token}));
              }),
              Code::kUnauthenticated);
  }
  try {
    chief.control.get();
    FAIL() << "no worker came";
  } catch (const Error& error) {
    const std::string said = error.what();
    EXPECT_NE(said.find("worker 1, which never joined; 2 connections were "
                        "refused, the last one: "),
              said.npos)
        << said;
    EXPECT_NE(said.find("[Join] wrong token"), said.npos) << said;
  }
}

TEST(ConnectControlPlaneTest, AChiefThatNeverComesIsNamed) {
  ControlPlaneOptions options{.join_timeout = kQuickly};
  options.chief = WorkerAddress{kTestHost, 1};
  ExpectError([&] { ConnectControlPlane(WorkerOf(2, 1), options); },
              Code::kDeadlineExceeded,
              "worker 0 (127.0.0.1:1) was not reached");
}

// A worker that joins while the chief ends never gets Cancelled, gRPC's code
// for a call that the server dropped.
TEST(ConnectControlPlaneTest, AChiefThatEndsDuringAJoinIsReported) {
  for (int time = 0; time < 60; ++time) {
    Chief chief =
        StartChief(WorkerOf(3, 0), {.join_timeout = milliseconds(1 + time % 6),
                                    .heartbeat_interval = milliseconds(1)});
    ControlPlaneOptions options = At(chief, {.join_timeout = milliseconds(50)});
    try {
      ConnectControlPlane(WorkerOf(3, 1), options);
      ADD_FAILURE() << "two of three";
    } catch (const Error& error) {
      EXPECT_TRUE(error.code() == Code::kDeadlineExceeded ||
                  error.code() == Code::kUnavailable)
          << CodeName(error.code()) << ": " << error.what();
    }
    EXPECT_EQ(CodeOf([&] { chief.control.get(); }), Code::kDeadlineExceeded);
  }
}

TEST(ConnectControlPlaneTest, ReportsANameThatDoesNotResolve) {
  ControlPlaneOptions options{.join_timeout = kQuickly};
  options.chief = WorkerAddress{"no-host.invalid", 2222};
  ExpectError([&] { ConnectControlPlane(WorkerOf(2, 1), options); },
              Code::kNotFound,
              "the name of worker 0 (no-host.invalid:2222) does not resolve");
  options.listen_host = "no-host.invalid";
  options.token = "sesame";
  ExpectError([&] { ConnectControlPlane(WorkerOf(2, 0), options); },
              Code::kUnavailable, "cannot listen at no-host.invalid:2222");
}

TEST(ConnectControlPlaneTest, APortInUseIsAnError) {
  Chief chief = StartChief(WorkerOf(2, 0), {});
  const ControlPlaneOptions options{.join_timeout = kQuickly};
  ExpectError([&] { ConnectControlPlane(WorkerOf(2, 0), At(chief, options)); },
              Code::kUnavailable, "the port is in use");
  ExpectAnotherCanJoin(chief);
}

TEST(ConnectControlPlaneTest, AnIpv6AddressIsReached) {
  ControlPlaneOptions options;
  std::promise<int> port;
  options.listen_host = "::1";
  options.chief = WorkerAddress{"::1", 0};
  options.listening = [&](int bound) { port.set_value(bound); };
  auto chief = std::async(std::launch::async, ConnectControlPlane,
                          WorkerOf(2, 0), options);
  ControlPlaneOptions other;
  other.chief = WorkerAddress{"::1", port.get_future().get()};
  EXPECT_EQ(ConnectControlPlane(WorkerOf(2, 1), other)->num_workers(), 2);
  chief.get();
}

TEST(ConnectControlPlaneTest, IgnoresProxies) {
  setenv("http_proxy", "http://127.0.0.1:1", 1);
  EXPECT_EQ(MakeGrpcControlPlanes(2, {.join_timeout = 10 * kQuickly}).size(),
            2u);
  unsetenv("http_proxy");
}

TEST(ConnectControlPlaneTest, AWrongTokenIsRefused) {
  Chief chief = StartChief(WorkerOf(2, 0), {.token = "sesame"});
  for (const char* token : {"", "sesam", "sesame!", "\xff"}) {
    ExpectError(
        [&] {
          ConnectControlPlane(WorkerOf(2, 1), At(chief, {.token = token}));
        },
        Code::kUnauthenticated, "wrong token");
  }
  ExpectAnotherCanJoin(chief, {.token = "sesame"});
}

TEST(ConnectControlPlaneTest, ATokenIsRefusedIfTheChiefHasNone) {
  Chief chief = StartChief(WorkerOf(2, 0), {});
  ExpectError(
      [&] { ConnectControlPlane(WorkerOf(2, 1), At(chief, {.token = "a"})); },
      Code::kUnauthenticated, "wrong token");
  ExpectAnotherCanJoin(chief);
}

// The chief logs each refused worker once, and the job continues.
TEST(ConnectControlPlaneTest, WorkersOfAnotherJobAreRefused) {
  const ClusterSpec spec({.num_workers = 2, .run_id = "job 7"});
  const auto come = [&](const Chief& chief, ClusterFacts facts) {
    ConnectControlPlane(ClusterSpec(std::move(facts)), At(chief));
  };
  Chief chief = StartChief(spec, {});
  const LogCapture log;
  ExpectError([&] { come(chief, {.num_workers = 2, .worker = WorkerId(1)}); },
              Code::kFailedPrecondition,
              "worker 1 is of run '', the job is 'job 7'");
  ExpectError(
      [&] {
        come(chief,
             {.num_workers = 4, .worker = WorkerId(1), .run_id = "job 7"});
      },
      Code::kFailedPrecondition, "worker 1 of 4 cannot join a job of 2");
  const ClusterFacts second{
      .num_workers = 2, .worker = WorkerId(1), .run_id = "job 7"};
  const auto worker = ConnectControlPlane(ClusterSpec(second), At(chief));
  const auto first = chief.control.get();
  ExpectError([&] { come(chief, second); }, Code::kFailedPrecondition,
              "worker 1 has joined before");
  EXPECT_EQ(log.lines().size(), 3u);
  first->Check();
  worker->Check();
}

// Every worker's ConnectControlPlane fails if worker w has options[w].
void ExpectAllRefused(std::vector<ControlPlaneOptions> options,
                      const std::string& words) {
  const int workers = static_cast<int>(options.size());
  Chief chief = StartChief(WorkerOf(workers, 0), options[0]);
  std::vector<std::future<void>> others;
  for (int w = 1; w < workers; ++w) {
    others.push_back(std::async(std::launch::async, [&, w] {
      ExpectError(
          [&] {
            ConnectControlPlane(WorkerOf(workers, w), At(chief, options[w]));
          },
          Code::kFailedPrecondition, words);
    }));
  }
  ExpectError([&] { chief.control.get(); }, Code::kFailedPrecondition, words);
  for (auto& other : others) other.get();
}

TEST(ConnectControlPlaneTest, DifferentProgramsAreRefusedOnEveryWorker) {
  ExpectAllRefused({{.program = "cnn"}, {.program = "cnn"}, {.program = "mlp"}},
                   "differ in their program: worker 0 has 'cnn', worker 2 has "
                   "'mlp'");
}

TEST(ConnectControlPlaneTest, DifferentVersionsAreRefusedOnEveryWorker) {
  ExpectAllRefused({{.library_version = "1"}, {.library_version = "2"}},
                   "differ in their library version: worker 0 has '1', worker "
                   "1 has '2'");
}

}  // namespace
}  // namespace lockstep
