-- @heading Holmes [yang2024holmes]: training over clusters with different networks
-- @note Nodes of eight A100-80G; the rates of their NICs are not published. They are fitted to the three 4-node rows of the 3.6B model,
--  once with rings that drive the NICs of all GPUs of a node together, as NCCL has them over RDMA, once with rings that have one GPU's share, as over sockets (nvl1).
--  Between clusters a node has the rate at which messages go over Ethernet alone. All else is predicted. TFLOPS are the paper's: 96 B s L h^2 (1 + s/6h + V/16Lh) over the step and the GPUs, full recomputation counted.
-- @expect published holmes.csv
-- @include begin.sql
-- @setup
-- GB/s of a GPU, fitted by `sh bench/holmes.sh`; @require fitted says that they still give the rows.
CREATE TEMP TABLE nic(name, rings, rate REAL, node);
INSERT INTO nic VALUES ('InfiniBand', 'all', 3.03926, 8), ('InfiniBand', 'one', 13.5793, 1), ('RoCE', 'all', 1.21382, 8), ('RoCE', 'one', 5.54166, 1),
                       ('Ethernet', 'all', 0.605866, 8), ('Ethernet', 'one', 2.79004, 1);
-- Which rings a NIC has: RDMA all, sockets one.
CREATE TEMP VIEW usual AS SELECT 'InfiniBand' AS name, 'all' AS rings UNION ALL SELECT 'RoCE', 'all' UNION ALL SELECT 'Ethernet', 'one';
CREATE TEMP TABLE nodes(nodes);
INSERT INTO nodes VALUES (4), (6), (8);
CREATE TEMP TABLE words AS SELECT 'pp2 mbs4 attention=flash precision=fp16 recompute=selective' AS text;
CREATE TEMP VIEW alone AS SELECT name, rings, printf('a100-sxm4-80g nvl%d x64 net1.bandwidth=%sGB/s', node, rate) AS system FROM nic;

-- @heading Table 1: GPT 3.6B, batch 768
-- @answer t1
SELECT printf('%d nodes, %s, rings of %s', nodes, name, rings),
       printf('reckon predict -m "megatron-3.6b vocabulary=50304" -s "a100-sxm4-80g nvl%d x%d net1.bandwidth=%sGB/s" -g %d %s dp%d gbs768 zero1', node, 8 * nodes, rate, 8 * nodes, text, 4 * nodes)
FROM nic, nodes, words ORDER BY nic.rowid, nodes;
-- @setup
-- Both clusters; their link is a node's Ethernet at the rate that messages reach in the row with Ethernet alone: 12 microbatches of 4 x 2,048 x 3,072 x 2 bytes there and back and one of each more to fill and drain, eight GPUs.
CREATE TEMP TABLE link AS SELECT 26 * 50331648.0 * 8 / json_extract(json, '$.figures.pipeline_s') / 1e9 AS GBps FROM t1 WHERE label = '4 nodes, Ethernet, rings of all';
CREATE TEMP TABLE mixed AS SELECT nodes, printf('a100-sxm4-80g x%d net1.bandwidth=%sGB/s name=ib + a100-sxm4-80g x%d net1.bandwidth=%sGB/s name=roce link=%.3fGB/s', 4 * nodes, i.rate, 4 * nodes, r.rate, GBps) AS system
FROM nodes, link, nic i, nic r WHERE i.name = 'InfiniBand' AND i.rings = 'all' AND r.name = 'RoCE' AND r.rings = 'all';
-- @answer hybrid
SELECT printf('%d nodes, hybrid', nodes), printf('reckon predict -m "megatron-3.6b vocabulary=50304" -s "%s" pp2 stages=%d:15/dp%d,15@1/dp%d gbs768 recompute=selective attention=flash precision=fp16 zero1 no-grad-overlap no-weight-overlap', system, 16 * nodes, 4 * nodes, 4 * nodes)
FROM mixed ORDER BY nodes;
-- @setup
CREATE TEMP TABLE table1 AS
SELECT n.nodes, i.name AS nic, i.rings, a.label AS row, json_extract(a.json, '$.rates.samples_per_s') AS samples_per_s
FROM nic i, nodes n JOIN t1 a ON a.label = printf('%d nodes, %s, rings of %s', n.nodes, i.name, i.rings)
UNION ALL SELECT n.nodes, 'hybrid', 'all', a.label, json_extract(a.json, '$.rates.samples_per_s') FROM nodes n JOIN hybrid a ON a.label = printf('%d nodes, hybrid', n.nodes);
ALTER TABLE temp.table1 ADD COLUMN TFLOPS;
UPDATE table1 SET TFLOPS = samples_per_s * 63.7464 / (8 * nodes);
CREATE TEMP TABLE published1 AS
SELECT rowid AS id, published, mark, quantity, CASE WHEN setting LIKE '%4 nodes%' THEN 4 WHEN setting LIKE '%6 nodes%' THEN 6 WHEN setting LIKE '%8 nodes%' THEN 8 END AS nodes,
       CASE WHEN setting LIKE '%hybrid%' THEN 'hybrid' WHEN setting LIKE '%InfiniBand%' THEN 'InfiniBand' WHEN setting LIKE '%RoCE%' THEN 'RoCE' WHEN setting LIKE '%Ethernet%' THEN 'Ethernet' END AS nic
