-- @heading MEMO [zhao2025memo]: a million tokens on eight GPUs
-- @note GPTs of Table 2 on 8, 16, 32 and 64 A800-80G, host memory of 2 TB a node; a800-memo is that node, whose 12 GB/s a GPU fit the crossing of Fig. 1b. Batch 1, FlashAttention. Of the paper sections 1 to 4 were at hand: its tables of MFU by model and length are in no text that could be read, so that
--  what hangs on them is printed whole for every model, length and kind of plan, to be read beside them.
-- @expect published memo.csv
-- @include begin.sql

-- @heading Section 1: 7B at a million tokens
-- @answer million | 7B, 1 Mi tokens | reckon offload -m memo-7b -s a800-memo -g 8 cp8 zero3 gbs1 seq1048576 loss-in-chunks
-- @setup
CREATE TEMP TABLE rule AS SELECT json_extract(v.value, '$.rule') AS rule, json_extract(v.value, '$.step_s') AS step_s, 100 * json_extract(v.value, '$.mfu') AS mfu, json_extract(v.value, '$.shares') AS shares, json_extract(v.value, '$.hbm_bytes') / 1073741824.0 AS GiB, json_extract(v.value, '$.offload_bytes') / 1073741824.0 AS host_GiB, json_extract(v.value, '$.wait_s') AS wait_s, json_extract(v.value, '$.recompute_s') AS again_s, json_extract(v.value, '$.verdict') AS verdict FROM million m, json_each(m.json, '$.rules') v;
-- @table million 7B, 8 GPUs, 1 Mi tokens under each rule: share swapped, seconds, MFU in percent, GiB of a GPU and of the host, seconds waited and computed again
SELECT rule, shares, round(step_s, 1) AS step_s, round(mfu, 1) AS mfu, round(GiB, 1) AS GiB, round(host_GiB, 1) AS host_GiB, round(wait_s, 2) AS waits_s, round(again_s, 2) AS again_s, verdict FROM rule;
-- @check memo-1 7B trains at 1 Mi tokens on 8 GPUs with an MFU of 52.30 % (10 %).
SELECT verdict = 'fits' AND abs(mfu / 52.3 - 1) < 0.1, printf('%.1f %%, %.1f s a step, share %s, %.1f GiB of the GPU and %.1f of the host', mfu, step_s, shares, GiB, host_GiB) FROM rule WHERE rule = 'MEMO';
-- @setup
INSERT INTO given SELECT rowid, (SELECT mfu FROM rule WHERE rule = 'MEMO'), '7B, 1 Mi tokens', NULL FROM published WHERE statement = 'memo-1' AND quantity = 'MFU';
-- 16 b s h elements of two bytes a layer.
CREATE TEMP TABLE skeletal AS SELECT 32 * 16.0 * 1048576 * 4096 * 2 / 1073741824 AS all_GiB, 32 * 1048576.0 * 4096 * 2 / 1073741824 AS inputs_GiB;
INSERT INTO given SELECT rowid, (SELECT all_GiB FROM skeletal), '16 b s h elements a layer', NULL FROM published WHERE statement = 'memo-3';
INSERT INTO given SELECT rowid, 100 * 1.0 / 16, '1 of 16 units', NULL FROM published WHERE statement = 'memo-6';
INSERT INTO given SELECT rowid, (SELECT printf('%.0f; %.0f; %.0f', inputs_GiB, inputs_GiB / 8, 100 * inputs_GiB / 8 / 80) FROM skeletal), 'b s h elements a layer', 'fitted: the paper is off by 2, as its own 1/16 of 4,096 says' FROM published WHERE statement = 'memo-7';
INSERT INTO given SELECT rowid, (SELECT all_GiB / 2048 FROM skeletal), '4,096 GiB of 2 TiB', NULL FROM published WHERE statement = 'memo-11';
-- @check memo-3 Skeletal activations of 7B take 4,096 GB at 1 Mi tokens.
SELECT all_GiB = 4096, printf('%.0f GiB', all_GiB) FROM skeletal;
-- @check memo-6 The output of attention is 6.25 % of a layer's.
SELECT 1, '1 of 16 units of b s h';
-- @check memo-7 Inputs of all layers take 128 GB, 16 GB of a GPU, 20 % of it.
SELECT inputs_GiB = 128, printf('they take %.0f GiB, %.0f of a GPU, %.0f %%: the paper is off by 2, as its own 1/16 of 4,096 says', inputs_GiB, inputs_GiB / 8, 100 * inputs_GiB / 8 / 80) FROM skeletal;
-- @check memo-11 The skeletal bytes are twice the memory of a host of 2 TB.
SELECT all_GiB / 2048 = 2, '4,096 GiB and 2 TiB' FROM skeletal;

