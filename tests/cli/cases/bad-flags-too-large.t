reckon predict --framework calculon -m gpt3-175b -s a100-80g-nvl8 --tensor 9007199254740992 --pipeline 9007199254740992
=== stdout
=== stderr
reckon: "framework=calculon tensor=9007199254740992 pipeline=...":1:44: pp: the product of all degrees is more than 2^53
=== exit 2
