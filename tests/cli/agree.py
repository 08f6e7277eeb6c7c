"""20 random plans through every surface as a person starts it: the same step, memory and MFU; and
what answers print as a command gives their numbers. RECKON_SEED=N starts at plan N, RECKON_CASES=N
takes N of them."""
import json
import os
import random
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

PROGRAM = os.environ["RECKON"]
SOURCE = Path(os.environ.get("RECKON_SOURCE", Path(__file__).parents[2]))
FIRST, COUNT = int(os.environ.get("RECKON_SEED", 1)), int(os.environ.get("RECKON_CASES", 20))
failures = []


def fail(case, text):
    failures.append(f"{case}: {text}")


def ask(*words):
    """Exit status, output, messages."""
    run = subprocess.run([PROGRAM, *map(str, words)], capture_output=True, text=True, check=False)
    return run.returncode, run.stdout, run.stderr


def answer(*words):
    """The answer as JSON; None: it was refused."""
    text = ask(*words, "--format", "json")[1]
    return json.loads(text) if text.startswith("{") else None


def near(a, b):
    return a == b or (a is not None and b is not None and abs(a - b) <= 1e-9 * max(abs(a), abs(b)))


# ---- plans by chance ----


def draw_model(chance):
    heads = 2 ** chance.randrange(1, 6)
    model = {
        "layers": chance.randint(2, 24), "heads": heads, "head_dim": chance.choice([32, 64, 128]),
        "hidden": 256 * chance.randint(1, 16), "feedforward": 256 * chance.randint(1, 32),
        "sequence": 512 * 2 ** chance.randrange(6), "vocabulary": chance.randint(1000, 60000),
        "position": chance.choice(["rope", "learned"]), "tied_embeddings": chance.random() < 0.5,
        "gated_mlp": chance.random() < 0.5,
    }
    kind = chance.choice(["dense", "dense", "mixture", "latent", "hybrid"])
    if kind == "mixture":
        model.update(experts=8, active_experts=2, expert_feedforward=512)
    elif kind == "latent":
        model.update(kv_rank=128, rope_dim=32, value_dim=model["head_dim"])
    elif kind == "hybrid":
        model.update(recurrence="mamba2", recurrent_heads=16, recurrent_dim=64, recurrent_groups=8,
                     state=64, convolution=4, mixers=chance.choice(["ra", "arr", "b"]))
    return model


def draw_plan(chance, model, lower):
    framework = chance.choice(["megatron", "megatron", "fsdp", "deepspeed"])
    data, tensor, context, pipeline = (chance.choice([1, 1, 2, 4]) for _ in range(4))
    micro = chance.choice([1, 2])
    words = [f"framework={framework}", f"dp{data} tp{tensor} pp{pipeline} cp{context} mbs{micro}",
             f"gbs{data * micro * chance.choice([1, 2, 4, 8])}"]
    words += [f"zero{chance.choice([2, 3] if framework == 'fsdp' else [0, 1, 2, 3])}"]
    words += ["grad-overlap"] * chance.randrange(2)
    if "experts" in model and data > 1:
        words += ["ep2"]
    if tensor > 1:
        words += chance.choice([[], ["sp"], ["sp tp-overlap"]])
    if context > 1:
        words += ["cp-kind=" + chance.choice(["ring", "gather", "ulysses"])]
    if pipeline == 2 and model["layers"] > 4 and chance.random() < 0.5:
        rest = model["layers"] - 1
        words += [chance.choice([f"split=1,{rest}", f"stages=1/recompute=full,1/recompute=full~{rest - 1}"])]
    else:
        words += chance.choice([[], ["recompute=full"], ["recompute=selective:mlp+layernorm"]])
    if lower:
        words += chance.choice([["offload-activations=0.41"], ["offload-optimizer"], []])
    words += chance.choice([[], [], ["attention=unfused"], ["loss-in-chunks"], ["no-fused"], ["precision=fp16"]])
    words += [f"seq={512 * 2 ** chance.randrange(7)}"] * (chance.random() < 0.3)
    return " ".join(words).split()


