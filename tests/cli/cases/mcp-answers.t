# Each tool answers with what its command prints, the units of its keys, ranges and assumptions.
cat >ask.py <<'END'
import json, subprocess, sys
calls = [
    ("does_it_fit", dict(model="llama3.1-8b", system="h100-sxm5-80g", gpus=8, plan="tp2 zero1 gbs32")),
    ("predict_step", dict(model="llama3.1-8b", system="h100-sxm5-80g", gpus=8, plan="tp2 zero1 gbs32")),
    ("find_best_plan", dict(model="llama3.1-8b", system="h100-sxm5-80g", gpus=8, batch=32, top=2)),
    ("what_does_money_train", dict(system="h100-sxm5-80g", gpus=8, days=3, model="llama3.1-8b")),
    ("longest_sequence", dict(model="llama3.1-8b", system="h100-sxm5-80g", gpus=8)),
    ("predict_inference", dict(model="llama3.1-8b", system="h100-sxm5-80g", plan="tp2", batch=8)),
    ("compare_plans", dict(a="gpus8 tp4 gbs32", b="+tp2", system="h100-sxm5-80g", model="llama3.1-8b")),
    ("check_launch", dict(what="gpus8 tp3 gbs32", system="h100-sxm5-80g", model="llama3.1-8b")),
    ("is_my_number_good", dict(file="run.sh", system="h100-sxm5-80g", tflops=380)),
    ("how_well_is_it_covered", dict(model="llama3.1-8b", system="h100-sxm5-80g", gpus=8, plan="tp2 zero1 gbs32")),
    ("import_launch_file", dict(file="run.sh", system="h100-sxm5-80g")),
    ("write_launch_file", dict(format="megatron", model="llama3.1-8b", plan="gpus8 tp2 zero1 gbs32")),
    ("list_models", dict()), ("list_models", dict(id="llama3.1-8b")), ("list_systems", dict(id="h100-sxm5-80g")),
]
lines = "".join(json.dumps(dict(jsonrpc="2.0", id=i, method="tools/call", params=dict(name=n, arguments=a))) + "\n" for i, (n, a) in enumerate(calls))
lines += json.dumps(dict(jsonrpc="2.0", id="tools", method="tools/list")) + "\n"
done = subprocess.run(["reckon", "mcp"], input=lines, capture_output=True, text=True)
answers = [json.loads(line) for line in done.stdout.splitlines()]
tools = answers.pop()["result"]["tools"]
assert [a["id"] for a in answers] == list(range(len(calls))), done.stderr
assert {n for n, _ in calls} == {t["name"] for t in tools}
for tool in tools:
    schema = tool["inputSchema"]
    assert schema["type"] == "object" and schema["additionalProperties"] is False and set(schema["required"]) <= set(schema["properties"])
for (name, arguments), answer in zip(calls, answers):
    result = answer["result"]
    assert not result["isError"], (name, result)
    said = result["structuredContent"]
    assert json.loads(result["content"][0]["text"]) == said
    given = next(t for t in tools if t["name"] == name)["inputSchema"]["properties"]
    assert set(arguments) <= set(given), name
    print(name, said["exit_status"], len(said["units"]) > 0, len(said["ranges"]), len(said["assumptions"]) > 0)
one = answers[1]["result"]["structuredContent"]
own = json.loads(subprocess.run("reckon predict -m llama3.1-8b -s h100-sxm5-80g -g 8 tp2 zero1 gbs32 --format json", shell=True, capture_output=True, text=True).stdout)
assert one["answer"] == own and one["units"]["step_s"] == "s" and one["units"]["hbm_bytes"] == "B"
print(one["assumptions"])
END
reckon export megatron -m llama3.1-8b gpus8 tp2 zero1 gbs32 -o run.sh && python3 ask.py
echo "--- a call that takes too long is stopped, and the next one answered"
printf '%s\n%s\n' '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"find_best_plan","arguments":{"model":"deepseek-v3","system":"h100-sxm5-80g","gpus":8192,"batch":16384}}}' \
    '{"jsonrpc":"2.0","id":2,"method":"ping"}' | reckon mcp --limit 0.01
=== stdout
does_it_fit 0 True 1 True
predict_step 0 True 4 True
find_best_plan 0 True 4 False
what_does_money_train 1 True 0 False
longest_sequence 0 True 1 False
predict_inference 0 True 0 False
compare_plans 1 True 0 False
check_launch 1 False 0 False
is_my_number_good 0 True 4 False
how_well_is_it_covered 0 True 4 True
import_launch_file 0 True 0 False
write_launch_file 0 False 0 False
list_models 0 False 0 False
list_models 0 False 0 False
list_systems 0 True 0 False
['precision bf16', 'framework megatron', 'microbatch 1', "sequence 8192 (the model's)", 'attention flash3']
--- a call that takes too long is stopped, and the next one answered
{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"stopped after 0.01 s (--limit): ask for less, fewer GPUs or more words of the plan"}],"isError":true}}
{"jsonrpc":"2.0","id":2,"result":{}}
