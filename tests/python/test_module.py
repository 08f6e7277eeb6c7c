"""The module reckon beside the command line: the same bytes for the same questions."""
import ast
import contextlib
import dataclasses
import doctest
import io
import json
import math
import os
import random
import signal
import subprocess
import sys
import tempfile
import unittest
import warnings
from pathlib import Path

import reckon
from asked import MODEL, PROGRAM, SYSTEM, printed, refusal

SOURCE = Path(os.environ["RECKON_SOURCE"])


def random_question(chance):
    """A command of the command line, and the same question to the module."""
    model = chance.choice(["llama3.1-8b", "gpt3-175b", "mixtral-8x7b", "llama3.1-70b"])
    system = chance.choice([SYSTEM, "a100-sxm4-80g", "h100-80g x64 nvl8 hbm=120GiB"])
    gpus = chance.choice([8, 16])
    plan = f"tp{chance.choice([1, 2, 4, 8])} pp{chance.choice([1, 2, 4])} mbs{chance.choice([1, 2])}"
    plan += chance.choice(["", " sp", " zero1", " recompute=full", " zero3 framework=fsdp"])
    asked = ["-m", model, "-s", system, "-g", str(gpus)]
    kind = chance.choice(["predict", "predict", "fits", "search", "program"])
    if kind == "search":
        where = chance.choice([None, "tensor <= 4", "hbm <= 60GiB and mfu > 0.2"])
        words = ["search", *asked, "-b", str(8 * gpus), "-k", "3", "-q"]
        words += ["--where", where] if where else []
        return words, lambda: reckon.search(model, system, gpus, 8 * gpus, top=3, where=where)
    call = {"predict": reckon.predict, "fits": reckon.fits, "program": reckon.program}[kind]
    return [kind, *asked, *plan.split()], lambda: call(model, system, plan, gpus=gpus)


