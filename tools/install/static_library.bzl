"""A library with all that it depends on, as one archive for other build systems.

    static_library(
        name = "lockstep",
        deps = ["//reference:lockstep"],
        left_out = ["//third_party:thread_sanitizer"],
    )

makes lib<name>.a, <name>.headers.txt (the paths of all headers, one in a line) and <name>.link_options.txt. No
dependency but those left out may need alwayslink: a linker takes from an archive only what is used.
"""

def _contents(deps, left_out):
    contexts = [dep[CcInfo].linking_context for dep in deps]
    inputs = depset(transitive = [context.linker_inputs for context in contexts]).to_list()
    archives, options = [], []
    for linker_input in inputs:
        if linker_input.owner in left_out:
            continue
        for library in linker_input.libraries:
            if library.alwayslink:
                fail("%s needs alwayslink" % linker_input.owner)
            archives.append(library.static_library or library.pic_static_library)
        options += [option for option in linker_input.user_link_flags if option not in options]
    return archives, options

def _static_library_impl(ctx):
    archives, options = _contents(ctx.attr.deps, [each.label for each in ctx.attr.left_out])
    headers = depset(transitive = [dep[CcInfo].compilation_context.headers for dep in ctx.attr.deps]).to_list()
    archive = ctx.actions.declare_file("lib%s.a" % ctx.label.name)
    script = ctx.actions.declare_file(ctx.label.name + ".mri")
    ctx.actions.write(script, "\n".join(
        ["create " + archive.path] + ["addlib " + each.path for each in archives] + ["save", "end", ""],
    ))
    ctx.actions.run_shell(
        command = "ar -M <%s && ranlib -D %s" % (script.path, archive.path),
        inputs = archives + [script],
        mnemonic = "StaticLibrary",
        outputs = [archive],
    )
    lists = []
    for name, lines in {"headers": [each.short_path for each in headers], "link_options": options}.items():
        lists.append(ctx.actions.declare_file("%s.%s.txt" % (ctx.label.name, name)))
        ctx.actions.write(lists[-1], "\n".join(lines) + "\n")
    files = [archive] + lists
    return [DefaultInfo(files = depset(files), runfiles = ctx.runfiles(files = files + headers))]

static_library = rule(
    implementation = _static_library_impl,
    attrs = {
        "deps": attr.label_list(mandatory = True, providers = [CcInfo]),
        "left_out": attr.label_list(),
    },
)
