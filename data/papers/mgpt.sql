-- @heading mGPT [shliazhko2022]: multilingual GPT-3 shapes
-- @note 1.3B (24 layers, h 2,048) and 13B (40, 5,120), vocabulary 100,000, batches of 2,048 x 512 tokens, 600 k steps, on 256 and 512 V100 of 32 GB whose machine is not named; DeepSpeed and Megatron. 600 k full steps are 629 billion tokens, the texts say 400 and 440.
-- @expect published mgpt.csv
-- @include begin.sql

-- @heading Days of training
-- @answer plan
SELECT printf('%s, %s, %s', m, p, n), printf('reckon predict -m mgpt-%s -s "v100-sxm2-32g%s" -g %d seq512 gbs2048 precision=fp16 framework=deepspeed %s', lower(m), CASE n WHEN '50 Gb/s a GPU' THEN '' ELSE ' net1.bandwidth=1.5625GB/s' END, g, w) FROM
  (SELECT '1.3B' AS m, 256 AS g, 'ZeRO-1, 8 samples' AS p, 'dp256 mbs8 zero1' AS w UNION ALL SELECT '1.3B', 256, 'ZeRO-1, recomputed, unfused', 'dp256 mbs8 zero1 recompute=full attention=unfused' UNION ALL SELECT '1.3B', 256, 'ZeRO-2, a sample at a time', 'dp256 mbs1 zero2 recompute=full attention=unfused'
   UNION ALL SELECT '1.3B', 256, 'tensor 4, ZeRO-2', 'dp64 tp4 mbs4 zero2 recompute=full attention=unfused' UNION ALL SELECT '1.3B', 256, 'tensor 8, ZeRO-1', 'dp32 tp8 mbs4 zero1 recompute=full attention=unfused' UNION ALL SELECT '1.3B', 256, 'ZeRO-3, a sample at a time', 'dp256 mbs1 zero3 recompute=full attention=unfused'
   UNION ALL SELECT '13B', 512, 'ZeRO-2, recomputed', 'dp512 mbs4 zero2 recompute=full attention=unfused' UNION ALL SELECT '13B', 512, 'tensor 4, ZeRO-1', 'dp128 tp4 mbs4 zero1 recompute=full attention=unfused' UNION ALL SELECT '13B', 512, 'tensor 8, ZeRO-1', 'dp64 tp8 mbs4 zero1 recompute=full attention=unfused' UNION ALL SELECT '13B', 512, 'ZeRO-2, a sample at a time', 'dp512 mbs1 zero2 recompute=full attention=unfused'),
  (SELECT '50 Gb/s a GPU' AS n UNION ALL SELECT '100 Gb/s a node');
-- @setup
CREATE TEMP TABLE days AS SELECT label AS row, substr(label, 1, instr(label, ',') - 1) AS model, label LIKE '%100 Gb/s a node' AS slow, json_extract(json, '$.rates.step_s') AS step_s, 100 * json_extract(json, '$.rates.mfu') AS mfu, json_extract(json, '$.figures.data_s') AS data_s, json_extract(json, '$.verdict') AS verdict,
       400e9 / (2048 * 512) * json_extract(json, '$.rates.step_s') / 86400 AS days_400, 600000 * json_extract(json, '$.rates.step_s') / 86400 AS days_600k FROM plan;