-- @heading Fig. 1b: from which length a layer's whole offload hides
-- @answer cross
WITH RECURSIVE k(k) AS (SELECT 32 UNION ALL SELECT k + 32 FROM k WHERE k < 384) SELECT printf('%d Ki tokens', k), printf('reckon offload -m memo-7b -s a800-memo -g 8 tp8 sp zero1 gbs1 seq%d loss-in-chunks', 1024 * k) FROM k;
-- @setup
CREATE TEMP TABLE cross1b AS SELECT CAST(c.label AS INTEGER) AS Ki, c.label AS row, CAST(json_extract(v.value, '$.shares') AS REAL) AS share FROM cross c, json_each(c.json, '$.rules') v WHERE json_extract(v.value, '$.rule') = 'MEMO';
-- @table fig1b Share of the tokens that hides behind a layer's forward pass, 7B, tensor parallelism 8, by Ki tokens
SELECT Ki, round(share, 3) AS share FROM cross1b;
-- @chart fig1b-share lines Fig. 1b: share of a layer that is swapped behind its forward pass
SELECT 'here' AS who, Ki, share FROM cross1b;
-- @check memo-4 All of it hides from 192 Ki tokens on.
SELECT min(CASE WHEN share >= 0.9999 THEN Ki END) = 192, printf('from %d Ki on (0.79, 0.93 at 128, 160); the 12 GB/s of the node are from this row', min(CASE WHEN share >= 0.9999 THEN Ki END)) FROM cross1b;
-- @setup
INSERT INTO given SELECT rowid, (SELECT min(CASE WHEN share >= 0.9999 THEN Ki END) FROM cross1b), 'Fig. 1b', 'fitted: the link''s 12 GB/s are from this row' FROM published WHERE statement = 'memo-4' AND unit LIKE 'Ki%';
INSERT INTO given SELECT p.rowid, 100 * c.share, c.row, NULL FROM published p JOIN cross1b c ON p.setting LIKE '%, ' || c.row || '%' WHERE p.statement = 'memo-4' AND p.unit = '%';

-- @heading Fig. 6: the share of attention
-- @answer attention
WITH RECURSIVE k(k) AS (SELECT 64 UNION ALL SELECT k + 64 FROM k WHERE k < 1024) SELECT printf('%d Ki tokens', k), printf('reckon predict -m memo-7b -s a800-memo -g 8 tp8 sp zero1 recompute=full gbs1 seq%d loss-in-chunks', 1024 * k) FROM k;
-- @setup
CREATE TEMP TABLE fig6 AS SELECT CAST(label AS INTEGER) AS Ki, 100 * a / (a + m + b + t) AS share FROM (SELECT label, json_extract(json, '$.figures.attention_s') AS a, json_extract(json, '$.figures.matrix_s') AS m, json_extract(json, '$.figures.memory_s') AS b, json_extract(json, '$.figures.tensor_s') AS t FROM attention);
-- @table fig6 Attention's share of a step's layers in percent, 7B, tensor parallelism 8, by Ki tokens
SELECT Ki, round(share, 1) AS percent FROM fig6;
-- @chart fig6-attention lines Fig. 6: attention's share of the layers (%)
SELECT 'here' AS who, Ki, share FROM fig6;
-- @check memo-5 Attention is more than 90 % of a layer above 576 Ki tokens (one step of the figure).
SELECT min(CASE WHEN share > 90 THEN Ki END) BETWEEN 512 AND 640, printf('from %d Ki tokens on; %s', min(CASE WHEN share > 90 THEN Ki END), group_concat(CASE WHEN Ki BETWEEN 512 AND 640 THEN printf('%.1f %% at %d', share, Ki) END, ', ')) FROM fig6;
-- @setup
INSERT INTO given SELECT rowid, (SELECT min(CASE WHEN share > 90 THEN Ki END) FROM fig6), 'Fig. 6', 'forward and backward of a step' FROM published WHERE statement = 'memo-5' AND unit LIKE 'Ki%';
INSERT INTO given SELECT p.rowid, f.share, 'Fig. 6, ' || f.Ki || ' Ki tokens', 'forward and backward of a step' FROM published p JOIN fig6 f ON p.setting LIKE '%, ' || f.Ki || ' Ki tokens%' WHERE p.statement = 'memo-5' AND p.unit = '%';

