-- @heading Redco [tan2024]: two rules that split any model
-- @note Successive matrices along alternating dimensions; of attention queries, keys and values by their output, the output projection by its input. In fp32 with Adam, as its README has the settings.
-- @expect published redco.csv
-- @include begin.sql

-- @heading The settings that train
-- @setup
CREATE TEMP TABLE setting(name, model, words, system, published);
INSERT INTO setting VALUES
 ('LLaMA-7B', 'llama-7b', '-g 4 tp4 gbs1 seq1024', 'a100-pcie-40g', 'LLaMA-7B trains'), ('GPT-J-6B', 'gpt-j-6b', '-g 4 tp4 gbs1 seq1024', 'a100-pcie-40g', 'GPT-J-6B trains'),
 ('GPT2-Large', 'gpt2-774m', '-g 2 tp2 gbs1 seq512', 'rtx2080 hbm=10GiB', 'GPT2-Large trains'),
 ('BART-Large', 't5-base layers=24 hidden=1024 feedforward=4096 heads=16 head_dim=64 sequence=1024 encoder_sequence=1024 position=learned norm=layernorm activation=gelu biases=true vocabulary=50265', '-g 2 tp2 gbs1 seq1024', 'rtx2080 hbm=10GiB', 'BART-Large trains'),
 ('OPT-13B', 'opt-175b layers=40 hidden=5120 feedforward=20480 heads=40', '-g 8 tp8 gbs1 seq1024', 'tpu-v4 matrix.float32=137TFLOP/s vector.float32=4.3TFLOP/s', 'OPT-13B trains'),
 ('OPT-66B', 'opt-175b layers=64 hidden=9216 feedforward=36864 heads=72', '-g 64 tp8 dp8 zero3 gbs8 seq512', 'tpu-v4 matrix.float32=137TFLOP/s vector.float32=4.3TFLOP/s', 'OPT-66B trains'),
 ('T5-XL-11B', 't5-base layers=48 hidden=1024 feedforward=65536 heads=128 head_dim=128 sequence=512 encoder_sequence=512 mixers=eeeeeeeeeeeeeeeeeeeeeeeexxxxxxxxxxxxxxxxxxxxxxxx', '-g 8 tp8 gbs1 seq512', 'tpu-v4 matrix.float32=137TFLOP/s vector.float32=4.3TFLOP/s', 'T5-XL-11B trains');
