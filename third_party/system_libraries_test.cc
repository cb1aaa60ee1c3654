// Each library of third_party compiles, links and does one small thing of its
// own.
#include <benchmark/benchmark.h>
#include <curl/curl.h>
#include <dlfcn.h>
#include <farmhash.h>
#include <fmt/core.h>
#include <gloo/rendezvous/hash_store.h>
#include <gmock/gmock.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>
#include <hdf5/serial/hdf5.h>
#include <highwayhash/sip_hash.h>
#include <hwloc.h>
#include <hwy/targets.h>
#include <leveldb/env.h>
#include <leveldb/options.h>
#include <leveldb/table_builder.h>
#include <openmpi/mpi.h>
#include <openssl/evp.h>
#include <rapidcheck/gtest.h>
#include <snappy.h>
#include <zip.h>
#include <zlib.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdlib>
#include <dnnl.hpp>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "third_party/system_libraries_test.pb.h"

namespace {

TEST(SystemLibrariesTest, GoogleMockMatches) {
  EXPECT_THAT((std::vector<int>{1, 2, 3}), testing::ElementsAre(1, 2, 3));
}

TEST(SystemLibrariesTest, FmtFormats) {
  EXPECT_EQ(fmt::format("{:05.1f}", 2.25), "002.2");
}

TEST(SystemLibrariesTest, JsonParses) {
  EXPECT_EQ(nlohmann::json::parse(R"({"a": [1, 2]})")["a"][1], 2);
}

TEST(SystemLibrariesTest, ProtobufRoundTrips) {
  lockstep::third_party::Sample sample;
  sample.set_name("shape");
  sample.add_sizes(28);
  lockstep::third_party::Sample copy;
  ASSERT_TRUE(copy.ParseFromString(sample.SerializeAsString()));
  EXPECT_EQ(copy.name(), "shape");
  EXPECT_EQ(copy.sizes(0), 28);
}

TEST(SystemLibrariesTest, ZlibKnowsTheCheckValueOfCrc32) {
  const std::string digits = "123456789";
  EXPECT_EQ(crc32(0, reinterpret_cast<const Bytef*>(digits.data()), 9),
            0xCBF43926u);
}

TEST(SystemLibrariesTest, Hdf5WritesAFileInMemory) {
  const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
  ASSERT_GE(H5Pset_fapl_core(access, 4096, /*backing_store=*/0), 0);
  const hid_t file = H5Fcreate("memory", H5F_ACC_TRUNC, H5P_DEFAULT, access);
  ASSERT_GE(H5Fflush(file, H5F_SCOPE_LOCAL), 0);
  const ssize_t size = H5Fget_file_image(file, nullptr, 0);
  ASSERT_GT(size, 8);
  std::string image(size, ' ');
  EXPECT_EQ(H5Fget_file_image(file, image.data(), image.size()), size);
  EXPECT_EQ(image.substr(0, 8), "\x89HDF\r\n\x1a\n");
  H5Fclose(file);
  H5Pclose(access);
}

TEST(SystemLibrariesTest, LibzipReadsAnArchiveInMemory) {
  // The end of an archive without members.
  const std::string empty = "PK\5\6" + std::string(18, '\0');
  zip_source_t* source =
      zip_source_buffer_create(empty.data(), empty.size(), 0, nullptr);
  zip_t* archive = zip_open_from_source(source, ZIP_RDONLY, nullptr);
  ASSERT_NE(archive, nullptr);
  EXPECT_EQ(zip_get_num_entries(archive, 0), 0);
  zip_discard(archive);
}

TEST(SystemLibrariesTest, SnappyRoundTrips) {
  const std::string text(1000, 'x');
  std::string packed, unpacked;
  snappy::Compress(text.data(), text.size(), &packed);
  ASSERT_TRUE(snappy::Uncompress(packed.data(), packed.size(), &unpacked));
  EXPECT_LT(packed.size(), text.size());
  EXPECT_EQ(unpacked, text);
}

// Numbers of TensorFlow 2.21, which has both hashes
// (tf.strings.to_hash_bucket_fast and to_hash_bucket_strong).
TEST(SystemLibrariesTest, FarmHashGivesTensorFlowsFingerprint) {
  EXPECT_EQ(util::Fingerprint64(std::string("hello")), 0xb48be5a931380ce8u);
}

TEST(SystemLibrariesTest, HighwayHashGivesTensorFlowsKeyedHash) {
  const highwayhash::HH_U64 key[2] = {133, 137};
  EXPECT_EQ(highwayhash::SipHash(key, "hello", 5) % 1000, 957u);
}

TEST(SystemLibrariesTest, LeveldbWritesATable) {
  const std::filesystem::path path =
      std::filesystem::path(std::getenv("TEST_TMPDIR")) / "table";
  leveldb::WritableFile* file = nullptr;
  leveldb::Env* env = leveldb::Env::Default();
  ASSERT_TRUE(env->NewWritableFile(path.string(), &file).ok());
  leveldb::TableBuilder builder(leveldb::Options(), file);
  builder.Add("key", "value");
  EXPECT_TRUE(builder.Finish().ok());
  EXPECT_EQ(builder.NumEntries(), 1u);
  delete file;
}

TEST(SystemLibrariesTest, Cli11Parses) {
  CLI::App app;
  int replicas = 0;
  app.add_option("--replicas", replicas);
  app.parse("--replicas=3");
  EXPECT_EQ(replicas, 3);
}

TEST(SystemLibrariesTest, HwlocSeesAProcessor) {
  hwloc_topology_t topology;
  ASSERT_EQ(hwloc_topology_init(&topology), 0);
  ASSERT_EQ(hwloc_topology_load(topology), 0);
  EXPECT_GE(hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_PU), 1);
  hwloc_topology_destroy(topology);
}

