"""Fails where a file includes or imports a higher layer, or where its name says nothing.

    ./bazelw run //tools:check_layers

prints one line a problem:
    reference/tensor/tensor.h:7: must not include reference/distribute/strategy.h: reference/tensor may
    use only reference/base reference/device reference/tensor
"""

import re
import sys

from tools import source_tree

# Folder (or one file's stem) -> what its files may use directly, other than themselves; what those use is implied.
LAYERS = {
    "reference/base": [],
    "reference/device": ["reference/base"],
    "reference/tensor": ["reference/device"],
    "reference/kernels": ["reference/tensor"],
    # Which workers there are, which is this one, and how they communicate other than by tensors.
    "reference/cluster/topology": ["reference/base"],
    "reference/cluster": ["reference/cluster/topology"],
    "reference/collectives": ["reference/tensor", "reference/collectives/reduce_op", "reference/cluster"],
    # The name of a reduction is part of a variable; how it is done is not.
    "reference/collectives/reduce_op": ["reference/tensor"],
    "reference/autodiff": ["reference/kernels", "reference/collectives/reduce_op", "reference/cluster/topology"],
    "reference/regularizers": ["reference/autodiff"],
    "reference/layers": ["reference/regularizers"],
    # Layers that prepare data; some compute their state from a dataset.
    "reference/preprocessing": ["reference/layers", "reference/data"],
    "reference/losses": ["reference/autodiff"],
    "reference/metrics": ["reference/autodiff"],
    "reference/optimizers": ["reference/autodiff"],
    # Sequences of tokens from any function that scores the next one.
    "reference/decoding": ["reference/kernels"],
    "reference/tensor_bundle": ["reference/tensor"],
    "reference/file_formats": ["reference/tensor"],
    "reference/data": ["reference/tensor_bundle"],
    "reference/checkpoint": ["reference/autodiff", "reference/tensor_bundle"],
    "reference/distribute": ["reference/collectives", "reference/autodiff", "reference/data"],
    "reference/distribute/training_step": ["reference/distribute", "reference/optimizers"],
    # Messages between processes, parameter servers, and the variables that they keep.
    "reference/parameter_server/local": ["reference/cluster"],
    "reference/parameter_server/rpc": ["reference/cluster", "reference/tensor"],
    "reference/parameter_server/server": ["reference/parameter_server/rpc", "reference/optimizers"],
    "reference/parameter_server/variables": ["reference/parameter_server/rpc", "reference/optimizers"],
    # Functions that a coordinator schedules on workers.
    "reference/parameter_server/coordinator": ["reference/parameter_server/variables", "reference/distribute"],
    # Models and weights in the files of Keras, TensorFlow and safetensors.
    "reference/export": [
        "reference/preprocessing",
        "reference/losses",
        "reference/optimizers",
        "reference/checkpoint",
        "reference/file_formats",
    ],
    "reference/training": [
        "reference/metrics",
        "reference/export",
        "reference/distribute/training_step",
        "reference/parameter_server/coordinator",
    ],
    "reference/lockstep": [
        "reference/training",
        "reference/cluster",
        "reference/decoding",
        "reference/parameter_server/server",
        "reference/parameter_server/variables",
        "reference/parameter_server/local",
    ],
    "reference/cuda_backend": ["reference/lockstep"],
    "command_line": ["reference/base"],
    "command_line/own_command": [],
    "command_line/user_paths": [],
    "command_line/version_option": [],
    "processes": [],
    # Files that datasets are downloaded in.
    "dataset_files": ["reference/base", "command_line"],
    "image_datasets": ["reference/data", "dataset_files"],
    "rating_datasets": ["reference/data", "dataset_files"],
    "text_datasets": ["reference/preprocessing", "dataset_files"],
    "examples": [
        "reference/lockstep",
        "image_datasets",
        "rating_datasets",
        "text_datasets",
        "command_line/user_paths",
        "command_line/version_option",
        "tools",
    ],
    # The models of the benchmarks, trained over several runs.
    "examples/models": ["examples", "benchmarks"],
    "benchmarks": [
        "command_line/user_paths",
        "command_line/version_option",
        "reference/lockstep",
        "image_datasets",
        "rating_datasets",
        "text_datasets",
        "processes",
        "reports/json_text",
    ],
    "benchmarks/gate": ["processes", "reports"],
    "benchmarks/simulate": ["command_line/own_command", "command_line/user_paths", "command_line/version_option", "reports"],
    "benchmarks/faults": ["benchmarks", "benchmarks/gate"],
    # The runner never links the reference: only its testee does, and the programs that combine them.
    "conformance/runner": ["reference/base", "command_line"],
    "conformance/testees": ["conformance/runner", "reference/lockstep", "image_datasets", "processes"],
    "conformance/answers": ["command_line/version_option", "processes", "reports", "tools"],
    "conformance/oracles": ["conformance/answers", "tools"],
    "conformance/versions": ["conformance/answers", "reports", "third_party"],
    "conformance/defects": ["reports", "tools"],
    "conformance/new": ["command_line/version_option", "conformance/mutants", "tools"],
    "conformance/less": ["conformance/mutants", "conformance/testees", "command_line", "tools"],
    "conformance/patches": ["conformance/answers", "conformance/less"],
    "conformance/mutants": ["command_line/version_option", "conformance/testees", "tools", "third_party"],
    "conformance": ["conformance/testees"],
    "reports": [
        "command_line/own_command",
        "command_line/user_paths",
        "command_line/version_option",
        "reports/json_text",
        "reports/json_schema",
    ],
    "reports/json_text": [],
    "reports/json_schema": [],
    # The pages of everything.
    "reports/site": ["conformance/versions", "reports"],
    # It is installed without the tree.
    "lockstep_suite": [],
    # What users copy: it runs where the kit is.
    "lockstep_suite/example_testee": ["conformance/testees"],
    "tools": ["command_line/user_paths", "command_line/version_option", "reports/json_text", "reports/json_schema"],
    # Damage is done in the same way to what fuzz targets read and to what property tests do.
    "tools/fuzz_replay": ["reference/base"],
    "tools/xml_unittest": [],
    "third_party": [],
}

