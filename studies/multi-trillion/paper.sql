-- What the study says beside what [isaev2023scaling] published: `reckon study paper.json --compare`.
--
-- Two variants stand beside each published value: "then" is the machine file and the kinds of
-- tensor-parallel overlap of the paper's time (h100-80g-isca2023), "later" is the file that the tool
-- had afterwards (h100-80g-nvl8). Both use the model of docs/model.md, which is that of the
-- tool's last version with three corrections: the paper's own version is older.

-- @expect p_table1 published/table1.csv
-- @expect p_table2 published/table2.csv
-- @expect p_table3 published/table3.csv
-- @expect p_fig2 published/fig2.csv
-- @expect p_fig4 published/fig4.csv
-- @expect p_fig5 published/fig5.csv
-- @expect p_fig6 published/fig6.csv
-- @expect p_fig7 published/fig7.csv
-- @expect p_fig7_memory published/fig7_memory.csv
-- @expect p_fig8 published/fig8.csv
-- @expect p_fig8_memory published/fig8_memory.csv
-- @expect april published/april2023.csv

-- Plans of [korthikanti2022], Table 5, as the authors of [isaev2023] validated with them.
-- @estimate 22b-full | megatron-22b | a100-80g-selene | framework=calculon precision=fp16 tp8 mbs4 gbs4 recompute=full no-fused tp-net=0 pp-net=1 dp-net=1
-- @estimate 175b-full | gpt3-175b | a100-80g-selene | framework=calculon precision=fp16 tp8 pp8 vpp3 gbs64 recompute=full no-fused tp-net=0 pp-net=1 dp-net=1
-- @estimate 530b-full | mt-nlg-530b | a100-80g-selene | framework=calculon precision=fp16 tp8 pp35 vpp3 gbs280 recompute=full no-fused tp-net=0 pp-net=1 dp-net=1
-- @estimate 1t-full | megatron-1t | a100-80g-selene | framework=calculon precision=fp16 tp8 pp64 gbs512 recompute=full no-fused tp-net=0 pp-net=1 dp-net=1
-- @estimate 22b-seqsel | megatron-22b | a100-80g-selene | framework=calculon precision=fp16 tp8 mbs4 gbs4 sp regather recompute=selective no-fused tp-net=0 pp-net=1 dp-net=1
-- @estimate 175b-seqsel | gpt3-175b | a100-80g-selene | framework=calculon precision=fp16 tp8 pp8 vpp3 gbs64 sp regather recompute=selective no-fused tp-net=0 pp-net=1 dp-net=1
-- @estimate 530b-seqsel | mt-nlg-530b | a100-80g-selene | framework=calculon precision=fp16 tp8 pp35 vpp3 gbs280 sp regather recompute=selective no-fused tp-net=0 pp-net=1 dp-net=1
-- @estimate 1t-seqsel | megatron-1t | a100-80g-selene | framework=calculon precision=fp16 tp8 pp64 gbs512 sp regather recompute=selective no-fused tp-net=0 pp-net=1 dp-net=1

-- @setup
-- One row per finished point; mfu NULL where nothing can run.
CREATE TEMP TABLE cell AS
SELECT r.figure, r.model, m.layers, m.parameters, r.gpus, r.max_batch,
       CASE WHEN r.system LIKE 'h100-80g-isca2023%' THEN 'then' ELSE 'later' END AS variant,
       round(s.hbm_bytes / 1073741824.0) AS hbm,
       round(s.mem2_bytes / 1073741824.0) AS gib,
       CASE WHEN s.mem2_Bps > 1e30 THEN 'unlimited' ELSE CAST(round(s.mem2_Bps / 1e9) AS INTEGER) END AS gbps,
       s.net0_size AS nvl,
       r.strategies, r.fits, 100 * r.mfu AS mfu, 100 * r.compute_efficiency AS compute,
       100 * r.system_efficiency AS share, r.samples_per_s, r.step_s,
       r.tensor, r.pipeline, r.data, r.chunks, r.microbatch, r.recompute, r.tensor_network,
       r.pipeline_network, r.data_network,
       r.system LIKE '% fig2' AS fig2,
       printf('%d/%d/%d v%d m%d %s %s%d o%d%s s%d %d%d%d n%d%d%d', r.tensor, r.pipeline, r.data, r.chunks, r.microbatch, iif(r.recompute = 'core_attn', 'attention', r.recompute),
              r.tensor_comm, r.regather, r.gradient_overlap, r.tensor_overlap, r.zero > 0, r.weight_offload,
              r.activation_offload, r.optimizer_offload, r.tensor_network, r.pipeline_network, r.data_network) AS plan,
       r.forward_s, r.backward_s, r.optimizer_s, r.bubble_s, r.recompute_s,
       r.tensor_comm_exposed_s + r.recompute_comm_exposed_s AS tensor_s,
       r.pipeline_comm_exposed_s AS pipeline_s, r.data_comm_exposed_s AS data_s,
       r.forward_offload_exposed_s + r.backward_offload_exposed_s AS offload_s,
       r.weight_min_bytes / 1073741824.0 AS weight0, r.weight_bytes / 1073741824.0 AS weight1,
       (r.activation_min_bytes + r.checkpoint_min_bytes) / 1073741824.0 AS activation0,
       (r.activation_bytes + r.checkpoint_bytes) / 1073741824.0 AS activation1,
       r.weight_grad_min_bytes / 1073741824.0 AS weight_grad0,
       r.weight_grad_bytes / 1073741824.0 AS weight_grad1,
       r.activation_grad_min_bytes / 1073741824.0 AS activation_grad0,
       r.activation_grad_bytes / 1073741824.0 AS activation_grad1,
       r.optimizer_min_bytes / 1073741824.0 AS optimizer0,
       r.optimizer_bytes / 1073741824.0 AS optimizer1
FROM result r JOIN system s ON s.name = r.system JOIN model m ON m.name = r.model;
CREATE INDEX temp.cell_key ON cell(figure, model, gpus, variant);

-- Every comparison, one row each; `digit` is the last digit that is published. NULL: does not run.
CREATE TEMP TABLE pair(figure, what, variant, digit, published, ours);

CREATE TEMP VIEW size AS SELECT name AS model, substr(name, 7) AS label, parameters FROM model
WHERE name GLOB 'multi-*t';

