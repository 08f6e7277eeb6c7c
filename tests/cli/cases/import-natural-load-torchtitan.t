printf '[model]\nname = "qwen3"\nflavor = "30B-A3B"\n[training]\nlocal_batch_size = 2\nseq_len = 4096\n[parallelism]\nexpert_parallel_degree = 8\n' >free.toml; { cat free.toml; printf '[debug]\nmoe_force_load_balance = true\n'; } >even.toml; for f in free even; do echo $f; reckon import torchtitan $f.toml --model qwen3-30b-a3b --gpus 8 | grep -o natural-load; done; true
=== stdout
free
natural-load
even
