"""The reference with a bug in it: a program for the kill matrix, and for some bugs a test."""

_FOLDER = "planted/"

def _name_of(path):
    return path.split("/")[-1][:-len(".json")]

def _planted_bug(path, header):
    """A library whose objects the linker takes in place of the reference's: nothing else is compiled."""
    name = _name_of(path)
    folders = path[len(_FOLDER):].split("/")
    source = "//reference/%s:%s.cc" % ("/".join(folders[:-2]), folders[-2])
    native.genrule(
        name = name + "_source",
        srcs = [path, source] + ([header] if header else []),
        outs = [name + "_mutated.cc"],
        cmd = "$(location :apply) $(location %s) $@ $(location %s)" % (path, source) +
              (" $(location %s)" % header if header else ""),
        exec_tools = [":apply"],
        tags = ["manual"],
    )
    native.cc_library(
        name = name + "_bug",
        srcs = [name + "_mutated.cc"],
        alwayslink = True,
        tags = ["manual"],
        deps = [
            "//conformance/testees/reference:reference_testee",
            "//conformance/testees/reference/workers:workers_testee",
        ],
    )

def mutants(files, headers = {}):
    """A program that speaks the pipe protocol for each mutant, called <name>.

    Args:
      files: planted/<path of the source below reference, without .cc>/<name>.json.
      headers: name -> label of the header that the mutant changes instead.
    """
    for path in files:
        name = _name_of(path)
        _planted_bug(path, headers.get(name))
        native.cc_binary(
            name = name,
            tags = ["manual"],
            deps = [
                ":%s_bug" % name,
                "//conformance/testees/reference:pipe_main",
            ],
        )

def mutant_names(files):
    """The labels of their programs."""
    return [":" + _name_of(path) for path in files]

def mutant_tests(files, names):
    """Tests <name>_killed_test: the cases that these mutants name notice."""
    for path in files:
        name = _name_of(path)
        if name in names:
            native.cc_test(
                name = name + "_killed_test",
                size = "small",
                data = [path, "//conformance:catalogue"],
                env = {"MUTANT": "conformance/mutants/" + path},
                deps = [
                    ":%s_bug" % name,
                    ":killed_test",
                ],
            )
