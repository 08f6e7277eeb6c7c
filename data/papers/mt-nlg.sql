-- @heading Megatron-Turing NLG 530B [smith2022]
-- @note 105 layers, h 20,480, 128 heads, 2,048 tokens; tensor 8 x pipeline 35 x data 8, 10, 12 on 280, 350, 420 DGX A100-80G of Selene; batch 1,920, microbatch 1, full recomputation, 1F1B, software of 2021.
--  The system a100-sxm4-80g-selene is the catalog's, fitted to other runs of that machine; on a100-sxm4-80g, whose attention kernels are of today, a step takes 52.7 s.
-- @expect published mt-nlg.csv
-- @include begin.sql

-- @heading Section 2.4: 280, 350 and 420 nodes
-- @answer run
SELECT printf('%d nodes', 35 * d), printf('reckon predict -m mt-nlg-530b -s a100-sxm4-80g-selene -g %d tp8 pp35 dp%d mbs1 gbs1920 recompute=full zero1 attention=unfused framework=deepspeed no-grad-overlap no-weight-overlap', 280 * d, d) FROM (SELECT 8 AS d UNION ALL SELECT 10 UNION ALL SELECT 12);
-- @setup
CREATE TEMP TABLE node AS
SELECT label AS row, CAST(label AS INTEGER) AS nodes, 8 * CAST(label AS INTEGER) AS gpus, json_extract(json, '$.rates.step_s') AS step_s, json_extract(json, '$.rates.mfu') AS mfu, json_extract(json, '$.rates.mfu_full') AS mfu_full,
       6.0 * json_extract(json, '$.model.parameters') * json_extract(json, '$.rates.tokens_per_s_per_gpu') / 312e12 AS mfu_without, json_extract(json, '$.model.parameters') AS P, json(json) AS json FROM run;
-- The paper's rate: 96 B s l h^2 (1 + s/6h + V/16lh), recomputation counted.
ALTER TABLE temp.node ADD COLUMN TFLOPS;
UPDATE node SET TFLOPS = 96.0 * 1920 * 2048 * 105 * 20480 * 20480 * (1 + 2048.0 / (6 * 20480) + 51200.0 / (16.0 * 105 * 20480)) / step_s / gpus / 1e12;
INSERT INTO given
SELECT p.rowid, CASE p.statement WHEN 'mtnlg-1' THEN n.step_s ELSE n.TFLOPS END, n.row, NULL FROM published p JOIN node n ON p.setting LIKE '%, ' || n.nodes || ' nodes%' WHERE p.quantity LIKE 'time of an iteration%' OR p.quantity LIKE 'rate a GPU%';
INSERT INTO given SELECT p.rowid, n.TFLOPS * n.gpus / 1000, n.row, NULL FROM published p JOIN node n ON p.setting LIKE '%, ' || n.nodes || ' nodes%' WHERE p.unit = 'PFLOP/s';
INSERT INTO given SELECT rowid, (SELECT P / 1e9 FROM node), 'mt-nlg-530b', NULL FROM published WHERE quantity = 'parameters';
INSERT INTO given
SELECT p.rowid, 100 * CASE WHEN p.quantity LIKE '%without attention%' THEN n.mfu_without ELSE n.mfu_full END, n.row, NULL FROM published p JOIN node n ON n.nodes = 280 OR p.setting LIKE '%, ' || n.nodes || ' nodes%' WHERE p.statement = 'mtnlg-3' ORDER BY p.setting LIKE '%, ' || n.nodes || ' nodes%' DESC;
-- @table scaling Seconds of an iteration, TFLOPS of a GPU with recomputation counted, MFU without and with attention in percent, tokens a second
SELECT n.nodes, n.gpus, (SELECT published FROM published p WHERE p.statement = 'mtnlg-1' AND p.setting LIKE '%, ' || n.nodes || ' nodes%') AS published_s, round(step_s, 2) AS ours_s, (SELECT published FROM published p WHERE p.statement = 'mtnlg-2' AND p.setting LIKE '%, ' || n.nodes || ' nodes%') AS published_TFLOPS, round(TFLOPS, 1) AS ours_TFLOPS,
       round(100 * mfu_without, 1) AS mfu_without, round(100 * mfu_full, 1) AS mfu_with, round(1920 * 2048 / step_s) AS tokens_s, round(json_extract(json, '$.figures.bubble_s'), 2) AS bubble_s, round(json_extract(json, '$.figures.pipeline_s'), 2) AS messages_s, round(json_extract(json, '$.figures.data_s'), 2) AS gradients_s, round(json_extract(json, '$.figures.tensor_s'), 2) AS tensor_s FROM node n;
