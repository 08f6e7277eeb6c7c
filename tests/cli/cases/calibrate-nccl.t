reckon calibrate h100-sxm5-80g --nccl - <"$RECKON_SOURCE/tests/data/measured/all_gather.txt"
sed 's/.*Rank.*//' "$RECKON_SOURCE/tests/data/measured/all_gather.txt" >bare.txt
reckon calibrate h100-sxm5-80g --nccl bare.txt
reckon calibrate h100-sxm5-80g --nccl bare.txt --ranks 8
cat >eight.json <<'END'
{"version": "2.17.1", "args": ["./build/all_reduce_perf", "-b", "1M"], "config": {"devices": [
  {"rank": 0, "group": 0, "hostname": "a", "device": 0}, {"rank": 1, "group": 0, "hostname": "a", "device": 1},
  {"rank": 2, "group": 0, "hostname": "b", "device": 0}, {"rank": 3, "group": 0, "hostname": "b", "device": 1}]},
 "results": [
  {"size": 1048576, "out_of_place": {"time": 130.0}, "in_place": {"time": 128.0}},
  {"size": 4194304, "out_of_place": {"time": 200.0}, "in_place": {"time": 201.0}},
  {"size": 16777216, "out_of_place": null, "in_place": {"time": 450.0}},
  {"size": 67108864, "out_of_place": {"time": 1200.0}, "in_place": {"time": 1180.0}},
  {"size": 268435456, "out_of_place": {"time": 4500.0}, "in_place": {"time": 4490.0}}]}
END
reckon calibrate h100-sxm5-80g --nccl eight.json
=== stdout
Error of predicted times, mean
of           network  measurements  before  90 % within  after  90 % within  cross-validated  90 % within
                                         %            %      %            %                %            %
collectives        0            13     5.8         10.0    3.8          8.0              4.5          8.9

Constants, in the units of system files
constant    network  before   after
efficiency        0   0.809  0.8483
base_us           0   4.200   4.229
hop_us            0   0.760  0.7667
Error of predicted times, mean
of           network  measurements  before  90 % within  after  90 % within  cross-validated  90 % within
                                         %            %      %            %                %            %
collectives        0            13     5.8         10.0    3.8          8.0              4.5          8.9

Constants, in the units of system files
constant    network  before   after
efficiency        0   0.809  0.8483
base_us           0   4.200   4.229
hop_us            0   0.760  0.7667
Error of predicted times, mean
of           network  measurements  before  90 % within  after  90 % within
                                         %            %      %            %
collectives        1             5    18.2         36.2   14.7         32.6

Constants, in the units of system files
constant    network  before   after
efficiency        1    0.93  0.8409
=== stderr
reckon: bare.txt: lists no devices, or only one: say how many there were with --ranks
