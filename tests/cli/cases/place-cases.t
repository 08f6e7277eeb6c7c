# small instances with a known optimum; what is wrong with others
reckon place "$RECKON_SOURCE/tests/golden/allocation/tiny.json" | cut -c1-150
put() { printf '%s\n' "$1" >x.json; reckon place x.json; echo "exit $?"; }
put '{"cases": [{"buffers": [[0, 1]]}]}'
put '{"cases": [{"buffers": [[1, 1, 3]]}]}'
put '{"cases": [{"name": "x"}]}'
put '{}'
printf '{"cases": [{"buffers": [[0, 2, 3]]}, {"buffers": [[0, 2, 4]]}]}' >x.json
reckon place x.json --capacity 3 --format csv | cut -d, -f2-5,9
=== stdout
5 placements: 5 optimal

file                                                                                           buffers  peak  live  bound   gap  optimal  verdict  fou
                                                                                                                              %                       
smallest found with optimum above max live                                                           7     5     4      5  0.00      yes  optimal  gre
two levels are worse than one                                                                        3     6     6      6  0.00      yes  optimal  gre
MEMO Fig. 3b, forward, without skeletal tensors (order of requests as we read it; unverified)        5   512   512    512  0.00      yes  optimal  gre
MEMO Fig. 3b, backward, likewise                                                                     5  1920  1920   1920  0.00      yes  optimal  gre
example of the public benchmark                                                                      5    12    12     12  0.00      yes  optimal  gre
exit 3
exit 3
exit 3
exit 3
buffers,peak,live,bound,verdict
1,3,3,3,within the capacity
1,4,4,4,no placement is within the capacity
=== stderr
reckon: x.json:1:25: cases[0].buffers[0]: must have at least 3 elements, has 2
reckon: x.json:1:25: cases[0].buffers[0]: a buffer must end after it starts, its size be 0 or more
reckon: x.json:1:12: cases[0]: a case has "buffers", or "layer" and "outside"
reckon: x.json:1:1: expected "cases", each with "buffers"
