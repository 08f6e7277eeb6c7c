reckon models --all | sed 's/   *.*//' | grep -e '^id' -e '^gpt'
reckon models --all --format csv | grep -e '^id' -e '^gpt3'
=== stdout
id
gpt-j-6b
gpt-neox-20b
gpt-oss-20b
gpt-oss-120b
gpt2-124m
gpt2-355m
gpt2-774m
gpt2-1558m
gpt3-13b
gpt3-175b
id,parameters,active_parameters,layers,hidden,feedforward,heads,kv_heads,sequence,vocabulary,name
gpt3-13b,12941335400,12941335400,40,5140,20560,40,40,2048,51200,GPT-3 13B
gpt3-175b,174615846912,174615846912,96,12288,49152,96,96,2048,51200,GPT-3 175B
