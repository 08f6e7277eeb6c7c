-- @heading SSDTrain [wu2025ssdtrain]: activations on drives
-- @note Measured on two A100 PCIe 40 GB at base clock, tensor parallelism 2, arrays of Optane drives, one microbatch of 16 x 1,024 tokens, plain SGD; modelled (Fig. 5, 8b) for GPT-175B and 530B on 384 to 2,240 A100 with four 1 TB drives each.
--  "authors' model" is what the released model says when it is run again; its formulas are in core/optimize/memory_ssdtrain.c.
-- @expect published ssdtrain.csv
-- @include begin.sql

-- @heading Figs. 5 and 8(b): write bandwidth and life
-- @answer fig5 | Fig. 5 | reckon offload ./ssdtrain-fig5.csv
-- @answer fig5 | Fig. 8b | reckon offload ./ssdtrain-fig8b.csv
-- @setup
CREATE TEMP TABLE big AS
SELECT f.label AS place, printf('%s, %d GPUs, tp %d pp %d dp %d zero %d, microbatch %d x %d', json_extract(v.value, '$.model'), json_extract(v.value, '$.gpus'), json_extract(v.value, '$.tensor'), json_extract(v.value, '$.pipeline'), json_extract(v.value, '$.data'),
              json_extract(v.value, '$.zero'), json_extract(v.value, '$.microbatch'), json_extract(v.value, '$.accumulation')) AS setting,
       json_extract(v.value, '$.gpus') AS gpus, json_extract(v.value, '$.model') AS model, json_extract(v.value, '$.zero') AS zero, json_extract(v.value, '$.microbatch') AS microbatch, json_extract(v.value, '$.activation_bytes_per_gpu_step') / 1e12 AS activations_TB, json_extract(v.value, '$.step_s') AS step_s,
       json_extract(v.value, '$.write_GiBps') AS write_GiBps, json_extract(v.value, '$.life_4x980pro_years') AS life_paper, json_extract(v.value, '$.life_4x12p8TB_3dwpd_years') AS life_code
FROM fig5 f, json_each(f.json, '$.steps') v;
INSERT INTO given
SELECT p.rowid, CASE WHEN p.quantity LIKE 'write bandwidth%' THEN b.write_GiBps WHEN p.quantity LIKE 'life%code%' THEN b.life_code WHEN p.quantity LIKE 'life%' THEN b.life_paper WHEN p.quantity LIKE 'step%' THEN b.step_s WHEN p.quantity LIKE 'activation%' THEN b.activations_TB END, b.place, NULL
FROM published p JOIN big b ON p.setting = b.setting WHERE p.quantity LIKE 'write bandwidth%' OR p.quantity LIKE 'life%' OR p.quantity LIKE 'step%' OR p.quantity LIKE 'activation%';
-- @table fig5 Fig. 5: activations of a GPU and step, the write bandwidth that hides them, lives: four 1 TB drives of 600 TB rated, write amplification 2.5 to 1, data that last a day (86 times); four of 12.8 TB at 3 writes a day for 5 years, without the 86
SELECT setting, round(activations_TB, 3) AS activations_TB, round(step_s, 2) AS step_s, round(write_GiBps, 3) AS write_GiBps, (SELECT published FROM published p WHERE p.setting = b.setting AND p.quantity LIKE 'write%') AS published_GiBps, round(life_paper, 3) AS life_years, (SELECT published FROM published p WHERE p.setting = b.setting AND p.quantity LIKE 'life%paper%') AS published_years, round(life_code, 3) AS life_code_years FROM big b WHERE place = 'Fig. 5';
-- @table fig8b Fig. 8(b): write bandwidth of a GPU below 100 GPUs
SELECT model, max(CASE gpus WHEN 2 THEN round(write_GiBps, 3) END) AS "2", max(CASE gpus WHEN 4 THEN round(write_GiBps, 3) END) AS "4", max(CASE gpus WHEN 8 THEN round(write_GiBps, 3) END) AS "8", max(CASE gpus WHEN 16 THEN round(write_GiBps, 3) END) AS "16", max(CASE gpus WHEN 32 THEN round(write_GiBps, 3) END) AS "32", max(CASE gpus WHEN 64 THEN round(write_GiBps, 3) END) AS "64" FROM big WHERE place = 'Fig. 8b' GROUP BY model ORDER BY CAST(substr(model, -5) AS INTEGER);
-- @chart fig5-life lines Fig. 5: life in years by GPUs
SELECT model || CASE zero WHEN 3 THEN ', ZeRO-3' ELSE '' END AS run, gpus, life_paper AS years FROM big WHERE place = 'Fig. 5';
-- @chart fig8b-write lines Fig. 8(b): write bandwidth of a GPU (GiB/s)
SELECT model, gpus, write_GiBps FROM big WHERE place = 'Fig. 8b';
-- @check ssd-4 In all cases of Fig. 5 drives live for more than 2 years, and a GPU writes at most 12.1 GB/s.
SELECT min(life_paper) > 2 AND max(write_GiBps) < 12.15, printf('from %.2f years on, at most %.2f GiB/s, printed as GB/s', min(life_paper), max(write_GiBps)) FROM big WHERE place = 'Fig. 5';
-- @check ssd-8 Bandwidth falls when a run is scaled up to 100 GPUs.
SELECT max(a.write_GiBps < b.write_GiBps) = 0, 'in all three columns, from each size to the next' FROM big a JOIN big b ON a.place = 'Fig. 8b' AND b.place = a.place AND a.model = b.model AND b.gpus = 2 * a.gpus;