TEST(SystemLibrariesTest, HighwaySupportsATarget) {
  EXPECT_NE(hwy::SupportedTargets(), 0);
}

TEST(SystemLibrariesTest, OneDnnMultipliesMatrices) {
  const std::vector<float> a = {1, 2, 3, 4}, b = {5, 6, 7, 8};
  std::vector<float> c(4);
  ASSERT_EQ(dnnl::sgemm('N', 'N', 2, 2, 2, 1.0f, a.data(), 2, b.data(), 2, 0.0f,
                        c.data(), 2),
            dnnl::status::success);
  EXPECT_EQ(c, (std::vector<float>{19, 22, 43, 50}));
}

TEST(SystemLibrariesTest, GlooStoreKeepsAValue) {
  gloo::rendezvous::HashStore store;
  store.set("key", {1, 2});
  EXPECT_EQ(store.get("key"), (std::vector<char>{1, 2}));
}

TEST(SystemLibrariesTest, OpenMpiIsThatOfItsHeader) {
  void* library = dlopen("libmpi.so.40", RTLD_NOW | RTLD_GLOBAL);
  ASSERT_NE(library, nullptr) << dlerror();
  const auto name = reinterpret_cast<decltype(&MPI_Get_library_version)>(
      dlsym(library, "MPI_Get_library_version"));
  ASSERT_NE(name, nullptr);
  char text[MPI_MAX_LIBRARY_VERSION_STRING] = "";
  int length = 0;
  ASSERT_EQ(name(text, &length), MPI_SUCCESS);
  EXPECT_EQ(std::string(text).find("Open MPI v" +
                                   std::to_string(OMPI_MAJOR_VERSION) + "."),
            0u)
      << text;
}

TEST(SystemLibrariesTest, GrpcHasAnIdleChannel) {
  const auto channel =
      grpc::CreateChannel("127.0.0.1:1", grpc::InsecureChannelCredentials());
  EXPECT_EQ(channel->GetState(/*try_to_connect=*/false), GRPC_CHANNEL_IDLE);
}

TEST(SystemLibrariesTest, CurlNamesItsVersion) {
  EXPECT_GE(curl_version_info(CURLVERSION_NOW)->version_num, 0x070000u);
}

TEST(SystemLibrariesTest, OpenSslHashesTheStandardsExample) {
  // FIPS 180-2, appendix B.1: SHA-256 of "abc" begins with ba7816bf.
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned int size = 0;
  ASSERT_EQ(EVP_Digest("abc", 3, digest, &size, EVP_sha256(), nullptr), 1);
  EXPECT_EQ(size, 32u);
  EXPECT_EQ(digest[0], 0xba);
  EXPECT_EQ(digest[3], 0xbf);
}

class SilentReporter : public benchmark::BenchmarkReporter {
 public:
  bool ReportContext(const Context&) override { return true; }
  void ReportRuns(const std::vector<Run>& runs) override {
    iterations += runs.front().iterations;
  }
  benchmark::IterationCount iterations = 0;
};

TEST(SystemLibrariesTest, BenchmarkRunsALoop) {
  int calls = 0;
  benchmark::RegisterBenchmark("Loop", [&calls](benchmark::State& state) {
    for (auto unused : state) benchmark::DoNotOptimize(++calls);
  })->Iterations(3);
  SilentReporter reporter;
  EXPECT_EQ(benchmark::RunSpecifiedBenchmarks(&reporter), 1u);
  EXPECT_EQ(reporter.iterations, 3);
  EXPECT_EQ(calls, 3);
}

RC_GTEST_PROP(SystemLibrariesTest, RapidCheckTriesManyInputs,
              (const std::vector<int>& items)) {
  std::vector<int> twice = items;
  std::reverse(twice.begin(), twice.end());
  std::reverse(twice.begin(), twice.end());
  RC_ASSERT(twice == items);
}

}  // namespace
