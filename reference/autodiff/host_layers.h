// Whether layers that compute on the host may run on the calling thread.
//
//   HostLayersMayRun();                // true
//   {
//     const NoHostLayersScope scope;   // code of a replica on a TPU
//     HostLayersMayRun();              // false: no strings, no tables
//   }
//
// A strategy opens the scope on its replicas' threads, and the layers ask, which
// know no strategy.
#ifndef LOCKSTEP_REFERENCE_AUTODIFF_HOST_LAYERS_H_
#define LOCKSTEP_REFERENCE_AUTODIFF_HOST_LAYERS_H_

namespace lockstep {

bool HostLayersMayRun();

// Until it ends, host layers may not run on this thread. Scopes may be nested.
class NoHostLayersScope {
 public:
  NoHostLayersScope();
  ~NoHostLayersScope();
  NoHostLayersScope(const NoHostLayersScope&) = delete;
  NoHostLayersScope& operator=(const NoHostLayersScope&) = delete;
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_AUTODIFF_HOST_LAYERS_H_
