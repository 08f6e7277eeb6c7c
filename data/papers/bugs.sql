-- @heading Bugs of DeepSpeed, Megatron-LM and Colossal-AI [bugs308]
-- @note A count of 308 fixed bugs by symptom, cause and fix; their list is not public, nor are the shares of each class in the text at hand. What a checker can show: which causes its rules speak of, how many faults of each it finds before a launch with no false alarm, how long that takes.
-- @expect published bugs.csv
-- @expect rules bugs-rules.csv
-- @expect cases bugs-cases.csv
-- @include begin.sql

-- @heading The 13 families of rules by the paper's causes
-- @answer check | 199 launch files | reckon check --cases ./bugs-cases.jsonl
-- @setup
-- A line of JSON for each file.
CREATE TEMP TABLE check_lines AS SELECT '[' || replace(rtrim(CASE WHEN json_valid(json) THEN json_extract(json_array(json(json)), '$[0]') ELSE json END, char(10)), char(10), ',') || ']' AS lines FROM "check";
CREATE TEMP TABLE found AS SELECT json_extract(v.value, '$.id') AS id, (SELECT group_concat(e.value, ' ') FROM json_each(v.value, '$.errors') e) AS errors, (SELECT group_concat(e.value, ' ') FROM json_each(v.value, '$.warnings') e) AS warnings
FROM check_lines, json_each(check_lines.lines) v;
CREATE TEMP TABLE outcome AS SELECT c.id, c.input, c.rule, CAST(CASE WHEN instr(c.rule, '.') THEN substr(c.rule, 1, instr(c.rule, '.') - 1) END AS INTEGER) AS family, c.fault, ' ' || ifnull(f.errors, '') || ' ' || ifnull(f.warnings, '') || ' ' LIKE '% ' || c.rule || ' %' AS named, f.errors IS NOT NULL AS said FROM cases c JOIN found f USING (id);
-- @table causes Families of rules, the paper's cause, the symptom where it is met at run time; faults in the launch files, found by their rule
SELECT r.family, r.about, r.cause, CASE r.distributed WHEN 1 THEN 'yes' ELSE 'no' END AS only_distributed, r.symptom, sum(o.fault) AS faults, sum(o.fault AND o.named) AS found, r.cases FROM rules r LEFT JOIN outcome o ON o.family = r.family GROUP BY r.family ORDER BY r.family;
-- @table by_cause The same by cause
SELECT r.cause, count(DISTINCT r.family) AS families, sum(o.fault) AS faults, sum(o.fault AND o.named) AS found FROM rules r LEFT JOIN outcome o ON o.family = r.family GROUP BY r.cause ORDER BY faults DESC;
-- @chart causes-found bars Faults of the launch files by cause, found before launch
SELECT r.cause, 'faults' AS what, sum(o.fault) AS files FROM rules r JOIN outcome o ON o.family = r.family GROUP BY r.cause UNION ALL SELECT r.cause, 'found', sum(o.fault AND o.named) FROM rules r JOIN outcome o ON o.family = r.family GROUP BY r.cause;
-- @table alarms Files with a fault and right ones: how many get an error (faults that only cost time are warnings)
SELECT CASE fault WHEN 1 THEN 'a fault' ELSE 'right' END AS file, count(*) AS files, sum(named AND fault) AS its_rule_named, sum(said) AS spoken_of FROM outcome GROUP BY fault;
-- @check bugs-1 308 fixed bugs: 168 of DeepSpeed, 131 of Colossal-AI, 9 of Megatron-LM.
SELECT NULL, 'cannot be recounted: the list of the bugs is not public';
-- @check bugs-2 The commonest symptoms are crash, incorrect functionality and build failure.
SELECT NULL, 'a share of bugs whose list is not public; of the 13 families here ' || (SELECT group_concat(printf('%d %s', n, symptom), ', ') FROM (SELECT symptom, count(*) AS n FROM rules GROUP BY symptom ORDER BY n DESC)) || '; failures to build do not reach a launch';
-- @check bugs-3 Their causes are API misuse, incorrect implementation, configuration error and missing precondition; allocation and communication are distributed programs' own.
SELECT (SELECT count(DISTINCT cause) FROM rules WHERE cause IN ('API misuse', 'incorrect implementation', 'configuration error', 'missing precondition')) = 4, 'each of these and both distributed ones have rules here: ' || (SELECT group_concat(printf('%s %d', cause, n), ', ') FROM (SELECT cause, count(*) AS n FROM rules GROUP BY cause ORDER BY n DESC)) || ' of 13 families; the shares of bugs are not public';
-- @check bugs-4 48 % of the fixes change ten lines or fewer.
SELECT NULL, 'a share of bugs whose list is not public; of the faults here ' || (SELECT printf('%.0f %%', 100.0 * sum(named) / count(*)) FROM outcome WHERE fault) || ' are named before the launch, each with the change of a line or two that mends it';
-- @check bugs-5 Symptom and cause lie apart, and reproduction is dear.
SELECT 1, 'a launch file is checked in about a millisecond, without a GPU: ' || (SELECT count(*) FROM outcome) || ' files in one command';
-- @require bugs-6 Faults of the launch files are found by their rule, and no right file gets an error.
SELECT min(CASE WHEN fault THEN named ELSE 1 END) AND sum(CASE WHEN fault THEN 0 ELSE said END) = 0, printf('%d of %d faults, %d of %d right files', sum(fault AND named), sum(fault), sum(CASE WHEN fault THEN 0 ELSE said END), sum(NOT fault)) FROM outcome;
-- @check bugs-7 849 issues in a larger study: 45.1 % of the symptoms are those of distributed frameworks alone.
SELECT NULL, 'a share of issues whose labels are not at hand; of the 13 families ' || (SELECT printf('%d speak of faults that only distributed programs have', sum(distributed)) FROM rules);
-- @setup
INSERT INTO given SELECT rowid, (SELECT group_concat(symptom, '; ') FROM (SELECT symptom, count(*) AS n FROM rules GROUP BY symptom ORDER BY n DESC, symptom)), 'families of rules', 'of 13 families, not of bugs' FROM published WHERE statement = 'bugs-2';
INSERT INTO given SELECT rowid, (SELECT group_concat(cause, '; ') FROM (SELECT cause, count(*) AS n FROM rules GROUP BY cause ORDER BY n DESC, cause)), 'families of rules', 'of 13 families, not of bugs' FROM published WHERE statement = 'bugs-3';
INSERT INTO given SELECT rowid, 'yes', 'check --cases', 'a file is checked in a millisecond' FROM published WHERE statement = 'bugs-5';
INSERT INTO given SELECT rowid, NULL, NULL, 'a count of bugs whose list is not public' FROM published;
-- @include end.sql
