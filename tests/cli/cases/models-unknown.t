reckon models gtp3-175b
reckon fits nobody/Tower-9000B h100-sxm5-80g -g 8; echo "exit $?"
reckon predict -m some/where/config.json -s h100-sxm5-80g -g 8; echo "exit $?"
# What is of the other kind is named; short names are near, too.
reckon predict -m H100 -s h100 -g 8
reckon fits h100 llama3.1-8b -g 8
reckon predict -m llama3.1-8b -s h1000 -g 8
reckon predict -m llama3.1-8b -s h100x8 tp8
reckon models 70b
# The parts of a name come before its spelling, numbers as a whole.
reckon models llama-70b
reckon models qwen-7b
reckon search llama3.1-8b -g 8 -b 8
reckon validate --only gpu=H100 --brief
=== stdout
exit 3
exit 3
=== stderr
reckon: unknown model "gtp3-175b": did you mean "gpt3-175b"? ("reckon models" lists them; a file's name ends in .json)
reckon: nobody/Tower-9000B: there is no such file, and the catalog has no checkpoint of that name: nothing is downloaded, give the model's config.json
reckon: some/where/config.json: cannot open: No such file or directory; check the path
reckon: "H100" is a system, a model is wanted here ("reckon models" lists them)
reckon: "h100" is a system, a model is wanted here ("reckon models" lists them)
reckon: unknown system "h1000": did you mean "h100"? ("reckon systems" lists them; a file's name ends in .json)
reckon: unknown system "h100x8": did you mean "h100 x8"?
reckon: unknown model "70b": there are llama2-70b, llama3.1-70b, llama3.3-70b ("reckon models" lists them; a file's name ends in .json)
reckon: unknown model "llama-70b": there are llama2-70b, llama3.1-70b, llama3.3-70b ("reckon models" lists them; a file's name ends in .json)
reckon: unknown model "qwen-7b": did you mean "qwen2.5-7b"? ("reckon models" lists them; a file's name ends in .json)
reckon: --system is missing: give an id, such as h100 or "h100 x64" (`reckon systems` lists them), or a file
reckon: --only: no row has gpu=H100; the nearest is gpu=H100-SXM5-80GB (--by gpu lists all)
=== exit 2