FROM published WHERE statement = 'holmes-1' AND place LIKE 'Table 1%' AND setting LIKE 'GPT 3.6B (%, batch 768, %';
INSERT INTO given
SELECT p.id, CASE WHEN p.quantity LIKE 'TFLOPS%' THEN t.TFLOPS ELSE t.samples_per_s END, t.row,
       CASE WHEN t.nodes = 4 AND t.nic <> 'hybrid' THEN 'fitted: the rate of the NIC is from this row' END
FROM published1 p JOIN table1 t ON t.nodes = p.nodes AND t.nic = p.nic AND (t.nic = 'hybrid' OR EXISTS (SELECT 1 FROM usual u WHERE u.name = t.nic AND u.rings = t.rings));
-- Rows of other models, batches and numbers of nodes, as their settings say them; with tensor parallelism Ethernet has rings of all.
CREATE TEMP TABLE shape(name, L, h, tp);
INSERT INTO shape VALUES ('3.6B', 30, 3072, 1), ('7.5B', 36, 4096, 1), ('39.1B', 48, 8192, 8);
CREATE TEMP TABLE other AS
SELECT p.rowid AS id, p.setting AS row, p.quantity, s.name AS model, L, h, tp, n.nodes, CAST(substr(setting, instr(setting, ', batch ') + 8) AS INTEGER) AS batch, CAST(substr(setting, instr(setting, ', pp ') + 5) AS INTEGER) AS pp, CAST(substr(setting, instr(setting, ', microbatch ') + 13) AS INTEGER) AS mbs,
       CASE WHEN setting LIKE '%hybrid%' THEN 'hybrid' WHEN setting LIKE '%InfiniBand%' THEN 'InfiniBand' WHEN setting LIKE '%RoCE%' THEN 'RoCE' WHEN setting LIKE '%Ethernet%' THEN 'Ethernet' END AS nic
FROM published p JOIN shape s ON p.setting LIKE 'GPT ' || s.name || ' (%' JOIN (SELECT 2 AS nodes UNION SELECT nodes FROM nodes UNION SELECT 10 UNION SELECT 12) n ON p.setting LIKE '%, ' || n.nodes || ' nodes,%'
WHERE p.statement = 'holmes-1' AND p.setting LIKE '%, batch %, pp %, microbatch %' AND p.rowid NOT IN (SELECT id FROM published1);
-- @answer others
SELECT DISTINCT row, printf('reckon predict -m "megatron-%s vocabulary=50304" -s "%s" -g %d tp%d pp%d mbs%d attention=flash precision=fp16 recompute=selective dp%d gbs%d zero1', lower(model), replace(system, 'x64', printf('x%d', 8 * nodes)), 8 * nodes, tp, pp, mbs, 8 * nodes / pp / tp, batch)
FROM other JOIN alone ON name = nic AND rings = CASE WHEN nic = 'Ethernet' AND tp = 1 THEN 'one' ELSE 'all' END
UNION SELECT DISTINCT row, printf('reckon predict -m "megatron-%s vocabulary=50304" -s "%s" pp2 stages=%d:%d/dp%d,%d@1/dp%d gbs%d recompute=selective attention=flash precision=fp16 zero1 no-grad-overlap no-weight-overlap', lower(model), system, 4 * nodes * mbs, L / 2, 4 * nodes, L / 2, 4 * nodes, batch)
FROM other JOIN mixed USING (nodes) WHERE nic = 'hybrid' AND tp = 1 AND pp = 2;
-- @setup
INSERT INTO given SELECT o.id, CASE WHEN o.quantity LIKE 'TFLOPS%' THEN o.batch * 96.0 * 2048 * L * h * h * (1 + 2048.0 / (6 * h) + 50304.0 / (16 * L * h)) / 1e12 / json_extract(a.json, '$.rates.step_s') / (8 * o.nodes) ELSE json_extract(a.json, '$.rates.samples_per_s') END, substr(o.row, 5), NULL
FROM other o JOIN others a ON a.label = o.row;
-- @table table1 TFLOPS and samples/s: published (V read, K from memory), ours with rings of all GPUs of a node and of one
SELECT t.nic, t.nodes, p.published, p.mark, round(t.TFLOPS, 1) AS ours, round(o.TFLOPS, 1) AS ours_one,
       (SELECT published FROM published1 s WHERE s.nodes = t.nodes AND s.nic = t.nic AND s.quantity LIKE 'samples%') AS published_samples_s, round(t.samples_per_s, 2) AS ours_samples_s, round(o.samples_per_s, 2) AS ours_one_samples_s
