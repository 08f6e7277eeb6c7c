reckon --help
reckon help predict | head -n 1
reckon search --help-all | grep -c -e '--tensor N'
reckon search --help | grep -e '--help-all'
reckon predict --help | sed -n '/^Words/,/^ *epN/p'
reckon search --help >/dev/full; echo $?
# all commands, each under a heading; an option stands in a list once
reckon --help | sed -n '/^Before/,/^General/p'
for c in $(reckon __list commands); do reckon $c --help | sed -n 's/^ \{2,6\}\(-., \)\{0,1\}\(--[a-z-]*\).*/'"$c"' \2/p' | sort | uniq -d; done
reckon __man | grep '^\.S[HS]'
=== stdout
usage: reckon COMMAND [options]

Reckon predicts the cost of training a large language model on a machine:
whether it fits (fits), the step time and the memory of a GPU (predict). It
searches for the best plan (search), writes its launch files (export), and
trains models on this machine (train). Every command has its own help: reckon
COMMAND --help.

Plan:
  fits                        show if a plan fits and what saves memory
  predict                     predict step time and memory of a plan
  search                      search for the fastest plans
  budget                      find the largest model or most tokens within a
                              budget
  longest                     find the longest sequence that can be trained
  serve                       predict inference: first token, token rate, KV
                              cache
  offload                     plan activation offloading and the lifetime of
                              drives
  study                       run a grid of searches, kept in a database

Catalogs:
  models                      list the models of the catalog, or show one
  systems                     list the systems of the catalog, or show one
  prices                      list prices of accelerators with date and source
  shapes                      propose model shapes for a number of parameters

Inspect:
  check                       check a plan, launch file or logs of a run for
                              faults
  diff                        compare two plans and attribute the difference
  timeline                    simulate the pipeline schedule of one step
  program                     print each rank's program, instruction by
                              instruction
  place                       plan fixed addresses for buffers with known
                              lifetimes
  report                      write a plan, search or study as one page

Other tools:
  import                      read models and plans of other tools
  capture                     record the arguments that a script really starts
  export                      write launch files for other tools

Monitor and calibrate:
  doctor                      diagnose a run that is slower than predicted
  adapt                       watch a run and report when another plan pays off
  calibrate                   fit a system's kernels and links to measurements
  support                     count the measured runs that support a prediction
  validate                    compare predictions with published measurements
  mcp                         answer an assistant's questions (Model Context
                              Protocol)

Train:
  corpus                      make training text from raw text
  tokenizer                   train a tokenizer
  tokenize                    convert texts to token ids and back
  measure                     measure this machine and write it as a system file
  train                       train a model under a plan on this machine's
                              processors
  generate                    continue a prompt with a trained model
  eval                        evaluate a model: perplexity and multiple choice
  compare                     find where two dumps of a training step diverge

Checkpoints:
  shard                       split a checkpoint by rank under a plan
  merge                       merge the shards of a plan into one checkpoint
  reshard                     convert the shards of a plan to those of another
                              plan

Published tools:
  calculon                    run the commands of the published tool Calculon
  galvatron                   run the search of the published tool Galvatron
  papers                      compare published systems with predictions

General:
  -h, --help                  Print this help

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
Words of a plan (--help-all explains them):
Words of a plan (--help-all explains them):
  framework=..., precision=..., [no-]training, gpusN, tpN, ppN, vppN, cpN, dpN,
  epN, etpN, order=..., mbsN, gbsN, seqN, packed=N, schedule=..., mb-group=N,
4
.SH NAME
.SH SYNOPSIS
.SH DESCRIPTION
.SH COMMANDS
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
=== stderr
reckon: cannot write to standard output: No space left on device
