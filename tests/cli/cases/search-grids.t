# several grids in braces: no two rows have one name, and each says its machine; one grid names what varies, and its
# map is in the order of numbers with titles, whatever the order of the answer
rows() { python3 -c "
import csv, sys
for row in csv.DictReader(sys.stdin): print(row['system'])"; }
few='tp1 pp1 cp1 zero1 recompute=none'
reckon search -q -m llama3.1-8b -b 64 -s 'h200 x{32,64} price=3.5' -s 'b200 x{16,32} price=6.69' --tokens 1T $few -f csv | rows
reckon search -q -m llama3.1-8b -b 64 -s 'h200 x{64,32} net1={100,50}GB/s price=3.5' --tokens 1T --sort cost $few -f csv | rows
reckon search -q -m llama3.1-8b -b 64 -s 'h200 x{64,32} net1={100,50}GB/s price=3.5' --tokens 1T --sort cost $few -o map.html
grep -o '\["x[0-9]*, net[^"]*","x[0-9]*","[^"]*"' map.html
grep -c 'Hatched' map.html
# ... whatever the units: 8000Gb/s are half of 2TB/s
reckon search -q -m llama3.1-8b -b 64 -s 'h200 x{64,32} net1={2TB/s,8000Gb/s}' $few -o units.html
grep -o '\["x32, net[^"]*","x32","[^"]*"' units.html
# the column that orders the rows is shown
reckon search -q -m llama3.1-8b -b 64 -s 'h200 x{32,64} price=3.5' --tokens 1T --sort energy $few | grep -c 'energy kWh'
=== stdout
h200 x32 price=3.5
h200 x64 price=3.5
b200 x16 price=6.69
b200 x32 price=6.69
x32, net1=100GB/s
x32, net1=50GB/s
x64, net1=100GB/s
x64, net1=50GB/s
["x32, net1=50GB/s, 32 GPUs","x32","net1=50GB/s"
["x32, net1=100GB/s, 32 GPUs","x32","net1=100GB/s"
["x64, net1=50GB/s, 64 GPUs","x64","net1=50GB/s"
["x64, net1=100GB/s, 64 GPUs","x64","net1=100GB/s"
0
["x32, net1=8000Gb/s, 32 GPUs","x32","net1=8000Gb/s"
["x32, net1=2TB/s, 32 GPUs","x32","net1=2TB/s"
1
