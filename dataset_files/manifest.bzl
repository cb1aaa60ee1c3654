"""A folder's manifest.json as a C++ string."""

def manifest_text(name):
    """Makes manifest_text.inc, to be included in place of a string.

    Args:
      name: of the rule.
    """
    native.genrule(
        name = name,
        srcs = ["manifest.json"],
        cmd = "(printf 'R\"json('; cat $<; printf ')json\"\\n') > $@",
        outs = ["manifest_text.inc"],
    )
