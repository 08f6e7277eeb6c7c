# the 37 runs that SimuMax predicts itself say in their cells what its scripts say: each peak within 0.8 %
reckon validate "$RECKON_SOURCE/bench/simumax.csv" --brief | sed -n '/^Errors of memory/,/^all peaks/p'
=== stdout
Errors of memory
of         count  signed  mean  median  90th pct  worst  worst is
                       %     %       %         %      %
allocated     37   -0.09  0.18    0.07      0.49   0.72  simumax_007
reserved      37   -0.71  2.52    2.43      4.34   6.70  simumax_040
all peaks     74   -0.40  1.35    0.70      3.78   6.70  simumax_040