-- @heading The same from a plan: life of the drives that are bought
-- @answer plan | four 980 PRO a GPU | reckon offload -m gpt3-175b -s "a100-sxm4-80g ssd=4*samsung-980pro-1tb" -g 384 tp8 pp12 sp mbs4 gbs1536
-- @answer plan | without the retention gain | reckon offload -m gpt3-175b -s "a100-sxm4-80g ssd=4*samsung-980pro-1tb,retention_gain=1" -g 384 tp8 pp12 sp mbs4 gbs1536
-- @setup
CREATE TEMP TABLE plans AS SELECT p.label, json_extract(v.value, '$.rule') AS rule, json_extract(v.value, '$.life_years') AS life, json_extract(v.value, '$.life_rated_years') AS rated, json_extract(v.value, '$.cost_USD_a_year') AS cost, json_extract(v.value, '$.written_bytes') / 1e9 AS written_GB, json_extract(v.value, '$.step_s') AS step_s, json_extract(v.value, '$.wait_s') AS wait_s, json_extract(v.value, '$.needed_GBps') AS needed FROM plan p, json_each(p.json, '$.rules') v;
-- @table lives GPT-3 175B on 384 A100 by today's kernels: written in a step, GB/s needed, years with the drive file's retention gain (86: data last a day) and as rated, dollars a year
SELECT label AS drives, rule, round(written_GB, 1) AS written_GB, round(needed, 1) AS needed_GBps, round(life, 3) AS life_years, round(rated, 4) AS as_rated, round(cost) AS USD_a_year, round(step_s, 2) AS step_s, round(wait_s, 2) AS waits_s FROM plans WHERE written_GB > 0 AND rule IN ('SSDTrain, to 1', 'MEMO', 'swap all');
-- @check ssd-5 With 86 times the writes, as data last a day instead of three years, and 2.5 for the rating's workload, drives last years instead of weeks.
SELECT a.life > 2 AND abs(a.life / b.life - 86) < 0.01, printf('%.2f years with both, %.3f without the 86', a.life, b.life) FROM plans a, plans b WHERE a.label LIKE 'four%' AND b.label LIKE 'without%' AND a.rule = 'SSDTrain, to 1' AND b.rule = a.rule;
-- @check ssd-6 Four drives cost $360 beside a GPU of $10,000.
SELECT 1, printf('the drive file''s $90 each (a quarter of the paper''s $360); at that life %.0f USD a year and GPU', cost) FROM plans WHERE label LIKE 'four%' AND rule = 'SSDTrain, to 1';
-- @setup
INSERT INTO given SELECT rowid, (SELECT printf('>%.2f', min(life_paper)) FROM big WHERE place = 'Fig. 5'), 'Fig. 5', NULL FROM published WHERE statement = 'ssd-4' AND quantity = 'life';
INSERT INTO given SELECT rowid, (SELECT printf('<=%.2f', max(write_GiBps)) FROM big WHERE place = 'Fig. 5'), 'Fig. 5', NULL FROM published WHERE statement = 'ssd-4' AND quantity = 'write bandwidth of a GPU';
INSERT INTO given SELECT rowid, (SELECT printf('%.2f..%.2f', min(activations_TB), max(activations_TB)) FROM big WHERE place = 'Fig. 5'), 'Fig. 5', 'of the released scripts, whose microbatch is a replica''s whole batch where there is a pipeline' FROM published WHERE statement = 'ssd-4' AND quantity LIKE 'activations%';
INSERT INTO given SELECT rowid, (SELECT printf('%d..%d', min(microbatch), max(microbatch)) FROM big WHERE place = 'Fig. 5'), 'Fig. 5', 'likewise' FROM published WHERE statement = 'ssd-4' AND quantity LIKE 'microbatches%';
INSERT INTO given SELECT rowid, '2.5; 1; 86', 'data/drives/samsung-980pro-1tb.json', 'assumptions of the paper, taken over' FROM published WHERE statement = 'ssd-5' AND quantity LIKE 'write amplification%';
INSERT INTO given SELECT rowid, NULL, NULL, 'a number of the drives or an assumption of the paper, not a result: data/drives/samsung-980pro-1tb.json has it' FROM published WHERE statement = 'ssd-5';
INSERT INTO given SELECT rowid, '-; 360', 'data/drives/samsung-980pro-1tb.json', 'a price of the paper, taken over' FROM published WHERE statement = 'ssd-6';
INSERT INTO given SELECT rowid, 'yes', 'Fig. 8b', NULL FROM published WHERE statement = 'ssd-8' AND published = 'yes';

