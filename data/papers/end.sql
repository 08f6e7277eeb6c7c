-- @heading Every published value
-- @setup
CREATE TEMP TABLE beside AS
SELECT p.rowid AS id, p.statement, p.place, p.setting, p.quantity, p.unit, p.published, p.mark, p.source,
       (SELECT here FROM given g WHERE g.id = p.rowid ORDER BY g.rowid LIMIT 1) AS here,
       (SELECT row FROM given g WHERE g.id = p.rowid ORDER BY g.rowid LIMIT 1) AS row,
       (SELECT why FROM given g WHERE g.id = p.rowid ORDER BY g.rowid LIMIT 1) AS why
FROM published p;
-- Values like "2.37; 3.48" in parts.
CREATE TEMP TABLE part AS
WITH RECURSIVE cut(id, n, p, h) AS (
    SELECT id, 0, published || ';', here || ';' FROM beside WHERE mark = 'V' AND here IS NOT NULL AND ifnull(why, '') NOT LIKE 'fitted%'
    UNION ALL SELECT id, n + 1, substr(p, instr(p, ';') + 1), substr(h, instr(h, ';') + 1) FROM cut WHERE p LIKE '%;%;' AND h LIKE '%;%;')
SELECT id, n, trim(substr(p, 1, instr(p, ';') - 1)) AS p, trim(substr(h, 1, instr(h, ';') - 1)) AS h FROM cut;
-- Judged: numbers that were read in a text, that a model gives, and that nothing was fitted to.
CREATE TEMP TABLE judged AS SELECT id, n, CAST(h AS REAL) / CAST(p AS REAL) - 1 AS off FROM part
WHERE p GLOB '[0-9]*' AND p NOT GLOB '*[^0-9.e+-]*' AND p NOT LIKE '%..%' AND (h GLOB '[0-9]*' OR h GLOB '-[0-9]*') AND h NOT GLOB '*[^0-9.e+-]*' AND h NOT LIKE '%..%' AND CAST(p AS REAL) <> 0;
-- @table values Each value of the paper's file: V read in a text, K from memory (shown, never judged by); here; the difference; the row whose command gives it, and why it is so or there is none
SELECT b.statement, CASE typeof(b.place) WHEN 'real' THEN printf('%.5f', b.place) ELSE b.place END AS place, b.setting, b.quantity, b.unit, b.published, b.mark,
       CASE typeof(b.here) WHEN 'real' THEN printf('%.6g', b.here) ELSE b.here END AS here,
       (SELECT group_concat(printf('%+.1f %%', 100 * off), '; ') FROM (SELECT off FROM judged j WHERE j.id = b.id ORDER BY n)) AS off, nullif(ifnull(b.row, '') || iif(b.row IS NOT NULL AND b.why IS NOT NULL, '; ', '') || ifnull(b.why, ''), '') AS given_by
FROM beside b ORDER BY b.id;
-- @check every-value Every published value has ours beside it, or the reason why no model has one.
SELECT sum(here IS NULL AND why IS NULL) = 0, printf('%d of %d have ours, %d a reason%s', sum(here IS NOT NULL), count(*), sum(here IS NULL AND why IS NOT NULL),
       ifnull(', neither has: ' || group_concat(CASE WHEN here IS NULL AND why IS NULL THEN place || ', ' || setting || ', ' || quantity END, '; '), '')) FROM beside;
-- @table score Published values; those given here; those judged; of these within 10 %
SELECT count(*) AS published, sum(here IS NOT NULL) AS given, (SELECT count(*) FROM judged) AS judged, (SELECT count(*) FROM judged WHERE abs(off) <= 0.1) AS within_10_percent FROM beside;
