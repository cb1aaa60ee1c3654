"""Results of //conformance:run as files that a build makes."""

def _result_impl(ctx):
    result = ctx.outputs.result
    ctx.actions.run_shell(
        outputs = [result],
        tools = [ctx.attr._run.files_to_run],
        # 1: something is not as its list of deviations says, which the result tells.
        command = '"$1" "${@:2}" > /dev/null || test $? = 1',
        arguments = [ctx.executable._run.path] + ctx.attr.options + ["--json=" + result.path],
        mnemonic = "Conformance",
        progress_message = "Judging %s" % ctx.label.name,
        use_default_shell_env = True,
    )
    return [DefaultInfo(files = depset([result]))]

conformance_result = rule(
    implementation = _result_impl,
    doc = "The result, JSON, of //conformance:run with `options`.",
    attrs = {
        "options": attr.string_list(),
        "result": attr.output(mandatory = True),
        # As it is run, not once more for the machine that builds.
        "_run": attr.label(default = "//conformance:run", executable = True, cfg = "target"),
    },
)