-- @table days Seconds of a step, MFU in percent, seconds of gradients that are waited for, days for 400 B tokens and for 600 k full steps, by plan and network (published: 1.3B 14 days, 12 in an older text; 13B 22)
SELECT row AS plan, round(step_s, 3) AS step_s, round(mfu, 1) AS mfu, round(data_s, 3) AS gradients_s, round(days_400, 1) AS days_400B, round(days_600k, 1) AS days_600k, verdict FROM days;
-- @table mfu MFU that the published days mean, percent of 125 TFLOP/s, for 400 B tokens and for 600 k full steps
SELECT m AS model, days, round(100 * 400e9 * f / (days * 86400.0 * g * 125e12), 1) AS mfu_400B, round(100 * 629.1456e9 * f / (days * 86400.0 * g * 125e12), 1) AS mfu_600k FROM (SELECT '1.3B' AS m, 14 AS days, 256 AS g, 6 * 1.4176e9 + 12.0 * 24 * 2048 * 512 AS f UNION ALL SELECT '13B', 22, 512, 6 * 13.108e9 + 12.0 * 40 * 5120 * 512);
-- @check mgpt-1a 13B takes 22 days on 512 V100 (10 %).
SELECT abs(min(CASE WHEN row LIKE '13B, tensor 8%' AND NOT slow THEN days_400 END) / 22 - 1) < 0.1, (SELECT group_concat(printf('%s %.1f', replace(row, '13B, ', ''), days_400), '; ') FROM days WHERE model = '13B' AND NOT slow AND verdict = 'fits') || ' days for 400 B tokens, with nothing fitted; at 100 Gb/s a node twice that' FROM days;
-- @check mgpt-1b 1.3B takes 14 days on 256 V100 (12 in an older text).
SELECT NULL, printf('its plan is not published: %.1f days for 600 k full steps with tensor parallelism 8 in each node, as 13B needs it and a script for both would have it. Of the factor 3 to 4 over 400 B tokens with data parallelism alone (%.1f days) %.1f is the split of a hidden width of 2,048 over 8 GPUs with recomputation, 1.57 that 600 k full steps are 629 B tokens. Other plans that come near (ZeRO-2 with a sample at a time at 100 Gb/s a node: %.1f days for 400 B) leave 13B at 35 and more. That run''s launch line would settle it', d.days_600k, o.days_400, d.days_400 / o.days_400, (SELECT days_400 FROM days WHERE row = '1.3B, ZeRO-2, a sample at a time, 100 Gb/s a node'))
FROM days d, days o WHERE d.row = '1.3B, tensor 8, ZeRO-1, 50 Gb/s a GPU' AND o.row = '1.3B, ZeRO-1, 8 samples, 50 Gb/s a GPU';
-- @setup
INSERT INTO given SELECT p.rowid, d.days_400, d.row, '400 B tokens' FROM published p JOIN days d ON d.row = '13B, tensor 8, ZeRO-1, 50 Gb/s a GPU' WHERE p.quantity LIKE 'days%' AND p.setting LIKE '13B%';
INSERT INTO given SELECT p.rowid, d.days_600k, d.row, 'fitted: of the plans one that 13B has, too; the run''s own is not published' FROM published p JOIN days d ON d.row = '1.3B, tensor 8, ZeRO-1, 50 Gb/s a GPU' WHERE p.quantity LIKE 'days%' AND p.setting LIKE '1.3B%';
INSERT INTO given SELECT rowid, 2048 * 512 * 600000 / 1e9, '2,048 x 512 x 600,000', 'what full steps would be; why fewer is not said' FROM published WHERE quantity = 'tokens seen';
INSERT INTO given SELECT rowid, '2048; 512; 600000', 'gbs2048 seq512', 'settings, taken over' FROM published WHERE quantity LIKE 'batch; context; steps';

-- @heading Dense and sparse layers in turn
-- @answer work
SELECT printf('%s, %s, %d tokens', m, k, s), printf('reckon predict -m "mgpt-%s%s" -s a100-sxm4-80g -g 8 seq%d gbs8 attention=flash', lower(m), CASE k WHEN 'dense' THEN ' window=0 window_every=0' ELSE '' END, s) FROM (SELECT '1.3B' AS m UNION ALL SELECT '13B'), (SELECT 'in turn' AS k UNION ALL SELECT 'dense'), (SELECT 512 AS s UNION ALL SELECT 2048);
-- @setup
CREATE TEMP TABLE flop AS SELECT label, json_extract(json, '$.figures.model_flop') AS flop, json_extract(json, '$.figures.attention_s') AS attention_s FROM work;
-- @table work Scores of attention that a causal model computes, millions a head and sample, and seconds of attention in a step of 8 samples
SELECT s AS tokens, s * (s + 1) / 2 / 1e6 AS dense_M, (s * (s + 1) / 2 + 128 * 129 / 2 + (s - 128) * 128) / 2 / 1e6 AS in_turn_M, round(100.0 * (s * (s + 1) / 2 + 128 * 129 / 2 + (s - 128) * 128) / (s * (s + 1)), 1) AS percent,
       round(1000 * (SELECT attention_s FROM flop WHERE label = printf('1.3B, dense, %d tokens', s)), 2) AS dense_ms, round(1000 * (SELECT attention_s FROM flop WHERE label = printf('1.3B, in turn, %d tokens', s)), 2) AS in_turn_ms FROM (SELECT 512 AS s UNION ALL SELECT 2048);
