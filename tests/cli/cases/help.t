reckon --help
reckon help predict | head -n 1
reckon search --help-all | grep -c -e '--tensor N'
reckon search --help | grep -e '--help-all'
reckon predict --help | sed -n '/^Words/,/^ *epN/p'
reckon search --help >/dev/full; echo $?
# all commands, each under a heading; an option stands in a list once
for c in $(reckon __list commands); do reckon $c --help-all | sed -n 's/^ \{2,6\}\(-., \)\{0,1\}\(--[a-z-]*\).*/'"$c"' \2/p' | sort | uniq -d; done
reckon __man | grep '^\.S[HS]'
# the options that matter, and how many there are beyond them; reckon --help-all explains every command
for c in $(reckon __list commands); do n=$(reckon $c --help | grep -cE '^ {2,6}(-., )?--[a-z]'); [ $n -le 16 ] || echo "$c: $n options"; done
reckon fits --help | sed -n '/^Input/,/^Words/p' | grep -E '^ {2,6}(-., )?--|more'
reckon --help-all | sed -n '/^Plan:/,/^Catalogs/p'
=== stdout
usage: reckon COMMAND [options]

Reckon predicts the cost of training a large language model on a machine:
whether it fits (fits), the step time and the memory of a GPU (predict). It
searches for the best plan (search), writes its launch files (export), and
trains models on this machine (train). Every command has its own help: reckon
COMMAND --help.

Common commands:
  fits                        show if a plan fits and what saves memory
  search                      search for the fastest plans
  predict                     predict step time and memory of a plan
  export                      write launch files for other tools
  doctor                      diagnose a run that is slower than predicted
  budget                      find the largest model or most tokens within a
                              budget
  models                      list the models of the catalog, or show one
  systems                     list the systems of the catalog, or show one

More commands (--help-all explains them):
  longest, serve, offload, study, shapes, prices, check, diff, timeline,
  program, place, report, import, capture, adapt, calibrate, support, validate,
  mcp, corpus, tokenizer, tokenize, measure, train, generate, eval, compare,
  shard, merge, reshard, calculon, galvatron, papers

General:
  -h, --help                  Print this help
      --help-all              Print all options and words

Version:
      --version               Print the version

Examples:
  Does it fit, and how should it be split?
    reckon fits llama3.1-70b h100-sxm5-80g -g 64
  Which plan is the best?
    reckon search -m llama3.1-70b -s h100-sxm5-80g -g 64 -b 256
  What do I launch?
    reckon export megatron -m llama3.1-70b gpus64 dp16 tp4 gbs256 sp tp-overlap zero3 grad-overlap weight-overlap
  What can be trained?
    reckon models
usage: reckon predict [--model] MODEL [--system] SYSTEM [options] [PLAN]...
1
      --help-all              Print all options and words
74 more options: reckon search --help-all
106 more words: reckon search --help-all
Words of a plan:
  framework=...               Framework whose defaults apply; calculon: the
                              Calculon model (default: megatron)
  precision=...               Datatype of matrix products (default: bf16)
  tpN                         Tensor-parallel degree
  ppN                         Pipeline-parallel degree
  vppN                        Virtual stages per rank (interleaving)
  cpN                         Context-parallel degree
  dpN                         Data-parallel degree; default: gpus divided by the
                              other degrees
  epN                         Expert-parallel degree: ranks that share the
4
.SH NAME
.SH SYNOPSIS
.SH DESCRIPTION
.SH COMMANDS
.SS Common commands
.SS Plan
.SS Catalogs
.SS Inspect
.SS Other tools
.SS Monitor and calibrate
.SS Train
.SS Checkpoints
.SS Published tools
.SH OPTIONS
.SS General
.SS Version
.SH EXAMPLES
.SH EXIT STATUS
.SH ENVIRONMENT
.SH SEE ALSO
  -m, --model MODEL           Model: an id of `reckon models`, a file (also a
  -s, --system SYSTEM         Machine: an id of `reckon systems`, a file, -, or
  -g, --gpus N                Number of GPUs (default: all of the system, else
  -p, --plan FILE|WORDS       Plan file, reckon-plan(5), - (standard input), or
      --headroom SIZE|%|learned|none
      --tune                  Compare ways of fine-tuning, all weights, LoRA and
  -o, --output FILE           Write to FILE, atomically; - is standard output; a
      --save-script FILE      Write the script that launches the plan, as
      --launcher LAUNCHER     Write what starts the run: torchrun, slurm
  -f, --format table|json|csv
  -h, --help                  Print this help
      --help-all              Print all options and words
27 more options: reckon fits --help-all
Plan:
  longest                     find the longest sequence that can be trained
  serve                       predict inference: first token, token rate, KV
                              cache
  offload                     plan activation offloading and the lifetime of
                              drives
  study                       run a grid of searches, kept in a database

Catalogs:
=== stderr
reckon: cannot write to standard output: an earlier write failed; is the disk full?
