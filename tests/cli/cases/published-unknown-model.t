reckon predict --framework calculon --model gpt3-157b --system a100-80g-nvl8
=== stdout
=== stderr
reckon: unknown model "gpt3-157b": did you mean "gpt3-175b"? ("reckon models" lists them; a file's name ends in .json)
=== exit 2