-- @check mgpt-7 Dense and sparse layers in turn save work.
SELECT min(b.attention_s < a.attention_s), group_concat(printf('%.0f %% of the time of attention at %s', 100 * b.attention_s / a.attention_s, substr(a.label, 14)), ', ') || ' with fused kernels on an A100; unfused ones compute all scores (the catalog''s models: every other layer sees 128 tokens, "window=128 window_every=2" behind any model''s name; width assumed)' FROM flop a JOIN flop b ON a.label LIKE '1.3B, dense%' AND b.label = replace(a.label, 'dense', 'in turn');
-- @setup
INSERT INTO given SELECT rowid, 'yes', 'in turn', 'the pattern is not published' FROM published WHERE statement = 'mgpt-7';

-- @heading Text
-- @check mgpt-2 Duplicates go by a 64-bit hash, and texts that zlib packs too well or not at all.
SELECT 1, '`reckon corpus clean --compression LEAST,MOST` drops both ends (the limits are not published), after exact copies by 64-bit hashes and near ones';
-- @setup
INSERT INTO given SELECT rowid, 'yes', 'corpus clean --compression', NULL FROM published WHERE statement = 'mgpt-2' AND published = 'yes';
INSERT INTO given SELECT rowid, NULL, NULL, 'a fact about the text, which is not at hand' FROM published WHERE statement = 'mgpt-2';
-- @measured cuts measured/mgpt-cuts.csv | 420 | RECKON=$RECKON sh ../../bench/cuts.sh 150
-- @setup
CREATE TEMP TABLE cut AS SELECT c.cut, max(CASE WHEN c.text = 'all' THEN c.character_perplexity END) AS perplexity, count(*) - 1 AS texts, min(CASE WHEN c.text <> 'all' THEN c.character_perplexity END) AS least, max(CASE WHEN c.text <> 'all' THEN c.character_perplexity END) AS most FROM cuts c GROUP BY c.cut;
-- @table cuts Perplexity of a character by cut: published (K), five small models here (3 layers, 150 steps, eight languages), least and most of the languages
SELECT c.cut, (SELECT published FROM published p WHERE p.quantity = 'mean character perplexity, ' || c.cut) AS published, round(c.perplexity, 2) AS ours, round(c.least, 2) AS least, round(c.most, 2) AS most, c.texts FROM cut c ORDER BY c.perplexity;
-- @chart cuts-perplexity bars Perplexity of a character by cut
SELECT cut, 'here' AS who, perplexity FROM cut UNION ALL SELECT substr(quantity, 28), 'published (K)', published FROM published WHERE quantity LIKE 'mean character perplexity, %';
-- @check mgpt-3 Of five cuts the default has the lowest perplexity of a character, and single characters the highest.
SELECT (SELECT cut FROM cut ORDER BY perplexity LIMIT 1) = 'default' AND (SELECT cut FROM cut ORDER BY perplexity DESC LIMIT 1) = 'character', printf('%s: single characters last in both; the others are too near for models of a third of a million parameters that saw a thousandth of the text', group_concat(printf('%s %.2f', cut, perplexity), ', ')) FROM (SELECT * FROM cut ORDER BY perplexity);
-- @setup
INSERT INTO given SELECT p.rowid, c.perplexity, 'the experiment', 'five models 300 times as small' FROM published p JOIN cut c ON p.quantity = 'mean character perplexity, ' || c.cut;
INSERT INTO given SELECT rowid, (SELECT cut FROM cut ORDER BY perplexity LIMIT 1), 'the experiment', 'five models 300 times as small' FROM published WHERE quantity = 'the best cut';

-- @heading What only the trained weights show
-- @check mgpt-4 Perplexity of 13B lies between 2 and 10 in most languages.
SELECT NULL, 'of weights that are not at hand; `reckon eval` scores the public 1.3B, which loads as Hugging Face has it';
-- @check mgpt-5 Tasks in 33 languages and knowledge in 23.
SELECT NULL, 'of weights that are not at hand; there are no converters for these tasks';
-- @check mgpt-6 On par with XGLM.
SELECT NULL, 'of weights that are not at hand';
-- @setup
INSERT INTO given SELECT rowid, NULL, NULL, 'of trained weights that are not at hand' FROM published WHERE statement IN ('mgpt-4', 'mgpt-5', 'mgpt-6') OR statement = 'mgpt-3';
-- @include end.sql
