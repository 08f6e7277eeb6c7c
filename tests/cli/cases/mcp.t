# A session as an assistant holds it, and what must not end it: no JSON, no method, no such tool, wrong arguments. One line each.
say() { printf '%s\n' "$1" >>session; }
call() { say "{\"jsonrpc\":\"2.0\",\"id\":$1,\"method\":\"tools/call\",\"params\":{\"name\":\"$2\",\"arguments\":$3}}"; }
say '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2024-11-05","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}'
say '{"jsonrpc":"2.0","method":"notifications/initialized"}'
say '{"jsonrpc":"2.0","id":"two","method":"ping"}'
say 'no JSON'
say '{"jsonrpc":"2.0","id":3}'
say '{"jsonrpc":"2.0","id":4,"method":"resources/list"}'
say '{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"fly"}}'
say '[{"jsonrpc":"2.0","id":6,"method":"ping"},{"jsonrpc":"2.0","method":"ping"},7]'
say '{"jsonrpc":"2.0","id":8,"result":{}}'
call 9 predict_step '{"model":"llama3.1-8b","system":"h100-sxm5-80g","gpu":8}'
call 10 predict_step '{"model":"llama3.1-8b","system":"h100-sxm5-80g","gpus":"8"}'
call 11 predict_step '{"model":"llama3.1-8b"}'
call 12 predict_step '{"model":"llama3.1-8b","system":"h100-sxm5-80g","gpus":7,"plan":"tp2"}'
call 13 predict_step '{"model":"--help","system":"h100-sxm5-80g","gpus":8,"plan":"--help"}'
call 14 import_launch_file '{"file":"hf"}'
call 15 write_launch_file '{"format":"megatron -o","model":"llama3.1-8b"}'
reckon mcp <session
echo "exit $?"
=== stdout
{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2024-11-05","capabilities":{"tools":{"listChanged":false}},"serverInfo":{"name":"reckon","title":"Reckon","version":"0.2.0"},"instructions":"Predicts time, memory and cost of training large language models. Values are in SI units; report the ranges and the assumptions with them."}}
{"jsonrpc":"2.0","id":"two","result":{}}
{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"not JSON: '[' or '{' expected near 'no'"}}
{"jsonrpc":"2.0","id":3,"error":{"code":-32600,"message":"not a request of JSON-RPC 2.0: \"jsonrpc\": \"2.0\", a method and an id (a text or a number) are needed"}}
{"jsonrpc":"2.0","id":4,"error":{"code":-32601,"message":"no such method: initialize, ping, tools/list and tools/call are served"}}
{"jsonrpc":"2.0","id":5,"error":{"code":-32602,"message":"params.name: no such tool: see tools/list"}}
[{"jsonrpc":"2.0","id":6,"result":{}},{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"not a request of JSON-RPC 2.0: \"jsonrpc\": \"2.0\", a method and an id (a text or a number) are needed"}}]
{"jsonrpc":"2.0","id":9,"result":{"content":[{"type":"text","text":"argument \"gpu\" is not known: did you mean gpus?"}],"isError":true}}
{"jsonrpc":"2.0","id":10,"result":{"content":[{"type":"text","text":"argument gpus: must be a whole number of at least 1"}],"isError":true}}
{"jsonrpc":"2.0","id":11,"result":{"content":[{"type":"text","text":"argument system is missing: Machine: an id of list_systems (h100-sxm5-80g), a path, or one line such as \"h100-sxm5-80g x512\""}],"isError":true}}
{"jsonrpc":"2.0","id":12,"result":{"content":[{"type":"text","text":"--gpus: 7 GPUs are not a multiple of tensor 2 * pipeline 1 = 2: use 6 or 8"}],"isError":true}}
{"jsonrpc":"2.0","id":13,"result":{"content":[{"type":"text","text":"\"--help\":1:1: unknown word \"--help\": there are tp, pp, cp, ep, dp, mbs, gbs, zero, sp, recompute and others, see reckon-plan(5)"}],"isError":true}}
{"jsonrpc":"2.0","id":14,"result":{"content":[{"type":"text","text":"./hf: cannot open: No such file or directory; check the path"}],"isError":true}}
{"jsonrpc":"2.0","id":15,"result":{"content":[{"type":"text","text":"argument format: must be one of megatron|deepspeed|torchtitan|accelerate|nanotron|bridge"}],"isError":true}}
exit 0