-- @heading Memory that allocators lose, and addresses that are planned
-- @answer lost | by allocator | reckon fits -m memo-7b -s a800-sxm4-80g -g 8 tp8 sp zero1 recompute=full gbs1 seq524288 --place
-- @answer placed | one level | reckon place -m memo-7b -s a800-memo -g 8 cp8 zero3 gbs1 seq1048576 loss-in-chunks offload-activations=0.4 recompute-rest
-- @answer placed | two levels | reckon place -m memo-7b -s a800-memo -g 8 cp8 zero3 gbs1 seq1048576 loss-in-chunks offload-activations=0.4 recompute-rest --two-level
-- @answer placed | 512 Ki tokens, recomputed | reckon place -m memo-7b -s a800-sxm4-80g -g 8 tp8 sp zero1 recompute=full gbs1 seq524288 --caching
-- @setup
CREATE TEMP TABLE allocator AS SELECT json_extract(v.value, '$.allocator') AS allocator, json_extract(v.value, '$.predicted_bytes') / 1e9 AS allocated_GB, json_extract(v.value, '$.need_bytes') / 1e9 AS reserved_GB, 100 * json_extract(v.value, '$.over_live') AS lost FROM lost l, json_each(l.json, '$.placed') v;
-- The seconds of a placement differ from run to run, so that only whether they are few is said.
CREATE TEMP TABLE placement AS SELECT p.label, json_extract(v.value, '$.buffers') AS buffers, json_extract(v.value, '$.peak') / 1e9 AS peak_GB, json_extract(v.value, '$.bound') / 1e9 AS bound_GB, json_extract(v.value, '$.two_level_peak') / 1e9 AS two_GB, json_extract(v.value, '$.seconds') < 300 AS quick FROM placed p, json_each(p.json, '$.placements') v;
-- @table allocators 7B, 512 Ki tokens, tensor 8, all recomputed: GB allocated and reserved, percent lost (published in peak A: 65.7 and 73.5 GB, 11.9 %, a request of 4.0 refused; in peak B: 68.2 and 76.5)
SELECT allocator, round(allocated_GB, 1) AS allocated_GB, round(reserved_GB, 1) AS reserved_GB, round(lost, 1) AS lost_percent FROM allocator;
-- @table placements Buffers of a step, lowest peak found and bound, GB; in two levels as the paper does
SELECT label, buffers, round(peak_GB, 2) AS peak_GB, round(bound_GB, 2) AS bound_GB, round(two_GB, 2) AS two_level_GB FROM placement;
-- @check memo-8 The caching allocator reserves 73.5 GB for 65.7 GB at 512 Ki tokens.
SELECT abs(reserved_GB / 73.5 - 1) < 0.1, printf('%.1f GB for %.1f by its rules, from the model''s start to its second step; planned addresses lose nothing', reserved_GB, allocated_GB + 0) FROM allocator WHERE allocator = 'caching allocator';
-- @check memo-9 Planning takes less than 5 minutes.
SELECT min(quick), 'well below one here: a search of its own, no solver. In one level the peak is the bound, in two levels, the paper''s way, ' || (SELECT printf('%.1f GB for %.1f', two_GB, peak_GB) FROM placement WHERE label = 'two levels') FROM placement;
-- @answer program | step | reckon place -m memo-7b -s a800-memo -g 8 tp8 sp zero1 gbs1 seq524288 loss-in-chunks offload-activations=1 recompute-rest
-- @setup
CREATE TEMP TABLE transient AS SELECT json_extract(v.value, '$.buffers') AS buffers FROM program p, json_each(p.json, '$.placements') v;
-- @check memo-10 A layer has more than 5 times as many transient as skeletal tensors, by number.
SELECT buffers / 32.0 / 8 > 5, printf('%.0f buffers a layer and step, forward, backward and copies together, for 8 skeletal ones: %.1f times; what is counted as a tensor is not said', buffers / 32.0, buffers / 32.0 / 8) FROM transient;
-- @setup
INSERT INTO given SELECT rowid, (SELECT printf('%.1f; %.1f; %.1f', reserved_GB, allocated_GB, 524288 * 4096 * 2 / 1e9) FROM allocator WHERE allocator = 'caching allocator'), 'by allocator', printf('peak A; in which request of which step B is, is not said. The request is a gathered tensor of s h elements, 4.0 GiB: in GiB ours are %s', (SELECT printf('%.1f and %.1f', reserved_GB / 1.073741824, allocated_GB / 1.073741824) FROM allocator WHERE allocator = 'caching allocator')) FROM published WHERE statement = 'memo-8' AND quantity LIKE 'reserved; allocated; request%';
INSERT INTO given SELECT rowid, (SELECT 100 * (reserved_GB / allocated_GB - 1) FROM allocator WHERE allocator = 'caching allocator'), 'by allocator', 'over what is allocated; in which request of which step B is, is not said' FROM published WHERE statement = 'memo-8' AND unit = '%';
INSERT INTO given SELECT rowid, (SELECT printf('<%d', 5)), 'placements', 'each well below a minute' FROM published WHERE statement = 'memo-9';
INSERT INTO given SELECT rowid, (SELECT printf('>%.1f', buffers / 32.0 / 8) FROM transient), 'step', 'buffers of a layer over its 8 skeletal tensors' FROM published WHERE statement = 'memo-10';