-- @setup
CREATE TEMP TABLE fig2 AS
SELECT p.blocks, c.variant, p.mappings AS published_mappings,
       c.strategies + ifnull((SELECT b.strategies FROM cell b WHERE b.figure = 'fig2-beyond'
                              AND b.layers = c.layers AND c.variant = 'then'), 0) AS mappings,
       c.fits, p.mfu_pct, c.mfu, p.total_s, c.step_s, c.step_s - c.offload_s AS drawn_s, c.offload_s,
       p.forward_s AS p_forward, c.forward_s, p.backward_s AS p_backward, c.backward_s,
       p.bubble_s AS p_bubble, c.bubble_s, p.recompute_s AS p_recompute, c.recompute_s,
       p.tensor_s AS p_tensor, c.tensor_s, p.pipeline_s AS p_pipeline, c.pipeline_s,
       p.data_s AS p_data, c.data_s, c.tensor, c.pipeline, c.data, c.chunks, c.microbatch,
       c.recompute, c.tensor_network, c.pipeline_network, c.data_network
FROM p_fig2 p JOIN cell c ON c.figure = 'fig2' AND c.layers = p.blocks;
INSERT INTO pair SELECT 'Fig. 2 bars', blocks || ' ' || what, variant, 0.01, published, ours FROM (
    SELECT blocks, variant, 'total' AS what, total_s AS published, drawn_s AS ours FROM fig2
    UNION ALL SELECT blocks, variant, 'forward', p_forward, forward_s FROM fig2
    UNION ALL SELECT blocks, variant, 'backward', p_backward, backward_s FROM fig2
    UNION ALL SELECT blocks, variant, 'bubble', p_bubble, bubble_s FROM fig2
    UNION ALL SELECT blocks, variant, 'recompute', p_recompute, recompute_s FROM fig2
    UNION ALL SELECT blocks, variant, 'tensor', p_tensor, tensor_s FROM fig2
    UNION ALL SELECT blocks, variant, 'pipeline', p_pipeline, pipeline_s FROM fig2
    UNION ALL SELECT blocks, variant, 'data', p_data, data_s FROM fig2);

CREATE TEMP TABLE fig4 AS
SELECT p.part, p.model, c.variant, nullif(p.total_pct, 0) AS published, p.compute_pct, p.system_pct,
       c.mfu, c.compute, c.share
FROM p_fig4 p JOIN cell c ON c.model = p.model AND c.gpus = 4096 AND
    (p.part = 'a' AND c.figure = 'fig4a' OR
     p.part = 'b' AND c.figure = 'capacity' AND c.gib = 1024 AND c.gbps = 'unlimited');
INSERT INTO pair SELECT 'Fig. 4' || part, model, variant, 0.1, published, mfu FROM fig4;

CREATE TEMP TABLE fig5 AS
SELECT p.gpus, p.GBps, p.GiB, p.model, c.variant, p.percent AS published,
       100 * c.samples_per_s / u.samples_per_s AS ours, c.mfu, u.mfu AS unlimited_mfu
FROM p_fig5 p JOIN cell c ON c.figure = 'capacity' AND c.model = p.model AND c.gpus = p.gpus AND
    c.gib = p.GiB AND c.gbps = p.GBps
JOIN cell u ON u.figure = 'capacity' AND u.model = p.model AND u.gpus = p.gpus AND u.gib = p.GiB AND
    u.gbps = 'unlimited' AND u.variant = c.variant;
INSERT INTO pair SELECT 'Fig. 5', model || ' ' || gpus || ' ' || GiB || ' GiB ' || GBps || ' GB/s',
    variant, 0.1, published, ours FROM fig5;

CREATE TEMP TABLE fig6 AS
SELECT p.gpus, p.GiB, p.model, c.variant, p.percent AS published, c.mfu
FROM p_fig6 p JOIN cell c ON c.figure = 'capacity' AND c.model = p.model AND c.gpus = p.gpus AND
    c.gib = p.GiB AND c.gbps = 100;
INSERT INTO pair SELECT 'Fig. 6', model || ' ' || gpus || ' ' || GiB || ' GiB', variant, 0.1,
    published, mfu FROM fig6;

CREATE TEMP TABLE fig7 AS
SELECT p.*, c.variant, c.step_s AS ours_s, c.mfu, c.forward_s AS ours_forward,
       c.backward_s AS ours_backward, c.bubble_s AS ours_bubble, c.tensor_s AS ours_tensor,
       c.pipeline_s AS ours_pipeline, c.data_s AS ours_data, c.tensor, c.pipeline, c.data,
       c.chunks, c.microbatch, c.recompute
FROM p_fig7 p JOIN cell c ON c.figure = 'fig7' AND c.gpus = p.gpus AND c.nvl = p.nvl;
INSERT INTO pair SELECT 'Fig. 7 time', gpus || ' NVL' || nvl || ' ' || what, variant, 0.01,
    published, ours FROM (
    SELECT gpus, nvl, variant, 'total' AS what, total_s AS published, ours_s AS ours FROM fig7
    UNION ALL SELECT gpus, nvl, variant, 'forward', forward_s, ours_forward FROM fig7
    UNION ALL SELECT gpus, nvl, variant, 'backward', backward_s, ours_backward FROM fig7
    UNION ALL SELECT gpus, nvl, variant, 'bubble', bubble_s, ours_bubble FROM fig7
    UNION ALL SELECT gpus, nvl, variant, 'tensor', tensor_s, ours_tensor FROM fig7
    UNION ALL SELECT gpus, nvl, variant, 'pipeline', pipeline_s, ours_pipeline FROM fig7
    UNION ALL SELECT gpus, nvl, variant, 'data', data_s, ours_data FROM fig7);

CREATE TEMP TABLE memory AS
SELECT 'Fig. 7 memory' AS figure, p.tier, p.gpus || ' NVL' || p.nvl AS label, c.variant, p.total,
       p.weight, p.activation, p.weight_grad, p.activation_grad, p.optimizer,
       CASE p.tier WHEN 'hbm' THEN weight0 ELSE weight1 END AS o_weight,
       CASE p.tier WHEN 'hbm' THEN activation0 ELSE activation1 END AS o_activation,
       CASE p.tier WHEN 'hbm' THEN weight_grad0 ELSE weight_grad1 END AS o_weight_grad,
       CASE p.tier WHEN 'hbm' THEN activation_grad0 ELSE activation_grad1 END AS o_activation_grad,
       CASE p.tier WHEN 'hbm' THEN optimizer0 ELSE optimizer1 END AS o_optimizer