class Case:
    """A model file, a system, words, and what `reckon predict` says of them."""

    def __init__(self, seed):
        chance = random.Random(seed)
        for _ in range(1000):
            model = draw_model(chance)
            Path("model.json").write_text(json.dumps(model))
            lower = chance.random() < 0.4
            self.system = chance.choice(["h100-sxm5-80g", "a100-sxm4-80g", "b200-sxm-180g", "mi300x"])
            self.system += " mem2=512GiB@50GB/s" * lower
            self.words = draw_plan(chance, model, lower)
            self.machine = ["-m", "model.json", "-s", self.system]
            self.said = answer("predict", *self.machine, *self.words)
            if self.said and "rates" in self.said:
                break
        self.name = f"plan {seed}: -m {json.dumps(model)} -s '{self.system}' {' '.join(self.words)}"
        self.plan, self.chance, self.lower = self.said["plan_words"], chance, lower
        self.figures = {**self.said["figures"], **self.said["rates"]}

    def same(self, row, who, names=("step_s", "mfu", "hbm_bytes", "offload_bytes")):
        for name in names:
            if row is None or (name in row and not near(row[name], self.figures[name])):
                fail(self.name, f"{who}: {name} {row and row[name]}, not {self.figures[name]}")

    def same_answer(self, other, who):
        for part in ("rates", "figures", "stages"):
            if other is None or other.get(part) != self.said[part]:
                fail(self.name, f"{who}: other {part}")


# ---- surfaces ----


def check_words(case):
    case.same_answer(answer("predict", *case.machine, *case.plan.split()), "the words that are printed")
    ask("predict", *case.machine, *case.words, "--save-plan", "plan.json")
    case.same_answer(answer("predict", *case.machine, "--plan", "plan.json"), "--save-plan")
    plan = {key: value for key, value in case.said["plan"].items() if value is not None}
    Path("of-answer.json").write_text(json.dumps(plan))
    case.same_answer(answer("predict", *case.machine, "--plan", "of-answer.json"), "the plan of the answer")


def check_fits(case):
    fits = answer("fits", *case.machine, *case.words)
    if not fits or fits["stages"] != case.said["stages"] or fits["step_s"] != case.figures["step_s"]:
        return fail(case.name, "fits has another step or other stages")
    for change in case.chance.sample(fits["changes"], min(2, len(fits["changes"]))):
        diff = answer("diff", case.plan, "+" + change["change"], *case.machine)
        case.same(diff and {"step_s": diff["a_step_s"], "hbm_bytes": diff["a_need_bytes"]}, "diff", ("step_s", "hbm_bytes"))
        if not diff or not near(diff["b_step_s"], change["step_s"]):
            fail(case.name, f"fits and diff have other steps of {change['change']}")


def check_timeline(case):
    timeline = answer("timeline", *case.machine, *case.words)
    if not timeline:
        return fail(case.name, "timeline refuses it")
    case.same({"step_s": timeline["estimate_step_s"]}, "timeline", ("step_s",))
    if not timeline["differences"]:
        case.same({"step_s": timeline["step_s"], "hbm_bytes": timeline["memory"][0]["peak_bytes"]}, "simulated", ("step_s", "hbm_bytes"))


def check_place(case):
    place = answer("place", *case.machine, *case.words, "--lasting", "--steps", "1")
    if not place:
        return
    rows = {row["part"]: row["bytes"] for row in place["from_prediction"]}
    if not any(near(rows["predicted"], stage["total_bytes"]) for stage in case.said["stages"]):
        fail(case.name, f"place predicts {rows['predicted']}")
    if not near(rows.pop("peak"), sum(rows.values())):
        fail(case.name, f"place: rows do not add up: {rows}")


def check_offload(case):
    offload = answer("offload", *case.machine, *case.words) if case.lower else None
    if offload:
        case.same(offload["rules"][0], "offload")


def check_report(case):
    report = answer("report", *case.machine, case.plan)
    cards = next((block for block in report["blocks"] if block["kind"] == "verdict"), None) if report else None
    case.same(cards and dict(zip([column[0] for column in cards["columns"]], cards["rows"][0])), "report")


def check_tools(case):
    written = 0
    for tool, name in (("megatron", "run.sh"), ("deepspeed", "ds.json"), ("torchtitan", "job.toml"), ("nanotron", "run.yaml")):
        code, _, remarks = ask("export", tool, "-m", "model.json", case.plan, "-o", name)
        if code or "warning" in remarks:
            continue
        model = [] if tool in ("megatron", "nanotron") else ["-m", "model.json", "-g", case.said["plan"]["gpus"]]
        back = answer("import", tool, name, "-s", case.system, *model)
        case.same(back and {**back.get("figures", {}), **back.get("rates", {})}, f"import {tool}", ("step_s", "mfu", "hbm_bytes"))
        written += 1
    return written


