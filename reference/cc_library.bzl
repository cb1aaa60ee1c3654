"""Libraries of the reference, with the flags they need in any workspace: another one does not read our .bazelrc."""

_COPTS = [
    # A fused a*b+c rounds once instead of twice; results must not depend on where the compiler fuses.
    "-ffp-contract=off",
    "-std=c++20",
]

def cc_library(copts = [], **attributes):
    """Like the native rule."""
    native.cc_library(copts = _COPTS + copts, **attributes)