class Answers(unittest.TestCase):
    def test_json_is_that_of_the_command_line(self):
        chance = random.Random(22)
        for number in range(24):
            words, ask = random_question(chance)
            with self.subTest(number=number, words=" ".join(words)):
                expected = printed(*words, "--format", "json")
                if expected:
                    self.assertEqual(ask().json, expected)
                else:
                    refusal(ask)

    def test_figures_are_those_of_the_answer(self):
        p = reckon.predict(MODEL, SYSTEM, "tp8 gbs32")
        answer = json.loads(p.json)
        self.assertEqual(p.step_s, answer["rates"]["step_s"])
        self.assertEqual(p.matrix_s, answer["figures"]["matrix_s"])
        self.assertEqual(dict(p.stages[0]), answer["stages"][0])
        self.assertEqual(set(p.figures.keys()), set(reckon.UNITS))
        shown = p._repr_html_()
        self.assertIn("<td", shown)
        self.assertIn("reckonCharts.open", shown)
        self.assertNotRegex(shown.replace("http://www.w3.org/2000/svg", ""), "https?://")
        drawn = p.charts()["time"]
        self.assertEqual(drawn["kind"], "bars")
        seconds = sum(row[drawn["roles"]["value"]] for row in drawn["rows"])
        self.assertTrue(math.isclose(seconds, p.step_s, rel_tol=1e-9))

    def test_a_plan_that_cannot_run_is_an_answer(self):
        p = reckon.predict("llama3.1-70b", SYSTEM, "tp8 gbs32")
        self.assertFalse(p.fits)
        self.assertEqual(p.verdict, "memory_exceeded")
        self.assertGreater(p.reasons[0].need, p.reasons[0].have)

    def test_many_plans_are_predicted_as_one_by_one(self):
        plans = [f"tp{1 << i % 4} pp{1 << i % 2} gbs{96 * (1 + i)} zero{i % 2}" for i in range(30)]
        names = ["step_s", "hbm_bytes"]
        columns = reckon.predict_many(MODEL, SYSTEM, plans, gpus=16, figures=names)
        one = reckon.predict_many(MODEL, SYSTEM, plans, gpus=16, figures=names, threads=1)
        self.assertEqual(repr(columns), repr(one))
        for i, plan in enumerate(plans):
            p = reckon.predict(MODEL, SYSTEM, plan, gpus=16)
            self.assertEqual(columns["verdict"][i], p.verdict)
            for name in names:
                value = columns[name][i]
                self.assertEqual(None if math.isnan(value) else value, p.figures[name], plan)

    def test_plans_as_words_objects_dicts_and_choices(self):
        words = reckon.predict(MODEL, SYSTEM, "tp8 gbs32 sp no-fused")
        plan = reckon.Plan(tensor=8, batch=32, sequence_parallel=True, fused=False)
        for other in (
            reckon.predict(MODEL, SYSTEM, plan),
            reckon.predict(MODEL, SYSTEM, plan.said()),
            reckon.predict(MODEL, SYSTEM, words.plan),
            reckon.predict(MODEL, SYSTEM, tensor=8, batch=32, sequence_parallel=True, fused=False),
        ):
            self.assertEqual(other.plan_words, words.plan_words)
            self.assertEqual(other.step_s, words.step_s)

    def test_check_export_and_study(self):
        self.assertTrue(reckon.check("tp8 gbs32", MODEL, SYSTEM).ok)
        wrong = reckon.check("tp3 gbs32", MODEL, SYSTEM, gpus=8)
        self.assertEqual(wrong.findings[0].severity, "error")
        words = "gpus8 tp2 gbs64"
        for to in ("megatron", "torchtitan"):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", reckon.ReckonWarning)
                script = reckon.export(to, MODEL, words, launcher="slurm")
            expected = printed("export", to, "-m", MODEL, *words.split(), "--launcher", "slurm")
            self.assertEqual(script, expected)
        text = reckon.program(MODEL, SYSTEM, "tp8 gbs8", rank=3)
        self.assertEqual(text, printed("program", "-m", MODEL, "-s", SYSTEM, "tp8", "gbs8", "-r", "3"))

    def test_a_study_from_a_dict(self):
        figure = {"name": "a", "title": "A", "models": [MODEL], "systems": [SYSTEM], "gpus": [8, 16]}
        study = {"title": "t", "framework": "megatron", "batch": 32, "figures": [figure]}
        found = reckon.study(study)
        self.assertEqual([row.gpus for row in found], [8, 16])
        best = reckon.search(MODEL, SYSTEM, 8, 32, top=1).best[0]
        self.assertEqual((found.results[0].plan, found.results[0].step_s), (best.plan, best.step_s))


    def test_other_commands_answer_by_their_names(self):
        two = "h100-sxm5-80g x8 + a100-sxm4-80g x8 link=100Gb/s@50us"
        on = ("-m", MODEL, "-s", SYSTEM)
        for reply, words in (
            (reckon.layerwise(MODEL, SYSTEM, 4, 8), ("search", "--layerwise", *on, "-q", "-g", "4", "-b", "8")),
            (reckon.budget(SYSTEM, 64, days=30), ("budget", "-s", SYSTEM, "--days", "30", "-g", "64")),
            (reckon.longest(MODEL, SYSTEM, gpus=8), ("longest", MODEL, SYSTEM, "-g", "8")),
            (reckon.serve(MODEL, SYSTEM, "tp4", batch=8),
             ("serve", "-m", MODEL, "-s", SYSTEM, "--batch", "8", "tp4")),
            (reckon.diff(MODEL, SYSTEM, "gpus8 tp8 gbs32", "+tp4"), ("diff", "gpus8 tp8 gbs32", "+tp4", *on)),
            (reckon.timeline(MODEL, SYSTEM, "tp4 pp2 gbs32"), ("timeline", *on, "tp4", "pp2", "gbs32")),
        ):
            with self.subTest(words=" ".join(words)):
                self.assertEqual(reply.json, printed(*words, "--format", "json"))
                self.assertEqual(set(reply.to_dict()), set(reply.values.keys()))
                self.assertIn("<table", reply._repr_html_())
        over = reckon.search(MODEL, two, None, 64, top=2)
        self.assertEqual(over.json, printed("search", "-m", MODEL, "-s", two, "-q", "--batch", "64", "--top", "2", "--format", "json"))
        self.assertEqual((len(over.best), sum(stage.layers for stage in over.placement)), (2, 32))
        self.assertLessEqual(over.bounds.floor_s, over.best[0].step_s)
        self.assertIsInstance(refusal(reckon.search, MODEL, SYSTEM, 8, 32, layerwise=True), reckon.UsageError)


