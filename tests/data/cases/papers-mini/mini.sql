-- @expect published published.csv
-- @estimate 1t | megatron-1t | a100-80g-selene | framework=calculon precision=fp16 tp8 pp64 gbs512 recompute=full no-fused tp-net=0 pp-net=1 dp-net=1
-- @distribution spread | 4 | megatron-22b | a100-80g-nvl8 | 64 | 64 | float16
-- @heading A miniature
-- @setup
CREATE TEMP TABLE cell AS SELECT p.*, round(100 * r.mfu, 1) AS ours, r.strategies, r.fits
FROM published p JOIN result r ON r.figure = 'points' AND r.model = p.model AND r.system LIKE '%mem2=' || p.tier;
-- @table points MFU in percent: published, ours
SELECT model, tier, percent AS published, ours, strategies, fits FROM cell;
-- @require counts The two counts of Fig. 2.
SELECT group_concat(total) = '15612832,842080', group_concat(total, ' and ') FROM (
    SELECT sum(strategies) AS total FROM result WHERE figure LIKE 'fig2%' GROUP BY model ORDER BY model);
-- @require validation 90.08 s, as the published tool says.
SELECT abs(step_s - 90.08) < 0.005, printf('%.3f s', step_s) FROM estimate WHERE name = '1t';
-- @require spread The bins of a distribution hold all that fits.
SELECT (SELECT sum(strategies) FROM spread_bin) = fits, fits || ' of ' || strategies FROM spread;
-- @check offload Offloading to an
--     unlimited tier is the best.
SELECT min(a.ours >= ifnull(b.ours, 0)), count(*) || ' pairs' FROM cell a JOIN cell b ON a.model = b.model WHERE a.tier = '1TiB@unlimited' AND b.tier <> a.tier;
-- @check none 18T runs without offloading.
SELECT ours IS NOT NULL, 'it does not fit' FROM cell WHERE model = 'multi-18t' AND tier = 'none';
-- @check unknown Nobody knows.
SELECT NULL, NULL WHERE 0;
-- @note That is all.
