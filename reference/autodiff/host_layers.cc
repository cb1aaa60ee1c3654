#include "reference/autodiff/host_layers.h"

namespace lockstep {
namespace {

thread_local int open_scopes = 0;

}  // namespace

bool HostLayersMayRun() { return open_scopes == 0; }

NoHostLayersScope::NoHostLayersScope() { ++open_scopes; }
NoHostLayersScope::~NoHostLayersScope() { --open_scopes; }

}  // namespace lockstep
