reckon predict --framework calculon -m gpt3-175b -s a100-80g-nvl8 --tensor 8,16
=== stdout
=== stderr
reckon: "framework=calculon tensor=8,16":1:27: tp must be a number, got "8,16": write out its digits
=== exit 2
