reckon predict --framework calculon -m gpt3-175b -s a100-80g-nvl8 --tensor "$(printf '8\033[31m\377')"
=== stdout
=== stderr
reckon: "framework=calculon tensor=8\x1b[31m\xff":1:27: tp must be a number, got "8\x1b[31m\xff": write out its digits
=== exit 2
