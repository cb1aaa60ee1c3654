#include "reference/cluster/cluster_spec.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "reference/base/error_testing.h"
#include "reference/cluster/cluster_resolver.h"
#include "reference/cluster/environment.h"

namespace lockstep {
namespace {

void ExpectSpecRefused(ClusterFacts facts, const std::string& words) {
  ExpectError([&] { ClusterSpec spec(std::move(facts)); },
              Code::kInvalidArgument, "[ClusterSpec] " + words);
}

TEST(ClusterSpecTest, IsOneProcessByDefault) {
  const ClusterSpec spec;
  EXPECT_EQ(spec.num_workers(), 1);
  EXPECT_EQ(spec.worker(), WorkerId(0));
  EXPECT_TRUE(spec.is_chief());
  EXPECT_TRUE(spec.addresses().empty());
  EXPECT_EQ(spec.local_rank(), std::nullopt);
  EXPECT_EQ(spec.master_host(), std::nullopt);
  EXPECT_EQ(spec.origin(), "nothing");
}

TEST(ClusterSpecTest, OnlyWorkerZeroIsChief) {
  EXPECT_TRUE(ClusterSpec({.num_workers = 2}).is_chief());
  EXPECT_FALSE(
      ClusterSpec({.num_workers = 2, .worker = WorkerId(1)}).is_chief());
}

TEST(ClusterSpecTest, RefusesInvalidWorkers) {
  ExpectSpecRefused({.num_workers = 0}, "workers must be 1 to 65536, got 0");
  ExpectSpecRefused({.num_workers = kMostWorkers + 1}, "workers must be 1 to");
  ExpectSpecRefused({.num_workers = 2, .worker = WorkerId(2)},
                    "this worker must be one of 2, counted from 0, got 2");
  ExpectSpecRefused({.num_workers = 2, .worker = WorkerId(-1)},
                    "this worker must be one of 2, counted from 0, got -1");
}

TEST(ClusterSpecTest, RefusesAddressesThatAreNotOnePerWorker) {
  ExpectSpecRefused(
      {.num_workers = 2, .addresses = {{"a", 1}}},
      "there must be one address per worker, got 1 for 2 workers");
  ExpectSpecRefused(
      {.num_workers = 3, .addresses = {{"a", 1}, {"b", 1}, {"A", 1}}},
      "each worker must have its own address, got A:1 for workers 0 and 2");
  ExpectSpecRefused({.addresses = {{"a b", 1}}},
                    "an address must be a host and a port from 1 to 65535, got "
                    "'a b' and 1");
  ExpectSpecRefused({.addresses = {{"a", 65536}}}, "an address must be");
  ExpectSpecRefused({.addresses = {{"a", 0}}}, "an address must be");
}

TEST(ClusterSpecTest, RefusesAnInvalidLocalRank) {
  ExpectSpecRefused({.num_workers = 2, .local_size = 3},
                    "workers on this machine must be 1 to all 2, got 3");
  ExpectSpecRefused({.num_workers = 2, .local_size = 0},
                    "workers on this machine must be 1 to all 2, got 0");
  ExpectSpecRefused({.num_workers = 4, .local_rank = 2, .local_size = 2},
                    "the local rank must be one of 2, counted from 0, got 2");
  ExpectSpecRefused({.num_workers = 4, .local_rank = -1},
                    "the local rank must be one of 4, counted from 0, got -1");
  EXPECT_EQ(ClusterSpec({.num_workers = 4, .local_rank = 3}).local_rank(), 3);
}

TEST(ClusterSpecTest, RefusesAnInvalidMaster) {
  ExpectSpecRefused({.master_host = "a/b"},
                    "the master must be a host's name or address, got 'a/b'");
  ExpectSpecRefused({.master_port = 0},
                    "the master's port must be 1 to 65535, got 0");
}

TEST(WorkerAddressTest, IsReadAndWrittenTheSame) {
  for (const char* text :
       {"a:1", "10.0.0.2:65535", "fit-0.training:2222", "my_host.x:80",
        "[::1]:2222", "[fe80::1%eth0]:2222"}) {
    EXPECT_EQ(ParseWorkerAddress(text, "Test").ToString(), text);
  }
  EXPECT_EQ(ParseWorkerAddress("[::1]:2", "Test"), (WorkerAddress{"::1", 2}));
}

TEST(WorkerAddressTest, RefusesEverythingElse) {
  const std::string longest(kLongestHost + 1, 'a');
  for (const std::string& text :
       {std::string(), std::string("a"), std::string(":1"), std::string("a:"),
        std::string("a:0"), std::string("a:65536"), std::string("a:-1"),
        std::string("a:1x"), std::string("a:99999999999999999999"),
        std::string("a b:1"), std::string("grpc://a:1"), std::string("::1:2"),
        std::string("[a]:1"), std::string("[::1]"), std::string("[:]:1"),
        std::string("[::1%]:1"), std::string("[]:1"), std::string("\xff:1"),
        longest + ":1"}) {
    ExpectError([&] { ParseWorkerAddress(text, "Test"); },
                Code::kInvalidArgument,
                "[Test] an address must be host:port with a port from 1 to "
                "65535, got '");
  }
}

TEST(EnvironmentTest, ReadsThisProcess) {
  const Environment environment = Environment::OfProcess();
  ASSERT_NE(std::getenv("PATH"), nullptr);
  EXPECT_EQ(environment.Find("PATH"), std::getenv("PATH"));
  EXPECT_FALSE(environment.Has("LOCKSTEP_NEVER_SET_ANYWHERE"));
}

TEST(EnvironmentTest, NumbersAreDigitsAndNothingElse) {
  EXPECT_EQ(NumberIn("0"), 0);
  EXPECT_EQ(NumberIn("007"), 7);
  EXPECT_EQ(NumberIn("2147483647"), 2147483647);
  for (const char* text : {"", "-1", "+1", " 1", "1 ", "1x", "0x1", "1.0",
                           "2147483648", "99999999999999999999"}) {
    EXPECT_EQ(NumberIn(text), std::nullopt) << text;
  }
}

TEST(EnvironmentTest, QuotesAreOneShortLine) {
  EXPECT_EQ(Quote("a\nb"), "'a?b'");
  EXPECT_EQ(Quote(std::string(100, 'x')).size(), 102u);
  EXPECT_EQ(Quote(std::string(1000, 'x')),
            "'" + std::string(100, 'x') + "...'");
}

TEST(SimpleClusterResolverTest, ReturnsItsArguments) {
  const ClusterSpec spec =
      SimpleClusterResolver({"a:1", "[::1]:2"}, WorkerId(1)).Resolve();
  EXPECT_EQ(spec.worker(), WorkerId(1));
  EXPECT_EQ(spec.addresses(),
            (std::vector<WorkerAddress>{{"a", 1}, {"::1", 2}}));
  EXPECT_EQ(spec.origin(), "the program");
}

TEST(SimpleClusterResolverTest, RefusesAnInvalidCluster) {
  ExpectError([] { SimpleClusterResolver({"a"}, WorkerId(0)).Resolve(); },
              Code::kInvalidArgument, "[SimpleClusterResolver] an address");
  ExpectError([] { SimpleClusterResolver({}, WorkerId(0)).Resolve(); },
              Code::kInvalidArgument, "workers must be 1 to 65536, got 0");
  ExpectError([] { SimpleClusterResolver({"a:1"}, WorkerId(1)).Resolve(); },
              Code::kInvalidArgument, "this worker must be one of 1");
}

}  // namespace
}  // namespace lockstep
