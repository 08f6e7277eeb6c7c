"""100,000 plans in one call of reckon.predict_many(): a sample is checked against predict() first,
then the call is timed, the best of three. One line of JSON, as the other benchmarks print."""
import json
import random
import time

import reckon

MODEL, SYSTEM, GPUS, PLANS = "llama3.1-70b", "h100-sxm5-80g", 64, 100_000
CHOICES = ["", " sp", " zero1", " zero3", " recompute=full", " sp zero1 recompute=selective"]


def random_plan(chance):
    degrees = f"tp{chance.choice([1, 2, 4, 8])} pp{chance.choice([1, 2, 4, 8])}"
    return f"{degrees} mbs{chance.choice([1, 2, 4])} gbs{256 * chance.randint(1, 64)}{chance.choice(CHOICES)}"


def check(plans, table, chance):
    for i in chance.sample(range(len(plans)), 100):
        one = reckon.predict(MODEL, SYSTEM, plans[i], gpus=GPUS)
        if one.verdict != table["verdict"][i] or (one.step_s or table["step_s"][i]) != table["step_s"][i]:
            raise SystemExit(f"check failed: {plans[i]}: {one.step_s}, {table['step_s'][i]}")


def main():
    chance = random.Random(22)
    plans = [random_plan(chance) for _ in range(PLANS)]
    best = {}
    for threads in (1, 0):
        table = reckon.predict_many(MODEL, SYSTEM, plans, gpus=GPUS, threads=threads)
        check(plans, table, chance)
        runs = []
        for _ in range(3):
            wall, processor = time.perf_counter(), time.process_time()
            reckon.predict_many(MODEL, SYSTEM, plans, gpus=GPUS, threads=threads)
            runs.append((time.process_time() - processor, time.perf_counter() - wall))
        best[threads] = min(runs)
    print(json.dumps({
        "benchmark": "predict_many", "plans": PLANS, "different": len(set(plans)),
        "fits": table["verdict"].count("fits"), "processor_s": round(best[1][0], 3),
        "plans_per_processor_s": round(PLANS / best[1][0]),
        "wall_s": round(best[1][1], 3), "wall_all_threads_s": round(best[0][1], 3),
    }))


if __name__ == "__main__":
    main()