-- @heading The experiment: planned addresses in a run
-- @measured planned measured/memo-allocator.csv | 60 | sh ../../bench/paper_memo.sh
-- @table planned A step of a small model (4 layers, h 128): MiB alive at once and the end of planned addresses, counted; what the caching allocator would reserve for the same requests
SELECT tokens, CASE layers_are WHEN 'full' THEN 'recomputed' ELSE 'kept' END AS layers, round(alive_bytes / 1048576.0, 2) AS alive_MiB, round(addresses_bytes / 1048576.0, 2) AS addresses_MiB, round(caching_bytes / 1048576.0, 2) AS caching_MiB, round(100.0 * (caching_bytes - alive_bytes) / alive_bytes, 1) AS lost_percent, round(100.0 * (expandable_bytes - alive_bytes) / alive_bytes, 1) AS lost_expandable FROM planned;
-- @check experiment-addresses Planned addresses lose nothing where the caching allocator loses.
SELECT min(addresses_bytes = alive_bytes) AND min(caching_bytes > alive_bytes), printf('in %d of %d settings they end where the bytes that are alive do; the allocator reserves %.0f to %.0f %% more; its segments of 2 and 20 MiB weigh on a model this small, so the size of the loss is not the paper''s', sum(addresses_bytes = alive_bytes), count(*), min(100.0 * (caching_bytes - alive_bytes) / alive_bytes), max(100.0 * (caching_bytes - alive_bytes) / alive_bytes)) FROM planned;

-- @heading Gains over Megatron-LM and DeepSpeed, and the length that each reaches
-- @answer longest
SELECT printf('%s, %s', m, b), printf('reckon longest memo-%s "a800-sxm4-80g mem2=250GB@12GB/s" -g %d%s', m, g, w) FROM (SELECT '7b' AS m, 8 AS g UNION ALL SELECT '13b', 16 UNION ALL SELECT '30b', 32 UNION ALL SELECT '65b', 64),
       (SELECT 'today''s kernels' AS b, '' AS w UNION ALL SELECT 'FlashAttention-1', ' attention=flash1' UNION ALL SELECT 'contiguous parts', ' cp-contiguous');
