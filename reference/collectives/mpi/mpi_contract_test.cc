// The contract of every Group, for processes that Open MPI connects.
#include <gtest/gtest.h>

#include "reference/collectives/group_contract.h"
#include "reference/collectives/mpi/mpi_testing.h"

namespace lockstep {
namespace {

INSTANTIATE_TEST_SUITE_P(Mpi, GroupContract,
                         testing::Values(GroupBackend{
                             .name = "Workers",
                             .algorithm = "MpiAllReduce",
                             .make = [] { return MpiRanks::Make(); },
                             .outlives_deadlines = false}),
                         NameOfBackend);

}  // namespace
}  // namespace lockstep