-- @heading Fig. 6 and Table III: peak of activations and time of a step
-- @answer fig6 | Fig. 6 | reckon offload --simulate ./ssdtrain-fig6.csv
-- @answer fig6 | Table III | reckon offload ./ssdtrain-fig6.csv
-- @answer fig7 | Fig. 7 | reckon offload --simulate ./ssdtrain-fig7.csv
-- @setup
CREATE TEMP TABLE case6 AS
SELECT json_extract(v.value, '$.model') AS model, json_extract(v.value, '$.array_GBps') AS array, json_extract(v.value, '$.stored') AS stored, json_extract(v.value, '$.modules') AS modules, json_extract(v.value, '$.kept_peak_bytes') / 1073741824.0 AS kept_GiB, json_extract(v.value, '$.peak_bytes') / 1073741824.0 AS peak_GiB,
       100 * json_extract(v.value, '$.lower') AS lower, json_extract(v.value, '$.kept_s') AS kept_s, json_extract(v.value, '$.pass_s') AS pass_s, json_extract(v.value, '$.wait_s') AS wait_s, json_extract(v.value, '$.written_bytes') / 1e9 AS written_GB FROM fig6 f, json_each(f.json, '$.simulated') v WHERE f.label = 'Fig. 6';
CREATE TEMP TABLE table3 AS SELECT json_extract(v.value, '$.model') AS model, json_extract(v.value, '$.hidden') AS h, json_extract(v.value, '$.activation_bytes_per_gpu_step') AS bytes, json_extract(v.value, '$.write_GiBps') AS write_GiBps FROM fig6 f, json_each(f.json, '$.steps') v WHERE f.label = 'Table III';
-- @table fig6 By hidden size, event by event: modules stored (attention and MLP of each layer), peak of activations with all kept and under the rule, seconds of forward and backward (published: 28 to 40 % lower in nine cases, 47 % at best, no overhead)
SELECT model, array AS array_GBps, stored, modules, round(kept_GiB, 2) AS kept_GiB, round(peak_GiB, 2) AS peak_GiB, round(lower, 1) AS lower_percent, round(kept_s, 3) AS kept_s, round(pass_s, 3) AS stored_s, round(wait_s, 4) AS waits_s FROM case6;
-- @chart fig6-peak bars Fig. 6: peak of activations (GiB)
SELECT model, 'all kept' AS what, kept_GiB AS GiB FROM case6 UNION ALL SELECT model, 'SSDTrain', peak_GiB FROM case6;
-- @table table3 Table III: bytes stored by the model, published (V) and here; measured bytes and bandwidth (K, from memory)
SELECT t.h, (SELECT published FROM published p WHERE p.place = 'Table III' AND p.setting LIKE 'h ' || t.h || '%' AND p.quantity LIKE 'bytes stored, by%') AS published_bytes, t.bytes AS ours, (SELECT published FROM published p WHERE p.place = 'Table III' AND p.setting LIKE 'h ' || t.h || '%' AND p.quantity LIKE 'bytes stored, measured%') AS measured_GB,
       round(c.written_GB, 2) AS simulated_written_GB, (SELECT published FROM published p WHERE p.place = 'Table III' AND p.setting LIKE 'h ' || t.h || '%' AND p.quantity LIKE 'write%measured%') AS measured_GBps, round(t.write_GiBps, 2) AS needed_GiBps FROM table3 t JOIN case6 c USING (model);
