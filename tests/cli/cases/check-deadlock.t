mkdir logs; printf "%s\n" "send 1 bf16 8 stream=net" "recv 1 bf16 8 stream=net" >logs/0.txt; printf "%s\n" "send 0 bf16 8 stream=net" "recv 0 bf16 8 stream=net" >logs/1.txt; reckon check --logs logs; reckon check --logs logs --eager 1024; reckon check --logs logs --format sarif | tail -n 32
=== stdout
logs/0.txt:1: error 7.deadlock: send to 1 bf16 8 tag=0: rank 0 net waits in line 1 for send to 1 bf16 8 tag=0, rank 1 net waits in line 1 for send to 0 bf16 8 tag=0: start both together (begin, end), or one in the other order
logs of 2 ranks: 1 error
logs of 2 ranks: nothing found
              },
              "defaultConfiguration": {
                "level": "warning"
              }
            }
          ]
        }
      },
      "results": [
        {
          "level": "error",
          "message": {
            "text": "send to 1 bf16 8 tag=0: rank 0 net waits in line 1 for send to 1 bf16 8 tag=0, rank 1 net waits in line 1 for send to 0 bf16 8 tag=0: start both together (begin, end), or one in the other order"
          },
          "ruleId": "7.deadlock",
          "locations": [
            {
              "physicalLocation": {
                "artifactLocation": {
                  "uri": "logs/0.txt"
                },
                "region": {
                  "startLine": 1
                }
              }
            }
          ]
        }
      ]
    }
  ]
}
