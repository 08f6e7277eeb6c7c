# what is refused, and how it says so
put() { printf '%s\n' "$@" >b.csv; reckon place b.csv; echo "exit $?"; }
reckon place; echo "exit $?"
reckon place none.csv; echo "exit $?"
put id,lower,upper
put id,lower,uper,size a,0,1,2
put id,lower,upper,size,gaps a,0,1,2,0-1
put id,lower,start,upper,size a,0,0,1,2
put id,lower,upper,size a,3,3,2
put id,lower,upper,size a,0,1,-2
put id,lower,upper,size a,0,1,x
put id,lower,upper,size,alignment a,0,1,2,3
put id,lower,upper,size a,0,1,4000000000000000000
put id,lower,upper,size a,0,1,2 b,0,1
reckon place b.csv --alignment 3; echo "exit $?"
printf 'id,lower,upper,size\na,0,1,2\n' >b.csv
reckon place b.csv --two-level; echo "exit $?"
reckon place b.csv --check; echo "exit $?"
reckon place b.csv b.csv -o out.csv; echo "exit $?"
printf 'id,lower,upper,size,offset\na,0,2,2,0\nb,1,3,2,1\n' >b.csv
reckon place b.csv --check; echo "exit $?"
=== stdout
exit 2
exit 3
exit 3
exit 3
exit 3
exit 3
exit 3
exit 3
exit 3
exit 3
exit 3
exit 3
exit 2
exit 3
exit 3
exit 2
exit 1
=== stderr
reckon: say which file of buffers: reckon place FILE.csv
reckon: none.csv: cannot open: No such file or directory; check the path
reckon: b.csv:1: a file of buffers has the columns lower, upper and size (and id, alignment)
reckon: b.csv:1: column "uper" is not one that reckon places by; the nearest is upper; there are id, lower, upper, size, alignment, offset, pass
reckon: b.csv:1: column "gaps" is not one that reckon places by; the nearest is pass; there are id, lower, upper, size, alignment, offset, pass
reckon: b.csv:1: column "start" says the same as "lower"
reckon: b.csv:2:3: upper: a buffer must end after it starts (3)
reckon: b.csv:2:4: size: must be a whole number from 0, got "-2"
reckon: b.csv:2:4: size: must be a whole number from 0, got "x"
reckon: b.csv:2:5: alignment: must be a power of two, got 3
reckon: b.csv: buffer 0: sizes and alignments add up to more than 2^60
reckon: b.csv:3: has 3 fields where the first line names 4 columns: put text with commas in quotes
reckon: --alignment: must be a power of two
reckon: b.csv:1: --two-level asks for a column `pass`: the pass of a layer that a buffer is of, empty for none
reckon: b.csv:1: there is no column `offset` to check; reckon place FILE -o OUT writes one
reckon: --output: takes the addresses of one FILE
reckon: b.csv: buffers a (at 0) and b (at 1) overlap while both are alive
