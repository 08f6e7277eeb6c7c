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

Reckon predicts what training a large language model costs on a machine: whether
it fits (fits), the time of a step and the memory of a GPU (predict). It finds
the best plan of all (search), writes what launches it (export), and trains
models on this machine (train). Every command explains itself: reckon COMMAND
--help.

Before a run:
  fits                        does it fit, and what saves how much memory
  predict                     the time and memory of a step, as people train
                              today
  search                      the best plans of all there are
  budget                      the largest model, or most tokens, that money and
                              days train
  longest                     the longest sequence that can be trained
  serve                       inference: prompts, tokens and their cache
  offload                     which activations leave the accelerator
  study                       a grid of searches, kept in a database

What there is to ask about:
  models                      list the models of the catalog, or show one
  systems                     list the systems of the catalog, or show one
  shapes                      well-shaped models for a number of parameters

A plan, looked at:
  check                       what is wrong with a plan, a launch file or a run
  diff                        what one plan does differently from another, and
                              what it is worth
  timeline                    the pipeline schedule of one step, event by event
  program                     what each rank of a plan does, instruction by
                              instruction
  place                       fixed addresses for buffers whose lifetimes are
                              known
  report                      a plan, a search or a study as one page to look at

Plans and models of other tools:
  import                      take over the models and plans of other tools
  capture                     record the arguments that a script really starts
  export                      a plan as what other tools are launched with

Beside a run:
  doctor                      why a run is slower than predicted
  adapt                       watch a run, and say when another plan pays
  calibrate                   fit a system's constants to what was measured on
                              it
  support                     count the measured runs that support a prediction
  validate                    predictions beside published measurements
  mcp                         answer an assistant's questions (Model Context
                              Protocol)

From text to a trained model:
  corpus                      from raw text to training text
  tokenizer                   train a tokenizer
  tokenize                    texts as token ids, and back
  measure                     this machine as a system that plans are predicted
                              for
  train                       train a model under a plan, on this machine's
                              processors
  generate                    continue a prompt with a trained model
  eval                        how well a trained model foretells texts and
                              answers
  compare                     where two dumps of a training step part

Checkpoints in parts:
  shard                       which part of which tensor goes to which rank
  merge                       the shards of a plan as one checkpoint
  reshard                     the shards of a plan as those of another one

Published tools:
  calculon                    the commands of the published tool Calculon
  galvatron                   the search of the published tool Galvatron
  papers                      compare published systems with predictions

General:
  -h, --help                  print this help

Version:
      --version               print the version

Examples:
  Does it fit, and how would one split it?
    reckon fits llama3.1-70b h100-sxm5-80g -g 64
  Which plan is the best?
    reckon search -m llama3.1-70b -s h100-sxm5-80g -g 64 -b 256
  What do I launch?
    reckon export megatron -m llama3.1-70b gpus64 dp16 tp4 gbs256 sp tp-overlap zero3 grad-overlap weight-overlap
  What can be trained:
    reckon models
usage: reckon predict --model MODEL --system SYSTEM [options] [PLAN]...
1
      --help-all              print all options and words
Words of a plan (--help-all explains them):
Words of a plan (--help-all explains them):
  framework=..., precision=..., [no-]training, gpusN, tpN, ppN, vppN, cpN, dpN,
  epN, etpN, order=..., mbsN, gbsN, seqN, packed=N, schedule=..., mb-group=N,
4
Before a run:
  fits                        does it fit, and what saves how much memory
  predict                     the time and memory of a step, as people train
                              today
  search                      the best plans of all there are
  budget                      the largest model, or most tokens, that money and
                              days train
  longest                     the longest sequence that can be trained
  serve                       inference: prompts, tokens and their cache
  offload                     which activations leave the accelerator
  study                       a grid of searches, kept in a database

What there is to ask about:
  models                      list the models of the catalog, or show one
  systems                     list the systems of the catalog, or show one
  shapes                      well-shaped models for a number of parameters

A plan, looked at:
  check                       what is wrong with a plan, a launch file or a run
  diff                        what one plan does differently from another, and
                              what it is worth
  timeline                    the pipeline schedule of one step, event by event
  program                     what each rank of a plan does, instruction by
                              instruction
  place                       fixed addresses for buffers whose lifetimes are
                              known
  report                      a plan, a search or a study as one page to look at

Plans and models of other tools:
  import                      take over the models and plans of other tools
  capture                     record the arguments that a script really starts
  export                      a plan as what other tools are launched with

Beside a run:
  doctor                      why a run is slower than predicted
  adapt                       watch a run, and say when another plan pays
  calibrate                   fit a system's constants to what was measured on
                              it
  support                     count the measured runs that support a prediction
  validate                    predictions beside published measurements
  mcp                         answer an assistant's questions (Model Context
                              Protocol)

From text to a trained model:
  corpus                      from raw text to training text
  tokenizer                   train a tokenizer
  tokenize                    texts as token ids, and back
  measure                     this machine as a system that plans are predicted
                              for
  train                       train a model under a plan, on this machine's
                              processors
  generate                    continue a prompt with a trained model
  eval                        how well a trained model foretells texts and
                              answers
  compare                     where two dumps of a training step part

Checkpoints in parts:
  shard                       which part of which tensor goes to which rank
  merge                       the shards of a plan as one checkpoint
  reshard                     the shards of a plan as those of another one

Published tools:
  calculon                    the commands of the published tool Calculon
  galvatron                   the search of the published tool Galvatron
  papers                      compare published systems with predictions

General:
.SH NAME
.SH SYNOPSIS
.SH DESCRIPTION
.SH COMMANDS
.SS Before a run
.SS What there is to ask about
.SS A plan, looked at
.SS Plans and models of other tools
.SS Beside a run
.SS From text to a trained model
.SS Checkpoints in parts
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