FROM table1 t LEFT JOIN table1 o ON o.nodes = t.nodes AND o.nic = t.nic AND o.rings = 'one' LEFT JOIN published1 p ON p.nodes = t.nodes AND p.nic = t.nic AND p.quantity LIKE 'TFLOPS%'
WHERE t.rings = 'all' ORDER BY t.nic = 'hybrid', t.nic = 'Ethernet', t.nic = 'RoCE', t.nodes;
-- @chart table1-tflops bars Table 1: TFLOPS of a GPU
SELECT t.nic || ', ' || t.nodes AS row, 'published' AS who, p.published AS TFLOPS FROM table1 t JOIN published1 p ON p.nodes = t.nodes AND p.nic = t.nic AND p.quantity LIKE 'TFLOPS%' WHERE t.rings = 'all'
UNION ALL SELECT t.nic || ', ' || t.nodes, 'here', t.TFLOPS FROM table1 t WHERE t.nic = 'hybrid' OR EXISTS (SELECT 1 FROM usual u WHERE u.name = t.nic AND u.rings = t.rings) ORDER BY 1, 2 DESC;
-- @require fitted The fitted rates give the three rows that they were fitted to (0.5 %).
SELECT max(abs(t.TFLOPS / p.published - 1)) < 0.005, printf('the largest difference is %.2f %%', 100 * max(abs(t.TFLOPS / p.published - 1)))
FROM table1 t JOIN published1 p ON p.nodes = t.nodes AND p.nic = t.nic AND p.quantity LIKE 'TFLOPS%' WHERE t.nodes = 4 AND t.nic <> 'hybrid';
-- @check holmes-1 Mixed clusters come close to RDMA alone and lie far above Ethernet.
SELECT min(h.TFLOPS - e.TFLOPS - abs(r.TFLOPS - h.TFLOPS)) > 0, printf('the mixture has %s of RoCE alone and %s of Ethernet at 4, 6, 8 nodes: nearer to RoCE in all. Its published rows (149, 129, 112, from memory) are %s of ours; a link at the NIC''s nominal rate would have 182, 168 and 155',
       group_concat(printf('%.2f', h.TFLOPS / r.TFLOPS), ', '), group_concat(printf('%.2f', h.TFLOPS / e.TFLOPS), ', '), group_concat(printf('%.2f', (SELECT published FROM published1 p WHERE p.nodes = h.nodes AND p.nic = 'hybrid' AND p.quantity LIKE 'TFLOPS%') / h.TFLOPS), ', '))
