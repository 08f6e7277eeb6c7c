# A miniature of the multi-trillion study beside published values, then again from its database.
cp "$SOURCE/tests/data/cases/papers-mini"/mini.* "$SOURCE/tests/data/cases/papers-mini"/published.csv . &&
    reckon study mini.json --compare --quiet &&
    reckon study mini.json --compare --quiet --export json | grep -c verdict
=== stdout

==== A miniature ====

MFU in percent: published, ours
model      tier            published  ours  strategies     fits
multi-1t   none                 60.3  60.4   1,541,584   22,063
multi-1t   1TiB@100GB/s         66.5  66.3  10,650,944  458,225
multi-1t   1TiB@unlimited       68.7  67.8  10,650,944  458,225
multi-18t  none                    -     -   1,403,952        0
multi-18t  1TiB@100GB/s         80.4  80.2   9,700,032   12,606
multi-18t  1TiB@unlimited       80.5  80.2   9,700,032   12,606

counts: The two counts of Fig. 2.
  ok, because 15612832 and 842080
validation: 90.08 s, as the published tool says.
  ok, because 90.081 s
spread: The bins of a distribution hold all that fits.
  ok, because 2339930 of 4786480
offload: Offloading to an unlimited tier is the best.
  holds, because 4 pairs
none: 18T runs without offloading.
  does not hold here, because it does not fit
unknown: Nobody knows.
  cannot be known here
  That is all.

4 of 6 checks hold; 3 of 3 required ones.
6
