reckon validate "$SOURCE/tests/data/cases/validate-own-table/runs.csv" --by kind --unmodelled --regret
=== stdout
5 rows read

Errors of times, predicted over measured
of                        count  signed   mean  median  90th pct  worst  worst is
                                      %      %       %         %      %
all times                     2  -13.13  13.13   13.13     13.40  13.47  own_2
nothing left open             2  -13.13  13.13   13.13     13.40  13.47  own_2
no constant fitted to it      2  -13.13  13.13   13.13     13.40  13.47  own_2
dense, 64 GPUs and more       2  -13.13  13.13   13.13     13.40  13.47  own_2

Errors of times by kind
of     count  signed   mean  median  90th pct  worst  worst is
                   %      %       %         %      %
dense      2  -13.13  13.13   13.13     13.40  13.47  own_2

Errors of memory
of         count  signed   mean  median  90th pct  worst  worst is
                       %      %       %         %      %
allocated      1  -30.83  30.83   30.83     30.83  30.83  own_2
all peaks      1  -30.83  30.83   30.83     30.83  30.83  own_2

What fits
of                               count  right   share
                                                    %
out of memory, rejected              1      1  100.00
ran, accepted                        2      2  100.00
  sure, out of memory, rejected      1      1  100.00
  sure, ran, accepted                2      2  100.00
  unsure                             3      0    0.00

Runs that differ only in their plan
group                                                                          plans  first  first s  best    best s  regret
                                                                                                                           %
somebody | A100-SXM4-80GB x64 | batch 512 of 2048 | bf16 | 40x5120, 0 experts      3  own_1  9.000 s  own_1  9.000 s    0.00

Planner regret
groups  mean  median  90th pct  worst  out of memory
           %       %         %      %
     1  0.00    0.00      0.00   0.00              0

Rows that are not modeled
id     source    reason
own_4  somebody  the row gives no layers, and the shape of "Unheard-of" is not in the catalog
own_5  somebody  no system of the catalog is known as "Quantum-1"
