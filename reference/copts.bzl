"""How the reference is compiled, also in another workspace, where .bazelrc is not ours."""

REFERENCE_COPTS = [
    # A fused a*b+c rounds once instead of twice; results must not depend on where the compiler fuses.
    "-ffp-contract=off",
    "-std=c++20",
]