-- @chart scaling-time lines Seconds of an iteration by GPUs
SELECT 'published' AS who, n.gpus, p.published AS seconds FROM node n JOIN published p ON p.statement = 'mtnlg-1' AND p.setting LIKE '%, ' || n.nodes || ' nodes%' UNION ALL SELECT 'here', gpus, step_s FROM node;
-- @check mtnlg-1 An iteration takes 60.1, 50.2, 44.4 s on 280, 350, 420 nodes (10 %).
SELECT max(abs(n.step_s / p.published - 1)) < 0.1, group_concat(printf('%.2f s (%+.1f %%)', n.step_s, 100 * (n.step_s / p.published - 1)), ', ') FROM node n JOIN published p ON p.statement = 'mtnlg-1' AND p.setting LIKE '%, ' || n.nodes || ' nodes%';
-- @check mtnlg-2 A GPU does 126, 121, 113 TFLOP/s, recomputation counted (10 %).
SELECT max(abs(n.TFLOPS / p.published - 1)) < 0.1, group_concat(printf('%.1f', n.TFLOPS), ', ') || ' by its formula' FROM node n JOIN published p ON p.statement = 'mtnlg-2' AND p.setting LIKE '%, ' || n.nodes || ' nodes%';
-- @check mtnlg-3 As PaLM's paper counts it, MFU is 29.7 % without attention.
SELECT abs(100 * mfu_without / 29.7 - 1) < 0.1, printf('%.1f %% without and %.1f %% with it', 100 * mfu_without, 100 * mfu_full) FROM node WHERE nodes = 280;

-- @heading Memory and messages
-- @setup
CREATE TEMP TABLE volume AS
SELECT P, 20 * P / 1e12 AS states_TB, 1920.0 * 2048 * 20480 * 105 * 2 / 1e12 AS inputs_TB, 2 * 7 / 8.0 * 4 * P / 280 / 1e9 AS data_GB, 2.0 * 240 * 2048 * 20480 * 2 / 1e9 AS pipeline_GB, 2.0 * 240 * 2048 * 20480 * 2 / 8 / 1e9 AS sharded_GB,
       json_extract(json, '$.figures.pipeline_s') AS messages_s, json_extract(json, '$.figures.data_s') AS gradients_s FROM node WHERE nodes = 280;
-- @table volumes State of 20 bytes a parameter and inputs of all layers of a batch, TB; what a GPU sends in a step, GB: gradients in fp32, messages whole and in parts of the tensor ranks
SELECT round(states_TB, 2) AS states_TB, round(inputs_TB, 2) AS inputs_TB, round(data_GB, 2) AS gradients_GB, round(pipeline_GB, 2) AS messages_GB, round(sharded_GB, 2) AS messages_in_parts_GB, round(gradients_s, 2) AS gradients_s, round(messages_s, 2) AS messages_s FROM volume;
-- @check mtnlg-4 State takes more than 10 TB.
SELECT states_TB > 10, printf('%.1f TB; inputs of the layers that are kept %.1f TB (16.9 from memory)', states_TB, inputs_TB) FROM volume;
-- @check mtnlg-5 The pipeline sends least, so that its stages are placed farthest apart.
SELECT pipeline_GB < data_GB, printf('%.1f GB of messages and %.1f GB of gradients in fp32 (%.1f in 16 bits): it sends more unless messages are in parts (%.1f GB)', pipeline_GB, data_GB, data_GB / 2, sharded_GB) FROM volume;
-- @setup
INSERT INTO given SELECT rowid, (SELECT states_TB FROM volume), 'formula', 'published as a bound' FROM published WHERE statement = 'mtnlg-4' AND quantity LIKE '%optimizer%';
INSERT INTO given SELECT rowid, (SELECT inputs_TB FROM volume), 'formula', NULL FROM published WHERE statement = 'mtnlg-4' AND quantity LIKE '%activations%';
INSERT INTO given SELECT rowid, 8 * 35, '280 nodes', 'tensor x pipeline of the plan' FROM published WHERE statement = 'mtnlg-5' AND quantity = 'GPUs';
INSERT INTO given SELECT rowid, NULL, NULL, 'a fact about the machine, not a result' FROM published WHERE statement = 'mtnlg-5';