FROM table1 h JOIN table1 r ON r.nodes = h.nodes AND r.nic = 'RoCE' AND r.rings = 'all' JOIN table1 e ON e.nodes = h.nodes AND e.nic = 'Ethernet' AND e.rings = 'one' WHERE h.nic = 'hybrid';
-- @setup
-- The best that any model with one rate for each NIC could reach: c seconds of computing a microbatch (13 of them on 4 nodes, 7 on 8), the rest of the step waits;
-- on 8 nodes it waits a share of that, between 1/2 (messages) and 1.04 (gradients in a longer ring), the same one for every NIC.
CREATE TEMP TABLE bound AS
WITH RECURSIVE c(ms) AS (SELECT 306 UNION ALL SELECT ms + 3 FROM c WHERE ms < 596), s(share) AS (SELECT 0.5 UNION ALL SELECT share + 0.004 FROM s WHERE share < 1.04),
     row(t4, t8) AS (SELECT 768 * 63.7464 / 32 / 197, 768 * 63.7464 / 64 / 148 UNION ALL SELECT 768 * 63.7464 / 32 / 160, 768 * 63.7464 / 64 / 145 UNION ALL SELECT 768 * 63.7464 / 32 / 122, 768 * 63.7464 / 64 / 83)
SELECT min(worst) AS worst FROM (SELECT max(abs(t8 / (7 * ms / 1000.0 + share * (t4 - 13 * ms / 1000.0)) - 1)) AS worst FROM c, s, row GROUP BY ms, share);
-- @check holmes-7 One rate for each NIC explains the rows of 4 and 8 nodes within 10 %.
SELECT worst < 0.1, printf('whatever computing takes and however communication grows, one of the three 8-node rows is at least %.1f %% off: from 4 to 8 nodes RoCE loses 9 %% and InfiniBand 25 %%, so that something else than the NIC differed', 100 * worst) FROM bound;

-- @heading Fig. 6: GPT 7.5B on 4 + 4 nodes, batch 1536
-- @answer f6
SELECT t.label, printf('reckon predict -m "megatron-7.5b vocabulary=50304" -s "%s" -g 64 %s dp32 gbs1536 zero1%s', system, text, t.more)
FROM (SELECT 'Megatron-DeepSpeed' AS label, ' framework=deepspeed whole-grads' AS more UNION ALL SELECT 'Megatron-LM', '' UNION ALL SELECT 'Megatron-LLaMA', ' grad-overlap weight-overlap') t, alone, words WHERE name = 'Ethernet' AND rings = 'one'
UNION ALL SELECT 'Holmes', printf('reckon predict -m "megatron-7.5b vocabulary=50304" -s "%s" pp2 stages=128:19/dp32,17@1/dp32 gbs1536 recompute=selective attention=flash precision=fp16 zero1 no-grad-overlap no-weight-overlap', system) FROM mixed WHERE nodes = 8;
-- @setup
-- `silent`: without the gradients that the overlapped optimizer of Megatron-LLaMA and Holmes never sends with a pipeline (half of what goes around: docs/clusters.md).
CREATE TEMP TABLE fig6 AS
SELECT label AS system, step_s, CASE WHEN label IN ('Megatron-LLaMA', 'Holmes') THEN plain_s - link_s / 2 ELSE step_s END AS silent_s
FROM (SELECT f.label, json_extract(f.json, '$.rates.step_s') AS step_s, json_extract(f.json, '$.figures.data_link_s') AS link_s,
             CASE f.label WHEN 'Megatron-LLaMA' THEN (SELECT json_extract(g.json, '$.rates.step_s') FROM f6 g WHERE g.label = 'Megatron-LM') ELSE json_extract(f.json, '$.rates.step_s') END AS plain_s FROM f6 f);
CREATE TEMP TABLE fig6_over AS
SELECT f.system, h.step_s / f.step_s AS sent, h.silent_s / f.silent_s AS silent, 1536 * 131.1747 / 64 / f.step_s AS TFLOPS, 1536 * 131.1747 / 64 / f.silent_s AS TFLOPS_silent, 1536 / f.silent_s AS samples_per_s FROM fig6 f, fig6 h WHERE h.system = 'Holmes';
INSERT INTO given
SELECT p.rowid, CASE WHEN p.quantity LIKE '%over those%' THEN o.silent WHEN p.quantity LIKE 'TFLOPS%' THEN o.TFLOPS_silent ELSE o.samples_per_s END, o.system,
       CASE WHEN o.system IN ('Megatron-LLaMA', 'Holmes') THEN 'gradients as its released loop sends them: not with a pipeline' END
