"""Answers of the module as Python's users expect them: rows, frames, plans, signatures, messages."""
import collections
import dataclasses
import html.parser
import inspect
import itertools
import json
import math
import os
import sys
import tempfile
import time
import types
import unittest
import unittest.mock

import reckon
from asked import MODEL, PROGRAM, SYSTEM, printed, refusal


class Elements(html.parser.HTMLParser):
    """How often each element stands in a text, with the names of its attributes."""

    def __init__(self, text):
        super().__init__()
        self.seen = collections.Counter()
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.seen[tag, tuple(sorted(name for name, _ in attributes))] += 1


class Answers(unittest.TestCase):
    def test_names_are_text_in_notebooks(self):
        shape = {"layers": 2, "hidden": 64, "heads": 4, "feedforward": 128, "sequence": 64, "vocabulary": 256}
        evil = "x</script><script>alert(1)</script>](javascript:alert(1))<img src=x onerror=alert(1)>"

        def shown(name):
            with tempfile.TemporaryDirectory() as folder:
                model = os.path.join(folder, "m.json")
                with open(model, "w") as file:
                    json.dump({"name": name, **shape}, file)
                answers = [
                    reckon.predict(model, SYSTEM, "gbs4 dp2"), reckon.search(model, SYSTEM, gpus=2, batch=4),
                    reckon.fits(model, SYSTEM, "gbs4 dp2"), reckon.diff(model, SYSTEM, "gbs4 dp2", "gbs4 tp2"),
                ]
                return [Elements(answer._repr_html_()).seen for answer in answers]

        self.assertEqual(shown("Plain name"), shown(evil))

    def test_each_row_of_many_has_a_verdict(self):
        plans = ["tp8 gbs32", "tp3 gbs32", "dp8 gbs33", {"tp": 4, "batch": 32}, reckon.Plan(tensor=1, batch=32)]
        many = reckon.predict_many(MODEL, SYSTEM, plans, gpus=8)
        self.assertEqual(many["verdict"], ["fits", "bad_degrees", "bad_batch", "fits", "memory_exceeded"])
        self.assertEqual([reason is None for reason in many["reason"]], [True, False, False, True, False])
        self.assertIn("use 6 or 9", many["reason"][1])
        self.assertEqual(many["reason"][4], reckon.predict(MODEL, SYSTEM, plans[4], gpus=8).reasons[0].message)
        self.assertEqual(many["step_s"][3], reckon.predict(MODEL, SYSTEM, tp=4, gbs=32, gpus=8).step_s)
        self.assertTrue(math.isnan(many["step_s"][1]))

    def test_an_answer_prints_as_on_a_terminal(self):
        on = ("-m", MODEL, "-s", SYSTEM, "-g", "8")
        changed = reckon.model(MODEL)
        answers = [
            (reckon.predict(changed, SYSTEM, "tp8 gbs32", gpus=8), ["predict", *on, "tp8", "gbs32"]),
            (reckon.fits(MODEL, SYSTEM, gpus=8), ["fits", *on]),
            (reckon.search(MODEL, SYSTEM, 8, 32, top=3), ["search", *on, "-b", "32", "--top", "3", "-q"]),
            (reckon.longest(MODEL, SYSTEM, gpus=8), ["longest", MODEL, SYSTEM, "-g", "8"]),
            (reckon.check("tp3 gbs32", MODEL, SYSTEM, gpus=8), ["check", "tp3", "gbs32", *on]),
        ]
        changed.layers = 40  # what was asked counts
        for answer, words in answers:
            with self.subTest(words=words):
                self.assertEqual(str(answer), printed(*words).rstrip("\n"))

    def test_plans_of_all_answers_are_plans(self):
        best = reckon.search(MODEL, SYSTEM, 8, 32, top=2)[0].plan
        self.assertIsInstance(best, reckon.Plan)
        one = reckon.predict(MODEL, SYSTEM, best, gpus=8)
        self.assertEqual(one.plan, best)
        self.assertEqual(str(one.plan), str(best))
        self.assertEqual(reckon.predict(MODEL, SYSTEM, str(best), gpus=8).step_s, one.step_s)
        self.assertIsInstance(reckon.fits(MODEL, SYSTEM, gpus=8).plan, reckon.Plan)
        self.assertEqual(str(dataclasses.replace(reckon.Plan(tensor=2), zero=1)), "tensor=2 zero=1")
        best.tensor = 4
        self.assertIn("tensor=4", str(best))

    def test_a_sweep_over_models_systems_and_gpus(self):
        machines = [SYSTEM, reckon.system("a100-sxm4-80g")]
        found = reckon.sweep([MODEL, "llama3.1-70b"], machines, ["tp8 gbs64", "tp3"], gpus=[8, 16])
        self.assertEqual(len(found["plan"]), 2 * 2 * 2 * 2)
        self.assertEqual(set(found["system"]), {SYSTEM, "a100-sxm4-80g"})
        for row in itertools.islice(found.rows(), 0, None, 5):
            if row["verdict"] == "bad_degrees":
                continue
            p = reckon.predict(row["model"], row["system"], row["plan"], gpus=row["gpus"])
            self.assertEqual((row["verdict"], row["step_s"]), (p.verdict, p.step_s))
        best = reckon.sweep(MODEL, [SYSTEM, "a100-sxm4-80g"], gpus=[8, 16], batch=32, tokens="1T")
        self.assertEqual(best["gpus"], [8, 16, 8, 16])
        self.assertEqual(best["step_s"][0], reckon.search(MODEL, SYSTEM, 8, 32, top=1)[0].step_s)
        self.assertGreater(min(best["days"]), 0)
        alone = reckon.sweep(MODEL, SYSTEM, gpus=8, batch=32)
        self.assertEqual((alone["step_s"], alone["system"]), (best["step_s"][:1], [SYSTEM]))

    def test_a_thousand_predictions_take_less_than_a_second(self):
        plans = [f"tp{t} pp{p} mbs{m} gbs{g}" for t in (1, 2, 4, 8) for p in (1, 2, 4) for m in (1, 2, 4) for g in range(64, 704, 64)]
        began = time.process_time()
        found = reckon.sweep(MODEL, [SYSTEM, "a100-sxm4-80g", "b200-sxm-180g"], plans[:334], gpus=64)
        self.assertLess(time.process_time() - began, 1)
        self.assertEqual(len(found["verdict"]), 1002)

    def test_data_frames(self):
        pandas = types.ModuleType("pandas")
        pandas.DataFrame = dict
        with unittest.mock.patch.dict(sys.modules, {"pandas": pandas}):
            found = reckon.search(MODEL, SYSTEM, 8, 32, top=2)
            self.assertEqual(found.to_pandas()["plan"], [str(row.plan) for row in found])
            self.assertEqual(reckon.predict(MODEL, SYSTEM, tp=8).to_pandas()["verdict"], ["fits"])
            many = reckon.predict_many(MODEL, SYSTEM, ["tp8"])
            self.assertEqual(many.to_pandas(), dict(many))
            self.assertEqual(len(reckon.models().to_pandas()["id"]), len(reckon.models()))
        with unittest.mock.patch.dict(sys.modules, {"pandas": None}):
            self.assertRaisesRegex(ImportError, "pip install pandas", many.to_pandas)

    def test_options_have_types_and_help(self):
        for function in (reckon.predict, reckon.fits, reckon.search, reckon.budget, reckon.serve, reckon.diff):
            options = inspect.signature(function).parameters
            self.assertNotIn(inspect.Parameter.VAR_KEYWORD, [p.kind for p in options.values()])
            self.assertIn("Options:", function.__doc__)
            self.assertNotRegex(function.__doc__, r"(?<![\w-])--[a-z]")
        self.assertIn("tp", inspect.signature(reckon.predict).parameters)
        self.assertRegex(reckon.search.__doc__, r"\n *pareto: .*frontier")

    def test_errors_speak_python(self):
        for call, said in (
            (lambda: reckon.search(MODEL, SYSTEM, None, 32), "gpus is missing"),
            (lambda: reckon.predict(MODEL, SYSTEM, "tp3", gpus=8), "gpus: 8 GPUs"),
            (lambda: reckon.search(MODEL, SYSTEM, 8, 32, sort="cost"), "tokens"),
            (lambda: reckon.search(MODEL, SYSTEM, 8, 32, tensr=3), "help(reckon.search) lists"),
            (lambda: reckon.predict("llama9", SYSTEM), "reckon.models() lists them"),
            (lambda: reckon.predict(MODEL, SYSTEM, "tp8", price="reserved"), 'tokens="15T"'),
            (lambda: reckon.budget(SYSTEM, days=3), "gpus is missing"),
            (lambda: reckon.predict(MODEL, SYSTEM, tp=8, tensor=4), "tp and tensor"),
            (lambda: reckon.search(MODEL, SYSTEM, 8, 32, where="hbmm < 3GiB"), "did you mean hbm"),
        ):
            error = refusal(call)
            self.assertIn(said, str(error))
            self.assertNotRegex(str(error), r"(?<![\w-])--[a-z]|reckon [a-z]+ ")
        raw = refusal(reckon.command, ["search", "-m", MODEL, "-s", SYSTEM])
        self.assertIn("--gpus", str(raw))


if __name__ == "__main__":
    unittest.main(verbosity=1, argv=sys.argv[:1])