-- @setup
CREATE TEMP TABLE mfu AS SELECT substr(l.label, 1, instr(l.label, ',') - 1) AS model, substr(l.label, instr(l.label, ', ') + 2) AS kernels, json_extract(v.value, '$.kind') AS kind, json_extract(v.value, '$.tokens') / 1024 AS Ki, 100 * json_extract(v.value, '$.mfu') AS mfu FROM longest l, json_each(l.json, '$.points') v;
CREATE TEMP TABLE ends AS SELECT substr(l.label, 1, instr(l.label, ',') - 1) AS model, substr(l.label, instr(l.label, ', ') + 2) AS kernels, json_extract(v.value, '$.kind') AS kind, json_extract(v.value, '$.tokens') / 1024 AS Ki, 100 * json_extract(v.value, '$.mfu') AS mfu, json_extract(v.value, '$.limit') AS "limit" FROM longest l, json_each(l.json, '$.ends') v;
-- MEMO keeps today's kernels; the powers of two from 64 Ki on to where it ends, and that end.
CREATE TEMP TABLE length AS SELECT DISTINCT m.model, m.Ki FROM mfu m JOIN ends e ON e.model = m.model AND e.kind = 'two buffers' AND e.kernels LIKE 'today%' WHERE m.kind = 'two buffers' AND m.kernels LIKE 'today%' AND (m.Ki & (m.Ki - 1)) = 0 AND m.Ki BETWEEN 64 AND e.Ki;
CREATE TEMP TABLE gain AS SELECT l.model, b.kernels, b.kind, l.Ki, a.mfu AS memo, b.mfu AS theirs FROM length l JOIN mfu a ON a.model = l.model AND a.Ki = l.Ki AND a.kind = 'two buffers' AND a.kernels LIKE 'today%' JOIN mfu b ON b.model = l.model AND b.Ki = l.Ki AND b.kind IN ('megatron', 'deepspeed');
-- @table mfu MFU in percent by model, kind of plan and Ki tokens; - where it does not fit; baselines with today's kernels and with FlashAttention-1
SELECT model, CASE kind WHEN 'two buffers' THEN 'MEMO' ELSE kind END AS kind, kernels, max(CASE Ki WHEN 64 THEN round(mfu, 1) END) AS "64", max(CASE Ki WHEN 128 THEN round(mfu, 1) END) AS "128", max(CASE Ki WHEN 256 THEN round(mfu, 1) END) AS "256", max(CASE Ki WHEN 512 THEN round(mfu, 1) END) AS "512", max(CASE Ki WHEN 1024 THEN round(mfu, 1) END) AS "1024", max(CASE Ki WHEN 2048 THEN round(mfu, 1) END) AS "2048", max(CASE Ki WHEN 4096 THEN round(mfu, 1) END) AS "4096"
FROM mfu WHERE kind <> 'chunks' AND (kind <> 'two buffers' OR kernels LIKE 'today%') AND kernels <> 'contiguous parts' GROUP BY model, kind, kernels ORDER BY CAST(model AS INTEGER), kernels DESC, kind;
-- @table ends Longest sequence of each kind, Ki tokens, MFU there, and what limits it
SELECT model, CASE kind WHEN 'two buffers' THEN 'MEMO' ELSE kind END AS kind, Ki, round(mfu, 1) AS mfu, "limit" FROM ends WHERE kernels LIKE 'today%' AND kind <> 'chunks' ORDER BY CAST(model AS INTEGER), kind;
-- @setup
CREATE TEMP TABLE mean AS SELECT kernels, kind, avg(g) AS gain, avg(t) AS theirs FROM (SELECT kernels, kind, model, avg(memo / theirs) AS g, avg(theirs) AS t FROM gain GROUP BY kernels, kind, model) GROUP BY kernels, kind;
-- @table gains MFU over that of the baselines, mean over models and the lengths where both run, by what the baselines' attention was (published: 1.97 over Megatron-LM, 1.80 over DeepSpeed; first version 2.42, 2.26)
SELECT kernels, round(max(CASE kind WHEN 'megatron' THEN gain END), 2) AS over_megatron, round(max(CASE kind WHEN 'deepspeed' THEN gain END), 2) AS over_deepspeed, round(max(CASE kind WHEN 'megatron' THEN theirs END), 1) AS megatron_mfu, round(max(CASE kind WHEN 'deepspeed' THEN theirs END), 1) AS deepspeed_mfu FROM mean GROUP BY kernels;
-- @table million_gains The same at 1 Mi tokens alone, of the models where the baseline fits
SELECT model, kernels, kind, round(memo, 1) AS memo, round(theirs, 1) AS theirs, round(memo / theirs, 2) AS gain FROM gain WHERE Ki = 1024 AND kernels <> 'contiguous parts' ORDER BY CAST(model AS INTEGER), kind;
-- @chart mfu-7b lines MFU by length (Ki tokens), 7B on 8 GPUs (%)
SELECT CASE kind WHEN 'two buffers' THEN 'MEMO' ELSE kind || CASE kernels WHEN 'FlashAttention-1' THEN ', FlashAttention-1' ELSE '' END END AS who, Ki, mfu FROM mfu WHERE model = '7b' AND kind <> 'chunks' AND kernels <> 'contiguous parts' AND (kind <> 'two buffers' OR kernels LIKE 'today%') ORDER BY 1, 2;
-- @check memo-2 In the mean MFU is 1.97 times Megatron-LM's and 1.80 times DeepSpeed's.
SELECT abs(m.gain / 1.97 - 1) < 0.1 AND abs(d.gain / 1.80 - 1) < 0.1, printf('%.2f and %.2f with equal kernels; %.2f and %.2f if the baselines have FlashAttention-1: their published MFU (about 27 %%) needs an attention that takes twice as long. Neither degrees, communication nor memory give that factor (docs/memory-planning.md); the versions of the baselines are not in the text at hand', m.gain, d.gain, (SELECT gain FROM mean WHERE kernels = 'FlashAttention-1' AND kind = 'megatron'), (SELECT gain FROM mean WHERE kernels = 'FlashAttention-1' AND kind = 'deepspeed'))
FROM mean m, mean d WHERE m.kernels LIKE 'today%' AND d.kernels = m.kernels AND m.kind = 'megatron' AND d.kind = 'deepspeed';
-- @check memo-12 The longest sequences are 1,024 Ki tokens (MEMO), 640 (Megatron-LM), 256 (DeepSpeed) for 7B, 1,408 for 65B; mean MFU 51.3, 23.9, 23.3 %.
SELECT NULL, 'published from memory alone; ' || (SELECT group_concat(printf('%s %s %d', model, kind, Ki), ', ') FROM ends WHERE kernels LIKE 'today%' AND kind <> 'chunks' AND model IN ('7b', '65b')) || ' here';
-- @setup
INSERT INTO given SELECT p.rowid, (SELECT gain FROM mean WHERE kernels = 'FlashAttention-1' AND kind = CASE WHEN p.quantity LIKE '%DeepSpeed%' THEN 'deepspeed' ELSE 'megatron' END), 'FlashAttention-1',
       printf('assumed of the baselines; %.2f with equal kernels', (SELECT gain FROM mean WHERE kernels LIKE 'today%' AND kind = CASE WHEN p.quantity LIKE '%DeepSpeed%' THEN 'deepspeed' ELSE 'megatron' END)) FROM published p WHERE p.statement = 'memo-2' AND p.quantity LIKE 'MFU over %';