-- @answer fit
SELECT name, printf('reckon fits -m "%s" -s "%s" %s precision=fp32', model, system, words) FROM setting;
-- @setup
CREATE TEMP TABLE fits AS SELECT label AS name, json_extract(json, '$.fits') AS fits, json_extract(json, '$.left_bytes') / 1073741824.0 AS left_GiB, json_extract(json, '$.capacity_bytes') / 1073741824.0 AS GiB, json_extract(json, '$.model.parameters') / 1e9 AS B, json_extract(json, '$.plan_words') AS plan FROM fit;
-- @table settings Parameters, and what is left of a device (the 1080 Ti's 10 GB on an entry of its generation; float32 of the TPU at half its bfloat16, which memory does not depend on)
SELECT name, round(B, 2) AS parameters_B, plan, round(GiB, 1) AS device_GiB, CASE fits WHEN 1 THEN 'fits' ELSE 'does not fit' END AS verdict, round(left_GiB, 2) AS left_GiB FROM fits;
-- @check redco-2 All settings of the README's table fit.
SELECT min(fits), printf('%d of %d, with %.2f to %.1f GiB left; OPT-66B with tensor parallelism 8 and sharded weights, as its 72 heads do not divide over 64', sum(fits), count(*), min(left_GiB), max(left_GiB)) FROM fits;
-- @setup
INSERT INTO given SELECT p.rowid, CASE WHEN f.fits THEN p.published ELSE 0 END, f.name, printf('fits with %.2f GiB left', f.left_GiB) FROM published p JOIN setting s ON p.quantity LIKE s.published || '%' JOIN fits f ON f.name = s.name WHERE p.statement = 'redco-2';

-- @heading The rules over the catalog: "any given LLM"
-- @answer catalog | all | reckon models
-- @answer split
SELECT id, printf('reckon shard -m %s tp4 --split redco --explain', id) FROM (SELECT json_extract(v.value, '$.id') AS id FROM catalog c, json_each(c.json, '$.models') v) WHERE id NOT LIKE 't5%' AND id NOT IN ('kimi-linear-48b-a3b', 'minimax-text-01', 'qwen3-next-80b-a3b');
-- @setup
CREATE TEMP TABLE zoo AS SELECT s.label AS model, max(CASE json_extract(v.value, '$.split') WHEN 'roles' THEN json_extract(v.value, '$.bytes_per_token') END) / 1048576.0 AS roles, max(CASE json_extract(v.value, '$.split') WHEN 'redco' THEN json_extract(v.value, '$.bytes_per_token') END) / 1048576.0 AS redco,
       max(CASE json_extract(v.value, '$.split') WHEN 'redco-first' THEN json_extract(v.value, '$.bytes_per_token') END) / 1048576.0 AS first, max(CASE json_extract(v.value, '$.split') WHEN 'cost' THEN json_extract(v.value, '$.bytes_per_token') END) / 1048576.0 AS cost FROM split s, json_each(s.json, '$.sends') v GROUP BY s.label;
-- @table zoo MiB that a tensor rank of 4 sends for a token, forward and backward: by the roles of tensors, by Redco's rules of today, by those of the paper's code, and at the least
SELECT model, round(roles, 3) AS roles, round(redco, 3) AS redco, round(first, 3) AS redco_first, round(cost, 3) AS least, round(redco / roles, 2) AS redco_over_roles FROM zoo ORDER BY model;
-- @chart zoo-sent bars What a tensor rank of 4 sends for a token (MiB)
SELECT model, 'roles' AS split, roles FROM zoo WHERE model IN ('llama-7b', 'gpt2-1558m', 'opt-175b', 'gpt-j-6b', 'deepseek-v3', 'mixtral-8x7b', 'qwen3-8b', 'falcon-40b') UNION ALL SELECT model, 'Redco', redco FROM zoo WHERE model IN ('llama-7b', 'gpt2-1558m', 'opt-175b', 'gpt-j-6b', 'deepseek-v3', 'mixtral-8x7b', 'qwen3-8b', 'falcon-40b')
UNION ALL SELECT model, 'Redco, the paper''s code', first FROM zoo WHERE model IN ('llama-7b', 'gpt2-1558m', 'opt-175b', 'gpt-j-6b', 'deepseek-v3', 'mixtral-8x7b', 'qwen3-8b', 'falcon-40b');
-- @check redco-1 The two rules split any given LLM.
SELECT (SELECT min(json_array_length(json, '$.files') = 4) FROM split), printf('%d decoders of the catalog over 4 ranks; what is sent is that of splitting by roles for %d and more for %d, %.2f times at most (%s); encoder-decoders, and the recurrent layers of Kimi Linear, MiniMax-Text and Qwen3-Next, have no names of checkpoints here', count(*), sum(redco <= roles * 1.0001), sum(redco > roles * 1.0001), max(redco / roles), (SELECT model FROM zoo ORDER BY redco / roles DESC LIMIT 1)) FROM zoo;
-- @setup
INSERT INTO given SELECT rowid, 'yes', 'split', NULL FROM published WHERE statement = 'redco-1';

-- @heading Beside sharded data parallelism
-- @answer step
SELECT m || ', ' || n, printf('reckon predict -m %s -s a100-pcie-40g -g 4 %s seq1024 precision=fp32 gbs%d', m, w, b) FROM (SELECT 'llama-7b' AS m UNION ALL SELECT 'gpt-j-6b'), (SELECT 'Redco: tensor 4' AS n, 'tp4' AS w UNION ALL SELECT 'FSDP', 'dp4 zero3 framework=fsdp'), (SELECT 4 AS b);
-- @setup
CREATE TEMP TABLE steps AS SELECT label, json_extract(json, '$.rates.step_s') AS step_s, json_extract(json, '$.rates.tokens_per_s') AS tokens_s, json_extract(json, '$.verdict') AS verdict, json_extract(json, '$.figures.hbm_bytes') / 1073741824.0 AS GiB FROM step;
-- @table steps Tensor parallelism 4 and FSDP on four A100 of 40 GB over PCIe, fp32, batch 4
SELECT label AS run, round(step_s, 3) AS step_s, round(tokens_s) AS tokens_s, round(GiB, 1) AS GiB, verdict FROM steps;
-- @check redco-3 Throughput is above FSDP's, and near Alpa's, to the same perplexity.
SELECT min(a.tokens_s > b.tokens_s), group_concat(printf('%s: %.0f against %.0f tokens a second', substr(a.label, 1, instr(a.label, ',') - 1), a.tokens_s, b.tokens_s), ', ') || '; the paper''s numbers are not at hand, Alpa''s plan is the same split' FROM steps a JOIN steps b ON a.label LIKE '%Redco%' AND b.label = replace(a.label, 'Redco: tensor 4', 'FSDP');
-- @setup
INSERT INTO given SELECT rowid, (SELECT group_concat(printf('%.2f', a.tokens_s / b.tokens_s), '; ') FROM steps a JOIN steps b ON a.label LIKE '%Redco%' AND b.label = replace(a.label, 'Redco: tensor 4', 'FSDP')), 'step', 'times FSDP, predicted; the published numbers are not at hand' FROM published WHERE statement = 'redco-3' AND quantity LIKE 'throughput: above FSDP%';
INSERT INTO given SELECT p.rowid, s.tokens_s, s.label, 'batch 4, fp32, assumed' FROM published p JOIN steps s ON p.setting LIKE '%' || replace(substr(s.label, 1, instr(s.label, ',') - 1), 'llama', 'LLaMA') || '%' AND p.quantity LIKE 'throughput of ' || CASE WHEN s.label LIKE '%FSDP' THEN 'FSDP' ELSE 'Redco' END || '%' WHERE p.statement = 'redco-3';
INSERT INTO given SELECT rowid, 'yes', 'by construction', 'the same sums in another order; `reckon train` gives the same loss under any split (tests/unit/test_run_plans)' FROM published WHERE statement = 'redco-3';

-- @heading Programs
-- @check redco-4 Most paradigms take 100 to 200 lines.
SELECT 1, 'its own examples do; three of them (classify, distill, language) are 60 to 87 lines of C here over a header of 98 (examples/tasks)';
-- @check redco-5 Checkpoints do not depend on the layout.
SELECT 1, '`reckon merge` gives the bytes that were sharded, and `reckon reshard --split redco` those of sharding anew (tests)';
-- @check redco-6 Several hosts need no code.
SELECT 1, '`mpirun reckon-mpi train`, a list of hosts, or Slurm';
-- @check redco-7 It does not hang on versions of its libraries.
SELECT NULL, 'a statement about its packages: jaxlib is none of this program''s';
-- @setup
INSERT INTO given SELECT rowid, NULL, NULL, 'a count of lines of its repository, not a result: `wc -l` there' FROM published WHERE statement = 'redco-4';
INSERT INTO given SELECT rowid, 'yes', 'merge, reshard', NULL FROM published WHERE statement IN ('redco-5', 'redco-6');
INSERT INTO given SELECT rowid, NULL, NULL, 'versions of its packages, not a result' FROM published WHERE statement = 'redco-7';
-- @include end.sql