FROM p_fig7_memory p JOIN cell c ON c.figure = 'fig7' AND c.gpus = p.gpus AND c.nvl = p.nvl
UNION ALL
SELECT 'Fig. 8 memory', p.tier, p.model, c.variant, p.total, p.weight, p.activation, p.weight_grad,
       p.activation_grad, p.optimizer,
       CASE p.tier WHEN 'hbm' THEN weight0 ELSE weight1 END,
       CASE p.tier WHEN 'hbm' THEN activation0 ELSE activation1 END,
       CASE p.tier WHEN 'hbm' THEN weight_grad0 ELSE weight_grad1 END,
       CASE p.tier WHEN 'hbm' THEN activation_grad0 ELSE activation_grad1 END,
       CASE p.tier WHEN 'hbm' THEN optimizer0 ELSE optimizer1 END
FROM p_fig8_memory p JOIN cell c ON c.figure = 'fig8' AND c.model = p.model AND c.hbm = 120 AND
    c.gib = 2048;
INSERT INTO pair SELECT figure, tier || ' ' || label || ' ' || what, variant, 0.01, published, ours FROM (
    SELECT figure, tier, label, variant, 'weight' AS what, weight AS published, o_weight AS ours FROM memory
    UNION ALL SELECT figure, tier, label, variant, 'activation', activation, o_activation FROM memory
    UNION ALL SELECT figure, tier, label, variant, 'weight gradient', weight_grad, o_weight_grad FROM memory
    UNION ALL SELECT figure, tier, label, variant, 'activation gradient', activation_grad, o_activation_grad FROM memory
    UNION ALL SELECT figure, tier, label, variant, 'optimizer', optimizer, o_optimizer FROM memory);

CREATE TEMP TABLE fig8 AS
SELECT p.hbm_GiB AS hbm, p.GiB, p.model, c.variant, p.percent AS published, c.mfu
FROM p_fig8 p JOIN cell c ON c.figure = 'fig8' AND c.model = p.model AND c.hbm = p.hbm_GiB AND c.gib = p.GiB;
INSERT INTO pair SELECT 'Fig. 8', model || ' ' || hbm || ' + ' || GiB || ' GiB', variant, 0.1,
    published, mfu FROM fig8;

-- "66.5 -0.4 +0.1": published, and how far ours is from it, then and later. In [ ]: ours, where
-- nothing is published; "none": does not run here.
CREATE TEMP TABLE trio AS
SELECT figure, what, iif(published IS NULL, '-', printf('%.1f', published)) || ' ' ||
       max(CASE variant WHEN 'then' THEN text END) || ' ' ||
       max(CASE variant WHEN 'later' THEN text END) AS text
FROM (SELECT figure, what, variant, published,
             CASE WHEN published IS NULL AND ours IS NULL THEN '-'
                  WHEN ours IS NULL THEN 'none'
                  WHEN published IS NULL THEN printf('[%.1f]', ours)
                  ELSE printf('%+.1f', ours - published) END AS text FROM pair)
GROUP BY figure, what;
CREATE INDEX temp.trio_key ON trio(figure, what);

-- @heading Table I: validation against Selene
-- @table table1 Iteration times in seconds: measured, as published, ours (a100-80g-selene)
SELECT p.plan, p.selene_s AS measured, p.tool_s AS published, round(e.step_s, 2) AS ours,
       printf('%+.2f %%', 100 * (p.selene_s - p.tool_s) / p.selene_s) AS published_off,
       printf('%+.2f %%', 100 * (p.selene_s - e.step_s) / p.selene_s) AS ours_off
FROM p_table1 p JOIN estimate e ON e.name = p.plan;
-- @chart table1-time bars Table I: seconds of an iteration
SELECT plan, 'measured' AS who, selene_s AS seconds FROM p_table1 UNION ALL SELECT plan, 'published', tool_s FROM p_table1 UNION ALL SELECT name, 'here', step_s FROM estimate WHERE name IN (SELECT plan FROM p_table1);
-- @check table1 The average difference to the measured times is 3.40 %, the largest 7.25 %.
SELECT avg(off) <= 0.03405 AND max(off) <= 0.07255,
       printf('ours is %.2f %% on average and %.2f %% at most: the printed values are of the tool of April 2023 with its machine file of that month; its last version, and SC23 Table 2, give 3.65 and 8.87', 100 * avg(off), 100 * max(off))
FROM (SELECT abs(p.selene_s - e.step_s) / p.selene_s AS off FROM p_table1 p JOIN estimate e ON e.name = p.plan);
-- @check table1-sign The difference of 1T under full recomputation is -2.88 %.
SELECT 0, printf('(94.42 - 91.70) / 94.42 is %+.2f %%: the sign is a misprint', 100 * (94.42 - 91.70) / 94.42);

-- @heading Tables II and III: shapes
-- @table table2 Aspect ratios in practice
SELECT name, hidden, blocks, ratio AS published, round(1.0 * hidden / blocks, 1) AS ours FROM p_table2;
-- @table table3 The family: published, and the rule (hidden: the multiple of 1024 nearest to 192 + (blocks - 128) / 3 per block)
SELECT p.model, p.blocks, p.hidden AS published, 1024 * CAST(round(p.blocks * (192 + (p.blocks - 128) / 3.0) / 1024) AS INTEGER) AS by_rule,
       m.hidden AS catalog, p.head_dim, m.head_dim AS catalog_head_dim, p.trillions,
       round(12.0 * m.layers * m.hidden * m.hidden / 1e12, 2) AS "12 L h^2", round(m.parameters / 1e12, 2) AS counted
FROM p_table3 p JOIN model m ON m.name = p.model ORDER BY p.blocks;
-- @require table3 All twelve models follow from the rule, with heads = blocks and head sizes rounded to the nearest.
SELECT sum(p.hidden = m.hidden AND p.blocks = m.layers AND m.heads = m.layers AND m.feedforward = 4 * m.hidden
           AND p.head_dim = m.head_dim AND m.head_dim = round(1.0 * m.hidden / m.layers)
           AND m.hidden = 1024 * round(p.blocks * (192 + (p.blocks - 128) / 3.0) / 1024)
           AND abs(12.0 * m.layers * m.hidden * m.hidden / 1e12 - p.trillions) < 0.0051) = 12,
       count(*) || ' models compared; reckon shapes --blocks 128..480 makes them, reckon shapes --grid makes Fig. 3'
FROM p_table3 p JOIN model m ON m.name = p.model;