def check_python(case):
    try:
        import reckon
    except ImportError as error:
        return print(f"no module for Python: {error}")
    said = reckon.predict("model.json", case.system, case.plan)
    case.same_answer(said.to_dict(), "Python")
    case.same_answer(reckon.predict("model.json", case.system, said.plan).to_dict(), "Python's plan")


def check_page(case):
    wasm = SOURCE / "build-page/reckon.wasm"
    if not shutil.which("node") or not wasm.exists():
        return
    script = """
const fs = require('fs'), [source, ...words] = process.argv.slice(2);
const {openReckon} = require(source + '/web/host.js'), {readCatalog} = require(source + '/tests/browser/questions.js');
openReckon(new WebAssembly.Module(fs.readFileSync(source + '/build-page/reckon.wasm')), readCatalog())
  .then(reckon => console.log(reckon.ask(words, {'model.json': fs.readFileSync('model.json', 'utf8')}).text));
"""
    Path("ask.js").write_text(script)
    run = subprocess.run(["node", "ask.js", str(SOURCE), "predict", *case.machine, *case.words, "--format", "json"],
                         capture_output=True, text=True, check=False)
    page = json.loads(run.stdout) if run.stdout.startswith("{") else None
    case.same(page and {**page["figures"], **page["rates"]}, "the page")


def check_study(case):
    plan = case.said["plan"]
    axes = {name: plan[name] for name in ("tensor", "pipeline", "context", "expert")}
    size = ["-g", plan["gpus"], "-b", plan["batch"], "--framework", plan["framework"]]
    search = answer("search", *case.machine, *size, *sum(([f"--{name}", value] for name, value in axes.items()), []), "-k", 1, "-q")
    study = {"models": ["model.json"], "systems": [case.system], "gpus": plan["gpus"], "batch": plan["batch"],
             "framework": plan["framework"], "headroom": "learned", "axes": axes, "columns": ["step_s", "mfu", "hbm_bytes", "plan"]}
    Path("study.json").write_text(json.dumps(study))
    Path("study.db").unlink(missing_ok=True)
    rows = json.loads(ask("study", "study.json", "-q", "--export", "json")[1] or "{}")
    found = search["best"][0] if search and search["best"] else None
    rows = rows if isinstance(rows, list) else next((v for v in rows.values() if isinstance(v, list)), [])
    if not found:
        return
    best = answer("predict", *case.machine, *found["plan"].split())
    for who, row in (("search", found), ("study", rows[0] if rows else {})):
        for name, part in (("step_s", "rates"), ("mfu", "rates"), ("hbm_bytes", "figures")):
            if not best or not near(row.get(name), best[part][name]):
                fail(case.name, f"{who}: {name} {row.get(name)} of {found['plan']}")


# ---- what is printed is what it does ----

PRINTED = [
    "search -m llama3.1-8b -s 'h100-sxm5-80g mem2=512GiB@50GB/s' -g 16 -b 32 --sequence 4096 --microbatch 1 -q -k 1",
    "search -m mixtral-8x7b -s h100-sxm5-80g -g 16 -b 32 --tensor 1 -q -k 1 imbalance=1.3",
    "search -m gpt3-13b -s a100-80g-nvl8 -g 16 -b 48 --framework calculon --microbatch 1 -q -k 1",
    "search -m llama3.1-8b -s h100-sxm5-80g -g 4 -b 16 --layerwise --pipeline 1 -q",
    "fits llama3.1-8b h100-sxm5-80g -g 8",
    "longest memo-7b a800-memo --gpus 8 --step 262144",
    "budget -s h100-sxm5-80g -g 64 --days 30 -m llama3.1-8b",
]


def option(words, *names):
    return next((words[i + 1] for i, word in enumerate(words) if word in names), None)


