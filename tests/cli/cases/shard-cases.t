echo '{"tree": "a", "shapes": {"x/up/kernel": [8, 16], "x/attn/o/kernel": [8, 8], "x/norm/scale": [8]}, "shards": 4, "generation": "first"}' >trees
echo '{"tree": "b", "shapes": {"x/up/kernel": [8, 16], "x/attn/o/kernel": [8, 8], "x/norm/scale": [8]}, "shards": 4}' >>trees
echo '{"tree": "c", "shapes": {"x//kernel": [8, 16]}, "shards": 4}' >>trees
echo '{"tree": "d", "shapes": {"x/kernel": [8, 16]}, "shards": 0}' >>trees
reckon shard --cases trees; echo $?
echo '[{"shapes": {"x/kernel": [-8]}, "shards": 1}]' | reckon shard --cases -; echo $?
echo '{' | reckon shard --cases -; echo $?
=== stdout
{"tree":"a","shards":4,"generation":"first","split_dimension":{"(bias|scale)":null,"embedding":0,"up/kernel":1,"o/kernel":0}}
{"tree":"b","shards":4,"split_dimension":{"o/kernel":0,"scale":null,"up/kernel":1}}
{"tree":"c","shards":4,"error":"leaf \"x//kernel\": a part of its path is empty"}
{"tree":"d","shards":0,"error":"shards, a whole number of at least 1, is missing"}
1
{"shards":1,"error":"sizes must be whole numbers of at least 0"}
1
3
=== stderr
reckon: <stdin>:1:2: the text ends in the middle of a value: is the file complete?