-- @heading Fig. 2: 254 and 256 blocks
-- @table fig2 Mappings and best efficiency; 11T on 4,096 GPUs, 512 GiB at 100 GB/s
SELECT blocks, variant, published_mappings AS published, mappings AS ours, fits AS can_run, mfu_pct AS published_mfu, round(mfu, 2) AS ours_mfu,
       printf('(%d,%d,%d) v%d m%d %s, networks %d%d%d', tensor, pipeline, data, chunks, microbatch, recompute,
              tensor_network, pipeline_network, data_network) AS best
FROM fig2 ORDER BY variant DESC, blocks;
-- @table fig2_bars The bars in seconds: published, ours
SELECT blocks, variant, printf('%.2f %.2f', total_s, drawn_s) AS total, printf('%.2f %.2f', p_forward, forward_s) AS forward,
       printf('%.2f %.2f', p_backward, backward_s) AS backward, printf('%.2f %.2f', p_bubble, bubble_s) AS bubble,
       printf('%.2f %.2f', p_recompute, recompute_s) AS recompute, printf('%.2f %.2f', p_tensor, tensor_s) AS tensor,
       printf('%.2f %.2f', p_pipeline, pipeline_s) AS pipeline, printf('%.2f %.2f', p_data, data_s) AS data, printf('%.2f', offload_s) AS offload_not_drawn
FROM fig2 ORDER BY variant DESC, blocks;
-- @require fig2-counts There are 15,612,832 mappings of the model with 256 blocks and 842,080 of that with 254.
SELECT sum(mappings = published_mappings) = 2 AND count(*) = 2, 'of these ' || (SELECT max(strategies) FROM cell WHERE figure = 'fig2-beyond') || ' each have 4,096 replicas and a batch of 4,096, above the limit of 3,072'
FROM fig2 WHERE variant = 'then';
-- @check fig2-fewer The model with 254 blocks has 18.5 times fewer mappings.
SELECT abs(a.mappings * 1.0 / b.mappings - 18.5) < 0.05, printf('it has %.2f times fewer', a.mappings * 1.0 / b.mappings)
FROM fig2 a JOIN fig2 b ON a.variant = b.variant WHERE a.blocks = 256 AND b.blocks = 254 AND a.variant = 'then';
-- @check fig2-efficiency Their best efficiencies are 75 % and 54 %.
SELECT round(a.mfu) = 75 AND round(b.mfu) = 54, printf('ours are %.1f %% and %.1f %%; with the later file %.1f %% and %.1f %%', a.mfu, b.mfu, c.mfu, d.mfu)
FROM fig2 a, fig2 b, fig2 c, fig2 d WHERE a.blocks = 256 AND b.blocks = 254 AND a.variant = 'then' AND b.variant = 'then'
    AND c.blocks = 256 AND d.blocks = 254 AND c.variant = 'later' AND d.variant = 'later';
-- @check fig2-faster 256 blocks are 36 % faster.
SELECT abs(b.step_s / a.step_s - 1.36) < 0.01, printf('they are %.0f %% faster here: 254 blocks need %.1f s, 256 need %.1f s, of which %.2f s of offloading are not drawn in the figure', 100 * (b.step_s / a.step_s - 1), b.step_s, a.step_s, a.offload_s)
FROM fig2 a JOIN fig2 b ON a.variant = b.variant WHERE a.blocks = 256 AND b.blocks = 254 AND a.variant = 'then';

-- @heading Fig. 4: efficiency on 4,096 GPUs
-- @table fig4 Total efficiency in percent: published, difference of ours then and later; compute x system
SELECT s.label AS model, a.text AS "no offloading", b.text AS "1 TiB unlimited",
       (SELECT printf('%.1f x %.1f', compute, share) FROM fig4 WHERE part = 'b' AND model = s.model AND variant = 'then') AS ours_then,
       (SELECT printf('%.1f x %.1f', compute_pct, system_pct) FROM p_fig4 WHERE part = 'b' AND model = s.model) AS published
FROM size s JOIN trio b ON b.figure = 'Fig. 4b' AND b.what = s.model LEFT JOIN trio a ON a.figure = 'Fig. 4a' AND a.what = s.model
ORDER BY s.parameters;
-- @chart fig4-efficiency bars Fig. 4: total efficiency on 4,096 GPUs (%)
SELECT model, CASE figure WHEN 'fig4a' THEN 'no offloading' ELSE '1 TiB unlimited' END AS memory, mfu FROM cell WHERE figure IN ('fig4a', 'fig4b') AND variant = 'then' AND mfu IS NOT NULL;
-- @check fig4a-decay Without offloading efficiency rapidly decays until 18T, where it can no longer run.
SELECT count(mfu) = 5 AND min(CASE model WHEN 'multi-1t' THEN mfu END) > 3 * min(CASE model WHEN 'multi-11t' THEN mfu END),
       (SELECT group_concat(printf('%s %.1f %%', substr(model, 7), mfu), ', ') FROM cell WHERE figure = 'fig4a' AND variant = 'then' AND mfu IS NOT NULL) || '; ' || (count(*) - count(mfu)) || ' larger models do not run'
FROM cell WHERE figure = 'fig4a' AND variant = 'then';
-- @check fig4-identity Total efficiency is compute efficiency times system efficiency.
SELECT max(abs(mfu - compute * share / 100)) < 1e-9, printf('the largest difference of %d cells is %.1e', count(*), max(abs(mfu - compute * share / 100))) FROM cell WHERE mfu IS NOT NULL;

-- @heading Fig. 5: performance relative to infinite bandwidth
-- @table fig5_50 At 50 GB/s, percent: published, difference of ours then and later
SELECT s.label AS model,
       max(CASE what WHEN s.model || ' 4096 256 GiB 50 GB/s' THEN text END) AS "4096: 256 GiB", max(CASE what WHEN s.model || ' 4096 512 GiB 50 GB/s' THEN text END) AS "512 GiB",
       max(CASE what WHEN s.model || ' 4096 1024 GiB 50 GB/s' THEN text END) AS "1 TiB", max(CASE what WHEN s.model || ' 4096 2048 GiB 50 GB/s' THEN text END) AS "2 TiB",
       max(CASE what WHEN s.model || ' 16384 256 GiB 50 GB/s' THEN text END) AS "16384: 256 GiB", max(CASE what WHEN s.model || ' 16384 512 GiB 50 GB/s' THEN text END) AS "512 GiB",
       max(CASE what WHEN s.model || ' 16384 1024 GiB 50 GB/s' THEN text END) AS "1 TiB", max(CASE what WHEN s.model || ' 16384 2048 GiB 50 GB/s' THEN text END) AS "2 TiB"