FROM published p JOIN fig6_over o ON p.quantity LIKE '% of ' || o.system || ' over%' OR (p.quantity || ' (' LIKE '% of ' || o.system || ' (%' AND p.quantity NOT LIKE '% over %') WHERE p.place = 'Fig. 6';
-- @table fig6 Throughput over that of Holmes: published, ours when all send their gradients, ours as the released loops do; TFLOPS likewise (Holmes: 184.1 to 193.6 published)
SELECT o.system, (SELECT published FROM published p WHERE p.place = 'Fig. 6' AND p.quantity LIKE 'TFLOPS of ' || o.system || ' over%') AS published, round(o.sent, 3) AS sent, round(o.silent, 3) AS as_released,
       round(o.TFLOPS, 1) AS TFLOPS_sent, round(o.TFLOPS_silent, 1) AS TFLOPS_as_released, round(f.step_s, 2) AS step_s, round(f.silent_s, 2) AS step_as_released_s
FROM fig6_over o JOIN fig6 f ON f.system = o.system;
-- @chart fig6-over bars Fig. 6: throughput over that of Holmes
SELECT o.system AS system, 'published' AS who, p.published AS share FROM fig6_over o JOIN published p ON p.place = 'Fig. 6' AND p.quantity LIKE 'TFLOPS of ' || o.system || ' over%'
UNION ALL SELECT system, 'here, gradients sent', sent FROM fig6_over UNION ALL SELECT system, 'here, as released', silent FROM fig6_over ORDER BY 1;
-- @check holmes-2 Holmes is faster than Megatron-LLaMA, Megatron-LM and Megatron-DeepSpeed, in this order.
SELECT l.silent < 1 AND m.silent < l.silent AND d.silent < m.silent, printf('%.3f, %.3f and %.3f of its throughput', l.silent, m.silent, d.silent)
FROM fig6_over l, fig6_over m, fig6_over d WHERE l.system = 'Megatron-LLaMA' AND m.system = 'Megatron-LM' AND d.system = 'Megatron-DeepSpeed';

-- @heading The ablation: GPT 7.5B on 4 + 4 nodes
-- @answer ablation
SELECT printf('layers %d/%d, %s', a, 36 - a, o), printf('reckon predict -m "megatron-7.5b vocabulary=50304" -s "%s" pp2 stages=128:%d/dp32,%d@1/dp32 gbs1536 recompute=selective attention=flash precision=fp16 zero1 %s',
       system, a, 36 - a, CASE o WHEN 'overlap' THEN 'grad-overlap weight-overlap' ELSE 'no-grad-overlap no-weight-overlap' END)
FROM (SELECT 17 AS a UNION ALL SELECT 18 UNION ALL SELECT 19), (SELECT 'overlap' AS o UNION ALL SELECT 'no overlap'), mixed WHERE nodes = 8;
-- @setup
CREATE TEMP TABLE uneven AS SELECT label AS row, CAST(substr(label, 8, 2) AS INTEGER) AS ib, label LIKE '%, overlap' AS overlap, json_extract(json, '$.rates.step_s') AS step_s,
       131.1747 * json_extract(json, '$.rates.samples_per_s') / 64 AS TFLOPS, json_extract(json, '$.rates.samples_per_s') AS samples_per_s, json FROM ablation;
CREATE TEMP TABLE variant(name, ib, overlap);
INSERT INTO variant VALUES ('Holmes', 19, 1), ('without uneven stages', 18, 1), ('without overlapped optimizer', 19, 0), ('without both', 18, 0);
INSERT INTO given
SELECT p.rowid, CASE WHEN p.quantity LIKE 'TFLOPS%' THEN u.TFLOPS ELSE u.samples_per_s END, u.row, NULL
FROM published p JOIN variant v ON p.quantity LIKE '% of ' || v.name JOIN uneven u ON u.ib = v.ib AND u.overlap = v.overlap WHERE p.place LIKE 'ablation%';
INSERT INTO given SELECT p.rowid, CASE WHEN p.quantity LIKE 'TFLOPS%' THEN o.TFLOPS ELSE o.samples_per_s END, 'Megatron-LM', NULL FROM published p, fig6_over o WHERE p.place LIKE 'ablation%' AND p.quantity LIKE '% of Megatron-LM' AND o.system = 'Megatron-LM';
-- @table ablation TFLOPS, published from memory, and ours; "uneven" is the rule's 19 layers on InfiniBand and 17 on RoCE
SELECT v.name AS variant, u.ib AS layers_ib, 36 - u.ib AS layers_roce, (SELECT published FROM published p WHERE p.place LIKE 'ablation%' AND p.quantity = 'TFLOPS of ' || v.name) AS published,
       (SELECT mark FROM published p WHERE p.place LIKE 'ablation%' AND p.quantity = 'TFLOPS of ' || v.name) AS mark, round(u.TFLOPS, 1) AS ours, round(u.samples_per_s, 2) AS samples_s, round(u.step_s, 2) AS step_s
