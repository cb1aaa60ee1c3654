"""The commands whose programs are in the wheel, and what each needs."""

import dataclasses

# Packages of the extra [compare], and of [reports], which has more.
COMPARISON = ("jinja2", "jsonschema")
REPORTS = ("jinja2", "jsonschema", "matplotlib", "numpy", "scipy")


@dataclasses.dataclass(frozen=True)
class Command:
    """A program of the wheel."""

    says: str  # what it does
    program: str  # a path, or a module
    target: str  # what starts it in the source tree: //conformance:run
    first: tuple = ()  # arguments before the user's
    needs: tuple = ()  # packages
    needs_nothing_with: str = ""  # an option


_RUN = ("conformance/run", "//conformance:run")
COMMANDS = {
    "run": Command("run the cases against an implementation", *_RUN),
    "list": Command("list the cases that would run", *_RUN, first=("--list",)),
    "explain": Command(
        "show a case: its text, source, program and known results", "conformance/explain", "//conformance:explain"
    ),
    "judge": Command("judge the stored answers of a framework, without running it", *_RUN, first=("--judge",)),
    "compare": Command(
        "compare two results, and fail on a regression",
        "reports.conformance_comparison",
        "//conformance:compare",
        needs=COMPARISON,
    ),
    "matrix": Command(
        "make a page of all cases by all implementations",
        "reports.conformance_matrix",
        "//reports:conformance_matrix",
        needs=REPORTS,
    ),
    "site": Command(
        "make a folder of pages of your results",
        "reports.site.make_site",
        "//reports:site",
        needs=REPORTS,
    ),
    "coverage": Command(
        "show which documented statements have cases", "reports.coverage", "//reports:coverage", needs=REPORTS
    ),
    "porting": Command(
        "show what changes between two frameworks", "reports.porting_guide", "//reports:porting_guide", needs=REPORTS
    ),
    "bench": Command(
        "train on one and on more replicas, and measure",
        "benchmarks/scaling_cpu",
        "//benchmarks:scaling",
        needs=REPORTS,
        needs_nothing_with="--report=none",
    ),
    "gate": Command(
        "fail where a build is slower than before", "benchmarks.gate.gate", "//benchmarks:gate", needs=REPORTS
    ),
    "simulate": Command(
        "predict throughput on more replicas than were measured",
        "benchmarks.simulate.simulate",
        "//benchmarks:simulate",
        needs=REPORTS,
    ),
    "report": Command(
        "make a page of benchmark results", "reports.performance.performance", "//reports:performance", needs=REPORTS
    ),
    "fetch": Command("download Fashion-MNIST or MNIST", "image_datasets/fetch", "//image_datasets:fetch"),
    "testee": Command(
        "be the reference as a testee: the pipe protocol on stdin and stdout",
        "conformance/testees/reference/pipe",
        "//conformance/testees/reference:pipe",
    ),
}
# What `lockstep job` also starts: shortens a result to what a repository keeps, to compare with.
ACCEPT = "reports.accepted.accepted_result"


def advice(command):
    """How to get what a command needs."""
    other = f", or add {command.needs_nothing_with}" if command.needs_nothing_with else ""
    extra = "compare" if command.needs == COMPARISON else "reports"
    return f"pip install 'lockstep-suite[{extra}]'{other}"