FROM size s JOIN trio ON figure = 'Fig. 5' AND what GLOB s.model || ' *' GROUP BY s.model ORDER BY s.parameters;
-- @table fig5_100 At 100 GB/s, percent: published, difference of ours then and later
SELECT s.label AS model,
       max(CASE what WHEN s.model || ' 4096 256 GiB 100 GB/s' THEN text END) AS "4096: 256 GiB", max(CASE what WHEN s.model || ' 4096 512 GiB 100 GB/s' THEN text END) AS "512 GiB",
       max(CASE what WHEN s.model || ' 4096 1024 GiB 100 GB/s' THEN text END) AS "1 TiB", max(CASE what WHEN s.model || ' 4096 2048 GiB 100 GB/s' THEN text END) AS "2 TiB",
       max(CASE what WHEN s.model || ' 16384 256 GiB 100 GB/s' THEN text END) AS "16384: 256 GiB", max(CASE what WHEN s.model || ' 16384 512 GiB 100 GB/s' THEN text END) AS "512 GiB",
       max(CASE what WHEN s.model || ' 16384 1024 GiB 100 GB/s' THEN text END) AS "1 TiB", max(CASE what WHEN s.model || ' 16384 2048 GiB 100 GB/s' THEN text END) AS "2 TiB"
FROM size s JOIN trio ON figure = 'Fig. 5' AND what GLOB s.model || ' *' GROUP BY s.model ORDER BY s.parameters;
-- @check fig5-50 At 4,096 GPUs, 50 GB/s cause significant slowdowns with growing models (some model from 11T below 90 %, none below 11T).
SELECT min(CASE WHEN m.layers >= 256 THEN ours END) < 90 AND min(CASE WHEN m.layers < 256 THEN ours END) >= 90,
       printf('the worst from 11T upwards is %.1f %% of infinite bandwidth, below 11T %.1f %%; %d of %d are below 90 %%', min(CASE WHEN m.layers >= 256 THEN ours END), min(CASE WHEN m.layers < 256 THEN ours END), sum(ours < 90), count(ours))
FROM fig5 JOIN model m ON m.name = model WHERE gpus = 4096 AND GBps = 50 AND variant = 'then';
-- @check fig5-100 100 GB/s nearly match infinite bandwidth (at least 95 % everywhere).
SELECT min(ours) >= 95, printf('%d of %d are at least 95 %% (%d of the published ones), half of them at least %.1f %%; the worst is %.1f %% (%s; published 77.3 %%)', sum(ours >= 95), count(ours), sum(published >= 95),
       (SELECT ours FROM fig5 WHERE GBps = 100 AND variant = 'then' AND ours IS NOT NULL ORDER BY ours LIMIT 1 OFFSET (SELECT count(ours) / 2 FROM fig5 WHERE GBps = 100 AND variant = 'then')), min(ours),
       (SELECT substr(model, 7) || ' on ' || gpus || ' with ' || GiB || ' GiB' FROM fig5 WHERE GBps = 100 AND variant = 'then' AND ours IS NOT NULL ORDER BY ours LIMIT 1))
FROM fig5 WHERE GBps = 100 AND variant = 'then';
-- @require fig5-exhaustive No finite bandwidth beats infinite bandwidth (in the publication some do, up to 103.7 %: its searches missed the optimum of their own spaces).
SELECT max(ours) < 100 + 1e-9, printf('of ours the largest is %.2f %%; of the published ones %d of %d are above 100.05 %%', max(ours), sum(published > 100.05) / 2, count(published) / 2) FROM fig5;

-- @heading Fig. 6: efficiency by model and capacity at 100 GB/s
-- @table fig6_4096 4,096 GPUs, percent: published, difference of ours then and later
SELECT s.label AS model, max(CASE what WHEN s.model || ' 4096 256 GiB' THEN text END) AS "256 GiB", max(CASE what WHEN s.model || ' 4096 512 GiB' THEN text END) AS "512 GiB",
       max(CASE what WHEN s.model || ' 4096 1024 GiB' THEN text END) AS "1 TiB", max(CASE what WHEN s.model || ' 4096 2048 GiB' THEN text END) AS "2 TiB"
FROM size s JOIN trio ON figure = 'Fig. 6' AND what GLOB s.model || ' *' GROUP BY s.model ORDER BY s.parameters;
-- @table fig6_8192 8,192 GPUs
SELECT s.label AS model, max(CASE what WHEN s.model || ' 8192 256 GiB' THEN text END) AS "256 GiB", max(CASE what WHEN s.model || ' 8192 512 GiB' THEN text END) AS "512 GiB",
       max(CASE what WHEN s.model || ' 8192 1024 GiB' THEN text END) AS "1 TiB", max(CASE what WHEN s.model || ' 8192 2048 GiB' THEN text END) AS "2 TiB"
FROM size s JOIN trio ON figure = 'Fig. 6' AND what GLOB s.model || ' *' GROUP BY s.model ORDER BY s.parameters;
-- @table fig6_12288 12,288 GPUs
SELECT s.label AS model, max(CASE what WHEN s.model || ' 12288 256 GiB' THEN text END) AS "256 GiB", max(CASE what WHEN s.model || ' 12288 512 GiB' THEN text END) AS "512 GiB",
       max(CASE what WHEN s.model || ' 12288 1024 GiB' THEN text END) AS "1 TiB", max(CASE what WHEN s.model || ' 12288 2048 GiB' THEN text END) AS "2 TiB"
FROM size s JOIN trio ON figure = 'Fig. 6' AND what GLOB s.model || ' *' GROUP BY s.model ORDER BY s.parameters;
-- @table fig6_16384 16,384 GPUs
SELECT s.label AS model, max(CASE what WHEN s.model || ' 16384 256 GiB' THEN text END) AS "256 GiB", max(CASE what WHEN s.model || ' 16384 512 GiB' THEN text END) AS "512 GiB",
       max(CASE what WHEN s.model || ' 16384 1024 GiB' THEN text END) AS "1 TiB", max(CASE what WHEN s.model || ' 16384 2048 GiB' THEN text END) AS "2 TiB"