-- @heading One way of parallelism alone
-- @answer alone | data, ZeRO-1 | reckon predict -m mt-nlg-530b -s a100-sxm4-80g-selene gpus1920 dp1920 zero1 mbs1 gbs1920 recompute=full
-- @answer alone | data, ZeRO-3 | reckon predict -m mt-nlg-530b -s a100-sxm4-80g-selene gpus1920 dp1920 zero3 mbs1 gbs1920 recompute=full framework=fsdp
-- @answer alone | tensor, 8 | reckon predict -m mt-nlg-530b -s a100-sxm4-80g-selene gpus8 tp8 sp mbs1 gbs1920 recompute=full
-- @answer alone | tensor, 128 | reckon predict -m mt-nlg-530b -s a100-sxm4-80g-selene gpus128 tp128 sp mbs1 gbs1920 recompute=full
-- @answer alone | pipeline, 105 | reckon predict -m mt-nlg-530b -s a100-sxm4-80g-selene gpus105 pp105 mbs1 gbs1920 recompute=full
-- @table alone Each way alone: the most GPUs that the model divides over, GiB of a GPU (80 there), seconds
SELECT label AS way, json_extract(json, '$.system.devices') AS machine, json_extract(json, '$.verdict') AS verdict, round(json_extract(json, '$.figures.hbm_bytes') / 1073741824.0, 1) AS GiB, round(json_extract(json, '$.rates.step_s'), 1) AS step_s FROM alone;
-- @check mtnlg-10 No single way of parallelism reaches this scale.
SELECT sum(code = 0 AND json_extract(json, '$.rates.step_s') < 120) = 0, 'data parallelism with ZeRO-1 and pipeline stages do not fit, tensor parallelism ends at the 128 heads and takes 4,402 s; but sharded weights (ZeRO-3) over 1,920 GPUs fit and take 88 s, at the same microbatch: what the paper had was DeepSpeed of 2021' FROM alone;

-- @heading The recipe
-- @answer ramp
WITH RECURSIVE step(n, text) AS (SELECT 1, '400M gbs64' UNION ALL SELECT n + 1, text || '; 400M gbs' || (64 * (n + 1)) FROM step WHERE n < 30)
SELECT '12 B tokens from 64 to 1,920 samples in 30 phases', printf('reckon predict -m mt-nlg-530b -s a100-sxm4-80g-selene -g 2240 tp8 pp35 dp8 mbs1 gbs1920 recompute=full zero1 attention=unfused framework=deepspeed no-grad-overlap no-weight-overlap --tokens 270B --phases "%s; rest"', text) FROM step WHERE n = 30;
-- @setup
CREATE TEMP TABLE phase AS SELECT json_extract(v.value, '$.batch') AS batch, json_extract(v.value, '$.step_s') AS step_s, json_extract(v.value, '$.mfu') AS mfu, json_extract(v.value, '$.days') AS days, json_extract(v.value, '$.tokens') AS tokens, json_extract(r.json, '$.run.days') AS run_days FROM ramp r, json_each(r.json, '$.phases') v;
-- @table ramp The ramp by its phases: batch, seconds of a step, MFU in percent, days
SELECT batch, round(step_s, 2) AS step_s, round(100 * mfu, 1) AS mfu, round(days, 3) AS days FROM phase WHERE batch % 320 = 0 OR batch = 64;
-- @chart ramp-mfu lines MFU during the ramp (%)
SELECT 'here' AS who, batch, 100 * mfu AS mfu FROM phase;
-- @check mtnlg-6 The batch grows from 32 by 32 to 1,920 over 12 billion tokens.
SELECT count(*) > 0, printf('a plan can say it in up to 32 phases: the first 4.4 %% of the tokens then take %.1f of %.1f days, as fewer microbatches than stages are nearly all bubble (MFU %.1f %% at 64 samples)', sum(CASE WHEN tokens = 400000000 THEN days END), max(run_days), 100 * min(mfu)) FROM phase;
-- @setup
INSERT INTO given SELECT rowid, NULL, NULL, 'a setting of the training, not a result: `train` takes it (--lr, --decay, --warmup, betas, clip, weight decay); the ramp is above' FROM published WHERE statement = 'mtnlg-6';