# Any Python test may use it.
TEST_RUNNER = "tools/xml_unittest"

# Folder -> what its tests may use in addition: files are written of models that were trained, and layers that prepare
# data run on replicas and are saved.
USED_BY_TESTS = {
    "reference/export": ["reference/training"],
    "reference/parameter_server/variables": ["reference/parameter_server/server", "reference/layers", "reference/checkpoint"],
    "reference/parameter_server/coordinator": ["reference/parameter_server/local", "reference/parameter_server/server"],
    "reference/training": ["reference/parameter_server/server"],
    "reference/preprocessing": ["reference/checkpoint", "reference/distribute"],
}

# Quoted includes that are Bazel's own.
FOREIGN = {"tools/cpp/runfiles/runfiles.h"}

# What only tests include.
TESTS = re.compile(r"_(test|testing)\.\w+$")

VAGUE_FILES = re.compile(r"(.*_)?(utils?|misc|common)\.\w+$")
VAGUE_FOLDERS = re.compile(r"(.*_)?(utils?|misc)$")

INCLUDE = re.compile(r'\s*#\s*include\s+"([^"]+)"')
IMPORT = re.compile(r"(?:from\s+([\w.]+)\s+import\s+(\w+)|import\s+([\w.]+))")


def layer_of(path):
    """The entry of LAYERS that says most about the path; None where there is none."""
    entries = [e for e in LAYERS if path == e or path[len(e) :].startswith(("/", ".", "_test.")) and path.startswith(e)]
    return max(entries, key=len, default=None)


def allowed_layers(layer):
    """Every entry that the layer may use, itself included."""
    allowed, waiting = set(), [layer]
    while waiting:
        entry = waiting.pop()
        if entry not in allowed:
            allowed.add(entry)
            waiting.extend(LAYERS[entry])
    return allowed


def is_allowed(path, used):
    layer = layer_of(path)
    allowed = allowed_layers(layer) | {TEST_RUNNER}
    if TESTS.search(path):
        allowed = allowed.union(*map(allowed_layers, USED_BY_TESTS.get(layer, ())))
    return layer_of(used) in allowed


def used_paths(path, line):
    """Paths, from the root, of our files that the line includes or imports."""
    if path.endswith(".py"):
        match = IMPORT.match(line)
        if not match:
            return []
        module, name, plain = match.groups()
        used = (plain or "%s.%s" % (module, name)).replace(".", "/")
        return [used] if layer_of(used) else []
    match = INCLUDE.match(line)
    return [match.group(1)] if match and match.group(1) not in FOREIGN else []


def find_arrows(root):
    """(path, line number, path that it includes or imports), of all our files."""
    for path in source_tree.list_files(root, (".h", ".cc", ".cu", ".cuh", ".py")):
        for number, line in enumerate(source_tree.read_lines(root, path), 1):
            for used in used_paths(path, line):
                yield path, number, used


def check_arrow(path, number, used):
    layer = layer_of(path)
    if layer is None:
        return []
    if layer_of(used) is None:
        return ['%s:%d: include "%s" by its path from the root' % (path, number, used)]
    if not is_allowed(path, used):
        return [
            "%s:%d: must not include %s: %s may use only %s"
            % (path, number, used, layer, " ".join(sorted(allowed_layers(layer))))
        ]
    return []


def check_has_layer(path):
    return [] if layer_of(path) else ["%s: is in no layer; add its folder to tools/check_layers.py" % path]


def check_name(path):
    *folders, name = path.split("/")
    vague = [f for f in folders if VAGUE_FOLDERS.match(f)] + [name] * bool(VAGUE_FILES.match(name))
    return ['%s: "%s" does not say what it holds' % (path, part) for part in vague]


def check_rows(root):
    """Each row of LAYERS names an existing folder or file's stem."""
    stems = {path.split(".")[0] for path in source_tree.list_files(root)}
    folders = {parent for stem in stems for parent in parents(stem)}
    return [
        f"tools/check_layers.py: {row} is in LAYERS, and there is no such folder or file"
        for row in LAYERS
        if row not in folders | stems
    ]


def parents(path):
    """ "a/b/c" -> ["a", "a/b"]: the folders that it is in."""
    parts = path.split("/")[:-1]
    return ["/".join(parts[: i + 1]) for i in range(len(parts))]


def check_siblings(arrows):
    """Of two folders in one folder, with all that is in them, at most one uses the other; tests may do as they like."""
    between = {}
    for path, number, used in arrows:
        if path.endswith(".py") or TESTS.search(path):
            continue
        for own, other in zip(parents(path), parents(used), strict=False):
            if own != other:
                between.setdefault((own, other), f"{path}:{number} includes {used}")
                break
    return [
        f"{one} and {other} use each other: {between[one, other]}, {between[other, one]}"
        for one, other in sorted(between)
        if one < other and (other, one) in between
    ]


def check(root):
    arrows = list(find_arrows(root))
    problems = check_siblings(arrows)
    for path in source_tree.list_files(root):
        problems += check_name(path)
    for path in source_tree.list_files(root, (".h", ".cc", ".cu", ".cuh", ".py")):
        problems += check_has_layer(path)
    for path, number, used in arrows:
        problems += check_arrow(path, number, used)
    return problems


if __name__ == "__main__":
    sys.exit(source_tree.run(lambda root: check_rows(root) + check(root)))
