mkdir logs; printf "%s\n" "run fwd stream=gpu writes=out" "send 1 bf16 8 tag=0 stream=net reads=out" "send 1 bf16 8 tag=1 stream=net reads=out" >logs/rank-0.log; printf "%s\n" "recv 0 bf16 8 tag=0 stream=net writes=in" "recv 0 bf16 4 tag=2 stream=net writes=in" "wait never stream=gpu" >logs/rank-1.log; reckon check --logs logs; echo $?; reckon check --logs logs --format json; printf "jump over" >logs/rank-1.log; reckon check --logs logs; rm logs/rank-0.log; reckon check --logs logs
=== stdout
logs/rank-0.log:3: error 7.pairs: send to 1 bf16 8 tag=1: meets recv from 0 bf16 4 tag=2 of rank 1, line 2
logs/rank-1.log:3: error 7.deadlock: wait never: rank 1 gpu waits in line 3 for wait never: the event is never recorded
logs/rank-0.log:2: error 10.reuse: send to 1 bf16 8 tag=0 out: is not ordered with line 1, run fwd: record an event and wait for it
logs/rank-0.log:3: error 10.reuse: send to 1 bf16 8 tag=1 out: is not ordered with line 1, run fwd: record an event and wait for it
logs of 2 ranks: 4 errors
1
{
  "command": "check",
  "errors": 4,
  "warnings": 0,
  "left_out": 0,
  "findings": [
    {
      "rule": "7.pairs",
      "severity": "error",
      "file": "logs/rank-0.log",
      "line": 3,
      "rank": 0,
      "what": "send to 1 bf16 8 tag=1",
      "need": "meets recv from 0 bf16 4 tag=2 of rank 1, line 2"
    },
    {
      "rule": "7.deadlock",
      "severity": "error",
      "file": "logs/rank-1.log",
      "line": 3,
      "rank": 1,
      "what": "wait never",
      "need": "rank 1 gpu waits in line 3 for wait never: the event is never recorded"
    },
    {
      "rule": "10.reuse",
      "severity": "error",
      "file": "logs/rank-0.log",
      "line": 2,
      "rank": 0,
      "what": "send to 1 bf16 8 tag=0",
      "have": "out",
      "need": "is not ordered with line 1, run fwd",
      "fix": "record an event and wait for it"
    },
    {
      "rule": "10.reuse",
      "severity": "error",
      "file": "logs/rank-0.log",
      "line": 3,
      "rank": 0,
      "what": "send to 1 bf16 8 tag=1",
      "have": "out",
      "need": "is not ordered with line 1, run fwd",
      "fix": "record an event and wait for it"
    }
  ]
}
=== stderr
reckon: logs/rank-1.log:1: jump: is not an operation
reckon: logs: rank 0 has no log, and others do up to rank 1
=== exit 3
