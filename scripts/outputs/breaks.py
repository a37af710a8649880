# SPDX-License-Identifier: Apache-2.0
"""Breaks: a broken output of each kind, which its reader must refuse, by the reason that is named."""
import json
import re


def replace(old, new):
    """Returns a function that replaces the first occurrence of a text."""
    def broken(text):
        assert old in text, f"there is no {old!r} to break"
        return text.replace(old, new, 1)
    return broken


def without(pattern):
    """Returns a function that removes the first match of a pattern."""
    def broken(text):
        assert re.search(pattern, text), f"there is no {pattern!r} to leave out"
        return re.sub(pattern, "", text, count=1)
    return broken


def edit_json(change):
    def broken(text):
        value = json.loads(text)
        change(value["runs"][0])
        return json.dumps(value)
    return broken


def swap_steps(run):
    steps = next(flow["locations"] for result in run["results"] for code in result.get("codeFlows", ())
                 for flow in code["threadFlows"] if len(flow["locations"]) > 1)
    steps[0], steps[1] = steps[1], steps[0]


# File, reader, description of the break, change, and the expected complaint of the reader.
BREAKS = (
    ("run-alike.sarif", "run_sarif", "a result is missing", edit_json(lambda run: run["results"].pop()), "alike: rules"),
    ("run-alike.junit", "run_junit", "a failure of another kind", replace('type="', 'type="un'), "alike: kinds"),
    ("run-alike.markdown", "run_markdown", "a row is missing", without(r"\n\| [a-z_\\]+ of [^\n]+"), "alike: files"),
    ("night.sarif", "night_sarif", "the log ends early", lambda text: text[:-100], "no JSON"),
    ("night.sarif", "night_sarif", "a key that is not ours", edit_json(lambda run: run["results"][0].update(rank=1)), "sarif.json: at"),
    ("night.sarif", "night_sarif", "a result is missing", edit_json(lambda run: run["results"].pop()), "results"),
    ("night.sarif", "night_sarif", "a rule that nothing names", edit_json(lambda run: run["tool"]["driver"]["rules"].append({"id": "a/b"})), "rules"),
    ("night.sarif", "night_sarif", "steps in another order", edit_json(swap_steps), "does not grow"),
    ("case.sarif", "case_sarif", "another fingerprint", replace("use_after_free device memory born:", "use_after_free device memory died:"), "fingerprint"),
    ("night.junit", "night_junit", "an element that is not closed", without("</testsuite>"), "no XML"),
    ("night.junit", "night_junit", "a case without a name", without(r'(?<=<testcase classname="nightly.argpack") name="[^"]*"'), "junit.rng"),
    ("night.junit", "night_junit", "a case that the head counts is missing", without(r'<testcase [^\n]*\n'), "counts of the cases"),
    ("gate.junit", "gate_junit", "another benchmark", replace('name="value"', 'name="valve"'), "cases"),
    ("night.metrics", "night_metrics", "the end is missing", without("# EOF"), "no OpenMetrics"),
    ("night.metrics", "night_metrics", "a family twice", lambda text: text.replace("# EOF", "# TYPE afterlife_night_red gauge\n# EOF"), "no OpenMetrics"),
    ("night.metrics", "night_metrics", "a family is missing", without(r"(# (TYPE|HELP) afterlife_night_number .*\n){2}afterlife_night_number .*\n"), "metrics.json"),
    ("night.metrics", "night_metrics", "one more run", lambda text: re.sub(r"(afterlife_variant_runs\{.*\} )(\d+)", r"\g<1>1\2", text, count=1), "runs"),
    ("night.markdown", "night_markdown", "the line below the head is missing", without(r"\|(---\|)+\n"), "no table"),
    ("night.markdown", "night_markdown", "a row is missing", without(r"\| new \|.*\n"), "news"),
    ("gate.markdown", "gate_markdown", "another benchmark", replace("| value ", "| valve "), "benchmarks"),
    ("case.trace", "case_trace", "the trace ends early", lambda text: text[:-7], "no trace"),
    ("case.trace", "case_trace", "another fault", replace("use_after_free: device", "use_after_fire: device"), "faults"),
)

# Description of the break, change to a nightly run's page, and the expected complaint.
PAGE_BREAKS = (
    ("a picture from elsewhere", lambda text: re.sub("<meta http-equiv[^>]*>", "", text).replace("<main>", '<main><img src="http://127.0.0.1:9/x">'), "requests"),
    ("a wide line", replace("<main>", '<main><div style="width:1400px">wide</div>'), "px wide"),
    ("a pale text", replace("<main>", '<main><p style="color:#999a;background:#fff">pale</p>'), "contrast"),
    ("a text that is cut off", replace("<main>", '<main><div style="overflow:hidden"><p style="white-space:nowrap;width:1500px">' + "cut " * 400 + "</p></div>"), "cut off"),
    ("a link that leads nowhere", replace("<main>", '<main><a href="findings/gone.html">gone</a>'), "leads nowhere"),
    ("another badge", replace('">green</span>', '">red</span>'), "red"),
    ("another sentence", replace('class="lead">', 'class="lead">1 new fault. '), "sentence"),
    ("a finding is missing", without(r'<tr><td>new</td>[^\n]*\n'), "news"),
    ("a variant is missing", without(r"<tr><td><code>managed_<wbr>dict/<wbr>stock</code></td><td>[^\n]*\n"), "variants"),
)