class Objects(unittest.TestCase):
    def test_a_model_is_changed_and_given_back(self):
        model = reckon.model(MODEL)
        same = reckon.predict(model, SYSTEM, "tp8 gbs32")
        self.assertEqual(same.json, reckon.predict(MODEL, SYSTEM, "tp8 gbs32").json)
        deeper = dataclasses.replace(model, layers=40)
        self.assertGreater(reckon.predict(deeper, SYSTEM, "tp8 gbs32").step_s, same.step_s)
        self.assertEqual(model.layers, 32)

    def test_every_model_of_the_catalog_comes_back_as_it_is(self):
        for row in reckon.models():
            model = reckon.model(row.id)
            self.assertEqual(model.id, row.id)
            with tempfile.TemporaryDirectory() as folder:
                path = Path(folder, f"{row.id}.json")
                path.write_text(model.to_json())
                self.assertEqual(dataclasses.replace(reckon.model(path), source=model.source), model)

    def test_a_system_is_changed_and_given_back(self):
        system = reckon.system(SYSTEM)
        before = reckon.predict(MODEL, system, "tp8 gbs32")
        self.assertTrue(math.isclose(
            before.step_s, reckon.predict(MODEL, SYSTEM, "tp8 gbs32").step_s, rel_tol=1e-12))
        system["network"][0]["bandwidth_GBps"] *= 2
        self.assertLess(reckon.predict(MODEL, system, "tp8 gbs32").step_s, before.step_s)

    def test_hugging_face_as_path_and_as_dict(self):
        path = SOURCE / "tests/data/hf/deepseek-v3.json"
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            one = reckon.import_hf(path)
            two = reckon.import_hf(json.loads(path.read_text()), id=one.id)
        self.assertEqual(one, two)
        self.assertEqual(one.experts, 256)
        self.assertTrue(any(issubclass(c.category, reckon.ReckonWarning) for c in caught))
        self.assertTrue(all(c.filename == __file__ for c in caught), [c.filename for c in caught])


class Refusals(unittest.TestCase):
    def test_errors_have_their_parts(self):
        error = refusal(reckon.predict, MODEL, SYSTEM, "tp8 tensr=4")
        self.assertIsInstance(error, reckon.UsageError)
        self.assertEqual((error.line, error.column), (1, 5))
        self.assertIn('did you mean "tensor"?', error.remedy)
        error = refusal(reckon.predict, {"id": "small", "layers": -3}, SYSTEM, "tp8")
        self.assertIsInstance(error, reckon.InputError)
        self.assertEqual(error.path, "model/small.json")
        self.assertIsInstance(error, ValueError)
        error = refusal(reckon.predict_many, MODEL, SYSTEM, ["tp8", "tp2 pq2"])
        self.assertEqual((error.path, error.line), ("plans", 2))
        error = refusal(reckon.predict_many, MODEL, SYSTEM, ["tp8"], figures=["stepp_s"])
        self.assertIsInstance(error, reckon.UsageError)

    def test_nothing_is_cut_or_taken_for_something_else(self):
        for model, system, plan, gpus in (
            (MODEL, "l4\0 x8 hbm=80GiB", "dp4 gbs16", 4), (MODEL + "\0x", SYSTEM, "dp4 gbs16", 4),
            (MODEL, SYSTEM, "dp4 gbs16\0tp4 banana", 4), (MODEL, SYSTEM, "tp2\ud800", 4),
            (MODEL, SYSTEM, None, 4), (MODEL, SYSTEM, ["tp2", "pp2"], 4), (MODEL, SYSTEM, "gbs16", True),
        ):
            with self.subTest(system=system, plan=plan, gpus=gpus):
                self.assertIsInstance(refusal(reckon.predict, model, system, plan, gpus=gpus), reckon.UsageError)
        self.assertIsInstance(refusal(reckon.predict_many, MODEL, SYSTEM, ["tp2\0 pp2"]), reckon.UsageError)
        self.assertIsInstance(refusal(reckon.model, MODEL + "\0x"), reckon.UsageError)

    def test_what_becomes_another_program_is_refused(self):
        for words in (["train"], ["generate"], ["measure"], ["__man"], [], ["nonsense"]):
            self.assertIsInstance(refusal(reckon.command, words), reckon.UsageError)


