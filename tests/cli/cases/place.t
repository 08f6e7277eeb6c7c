# addresses, their proof, a capacity that cannot be, two levels, alignment
golden=$RECKON_SOURCE/tests/golden/allocation
reckon place "$golden/input.12.csv" "$golden/C.1048576.csv" --format csv | cut -d, -f2-11 && echo "exit $?"
reckon place "$golden/input.12.csv" -o - | tee placed.csv
reckon place placed.csv --check --capacity 12 --format csv | cut -d, -f2-5
reckon place placed.csv --check --capacity 11
echo "exit $?"
reckon place "$golden/input.12.csv" --capacity 11 --format json | grep -E '"(verdict|bound)"'
reckon place "$golden/input.12.csv" --capacity 11 >/dev/null
echo "exit $?"
cat >levels.csv <<'END'
id,lower,upper,size,pass
a,0,2,2,0
b,2,4,6,0
"c, outside",-1,2,4,
END
reckon place levels.csv --two-level -o out.csv --format csv | cut -d, -f2-5,12
cat out.csv
reckon place levels.csv --alignment 8 -o - | tail -3
=== stdout
buffers,peak,live,bound,gap,optimal,capacity,verdict,found_by,steps
5,12,12,12,0,true,,optimal,greedy,0
203,1039360,1039360,1039360,0,true,,optimal,search,2572
exit 0
id,lower,upper,size,offset
b1,0,3,4,0
b2,3,9,4,0
b3,0,9,4,4
b4,9,21,4,0
b5,0,21,4,8
buffers,peak,live,bound
5,12,12,12
exit 1
      "bound": 12,
      "verdict": "no placement is within the capacity",
exit 1
buffers,peak,live,bound,two_level_peak
3,6,6,6,10
id,lower,upper,size,pass,offset
a,0,2,2,0,4
b,2,4,6,0,0
"c, outside",-1,2,4,,0
a,0,2,2,8,0,8
b,2,4,6,8,0,0
"c, outside",-1,2,4,8,,0
=== stderr
reckon: placed.csv: buffer b5 ends at 12, above the capacity of 11
