"""Where the parts of an unpacked package are, and the environment that points its programs to them."""

import os

# Next to the results: scratch files of the tests.
TEMPORARY = "tmp"


def data_folder(root):
    """The folder of the files that programs read, laid out as Bazel's runfiles."""
    return os.path.join(root, "data", "lockstep")


def _path(*parts):
    """Search paths, the first before the last, each folder once."""
    folders = [folder for part in parts for folder in part.split(":") if folder]
    return ":".join(dict.fromkeys(folders))


def of_programs(root, output, found, full_data, driver_folder):
    """The environment of programs: `found` says where CUDA's libraries are, `full_data` where the images are.

    The loader's previous path stays, after the package's own: it may be how the driver is found.
    """
    own = [os.path.join(root, "lib")] + sorted({folder for folder in found.values() if folder})
    temporary = os.path.join(output, TEMPORARY)
    os.makedirs(temporary, exist_ok=True)
    runfiles = os.path.dirname(data_folder(root))
    search = _path(*own, os.environ.get("LD_LIBRARY_PATH", ""), driver_folder or "")
    return dict(
        os.environ,
        LD_LIBRARY_PATH=search,
        LOCKSTEP_REQUIRE_GPU="1",
        TEST_TMPDIR=temporary,
        RUNFILES_DIR=runfiles,
        TEST_SRCDIR=runfiles,
        **({"LOCKSTEP_DATA_DIR": full_data} if full_data else {}),
    )


def of_scripts(environment, driver_folder):
    """The same for scripts, whose Python has its own C++ library and CUDA."""
    return dict(environment, LD_LIBRARY_PATH=_path(os.environ.get("LD_LIBRARY_PATH", ""), driver_folder or ""))
