# SPDX-License-Identifier: Apache-2.0
"""Readers: each kind of output as a program that others wrote reads it, held against what the command said and
against the schema of what is emitted (results/schemas). A reader raises Unreadable, with the reason.
"""
import json
import pathlib

import jsonschema
import junitparser
import lxml.etree
import markdown_it
from prometheus_client.openmetrics.parser import text_string_to_metric_families
from sarif import loader

SCHEMAS = pathlib.Path(__file__).resolve().parents[2] / "results/schemas"
MARKDOWN_ROWS = 25  # The most rows that a pull request shows.


class Unreadable(Exception):
    """An output that its reader rejects, or that disagrees with the command."""


def check(holds, reason):
    if not holds:
        raise Unreadable(reason)


def equal(what, found, said):
    """Checks that values are equal. For collections, the complaint shows the elements that only one of them has."""
    if found == said:
        return
    many = {dict: lambda value: value.items(), list: iter, set: iter}.get(type(said))
    if many:
        found, said = ([item for item in many(one) if item not in many(other)][:3] or "the same in another number or order"
                       for one, other in ((found, said), (said, found)))
    raise Unreadable(f"{what}: {found!r}, and the command said {said!r}")


def validate(name, value):
    schema = json.loads((SCHEMAS / name).read_text())
    error = jsonschema.exceptions.best_match(jsonschema.Draft202012Validator(schema).iter_errors(value))
    check(error is None, error and f"{name}: at {error.json_path}: {error.message[:200]}")


def told(night):
    """Returns the findings that need a reader's attention: new ones, and those that make the nightly run red."""
    return [finding for finding in night["findings"] if finding["red"] or finding["state"] in ("new", "regressed")]


def failures(night):
    """Returns the number of things that make the nightly run red."""
    lost = any(cell["tapes"]["survived"] < cell["tapes"]["replayed"] for cell in night["cells"])
    return sum(finding["red"] for finding in night["findings"] + night["absent"]) + len(night["canaries_missed"]) + lost


def news(night):
    return [finding for finding in night["findings"] if finding["state"] in ("new", "regressed")]


# SARIF

def sarif(file, schema="sarif.json"):
    """Returns the log as sarif-tools reads it, after checking it against the schema."""
    try:
        log = json.loads(file.read_text())
    except ValueError as error:
        raise Unreadable(f"no JSON: {error}") from None
    validate(schema, log)
    for result in log["runs"][0]["results"]:
        for flow in result.get("codeFlows", ()):
            in_order(flow)
    return loader.load_sarif_file(str(file))


def in_order(code_flow):
    """Checks that the steps of all threadFlows are numbered, and that the numbers increase within each."""
    flows = [[step["executionOrder"] for step in flow["locations"]] for flow in code_flow["threadFlows"]]
    for numbers in flows:
        check(numbers == sorted(set(numbers)), f"executionOrder of a threadFlow does not grow: {numbers}")


def night_sarif(made):
    read = sarif(made.file("night.sarif"))
    equal("results", read.get_result_count(), len(made.night["findings"]))
    causes = {finding["cause"] for finding in made.night["findings"]}
    equal("fingerprints", {result["partialFingerprints"]["afterlifeCause/v1"] for result in read.get_results()}, causes)
    equal("rules", {result["ruleId"] for result in read.get_results()},
          {rule["id"] for rule in read.runs[0].run_data["tool"]["driver"]["rules"]})


def case_sarif(made):
    read = sarif(made.file("case.sarif"))
    equal("results", read.get_result_count(), 1)
    fingerprint = read.get_results()[0]["partialFingerprints"]["afterlifeSignature/v1"]
    equal("fingerprint", fingerprint, made.case["signature"])


def run_sarif(made):
    for name, found in made.runs.items():
        read = sarif(made.file(f"run-{name}.sarif"), "sarif_run.json")
        equal(f"{name}: rules", sorted(result["ruleId"] for result in read.get_results()),
              sorted(finding["kind"] for finding in found["findings"]))
        fixes = {result["properties"]["fix"] for result in read.get_results()}
        equal(f"{name}: repairs", fixes, {finding["fix"] for finding in found["findings"]})


# JUnit

def junit(file):
    """Returns the suite as junitparser reads it, after checking it against the schema and checking its counts."""
    try:
        tree = lxml.etree.parse(file)
    except lxml.etree.XMLSyntaxError as error:
        raise Unreadable(f"no XML: {error}") from None
    grammar = lxml.etree.RelaxNG(lxml.etree.parse(SCHEMAS / "junit.rng"))
    check(grammar.validate(tree), f"junit.rng: {grammar.error_log.last_error}")
    suite = next(iter(junitparser.JUnitXml.fromfile(str(file))))
    said = (suite.tests, suite.failures, suite.errors, suite.skipped)
    suite.update_statistics()
    equal("counts of the cases", (suite.tests, suite.failures, suite.errors, suite.skipped), said)
    return suite


