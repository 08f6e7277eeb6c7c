# files written by version 0.1: a model, a system, a plan, a strategy, the database of a study
old=$RECKON_SOURCE/tests/data/v0.1
reckon models "$old/model.json" --format csv | cut -d, -f1-3
reckon systems "$old/system.json" --format json | grep -c '"id": "system"'
reckon predict -m "$old/model.json" -s "$old/system.json" --plan "$old/plan.json" --format json | grep '"plan_words"\|"fits"'
reckon predict -m gpt3-175b -s a100-80g-nvl8 --plan "$old/strategy.json" --format json | grep '"by"'
cp "$old/study.db" .
reckon report study.db -o page.html && grep -o '<h[123][^>]*>[^<]*</h[123]>' page.html | sed 's/<[^>]*>//g' | head -n 3
=== stdout
id,parameters,layers
model,6738415616,32
1
  "fits": true,
  "verdict": "fits",
  "plan_words": "dp8 gbs32 zero2 grad-overlap weight-overlap",
  "by": "calculon",
Of 0.1
Summary
Figures