FROM size s JOIN trio ON figure = 'Fig. 6' AND what GLOB s.model || ' *' GROUP BY s.model ORDER BY s.parameters;
-- @check fig6-256 Good efficiency (70 % and more) occurs rarely at 256 GiB (in less than a third of the cells).
SELECT sum(ifnull(mfu, 0) >= 70) < count(*) / 3.0, printf('%d of %d cells reach 70 %% (%d of the published ones)', sum(ifnull(mfu, 0) >= 70), count(*), sum(ifnull(published, 0) >= 70)) FROM fig6 WHERE GiB = 256 AND variant = 'then';
-- @check fig6-512 For 8k, 12k and 16k GPUs, 512 GiB is mostly sufficient (two thirds of the models within 5 points of 2 TiB).
SELECT sum(ifnull(a.mfu, 0) >= b.mfu - 5) >= count(*) * 2 / 3.0, printf('%d of %d are within 5 points of 2 TiB; %d do not run', sum(ifnull(a.mfu, 0) >= b.mfu - 5), count(*), sum(a.mfu IS NULL))
FROM fig6 a JOIN fig6 b ON a.model = b.model AND a.gpus = b.gpus AND a.variant = b.variant WHERE a.GiB = 512 AND b.GiB = 2048 AND a.gpus > 4096 AND a.variant = 'then';
-- @check fig6-1024 1 TiB is nearly identical to 2 TiB (all within 2 points).
SELECT max(b.mfu - ifnull(a.mfu, 0)) <= 2, printf('%d of %d are within 2 points (%d of the published ones); the largest difference is %.1f points (%s; published 18.6)', sum(b.mfu - ifnull(a.mfu, 0) <= 2), count(*), sum(b.published - a.published <= 2.001), max(b.mfu - ifnull(a.mfu, 0)),
       (SELECT substr(x.model, 7) || ' on ' || x.gpus FROM fig6 x JOIN fig6 y ON x.model = y.model AND x.gpus = y.gpus AND x.variant = y.variant WHERE x.GiB = 1024 AND y.GiB = 2048 AND x.variant = 'then' ORDER BY y.mfu - ifnull(x.mfu, 0) DESC LIMIT 1))
FROM fig6 a JOIN fig6 b ON a.model = b.model AND a.gpus = b.gpus AND a.variant = b.variant WHERE a.GiB = 1024 AND b.GiB = 2048 AND a.variant = 'then';
-- @check fig6-corners Small models on large systems and large models on small systems are inefficient.
SELECT s.mfu < m.mfu - 10 AND l.mfu < m.mfu - 5, printf('with 1 TiB, 1T on 16,384 reaches %.1f %%, 128T on 4,096 %.1f %%, 18T on 4,096 %.1f %%', s.mfu, l.mfu, m.mfu)
FROM fig6 s, fig6 l, fig6 m WHERE s.model = 'multi-1t' AND s.gpus = 16384 AND l.model = 'multi-128t' AND l.gpus = 4096 AND m.model = 'multi-18t' AND m.gpus = 4096
    AND s.GiB = 1024 AND l.GiB = 1024 AND m.GiB = 1024 AND s.variant = 'then' AND l.variant = 'then' AND m.variant = 'then';
-- @require fig6-exhaustive More memory never makes the best strategy slower (in the publication it does in places: its searches were not exhaustive).
SELECT sum(b.mfu < ifnull(a.mfu, 0) - 1e-9) = 0, printf('none of our %d neighbouring pairs is slower with more; of the published ones %d are, by up to %.1f points', count(*),
       sum(ifnull(b.published, 0) < ifnull(a.published, 0) - 0.05) / 2, max(ifnull(a.published, 0) - ifnull(b.published, 0)))
FROM fig6 a JOIN fig6 b ON a.model = b.model AND a.gpus = b.gpus AND a.variant = b.variant AND b.GiB = 2 * a.GiB;

-- @heading Fig. 7: strong scaling of 1T
-- @table fig7 Times in seconds: published, ours with the system then, and later
SELECT a.gpus, a.nvl, a.total_s AS published, round(a.ours_s, 2) AS "then", round(b.ours_s, 2) AS later, round(a.mfu, 1) AS mfu_then,
       printf('%.2f %.2f', a.forward_s, a.ours_forward) AS forward, printf('%.2f %.2f', a.backward_s, a.ours_backward) AS backward, printf('%.2f %.2f', a.bubble_s, a.ours_bubble) AS bubble,
       printf('%.2f %.2f', a.tensor_s, a.ours_tensor) AS tensor, printf('%.2f %.2f', a.pipeline_s, a.ours_pipeline) AS pipeline, printf('%.2f %.2f', a.data_s, a.ours_data) AS data,
       printf('(%d,%d,%d) v%d m%d %s', a.tensor, a.pipeline, a.data, a.chunks, a.microbatch, a.recompute) AS best_then
FROM fig7 a JOIN fig7 b ON a.gpus = b.gpus AND a.nvl = b.nvl WHERE a.variant = 'then' AND b.variant = 'later' ORDER BY a.gpus, a.nvl;
-- @table fig7_memory Memory in GiB: published, ours with the system then (HBM: what stays there; offload: all there is)
SELECT label, tier, printf('%.1f %.1f', total, o_weight + o_activation + o_weight_grad + o_activation_grad + o_optimizer) AS total, printf('%.2f %.2f', weight, o_weight) AS weights,
       printf('%.2f %.2f', activation, o_activation) AS activations, printf('%.2f %.2f', weight_grad, o_weight_grad) AS weight_gradients,
       printf('%.2f %.2f', activation_grad, o_activation_grad) AS activation_gradients, printf('%.2f %.2f', optimizer, o_optimizer) AS optimizer
FROM memory WHERE figure = 'Fig. 7 memory' AND variant = 'then';
-- @check fig7-stalls Scaling 1T up to 12,288 GPUs fares well (80 % of linear) but suffers at 16,384 (NVLink domains of 8: a third more GPUs, less than 10 % faster).
SELECT 4096 * a.ours_s / (12288 * b.ours_s) >= 0.8 AND b.ours_s / c.ours_s < 1.1, printf('4,096 to 12,288 reaches %.0f %% of linear; then 16,384 GPUs are %.1f %% faster (%.2f s and %.2f s; published 8.89 s and 9.24 s)', 100 * 4096 * a.ours_s / (12288 * b.ours_s), 100 * (b.ours_s / c.ours_s - 1), b.ours_s, c.ours_s)
FROM fig7 a, fig7 b, fig7 c WHERE a.gpus = 4096 AND b.gpus = 12288 AND c.gpus = 16384 AND a.nvl = 8 AND b.nvl = 8 AND c.nvl = 8 AND a.variant = 'then' AND b.variant = 'then' AND c.variant = 'then';
-- @check fig7-nvlink An NVLink size of 8 is sufficient up to 12,288 GPUs (within 3 %), but 16 is needed for higher efficiency at 16,384 (10 % and more).
SELECT max(CASE WHEN a.gpus < 16384 THEN a.ours_s / b.ours_s END) <= 1.03 AND max(CASE WHEN a.gpus = 16384 THEN a.ours_s / b.ours_s END) >= 1.1,
       group_concat(printf('%d: %+.1f %%', a.gpus, 100 * (a.ours_s / b.ours_s - 1)), ', ') || ' more time with 8 than with 16'
