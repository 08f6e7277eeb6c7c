reckon calibrate h200-sxm-141g --gemm "$RECKON_SOURCE/tests/data/measured/gemm.csv"
=== stdout
Error of predicted times, mean
of        measurements  before  90 % within  after  90 % within  cross-validated  90 % within
                             %            %      %            %                %            %
products            14     6.3          8.8    5.7         11.6             12.6         24.6

Constants, in the units of system files
constant           before   after
matrix_efficiency    0.77  0.7957
tile_efficiency      0.90  0.9270
kernel_us            2.80   2.744