-- @check ssd-1 The peak of activations falls by 28 to 40 %, by 47 % at best.
SELECT min(lower) >= 28 AND max(lower) <= 47, printf('by %s %%', group_concat(printf('%.1f', lower), ', ')) FROM case6;
-- @check ssd-2 Storing costs no time.
SELECT max(pass_s / kept_s) < 1.001, printf('%.4f s are waited for event by event. The table of `reckon offload` says more on its line of this rule (%.2f of %.1f s above): there each microbatch waits for its last layer''s write and first layer''s read, an eighth of the bytes each way with eight layers a stage (half the wait on drives twice as fast); SSDTrain keeps the last module, lets writes last until backward comes back, and reads ahead', max(wait_s), (SELECT wait_s FROM plans WHERE label LIKE 'four%' AND rule = 'SSDTrain, to 1'), (SELECT step_s FROM plans WHERE label LIKE 'four%' AND rule = 'SSDTrain, to 1')) FROM case6;
-- @check ssd-9 The model's bytes of Table III.
SELECT min(t.bytes = p.published) = 1, 'all three, to the byte' FROM table3 t JOIN published p ON p.place = 'Table III' AND p.setting LIKE 'h ' || t.h || ',%' AND p.quantity LIKE 'bytes stored, by%';
-- @answer slow | drives 1 to 16 times as slow | reckon offload -m gpt3-175b -s "a100-sxm4-80g ssd=4*samsung-980pro-1tb" -g 384 tp8 pp12 sp mbs4 gbs1536 --simulate
-- @setup
CREATE TEMP TABLE slower AS SELECT json_extract(v.value, '$.slower') AS times, json_extract(v.value, '$.write_GBps') AS write_GBps, json_extract(v.value, '$.read_GBps') AS read_GBps, json_extract(v.value, '$.stored') AS stored, 100 * json_extract(v.value, '$.lower') AS lower, 1000 * json_extract(v.value, '$.wait_s') AS wait_ms, 1000 * json_extract(v.value, '$.early_wait_s') AS early_ms, 100 * json_extract(v.value, '$.early_lower') AS early_lower, 1000 * json_extract(v.value, '$.pass_s') AS pass_ms FROM slow s, json_each(s.json, '$.simulated') v;
-- @table slower The rule on slower drives: modules stored of 16, peak lower by, waits; the same when reads begin with the backward pass and not two modules ahead
SELECT times AS times_slower, write_GBps, read_GBps, stored, round(lower, 1) AS lower_percent, round(wait_ms, 1) AS waits_ms, round(early_ms, 1) AS waits_early_ms, round(early_lower, 1) AS lower_early_percent, round(pass_ms, 1) AS pass_ms FROM slower;
-- @check slow-drives On slower drives the rule stores less and still waits for nothing.
SELECT max(wait_ms) < 1, printf('it waits up to %.0f ms of %.0f: its test counts all of the backward pass for reading, but reads are issued two modules ahead. With reads from the start of the backward pass the wait is %.1f ms, and the peak falls less', max(wait_ms), max(pass_ms), max(early_ms)) FROM slower;
-- @setup
INSERT INTO given SELECT rowid, (SELECT printf('%.0f..%.0f', min(lower), max(lower)) FROM case6), 'Fig. 6', 'GPT''s shapes; BERT and T5 of the same shapes hold the same bytes in this model' FROM published WHERE statement = 'ssd-1' AND quantity LIKE '%nine cases%';
INSERT INTO given SELECT rowid, (SELECT max(lower) FROM case6), 'Fig. 6', NULL FROM published WHERE statement = 'ssd-1' AND quantity LIKE '%best%';
INSERT INTO given SELECT rowid, (SELECT printf('%.1f; -', max(lower)) FROM case6), 'Fig. 6', 'Llama''s setting and what the 31 % are gained over are not in the text at hand' FROM published WHERE statement = 'ssd-1' AND place = 'DAC edition';
INSERT INTO given SELECT p.rowid, CASE WHEN p.quantity LIKE 'peak%saved%' THEN c.lower WHEN p.quantity LIKE 'peak%' THEN c.peak_GiB WHEN p.quantity LIKE 'overhead%' THEN 100 * (c.pass_s / c.kept_s - 1) WHEN p.quantity LIKE '%step%' THEN c.pass_s END, 'Fig. 6', c.model || '; BERT, T5 and GPT of one shape hold the same bytes in this model' FROM published p JOIN case6 c ON replace(p.setting, 'h ', 'h') LIKE '%' || c.model || '%' WHERE p.place = 'Fig. 6' AND typeof(p.published) <> 'text';
INSERT INTO given SELECT rowid, 'none', 'Fig. 6', NULL FROM published WHERE statement = 'ssd-2';
INSERT INTO given SELECT p.rowid, t.bytes, 'Table III', NULL FROM published p JOIN table3 t ON p.setting LIKE 'h ' || t.h || ',%' WHERE p.place = 'Table III' AND p.quantity LIKE 'bytes stored, by%';
INSERT INTO given SELECT p.rowid, t.bytes / 1e9, 'Table III', 'the model''s bytes' FROM published p JOIN table3 t ON p.setting LIKE 'h ' || t.h || '%' WHERE p.place = 'Table III' AND p.quantity LIKE 'bytes stored, measured%';
INSERT INTO given SELECT p.rowid, t.write_GiBps, 'Table III', 'GiB/s' FROM published p JOIN table3 t ON p.setting LIKE 'h ' || t.h || '%' WHERE p.place = 'Table III' AND p.quantity LIKE 'write bandwidth, by the model%';
INSERT INTO given SELECT p.rowid, c.array, 'Fig. 6', 'fitted: taken over as the array''s rate' FROM published p JOIN case6 c ON 'h' || substr(p.setting, 3) = c.model WHERE p.place = 'Table III' AND p.quantity LIKE 'write bandwidth, measured%';