def night_junit(made):
    suite = junit(made.file("night.junit"))
    unclear = sum(finding["red"] for finding in made.night["absent"])
    lost = any(cell["tapes"]["survived"] < cell["tapes"]["replayed"] for cell in made.night["cells"])
    equal("cases", suite.tests, len(made.night["cells"]) + len(told(made.night)) + unclear + lost)
    equal("failures", suite.failures, failures(made.night))


def gate_junit(made):
    suite = junit(made.file("gate.junit"))
    equal("cases", sorted(case.name for case in suite), sorted(row["name"] for row in made.gate["benchmarks"]))
    equal("failures", suite.failures, sum(row["verdict"] in ("slower", "gone") for row in made.gate["benchmarks"]))


# OpenMetrics

def metrics(file):
    """Returns the families as prometheus_client's OpenMetrics parser reads them, after checking them against the schema."""
    try:
        parsed = list(text_string_to_metric_families(file.read_text()))
    except (ValueError, KeyError) as error:
        raise Unreadable(f"no OpenMetrics: {error}") from None
    families = {family.name: {"type": family.type, "help": family.documentation,
                              "samples": [{"labels": sample.labels, "value": sample.value} for sample in family.samples]}
                for family in parsed}
    validate("metrics.json", families)
    return {name: {tuple(sample["labels"].values()): sample["value"] for sample in family["samples"]}
            for name, family in families.items()}


def night_metrics(made):
    read = metrics(made.file("night.metrics"))
    equal("red", read["afterlife_night_red"][()], float(made.night["red"]))
    equal("canaries missed", read["afterlife_night_canaries_missed"][()], len(made.night["canaries_missed"]))
    for state in ("new", "known", "regressed", "ignored"):
        equal(f"findings that are {state}", read["afterlife_night_findings"][(state,)],
              sum(finding["state"] == state for finding in made.night["findings"]))
    equal("findings that are fixed", read["afterlife_night_findings"][("fixed",)],
          sum(finding["state"] == "fixed" for finding in made.night["absent"]))
    equal("runs", read["afterlife_variant_runs"],
          {(cell["path"], cell["variant"]): cell["runs"] for cell in made.night["cells"]})
    equal("tapes that survive", read["afterlife_variant_tapes_survived"],
          {(cell["path"], cell["variant"]): cell["tapes"]["survived"] for cell in made.night["cells"]})


def run_junit(made):
    for name, found in made.runs.items():
        suite = junit(made.file(f"run-{name}.junit"))
        equal(f"{name}: failures", suite.failures, len(found["findings"]))
        equal(f"{name}: kinds", sorted(case.result[0].type for case in suite), sorted(finding["kind"] for finding in found["findings"]))


# Markdown

def markdown(file, head):
    """Returns the rows of the table whose header begins with `head`, as markdown-it reads them."""
    tables, rows = {}, []
    for token in markdown_it.MarkdownIt("commonmark").enable("table").parse(file.read_text()):
        if token.type == "table_open":
            rows = []
        elif token.type == "tr_open":
            rows.append([])
        elif token.type == "inline" and token.level > 1:
            rows[-1].append("".join(part.content for part in token.children))
        elif token.type == "table_close":
            check({len(row) for row in rows} == {len(rows[0])}, f"rows of {sorted({len(row) for row in rows})} cells")
            tables[rows[0][0]] = rows[1:]
    check(head in tables, f"no table of {head}")
    return tables[head]


def night_markdown(made):
    listed = markdown(made.file("night.markdown"), "state")
    equal("news", len(listed), min(len(told(made.night)), MARKDOWN_ROWS))
    signatures = {finding["signature"] for finding in made.night["findings"]}
    check(all(row[2] in signatures for row in listed), "a signature that no finding has")


def gate_markdown(made):
    rows = markdown(made.file("gate.markdown"), "benchmark")
    equal("benchmarks", {row[0] for row in rows}, {row["name"] for row in made.gate["benchmarks"]})


def run_markdown(made):
    for name, found in made.runs.items():
        rows = markdown(made.file(f"run-{name}.markdown"), "finding")
        equal(f"{name}: files", [row[4] for row in rows], [finding["file"] for finding in found["findings"]])
        equal(f"{name}: repairs", [row[3] for row in rows], [finding["fix"] for finding in found["findings"]])