class Searches(unittest.TestCase):
    def test_progress_is_told_and_can_stop(self):
        calls = []

        def once(done, total, best_s):
            calls.append((done, total))
            return False

        found = reckon.search("gpt3-175b", SYSTEM, 1024, 1536, exhaustive=True, progress=once)
        self.assertFalse(found.complete)
        self.assertEqual(len(calls), 1)
        self.assertTrue(reckon.search(MODEL, SYSTEM, 8, 32).complete)

    def test_ctrl_c_stops_with_the_best_so_far(self):
        def press(done, total, best_s):
            signal.raise_signal(signal.SIGINT)

        with self.assertRaises(reckon.Interrupted) as stopped:
            reckon.search("gpt3-175b", SYSTEM, 1024, 1536, exhaustive=True, progress=press)
        self.assertIsInstance(stopped.exception, KeyboardInterrupt)
        self.assertFalse(stopped.exception.result.complete)
        self.assertIs(signal.getsignal(signal.SIGINT), signal.default_int_handler)

    def test_an_error_in_progress_comes_out(self):
        def fail(done, total, best_s):
            raise ZeroDivisionError

        with self.assertRaises(ZeroDivisionError):
            reckon.search("gpt3-175b", SYSTEM, 1024, 1536, exhaustive=True, progress=fail)

    def test_an_id_is_a_name_and_no_path(self):
        """Ids of the hub have a slash; none leaves the folder of the call."""
        with tempfile.TemporaryDirectory() as outside:
            for id in ("meta-llama/Llama-3", "../../x", f"{outside}/x", ".", "", "a\nb", "x" * 300, "-m", "é"):
                changed = reckon.model(MODEL)
                changed.id = id
                machine = reckon.system("h100-sxm5-80g")
                machine.id = id
                with self.subTest(id=id):
                    figure = reckon.predict(changed, machine, "tp8").step_s
                    self.assertEqual(figure, reckon.predict(MODEL, "h100-sxm5-80g", "tp8").step_s)
                    made = reckon.predict({**json.loads(changed.to_json()), "id": id}, machine, "tp8")
                    self.assertEqual(figure, made.step_s)
            self.assertEqual(os.listdir(outside), [])

    def test_questions(self):
        found = reckon.ask(MODEL, SYSTEM, 8, 32, pareto="time,hbm", why=True, sensitivity=True)
        self.assertEqual(len(found), len(found.frontier))
        self.assertTrue(found.changes and found.sensitivity)
        self.assertIsInstance(found.frontier[0].step_s, float)
        self.assertTrue(all(dataclasses.is_dataclass(row) for row in found))


class Notebook(unittest.TestCase):
    def test_the_example_runs_and_shows_itself(self):
        """Each cell as a kernel does it: what its last line gives is shown."""
        names, shown, printed_text = {}, [], io.StringIO()
        cells = json.loads((SOURCE / "examples/plan.ipynb").read_text())["cells"]
        for cell in cells:
            if cell["cell_type"] != "code":
                continue
            body = ast.parse("".join(cell["source"])).body
            last = body.pop() if isinstance(body[-1], ast.Expr) else None
            with contextlib.redirect_stdout(printed_text):
                exec(compile(ast.Module(body, []), "plan.ipynb", "exec"), names)
                if last:
                    value = eval(compile(ast.Expression(last.value), "plan.ipynb", "eval"), names)
                    shown += [value._repr_html_()] if value is not None else []
        self.assertEqual(len(shown), 4)
        self.assertTrue(all("<table" in html for html in shown))
        self.assertGreater(names["prediction"].run.cost_usd, 0)
        self.assertIn("#SBATCH", printed_text.getvalue())

    def test_the_others_run_and_keep_their_answers(self):
        for name in ("machines", "what-ifs", "fit-cluster"):
            names, shown = {}, 0
            for cell in json.loads((SOURCE / f"examples/{name}.ipynb").read_text())["cells"]:
                if cell["cell_type"] != "code":
                    continue
                self.assertTrue(cell["outputs"], f"{name}: a cell without its stored output")
                body = ast.parse("".join(cell["source"])).body
                last = body.pop() if isinstance(body[-1], ast.Expr) else None
                with contextlib.redirect_stdout(io.StringIO()):
                    exec(compile(ast.Module(body, []), name, "exec"), names)
                    value = eval(compile(ast.Expression(last.value), name, "eval"), names) if last else None
                shown += hasattr(value, "_repr_html_") and len(value._repr_html_()) > 100
            self.assertGreater(shown, 0)


def load_tests(loader, tests, pattern):
    page = SOURCE / "docs/python.md"
    tests.addTests(doctest.DocFileSuite(
        str(page), module_relative=False, optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE))
    return tests


if __name__ == "__main__":
    os.chdir(tempfile.gettempdir())
    unittest.main(verbosity=1, argv=sys.argv[:1])