-- @heading The experiment: activations of a run on a file system
-- @measured drive measured/ssdtrain-drive.csv | 240 | sh ../../bench/paper_ssdtrain.sh
-- @table drive A step of a small model (4 layers, h 512, 4 x 256 tokens), by turn: processor seconds, seconds waited for the drive, MiB of tensors alive at once
SELECT turn, activations, round(step_cpu_s, 3) AS step_cpu_s, round(waited_s, 4) AS waited_s, round(peak_MiB, 1) AS peak_MiB FROM drive ORDER BY turn, peak_MiB DESC;
-- @check experiment-drive Activations on a drive lower the peak at the time of keeping them (2 %).
SELECT d.peak < 0.7 * k.peak AND (d.step + d.waited) / k.step - 1 < max(0.02, k.noise), printf('the peak falls by %.0f %%, a step takes %+.1f %% with %.1f ms of waiting; turns of the same setting differ by up to %.1f %%', 100 * (1 - d.peak / k.peak), 100 * ((d.step + d.waited) / k.step - 1), 1000 * d.waited, 100 * k.noise)
FROM (SELECT avg(step_cpu_s) AS step, min(peak_MiB) AS peak, max(step_cpu_s) / min(step_cpu_s) - 1 AS noise FROM drive WHERE activations = 'kept') k, (SELECT avg(step_cpu_s) AS step, avg(waited_s) AS waited, max(peak_MiB) AS peak FROM drive WHERE activations = 'on the drive') d;

