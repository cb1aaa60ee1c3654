"""The licences of the libraries that a wheel bundles.

    of_libraries(["libfmt-1a2b3c4d.so.9.1.0"])     # {"libfmt9": ("MIT", "/usr/share/doc/libfmt9/copyright")}

Debian keeps a copyright file for each package; `LICENCES` has what these files say of the library itself, which is
often less than all that they say of its build scripts and tests. A library from a package that is not in the table
stops the build, so that nothing is distributed unread. None in the table is under the GPL without an
alternative or an exception that allows this use.
"""

import os
import re
import subprocess

LICENCES = {
    "libabsl20220623": "Apache-2.0",
    "libaec0": "BSD-2-Clause",
    "libbrotli1": "MIT",
    "libbz2-1.0": "bzip2-1.0.6",
    "libc-ares2": "MIT",
    "libcom-err2": "MIT",
    "libcurl4": "curl",
    "libdnnl2": "Apache-2.0",
    "libfarmhash0": "MIT",
    "libffi8": "MIT",
    "libfmt9": "MIT",
    "libgloo0": "BSD-3-Clause",
    "libgmp10": "LGPL-3.0-or-later OR GPL-2.0-or-later",
    "libgnutls30": "LGPL-2.1-or-later",
    "libgomp1": "GPL-3.0-or-later WITH GCC-exception-3.1",
    "libgrpc++1.51": "Apache-2.0",
    "libgrpc29": "Apache-2.0",
    "libgssapi-krb5-2": "MIT",
    "libhdf5-103-1": "BSD-3-Clause",
    "libhighwayhash0": "Apache-2.0",
    "libhiredis0.14": "BSD-3-Clause",
    "libhogweed6": "LGPL-3.0-or-later OR GPL-2.0-or-later",
    "libhwloc15": "BSD-3-Clause",
    "libhwy1": "Apache-2.0",
    "libibverbs1": "BSD-2-Clause OR GPL-2.0-only",
    "libidn2-0": "LGPL-3.0-or-later OR GPL-2.0-or-later",
    "libk5crypto3": "MIT",
    "libkeyutils1": "LGPL-2.0-or-later",
    "libkrb5-3": "MIT",
    "libkrb5support0": "MIT",
    "libldap-2.5-0": "OLDAP-2.8",
    "libleveldb1d": "BSD-3-Clause",
    "libnettle8": "LGPL-3.0-or-later OR GPL-2.0-or-later",
    "libnghttp2-14": "MIT",
    "libnl-3-200": "LGPL-2.1-only",
    "libnl-route-3-200": "LGPL-2.1-only",
    "libp11-kit0": "BSD-3-Clause",
    "libprotobuf32": "BSD-3-Clause",
    "libpsl5": "MIT",
    "libre2-9": "BSD-3-Clause",
    "librtmp1": "LGPL-2.1-or-later",
    "libsasl2-2": "BSD-3-Clause-Attribution",
    "libsnappy1v5": "BSD-3-Clause",
    "libssh2-1": "BSD-3-Clause",
    "libssl3": "Apache-2.0",
    "libsz2": "BSD-2-Clause",
    "libtasn1-6": "LGPL-2.1-or-later",
    "libudev1": "LGPL-2.1-or-later",
    "libunistring2": "LGPL-3.0-or-later OR GPL-2.0-or-later",
    "libzip4": "BSD-3-Clause",
    "libzstd1": "BSD-3-Clause OR GPL-2.0-only",
    "ocl-icd-libopencl1": "BSD-2-Clause",
    "zlib1g": "Zlib",
}

# auditwheel puts a hash before the first dot of a name: libfmt-1a2b3c4d.so.9.1.0.
_HASH = re.compile(r"-[0-9a-f]{8}(?=\.)")


class UnknownLicence(Exception):
    """A library that must not be distributed yet: its licence was not read."""


def original_name(bundled):
    return _HASH.sub("", bundled, count=1)


def installed_path(name):
    """Where the linker finds the library, links resolved."""
    cache = subprocess.run(["/sbin/ldconfig", "-p"], capture_output=True, text=True, check=True).stdout
    for path in re.findall(r"=> (\S+)", cache):
        if os.path.basename(os.path.realpath(path)) == name or os.path.basename(path) == name:
            return os.path.realpath(path)
    raise UnknownLicence(f"[Licences] {name}: no library of this name is installed")


def package_of(path):
    """The Debian package that installed the file."""
    for known in (path, path.removeprefix("/usr")):
        found = subprocess.run(["dpkg", "-S", known], capture_output=True, text=True, check=False)
        if found.returncode == 0:
            return found.stdout.split(":")[0]
    raise UnknownLicence(f"[Licences] {path}: no Debian package has this file")


def of_libraries(bundled):
    """Package -> its licence and copyright file. Errors: UnknownLicence."""
    packages = sorted({package_of(installed_path(original_name(name))) for name in bundled})
    unknown = [package for package in packages if package not in LICENCES]
    if unknown:
        raise UnknownLicence(
            f"[Licences] no licence is known for {', '.join(unknown)}: read /usr/share/doc/PACKAGE/copyright and add it"
            " to LICENCES in tools/wheel/licences.py"
        )
    return {package: (LICENCES[package], f"/usr/share/doc/{package}/copyright") for package in packages}


def table(found):
    """What of_libraries gives, as Markdown."""
    rows = [f"| {package} | {licence} | [{package}.txt]({package}.txt) |" for package, (licence, _) in found.items()]
    return "\n".join(
        [
            "# Libraries in this wheel",
            "",
            "They are unchanged copies from Debian 12's packages, linked dynamically: each can be replaced by another"
            " build of its version. Debian has the sources of all of them.",
            "",
            "| package | licence | its copyright file |",
            "|---|---|---|",
            *rows,
            "",
        ]
    )