def check_printed(line):
    """Lines that begin with `reckon predict` are run; rows that name a plan are predicted."""
    words = shlex.split(line)
    text = ask(*words)[1]
    lines = re.findall(r"^ *reckon (predict .*)$", text, re.MULTILINE)
    said = answer(*words) or {}
    model = option(words, "-m", "--model") or words[1]
    system = option(words, "-s", "--system") or words[2]
    rows = [row for name, table in said.items() if isinstance(table, list) and name != "nearest" for row in table
            if isinstance(row, dict) and isinstance(row.get("plan"), str)]
    if "plan_words" in said:
        rows.append({**said, "plan": said["plan_words"]})
    for row in rows:
        gpus = row.get("gpus") or option(words, "-g", "--gpus")
        predicted = answer("predict", "-m", model, "-s", system, "-g", gpus, *row["plan"].split())
        figures = predicted and {**predicted["figures"], **predicted["rates"]}
        for name in ("step_s", "mfu", "hbm_bytes", "offload_bytes"):
            if row.get(name) is not None and (not figures or not near(row[name], figures[name])):
                fail(line, f"{name} {row[name]}, predicted {figures and figures[name]}: {row['plan']}")
    for printed in lines:
        predicted = answer(*shlex.split(printed))
        steps = [row["step_s"] for row in rows if row.get("step_s")] + [said.get("step_s")]
        if not predicted or not any(near(predicted["rates"]["step_s"], step) for step in steps):
            fail(line, f"its line takes {predicted and predicted['rates']['step_s']}: {printed}")
    if not lines and not rows:
        fail(line, "it prints no plan")


# ---- plans over clusters ----


class ClustersCase(Case):
    """Likewise over two clusters: the best plan with some words, and from then on the words of that."""

    def __init__(self, seed):
        chance = random.Random(-seed)
        for _ in range(1000):
            model = draw_model(chance)
            model.update(position="rope", layers=chance.randint(4, 16))
            Path("model.json").write_text(json.dumps(model))
            kinds = chance.sample(["h100-sxm5-80g", "a100-sxm4-80g", "a100-sxm4-40g", "v100-sxm2-32g"], 2)
            self.system = " + ".join(f"{kind} x{8 * chance.randint(1, 3)} name={name}" for kind, name in zip(kinds, "ab"))
            self.system += f" link={chance.choice([10, 100, 400])}Gb/s@{chance.choice([5, 50])}us"
            self.searched = ["-b", str(8 * chance.choice([1, 2, 4])), "precision=fp16"]
            self.searched += chance.choice([[], ["zero3"], ["recompute=full"], ["schedule=zero-bubble"], ["tp2"]])
            self.machine = ["-m", "model.json", "-s", self.system]
            self.said = answer("predict", *self.machine, *self.searched)
            if self.said and "rates" in self.said:
                break
        self.plan, self.chance, self.lower = self.said["plan_words"], chance, False
        self.words = self.plan.split()
        self.name = f"clusters {seed}: -m {json.dumps(model)} -s '{self.system}' {self.plan}"
        self.figures = {**self.said["figures"], **self.said["rates"]}


def check_search(case):
    """reckon search leaves what is learned of the memory, and predict of words takes its answer."""
    found = answer("search", "-q", *case.machine, *case.searched, "--save-plan", "clusters.json")
    case.same(found and {"step_s": found["best"][0]["step_s"]}, "search", ("step_s",))
    case.same_answer(answer("predict", *case.machine, "--plan", "clusters.json"), "search --save-plan")
    bytes_of = [stage["bytes"] for stage in found["placement"]] if found else []
    if not all(near(a, stage["total_bytes"]) for a, stage in zip(bytes_of, case.said["stages"])):
        fail(case.name, f"search has other memory: {bytes_of}")
    code, _, remarks = ask("check", *case.machine, *case.plan.split())
    if code:
        fail(case.name, f"check refuses what the search found: {remarks}")


def main():
    written = 0
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for seed in range(FIRST, FIRST + COUNT):
            case = Case(seed)
            if not 0 < case.figures["mfu"] <= case.figures["hfu"] <= 1:
                fail(case.name, f"MFU {case.figures['mfu']}, HFU {case.figures['hfu']}")
            for check in (check_words, check_fits, check_timeline, check_place, check_offload, check_report, check_python, check_page):
                check(case)
            written += check_tools(case)
            if seed % 5 == 0:
                check_study(case)
        for line in PRINTED:
            check_printed(line)
        for seed in range(FIRST, FIRST + max(1, COUNT // 4)):
            case = ClustersCase(seed)
            for check in (check_words, check_fits, check_timeline, check_report, check_python, check_search):
                check(case)
        os.chdir("/")
    if not shutil.which("node") or not (SOURCE / "build-page/reckon.wasm").exists():
        print("the page was not asked: there is no node, or no ./dev page")
    print(f"plans from {FIRST}: {COUNT}, {written} files of other tools, {len(failures)} disagree")
    for text in failures:
        print(text)
    return bool(failures)


sys.exit(main())