FROM variant v JOIN uneven u ON u.ib = v.ib AND u.overlap = v.overlap
UNION ALL SELECT 'the other way round', 17, 19, NULL, NULL, round(TFLOPS, 1), round(samples_per_s, 2), round(step_s, 2) FROM uneven WHERE ib = 17 AND overlap
UNION ALL SELECT 'Megatron-LM', NULL, NULL, (SELECT published FROM published p WHERE p.place LIKE 'ablation%' AND p.quantity = 'TFLOPS of Megatron-LM'), 'K', round(TFLOPS, 1), round(samples_per_s, 2), NULL FROM fig6_over WHERE system = 'Megatron-LM';
-- @check holmes-5 More layers on the cluster with the faster network make the step faster.
SELECT a.step_s < b.step_s, printf('19/17: %.2f s, 18/18: %.2f s, 17/19: %.2f s. Both clusters have the same GPU: the speeds that the rule divides by were measured with communication, which does not grow with the layers; the first stage has the embedding and its messages', a.step_s, b.step_s, c.step_s)
FROM uneven a, uneven b, uneven c WHERE a.ib = 19 AND b.ib = 18 AND c.ib = 17 AND a.overlap AND b.overlap AND c.overlap;
-- @check holmes-6 The overlapped optimizer makes the step faster (183 over 170 TFLOPS: 7.6 %, from memory).
SELECT min(a.step_s / b.step_s) > 1, printf('by %.1f to %.1f %%', 100 * (min(a.step_s / b.step_s) - 1), 100 * (max(a.step_s / b.step_s) - 1)) FROM uneven a JOIN uneven b ON b.ib = a.ib AND b.overlap AND NOT a.overlap;