-- @heading Fig. 7: batches in the same memory
-- @setup
CREATE TEMP TABLE case7 AS SELECT CAST(substr(json_extract(v.value, '$.model'), 2, 5) AS INTEGER) AS h, CAST(substr(json_extract(v.value, '$.model'), 9) AS INTEGER) AS b, json_extract(v.value, '$.kept_peak_bytes') / 1073741824.0 AS kept_GiB, json_extract(v.value, '$.peak_bytes') / 1073741824.0 AS peak_GiB, json_extract(v.value, '$.kept_s') AS kept_s, json_extract(v.value, '$.pass_s') AS pass_s FROM fig7 f, json_each(f.json, '$.simulated') v;
-- Whole layers recomputed: inputs of three layers, one layer's tensors, head and last norm; a third more time.
ALTER TABLE temp.case7 ADD COLUMN again_GiB;
UPDATE case7 SET again_GiB = (3 * 2 * 1024.0 * b * h / 2 + (41 * 1024.0 * b * h + 8 * h / 128 * 1024.0 * b) / 2 + (2 * 1024.0 * b * 32000 + 4 * 1024.0 * b * h) / 2) / 1073741824;
-- @table fig7 BERT of three layers by batch: peak of activations with all kept, under the rule, with whole layers recomputed; samples a second
SELECT h, b AS batch, round(kept_GiB, 2) AS kept_GiB, round(peak_GiB, 2) AS stored_GiB, round(again_GiB, 2) AS recomputed_GiB, round(b / kept_s, 2) AS kept_samples_s, round(b / pass_s, 2) AS stored_samples_s, round(b / kept_s * 3 / 4, 2) AS recomputed_samples_s FROM case7;
-- @chart fig7-memory lines Fig. 7: samples a second over the peak of activations (GiB)
SELECT 'kept, h ' || h AS how, kept_GiB AS GiB, b / kept_s AS samples_s FROM case7 UNION ALL SELECT 'SSDTrain, h ' || h, peak_GiB, b / pass_s FROM case7 UNION ALL SELECT 'recomputed, h ' || h, again_GiB, b / kept_s * 3 / 4 FROM case7;
-- @setup
INSERT INTO given SELECT rowid, (SELECT min(kept_GiB / peak_GiB) FROM case7 WHERE b = 16 AND (setting NOT LIKE '%14336%' OR setting LIKE '%12288%' OR h = 14336)), 'Fig. 7', 'batches whose peak under the rule is that of keeping' FROM published WHERE statement = 'ssd-3' AND quantity LIKE 'batch%';
INSERT INTO given SELECT rowid, (SELECT CASE WHEN max(peak_GiB / again_GiB) < 1 THEN 'yes' ELSE printf('no: %.2f times', max(peak_GiB / again_GiB)) END FROM case7 WHERE b = 16), 'Fig. 7', 'what recomputation holds of one layer beside the inputs is a formula here; published is measured; see ssd-3b' FROM published WHERE statement = 'ssd-3' AND quantity LIKE 'peak below%';
-- @check ssd-3 Twice the batch fits in the memory that keeping takes.
SELECT min(kept_GiB / peak_GiB) > 1.8, printf('%.2f and %.2f times', min(kept_GiB / peak_GiB), max(kept_GiB / peak_GiB)) FROM case7 WHERE b = 16;
-- @check ssd-3b The peak is below that of full recomputation, at the speed of keeping.
SELECT max(peak_GiB / again_GiB) < 1, printf('at the speed of keeping, but %.2f to %.2f times the peak of recomputing: the rule keeps the last module while the one before is still written, and recomputing holds one layer of three and the inputs of all by a formula. An array 100 times as fast would leave 1.12 to 1.14 times', min(peak_GiB / again_GiB), max(peak_GiB / again_GiB)) FROM case7 WHERE b = 16;
-- @check ssd-7 BLOOM with 32 samples a replica idles for at least 11.5 % of its time.
SELECT NULL, printf('no formula is given: (p - 1) / (m + p - 1) with 12 stages and 8 microbatches of 4 is %.1f %%, and 11.5 %% would need 85', 100 * 11.0 / 19);
-- @setup
INSERT INTO given SELECT rowid, NULL, NULL, 'follows from no formula that is given' FROM published WHERE statement = 'ssd-7';
-- @include end.sql
