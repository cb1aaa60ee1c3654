#include "reference/collectives/mpi/mpi_library.h"

#include <dlfcn.h>
#include <openmpi/mpi.h>

#include <array>
#include <cstdlib>
#include <string>

#include "reference/base/error.h"

static_assert(OMPI_MAJOR_VERSION == 4 || OMPI_MAJOR_VERSION == 5);

namespace lockstep::collectives_internal {
namespace {

// The version whose binary interface this file uses.
constexpr char kLibrary[] = "libmpi.so.40";

// Functions and objects of the library. Handles such as MPI_BYTE are the
// addresses of objects.
struct Symbols {
  decltype(&MPI_Initialized) initialized;
  decltype(&MPI_Finalized) finalized;
  decltype(&MPI_Init_thread) init_thread;
  decltype(&MPI_Query_thread) query_thread;
  decltype(&MPI_Finalize) finalize;
  decltype(&MPI_Comm_dup) comm_dup;
  decltype(&MPI_Comm_set_errhandler) comm_set_errhandler;
  decltype(&MPI_Comm_rank) comm_rank;
  decltype(&MPI_Comm_size) comm_size;
  decltype(&MPI_Isend) isend;
  decltype(&MPI_Irecv) irecv;
  decltype(&MPI_Test) test;
  decltype(&MPI_Cancel) cancel;
  decltype(&MPI_Error_class) error_class;
  decltype(&MPI_Error_string) error_string;
  MPI_Comm world;
  MPI_Datatype byte;
  MPI_Errhandler errors_return;
};

class Loader {
 public:
  // Open MPI's own plugins look for its functions in the global scope.
  Loader() : library_(dlopen(kLibrary, RTLD_NOW | RTLD_GLOBAL)) {
    if (library_ == nullptr) Fail();
  }
  template <typename Pointer>
  void Find(Pointer& pointer, const char* name) {
    void* found = dlsym(library_, name);
    if (found == nullptr) Fail();
    pointer = reinterpret_cast<Pointer>(found);
  }

 private:
  [[noreturn]] static void Fail() {
    throw FailedPrecondition("[MakeMpiGroup] cannot load Open MPI: {}",
                             dlerror());
  }
  void* library_;
};

Symbols LoadSymbols() {
  Loader loader;
  Symbols mpi;
  loader.Find(mpi.initialized, "MPI_Initialized");
  loader.Find(mpi.finalized, "MPI_Finalized");
  loader.Find(mpi.init_thread, "MPI_Init_thread");
  loader.Find(mpi.query_thread, "MPI_Query_thread");
  loader.Find(mpi.finalize, "MPI_Finalize");
  loader.Find(mpi.comm_dup, "MPI_Comm_dup");
  loader.Find(mpi.comm_set_errhandler, "MPI_Comm_set_errhandler");
  loader.Find(mpi.comm_rank, "MPI_Comm_rank");
  loader.Find(mpi.comm_size, "MPI_Comm_size");
  loader.Find(mpi.isend, "MPI_Isend");
  loader.Find(mpi.irecv, "MPI_Irecv");
  loader.Find(mpi.test, "MPI_Test");
  loader.Find(mpi.cancel, "MPI_Cancel");
  loader.Find(mpi.error_class, "MPI_Error_class");
  loader.Find(mpi.error_string, "MPI_Error_string");
  loader.Find(mpi.world, "ompi_mpi_comm_world");
  loader.Find(mpi.byte, "ompi_mpi_byte");
  loader.Find(mpi.errors_return, "ompi_mpi_errors_return");
  return mpi;
}

const Symbols& Mpi() {
  static const Symbols mpi = LoadSymbols();
  return mpi;
}

void Check(int result, const char* call) {
  if (result == MPI_SUCCESS) return;
  int error_class = MPI_ERR_OTHER;
  Mpi().error_class(result, &error_class);
  std::array<char, MPI_MAX_ERROR_STRING> text = {};
  int length = 0;
  Mpi().error_string(result, text.data(), &length);
  const std::string why(text.data(), length);
  if (error_class == MPI_ERR_TRUNCATE) {
    throw DataLoss("[Collective] {}: {}", call, why);
  }
  throw Unavailable("[Collective] {}: {}", call, why);
}

void CheckThreads(int provided, int wanted, const char* name) {
  if (provided >= wanted) return;
  throw FailedPrecondition(
      "[MakeMpiGroup] MPI must be begun with {}, its level is {}", name,
      provided);
}

MPI_Request Native(MpiRequest request) {
  return static_cast<MPI_Request>(request);
}

}  // namespace

MpiLibrary& MpiLibrary::OfMachine() {
  Mpi();
  static auto* library = new MpiLibrary;
  return *library;
}

void MpiLibrary::Begin() {
  int begun = 0, ended = 0, threads = 0;
  Check(Mpi().initialized(&begun), "MPI_Initialized");
  Check(Mpi().finalized(&ended), "MPI_Finalized");
  if (ended) {
    throw FailedPrecondition("[MakeMpiGroup] the program has ended MPI");
  }
  if (begun) {
    Check(Mpi().query_thread(&threads), "MPI_Query_thread");
    CheckThreads(threads, MPI_THREAD_MULTIPLE, "MPI_THREAD_MULTIPLE");
  } else {
    // A process may end while others still run; it has no messages in transit
    // then.
    setenv("OMPI_MCA_async_mpi_finalize", "1", /*replace=*/0);
    Check(Mpi().init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &threads),
          "MPI_Init_thread");
    is_ours_ = true;
    Check(Mpi().comm_set_errhandler(Mpi().world, Mpi().errors_return),
          "MPI_Comm_set_errhandler");
    CheckThreads(threads, MPI_THREAD_SERIALIZED, "MPI_THREAD_SERIALIZED");
  }
  MPI_Comm ours = nullptr;
  Check(Mpi().comm_dup(Mpi().world, &ours), "MPI_Comm_dup");
  Check(Mpi().comm_set_errhandler(ours, Mpi().errors_return),
        "MPI_Comm_set_errhandler");
  Check(Mpi().comm_rank(ours, &rank_), "MPI_Comm_rank");
  Check(Mpi().comm_size(ours, &size_), "MPI_Comm_size");
  communicator_ = ours;
}

void MpiLibrary::End() {
  if (!is_ours_) return;
  is_ours_ = false;
  Check(Mpi().finalize(), "MPI_Finalize");
}

MpiRequest MpiLibrary::Send(const void* data, size_t bytes, int to, int tag) {
  MPI_Request request = nullptr;
  Check(Mpi().isend(data, static_cast<int>(bytes), Mpi().byte, to, tag,
                    static_cast<MPI_Comm>(communicator_), &request),
        "MPI_Isend");
  return request;
}

MpiRequest MpiLibrary::Receive(void* memory, size_t capacity, int from,
                               int tag) {
  MPI_Request request = nullptr;
  Check(Mpi().irecv(memory, static_cast<int>(capacity), Mpi().byte, from, tag,
                    static_cast<MPI_Comm>(communicator_), &request),
        "MPI_Irecv");
  return request;
}

bool MpiLibrary::Done(MpiRequest& request) {
  MPI_Request native = Native(request);
  int done = 0;
  const int result = Mpi().test(&native, &done, MPI_STATUS_IGNORE);
  request = native;
  Check(result, "MPI_Test");
  return done != 0;
}

void MpiLibrary::Cancel(MpiRequest& request) {
  MPI_Request native = Native(request);
  Check(Mpi().cancel(&native), "MPI_Cancel");
}

}  // namespace lockstep::collectives_internal