FROM fig7 a JOIN fig7 b ON a.gpus = b.gpus AND a.variant = b.variant WHERE a.nvl = 8 AND b.nvl = 16 AND a.variant = 'then';

-- @heading Fig. 8: HBM of 80 and 120 GiB on 4,096 GPUs
-- @table fig8 Efficiency in percent: published, difference of ours then and later
SELECT s.label AS model, max(CASE what WHEN s.model || ' 80 + 256 GiB' THEN text END) AS "80 + 256", max(CASE what WHEN s.model || ' 120 + 256 GiB' THEN text END) AS "120 + 256",
       max(CASE what WHEN s.model || ' 80 + 512 GiB' THEN text END) AS "80 + 512", max(CASE what WHEN s.model || ' 120 + 512 GiB' THEN text END) AS "120 + 512",
       max(CASE what WHEN s.model || ' 80 + 1024 GiB' THEN text END) AS "80 + 1024", max(CASE what WHEN s.model || ' 120 + 1024 GiB' THEN text END) AS "120 + 1024",
       max(CASE what WHEN s.model || ' 80 + 2048 GiB' THEN text END) AS "80 + 2048", max(CASE what WHEN s.model || ' 120 + 2048 GiB' THEN text END) AS "120 + 2048"
FROM size s JOIN trio ON figure = 'Fig. 8' AND what GLOB s.model || ' *' GROUP BY s.model ORDER BY s.parameters;
-- @table fig8_memory Memory in GiB with 120 GiB and 2 TiB: published, ours with the system then
SELECT substr(label, 7) AS model, tier, printf('%.1f %.1f', total, o_weight + o_activation + o_weight_grad + o_activation_grad + o_optimizer) AS total, printf('%.2f %.2f', weight, o_weight) AS weights,
       printf('%.2f %.2f', activation, o_activation) AS activations, printf('%.2f %.2f', weight_grad, o_weight_grad) AS weight_gradients,
       printf('%.2f %.2f', activation_grad, o_activation_grad) AS activation_gradients, printf('%.2f %.2f', optimizer, o_optimizer) AS optimizer
FROM memory JOIN model ON model.name = label WHERE figure = 'Fig. 8 memory' AND variant = 'then' ORDER BY tier, parameters;
-- @check fig8-80 With 4,096 GPUs 80 GiB of HBM suffice up to 11T (within 2 points of 120 GiB, 2 TiB behind).
SELECT max(b.mfu - a.mfu) <= 2, printf('the largest gain of 120 GiB up to 11T is %.1f points', max(b.mfu - a.mfu))
FROM fig8 a JOIN fig8 b ON a.model = b.model AND a.GiB = b.GiB AND a.variant = b.variant JOIN model m ON m.name = a.model WHERE a.hbm = 80 AND b.hbm = 120 AND a.GiB = 2048 AND m.layers <= 256 AND a.variant = 'then';
-- @check fig8-120 Beyond, 120 GiB are needed (each larger model gains 2 points and more).
SELECT min(b.mfu - a.mfu) >= 2, 'the gains in points are ' || group_concat(printf('%s %.1f (published %.1f)', substr(a.model, 7), b.mfu - a.mfu, b.published - a.published), ', ')
FROM fig8 a JOIN fig8 b ON a.model = b.model AND a.GiB = b.GiB AND a.variant = b.variant JOIN model m ON m.name = a.model WHERE a.hbm = 80 AND b.hbm = 120 AND a.GiB = 2048 AND m.layers > 256 AND a.variant = 'then';
-- @check fig8-75 120 GiB and 2 TiB keep more than 75 % MFU up to 128T (from 4T).
SELECT min(mfu) > 75, printf('from 4T upwards it lies between %.1f %% and %.1f %%', min(mfu), max(mfu)) FROM fig8 JOIN model m ON m.name = model WHERE hbm = 120 AND GiB = 2048 AND m.layers >= 192 AND variant = 'then';

-- @heading Conclusions of the paper
-- @check conclusion-capacity The 100T class needs up to 1 TiB a GPU at 100 GB/s.
SELECT a.mfu IS NULL AND b.mfu IS NOT NULL, printf('128T on 4,096 GPUs %s with 512 GiB and %s with 1 TiB; on 16,384 it reaches %.1f %% and %.1f %%', iif(a.mfu IS NULL, 'does not run', printf('reaches %.1f %%', a.mfu)), iif(b.mfu IS NULL, 'does not run', printf('reaches %.1f %%', b.mfu)), c.mfu, d.mfu)
FROM fig6 a, fig6 b, fig6 c, fig6 d WHERE a.model = 'multi-128t' AND b.model = a.model AND c.model = a.model AND d.model = a.model AND a.gpus = 4096 AND b.gpus = 4096 AND c.gpus = 16384 AND d.gpus = 16384
    AND a.GiB = 512 AND b.GiB = 1024 AND c.GiB = 512 AND d.GiB = 1024 AND a.variant = 'then' AND b.variant = 'then' AND c.variant = 'then' AND d.variant = 'then';
-- @check conclusion-strategies A pair of model and system typically has 10 to 30 million configurations.
SELECT avg(strategies) BETWEEN 1e7 AND 3e7, printf('those with a second tier have %.1f to %.1f million, %.1f on average (with the later kinds of overlap %.1f)', min(strategies) / 1e6, max(strategies) / 1e6, avg(strategies) / 1e6,
       (SELECT avg(strategies) / 1e6 FROM cell WHERE gib IS NOT NULL AND variant = 'later' AND figure = 'capacity')) FROM cell WHERE gib IS NOT NULL AND variant = 'then' AND figure = 'capacity';

-- @setup
-- What the tool of the paper's time says about the plans found here, where it was asked about the same plan.
CREATE TEMP TABLE asked AS
SELECT c.figure, c.model, c.gpus, c.hbm, c.gib, c.gbps, c.nvl, c.layers, c.mfu, a.mfu AS tool_mfu, a.step_s AS tool_s
FROM cell c JOIN april a ON a.model = c.model AND a.gpus = c.gpus AND a.hbm_GiB = c.hbm AND a.GiB = ifnull(c.gib, 0) AND a.nvl = c.nvl AND a.fig2 = c.fig2 AND
    ifnull(a.GBps, '') || '' = iif(c.gib IS NULL, '', c.gbps || '') AND a.plan = c.plan