-- @heading Table 2: the corpus
-- @answer blend | 270 B tokens | reckon corpus blend ./../corpus/mt-nlg.csv --tokens 270B
-- @setup
CREATE TEMP TABLE epochs AS SELECT json_extract(v.value, '$.name') AS name, json_extract(v.value, '$.tokens') AS tokens, json_extract(v.value, '$.weight') AS weight, json_extract(v.value, '$.epochs') AS epochs, json_extract(v.value, '$.published') AS published FROM blend b, json_each(b.json, (SELECT '$.' || key FROM json_each(b.json) WHERE type = 'array' LIMIT 1)) v;
INSERT INTO given SELECT p.rowid, e.epochs, '270 B tokens', 'published to one decimal' FROM published p JOIN epochs e ON p.setting LIKE e.name || ':%' WHERE p.statement = 'mtnlg-8' AND p.quantity = 'epochs';
INSERT INTO given SELECT rowid, NULL, NULL, 'an input of the blend, not a result' FROM published WHERE statement = 'mtnlg-8';
-- @table corpus Table 2: data sets, tokens, weight in percent, epochs published and here
SELECT name, round(tokens / 1e9, 1) AS tokens_B, weight, published AS published_epochs, round(epochs, 2) AS epochs FROM epochs;
-- @check mtnlg-8 Table 2's epochs follow from tokens and weights at 270 billion tokens.
SELECT max(abs(epochs - published)) < 0.13, printf('all of %d within %.2f, %d of them to the digit shown', count(*), max(abs(epochs - published)), sum(abs(round(epochs, 1) - published) < 0.051)) FROM epochs;

-- @heading What only training shows
-- @check mtnlg-7 Validation loss is 3.15 at 1 billion tokens and 1.85 at 270 billion.
SELECT NULL, 'of this model and corpus: no model of costs has losses, and no run here reaches them';
-- @check mtnlg-9 Accuracies on nine tasks, zero- and few-shot (LAMBADA 76.6, few-shot 87.2 %, ...).
SELECT NULL, 'of this model''s weights, which are not published; `reckon eval --task` computes such accuracies for models that are at hand (docs/eval.md)';
-- @setup
INSERT INTO given SELECT rowid, NULL, NULL, 'of trained weights that are not published' FROM published WHERE statement = 'mtnlg-9';
INSERT INTO given SELECT rowid, NULL, NULL, 'of trained weights that are not published' FROM published WHERE statement = 'mtnlg-7' AND place LIKE '%loss%';
INSERT INTO given SELECT rowid, (SELECT printf('270; %.0f', sum(tokens) / 1e9) FROM epochs), '270 B tokens', 'the corpus'' tokens summed' FROM published WHERE statement = 'mtnlg-7' AND quantity LIKE '%tokens of the corpus%';
INSERT INTO given SELECT rowid, NULL, NULL, 'of trained weights that are not published' FROM published WHERE statement = 'mtnlg-7';
-- @include end.sql