INSERT INTO given SELECT p.rowid, e.Ki, 'ends', NULL FROM published p JOIN ends e ON e.kernels LIKE 'today%' AND e.kind = CASE WHEN p.quantity LIKE '%Megatron%' THEN 'megatron' WHEN p.quantity LIKE '%DeepSpeed%' THEN 'deepspeed' ELSE 'two buffers' END AND e.model = CASE WHEN p.quantity LIKE '%65B%' THEN '65b' WHEN p.quantity LIKE '%30B%' THEN '30b' WHEN p.quantity LIKE '%13B%' THEN '13b' ELSE '7b' END WHERE p.statement = 'memo-12' AND p.quantity LIKE 'longest%';
INSERT INTO given SELECT p.rowid, (SELECT mfu FROM ends WHERE model = '65b' AND kind = 'two buffers' AND kernels LIKE 'today%'), 'ends', NULL FROM published p WHERE p.statement = 'memo-12' AND p.quantity = 'MFU there';
INSERT INTO given SELECT p.rowid, CASE WHEN p.quantity LIKE '%MEMO%' THEN (SELECT avg(memo) FROM (SELECT DISTINCT model, Ki, memo FROM gain)) WHEN p.quantity LIKE '%Megatron%' THEN (SELECT theirs FROM mean WHERE kernels = 'FlashAttention-1' AND kind = 'megatron') ELSE (SELECT theirs FROM mean WHERE kernels = 'FlashAttention-1' AND kind = 'deepspeed') END, 'FlashAttention-1', 'baselines with FlashAttention-1' FROM published p WHERE p.statement = 'memo-12' AND p.quantity LIKE 'mean MFU%';
-- MFU of a model at a length, "7B, 256 Ki tokens": baselines with today's kernels; - where the plan does not fit.
CREATE TEMP TABLE cell AS SELECT upper(m.model) || ', ' || m.Ki || ' Ki tokens' AS setting, m.model, CASE m.kind WHEN 'two buffers' THEN 'MEMO' WHEN 'megatron' THEN 'Megatron-LM' WHEN 'deepspeed' THEN 'DeepSpeed' END AS system, m.mfu, (SELECT f.mfu FROM mfu f WHERE f.model = m.model AND f.Ki = m.Ki AND f.kind = m.kind AND f.kernels = 'FlashAttention-1') AS flash1 FROM mfu m WHERE m.kernels LIKE 'today%' AND m.kind IN ('two buffers', 'megatron', 'deepspeed');
INSERT INTO given SELECT p.rowid, CASE c.system WHEN 'MEMO' THEN c.mfu ELSE c.flash1 END, c.model || CASE c.system WHEN 'MEMO' THEN ', today''s kernels' ELSE ', FlashAttention-1' END, CASE WHEN c.system <> 'MEMO' THEN printf('assumed of the baselines; %.1f with today''s kernels', c.mfu) END FROM published p JOIN cell c ON p.setting LIKE '%' || c.setting || '%' AND p.quantity LIKE '%MFU%' || c.system || '%' AND p.statement <> 'memo-1';
INSERT INTO given SELECT rowid, NULL, NULL, 'what planned addresses gain alone is memory, not time, in this model: a run that the allocator makes fail has no MFU' FROM published WHERE quantity LIKE '%address planning alone%';
-- Table 2, from the catalog.
-- @answer shape
SELECT m, printf('reckon models memo-%s', lower(m)) FROM (SELECT '7B' AS m UNION ALL SELECT '13B' UNION ALL SELECT '30B' UNION ALL SELECT '65B');
-- @setup
CREATE TEMP TABLE table2 AS SELECT label, json_extract(json, '$.model.layers') AS layers, json_extract(json, '$.model.hidden') AS hidden, json_extract(json, '$.model.feedforward') AS ffn, json_extract(json, '$.model.heads') AS heads, json_extract(json, '$.model.vocabulary') AS vocabulary FROM shape;
INSERT INTO given SELECT p.rowid, printf('%d;%d;%d;%d;%d', layers, hidden, ffn, heads, vocabulary), label, 'the catalog''s model' FROM published p JOIN table2 t ON p.setting = t.label WHERE p.place = 'Table 2';
-- @table table2 Table 2: the models
SELECT label AS model, layers, hidden, ffn, heads, vocabulary FROM table2;
-- @include end.sql