-- @heading What goes over which network
-- @setup
CREATE TEMP TABLE traffic AS SELECT json_extract(t.value, '$.stage') AS stage, json_extract(t.value, '$.over') AS "over", json_extract(t.value, '$.message_bytes') / 1e9 AS messages_GB, json_extract(t.value, '$.gradient_bytes') / 1e9 AS gradients_GB, json_extract(t.value, '$.collectives_s') AS collectives_s
FROM uneven, json_each(uneven.json, '$.traffic') t WHERE ib = 18 AND NOT overlap;
CREATE TEMP TABLE place AS SELECT json_extract(t.value, '$.stage') AS stage, json_extract(t.value, '$.cluster') AS cluster FROM uneven, json_each(uneven.json, '$.placement') t WHERE ib = 18 AND NOT overlap;
-- @table traffic GPT 7.5B, 18/18: the cluster of each stage, what it sends over the link between clusters, its gradients (inside), seconds of their collectives
SELECT p.stage, p.cluster, t."over" AS link, round(messages_GB, 2) AS messages_GB, round(gradients_GB, 2) AS gradients_GB, round(collectives_s, 3) AS collectives_s FROM place p JOIN traffic t USING (stage);
-- @check holmes-4 No tensor or data group crosses clusters.
SELECT count(DISTINCT cluster) = count(*), 'each stage is on one cluster, so that its groups are: only messages of the pipeline take the link (`reckon export ranks` writes the groups; tests/unit/test_ranks has them for every size)' FROM place;
-- @check holmes-8 Each group takes the best network that it has.
SELECT min(a.collectives_s) < max(a.collectives_s), printf('gradients of the stage on InfiniBand take %.2f s, of that on RoCE %.2f s', min(a.collectives_s), max(a.collectives_s)) FROM traffic a;
-- @answer best
SELECT 'search', printf('reckon search -m "megatron-7.5b vocabulary=50304" -b 1536 -s "%s" attention=flash precision=fp16 zero1 no-grad-overlap no-weight-overlap', system) FROM mixed WHERE nodes = 8;
-- @check holmes-3 Clusters without a fast link between them can be used for one run.
SELECT b.step_s < h.step_s, printf('the best plan of the space takes %.2f s, with %d and %d layers; Holmes''s even split %.2f s', b.step_s, b.a, b.b, h.step_s)
FROM (SELECT json_extract(json, '$.best[0].step_s') AS step_s, json_extract(json, '$.placement[0].layers') AS a, json_extract(json, '$.placement[1].layers') AS b FROM best) b, uneven h WHERE h.ib = 18 AND NOT h.overlap;
-- @heading The experiment: two clusters of two ranks each, joined by a slow link
-- @measured links measured/holmes-links.csv | 120 | sh ../../bench/paper_holmes.sh
-- @table links A pipeline over both clusters with data groups inside, the same blind to clusters, and plain data parallelism; fastest and slowest of four steps, MB over the link in a step, and the seconds that these take one way at its rate
SELECT plan, link_Mbps, round(fastest_s, 2) AS fastest_s, round(slowest_s, 2) AS slowest_s, round(link_MB, 1) AS link_MB, round(link_MB * 8 / 2 / link_Mbps, 2) AS link_s, loss FROM links;
-- @chart links-step bars The experiment: seconds of a step
SELECT plan, link_Mbps || ' Mbit/s' AS link, fastest_s FROM links;
-- @check experiment-1 The order of ranks alone takes a run over a slow link near to one over a fast link.
SELECT c.fastest_s < 0.5 * b.fastest_s AND c.fastest_s - a.fastest_s < c.link_MB * 8 / 2 / 20 * 9 / 8 + a.slowest_s - a.fastest_s + c.slowest_s - c.fastest_s, printf('%.2f s at 20 Mbit/s and %.2f at 1,000 with data groups inside the clusters, whose messages take %.2f s on the link (and an eighth more, because the first of eight microbatches goes one way while nothing comes back); %.2f s blind to them, %.2f with data parallelism alone, to the same loss, and %.2f and %.2f on the link. Within one setting the slowest step of four takes up to %.0f %% more than the fastest', c.fastest_s, a.fastest_s, c.link_MB * 8 / 2 / 20, b.fastest_s, d.fastest_s, b.link_MB * 8 / 2 / 20, d.link_MB * 8 / 2 / 20, (SELECT max(100 * (slowest_s / fastest_s - 1)) FROM links))
FROM links a, links b, links c, links d WHERE a.link_Mbps = 1000 AND a.plan = 'stages in clusters' AND b.link_Mbps = 20 AND b.plan = 'stages across' AND c.link_Mbps = 20 AND c.plan = 'stages in clusters' AND d.link_Mbps = 20 AND d.plan = 'data parallel across';
-- @check holmes-9 Holmes joins other frameworks without changes of them.
SELECT NULL, 'a statement about its code: nothing here runs it';
-- @setup
INSERT INTO given SELECT rowid, CASE WHEN setting LIKE '3.6B%' THEN 63.7464 WHEN setting LIKE '7.5B%' THEN 131.1747 WHEN setting LIKE '39.1B%' THEN 664.7707 END, 'formula', NULL FROM published WHERE place LIKE 'formula%';
DELETE FROM given WHERE row = 'formula';
INSERT INTO given SELECT p.rowid, 96.0 * 2048 * L * h * h * (1 + 2048.0 / (6 * h) + 50304.0 / (16 * L * h)) / 1e12, 'the formula, worked out here', NULL FROM published p JOIN shape s ON p.setting LIKE s.name || ',%' WHERE p.place LIKE 'formula%';
-- The rule N = floor(L S_i / sum S) with the published speeds 197 and 160.
INSERT INTO given SELECT p.rowid, printf('%d;%d', L * 197 / 357, L - L * 197 / 357), 'the rule floor(L S_1 / (S_1 + S_2)) with 197 and 160 TFLOPS', NULL FROM published p JOIN shape s ON p.setting LIKE s.name || '%' WHERE p.place LIKE 'examples/%' OR p.quantity LIKE 'layers of the%';
INSERT INTO given SELECT rowid, NULL, NULL, 'a setting of the runs, not a result: how many adapters a node has' FROM published WHERE quantity LIKE 'adapters%';
INSERT INTO given SELECT rowid, NULL, NULL, 'a fact about the authors'' runs, not a result' FROM published WHERE statement = 'holmes-3';
-- @include end.sql
