-- Tables of the study of today's machines: `reckon study today.json --compare`.

-- @setup
CREATE TEMP TABLE cell AS
SELECT substr(r.system, 1, instr(r.system, ',') - 1) AS machine, substr(r.system, instr(r.system, ',') + 2) AS tier, r.model, substr(r.model, 7) AS label, m.parameters, r.gpus,
       100 * r.mfu AS mfu, r.samples_per_s, r.tokens_per_s, r.tensor, r.pipeline, r.data, r.chunks, r.microbatch, r.recompute,
       20 * m.parameters / r.tokens_per_s / 86400 AS days, r.hbm_bytes, r.offload_bytes, r.offload_required_Bps
FROM result r JOIN model m ON m.name = r.model;
CREATE TEMP TABLE trio AS
SELECT machine, label, parameters, gpus, ifnull(max(CASE tier WHEN 'HBM alone' THEN printf('%.1f', mfu) END), '-') || ' ' ||
       ifnull(max(CASE tier WHEN 'its own' THEN printf('%.1f', mfu) END), '-') || ' ' || ifnull(max(CASE tier WHEN '1 TiB at 100' THEN printf('%.1f', mfu) END), '-') AS text
FROM (SELECT machine, tier, label, parameters, gpus, iif(mfu IS NULL, NULL, mfu) AS mfu FROM cell WHERE mfu IS NOT NULL) GROUP BY machine, label, gpus;

-- @heading MFU in percent: HBM alone, with the machine's own second tier, with 1 TiB at 100 GB/s
-- @table mfu_4096 4,096 accelerators
SELECT label AS model, max(CASE machine WHEN 'H100' THEN text END) AS H100, max(CASE machine WHEN 'H200' THEN text END) AS H200, max(CASE machine WHEN 'B200' THEN text END) AS B200,
       max(CASE machine WHEN 'GB200 NVL72' THEN text END) AS "GB200 NVL72", max(CASE machine WHEN 'MI300X' THEN text END) AS MI300X
FROM trio WHERE gpus = 4096 GROUP BY label ORDER BY parameters;
-- @table mfu_16384 16,384 accelerators
SELECT label AS model, max(CASE machine WHEN 'H100' THEN text END) AS H100, max(CASE machine WHEN 'H200' THEN text END) AS H200, max(CASE machine WHEN 'B200' THEN text END) AS B200,
       max(CASE machine WHEN 'GB200 NVL72' THEN text END) AS "GB200 NVL72", max(CASE machine WHEN 'MI300X' THEN text END) AS MI300X
FROM trio WHERE gpus = 16384 GROUP BY label ORDER BY parameters;
-- @table days Days for 20 tokens a parameter on 16,384 accelerators, with their own second tiers
SELECT label AS model, round(max(CASE machine WHEN 'H100' THEN days END)) AS H100, round(max(CASE machine WHEN 'H200' THEN days END)) AS H200, round(max(CASE machine WHEN 'B200' THEN days END)) AS B200,
       round(max(CASE machine WHEN 'GB200 NVL72' THEN days END)) AS "GB200 NVL72", round(max(CASE machine WHEN 'MI300X' THEN days END)) AS MI300X
FROM cell WHERE gpus = 16384 AND tier = 'its own' GROUP BY label ORDER BY parameters;
-- @table largest The largest model that runs on 4,096
SELECT machine, max(CASE tier WHEN 'HBM alone' THEN label END) AS "HBM alone", max(CASE tier WHEN 'its own' THEN label END) AS "its own", max(CASE tier WHEN '1 TiB at 100' THEN label END) AS "1 TiB at 100"
FROM (SELECT machine, tier, label, max(parameters) FROM cell WHERE gpus = 4096 AND mfu IS NOT NULL GROUP BY machine, tier) GROUP BY machine;
-- @table best The best strategies of 11T and 128T on 16,384 with their own second tiers
SELECT machine, label AS model, round(mfu, 1) AS mfu, printf('(%d,%d,%d) v%d m%d %s', tensor, pipeline, data, chunks, microbatch, recompute) AS strategy,
       round(hbm_bytes / 1073741824.0, 1) AS HBM_GiB, round(offload_bytes / 1073741824.0, 1) AS tier_GiB, round(offload_required_Bps / 1e9) AS required_GBps
FROM cell WHERE gpus = 16384 AND tier = 'its own' AND label IN ('11t', '128t') AND mfu IS NOT NULL ORDER BY parameters, machine;

-- @heading What the paper concluded, asked of these machines
-- @check hundred The 100T class needs a second tier of up to 1 TiB at 100 GB/s: with their own tier none of them trains 128T on 4,096.
SELECT count(mfu) = 0, (SELECT ifnull(group_concat(machine || printf(' %.1f %%', mfu), ', '), 'none of them runs it') FROM cell WHERE label = '128t' AND gpus = 4096 AND tier = 'its own' AND mfu IS NOT NULL) || '; with 1 TiB at 100 GB/s: ' ||
       (SELECT ifnull(group_concat(machine || printf(' %.1f %%', mfu), ', '), 'none') FROM cell WHERE label = '128t' AND gpus = 4096 AND tier = '1 TiB at 100' AND mfu IS NOT NULL)
FROM cell WHERE label = '128t' AND gpus = 4096 AND tier = 'its own';
-- @check hbm Beyond 10T the HBM has to grow: with their own tiers, those with more HBM are never less efficient than the H100 (4,096, from 11T).
SELECT sum(ifnull(b.mfu, 0) < ifnull(a.mfu, 0) - 1e-9) = 0, printf('%d of %d are at least as efficient as the H100; less are %s: twice the compute behind the same PCIe', sum(ifnull(b.mfu, 0) >= ifnull(a.mfu, 0) - 1e-9), count(*),
       group_concat(CASE WHEN ifnull(b.mfu, 0) < ifnull(a.mfu, 0) - 1e-9 THEN b.machine || ' at ' || b.label END, ', '))
FROM cell a JOIN cell b ON a.label = b.label AND a.gpus = b.gpus AND a.tier = b.tier WHERE a.machine = 'H100' AND b.machine <> 'H100' AND a.gpus = 4096 AND a.tier = 'its own' AND a.parameters > 1e13;
-- @check domain A larger fast-network domain helps beyond 10T and 10,000 accelerators: GB200 NVL72 is the most efficient of all with their own tiers (16,384, from 11T).
SELECT sum(machine <> 'GB200 NVL72') = 0, group_concat(printf('%s: %s %.1f %%', label, machine, mfu), ', ') FROM (SELECT label, machine, max(mfu) AS mfu FROM cell WHERE gpus = 16384 AND tier = 'its own' AND parameters > 1e13 AND mfu IS NOT NULL GROUP BY label ORDER BY parameters);
-- @note
SELECT printf('%d searches, %.2f billion strategies, %.2f s of searching when their times are added up.', count(*), sum(strategies) / 1e9, sum(seconds)) FROM search WHERE key IN (SELECT key FROM point);