WHERE c.variant = 'then';
CREATE TEMP TABLE tool(figure, what, digit, published, tool);
INSERT INTO tool SELECT 'Fig. 2 MFU', p.blocks, 1, p.mfu_pct, a.tool_mfu FROM p_fig2 p JOIN asked a ON a.figure = 'fig2' AND a.layers = p.blocks;
INSERT INTO tool SELECT 'Fig. 4a', p.model, 0.1, p.total_pct, a.tool_mfu FROM p_fig4 p JOIN asked a ON a.figure = 'fig4a' AND a.model = p.model WHERE p.part = 'a';
INSERT INTO tool SELECT 'Fig. 4b', p.model, 0.1, p.total_pct, a.tool_mfu FROM p_fig4 p JOIN asked a ON a.figure = 'capacity' AND a.model = p.model AND a.gpus = 4096 AND a.gib = 1024 AND a.gbps = 'unlimited' WHERE p.part = 'b';
INSERT INTO tool SELECT 'Fig. 6', p.model || ' ' || p.gpus || ' ' || p.GiB, 0.1, p.percent, a.tool_mfu FROM p_fig6 p JOIN asked a ON a.figure = 'capacity' AND a.model = p.model AND a.gpus = p.gpus AND a.gib = p.GiB AND a.gbps = 100 WHERE p.percent IS NOT NULL;
INSERT INTO tool SELECT 'Fig. 7 seconds', p.gpus || ' NVL' || p.nvl, 0.01, p.total_s, a.tool_s FROM p_fig7 p JOIN asked a ON a.figure = 'fig7' AND a.gpus = p.gpus AND a.nvl = p.nvl;
INSERT INTO tool SELECT 'Fig. 8', p.model || ' ' || p.hbm_GiB || ' ' || p.GiB, 0.1, p.percent, a.tool_mfu FROM p_fig8 p JOIN asked a ON a.figure = 'fig8' AND a.model = p.model AND a.hbm = p.hbm_GiB AND a.gib = p.GiB WHERE p.percent IS NOT NULL;

-- @heading The same plans, valued by the tool of the paper's time
-- @table tool By figure: plans that it was asked about (version 4b3547a); refused; equal to the published value in its last digit; better than published (its own search missed the plan); worse
SELECT figure, count(*) AS plans, sum(tool IS NULL) AS refused, sum(abs(tool - published) <= 0.5001 * digit) AS equal,
       sum(iif(figure = 'Fig. 7 seconds', published - tool, tool - published) > 0.5001 * digit) AS better, sum(iif(figure = 'Fig. 7 seconds', tool - published, published - tool) > 0.5001 * digit) AS worse,
       round(max(iif(figure = 'Fig. 7 seconds', published - tool, tool - published)), 2) AS best, round(min(iif(figure = 'Fig. 7 seconds', published - tool, tool - published)), 2) AS worst
FROM tool GROUP BY figure;
-- @table missed Published values that the plans found here beat by the tool's own measure (by more than 0.3 points): the published search was not exhaustive. Left out: one plan (1T, 120 GiB and 2 TiB) that the tool values at 83.6 %, an error of its formulas
SELECT figure, what, published, round(tool, 2) AS tool FROM tool WHERE digit = 0.1 AND tool - published BETWEEN 0.3 AND 10 ORDER BY tool - published DESC;

-- @heading How far ours is from the published values
-- @table distance By figure: values; equal to the last published digit; within 1 % (or 1 point); mean and largest difference
SELECT figure, variant, count(*) AS "values", sum(abs(ours - published) <= 0.5001 * digit) AS equal,
       sum(abs(ours - published) <= CASE WHEN digit = 0.1 THEN 1 ELSE 0.01 * abs(published) END + 0.5001 * digit) AS near,
       round(avg(ours - published), 2) AS mean, round(avg(abs(ours - published)), 2) AS mean_size, round(max(abs(ours - published)), 2) AS largest
FROM pair WHERE published IS NOT NULL AND ours IS NOT NULL GROUP BY figure, variant ORDER BY figure, variant DESC;
-- @table runs What runs: published and ours
SELECT figure, variant, sum(published IS NOT NULL AND ours IS NOT NULL) AS both, sum(published IS NULL AND ours IS NULL) AS neither,
       sum(published IS NULL AND ours IS NOT NULL) AS only_ours, sum(published IS NOT NULL AND ours IS NULL) AS only_published
FROM pair GROUP BY figure, variant HAVING neither + only_ours + only_published > 0 ORDER BY figure, variant DESC;
-- @table beaten Published points that a point with less memory or bandwidth beats, in the publication itself: the searches were not exhaustive
SELECT what, published, against, better, (SELECT round(mfu, 1) FROM cell WHERE cell.figure = 'capacity' AND cell.model = x.model AND cell.gpus = x.gpus AND cell.gib = x.gib AND cell.gbps = x.gbps AND variant = 'then') AS ours_then
FROM (SELECT 'Fig. 6: ' || substr(a.model, 7) || ' on ' || a.gpus || ', ' || b.GiB || ' GiB at 100 GB/s' AS what, b.published, a.GiB || ' GiB' AS against, a.published AS better, a.model, a.gpus, b.GiB AS gib, 100 AS gbps
      FROM fig6 a JOIN fig6 b ON a.model = b.model AND a.gpus = b.gpus AND a.variant = b.variant AND b.GiB > a.GiB
      WHERE a.variant = 'then' AND a.published > b.published + 0.05
      UNION ALL
      SELECT 'Fig. 4b: ' || substr(p.model, 7) || ', 1 TiB unlimited', p.total_pct, '1 TiB at 100 GB/s', q.percent, p.model, 4096, 1024, 'unlimited'
      FROM p_fig4 p JOIN p_fig6 q ON p.model = q.model AND q.gpus = 4096 AND q.GiB = 1024 WHERE p.part = 'b' AND q.percent > p.total_pct + 0.05) x;

-- @heading Size and time
-- @table work Strategies and the time of the searches, by figure (some searches serve several figures)
SELECT figure, points, strategies, fits, round(seconds, 2) AS seconds FROM progress;
-- @note
SELECT printf('%d searches, %.2f billion strategies, %.2f s of searching when their times are added up. At 1 ms each, the published tool would take %.0f days of one processor.', count(*), sum(strategies) / 1e9, sum(seconds), sum(strategies) / 86400e3)
FROM search WHERE key IN (SELECT key FROM point);
