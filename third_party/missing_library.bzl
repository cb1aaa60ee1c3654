"""The target that replaces a library that is not installed."""

def _missing_library_impl(ctx):
    fail("\n\n    {library} is missing: apt-get install {package}\n    (./bazelw installs everything that the project needs)\n".format(
        library = ctx.attr.library,
        package = ctx.attr.debian_package,
    ))

missing_library = rule(
    implementation = _missing_library_impl,
    attrs = {
        "debian_package": attr.string(mandatory = True),
        "library": attr.string(mandatory = True),
    },
    doc = "Fails, naming the Debian package, as soon as something that needs the library is built.",
    provides = [CcInfo],
)
