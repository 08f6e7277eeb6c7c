reckon check --rules
=== stdout
rule                  severity  asks
1.unknown             error     every key, flag or word is known to its format and version
1.twice               error     each is given once
1.missing             error     those that the tool cannot do without are there
1.value               error     each has a value of its type, in its range or list
1.removed             error     none has been withdrawn
2.product             error     tensor * pipeline * context divides the ranks, and times data equals them; a file's ranks are those launched; the system has that number
2.expert              error     pipeline * expert * expert tensor divides the ranks
2.stages              error     layers are split over the stages as the tool splits them, and no stage is empty
2.lists               error     lists have one entry for each virtual stage, or for each layer
3.divide              error     data * microbatch divides the batch; batch = microbatch * accumulation * data
3.fill                error     the number of microbatches is at least the number of stages (dualpipe: at least twice it, and even); a warning in plain 1F1B
3.interleave          error     the number of microbatches is at least the number of stages, and their last group is whole or at least as large
4.heads               error     tensor divides the heads
4.kv_heads            error     tensor divides the groups of keys and values, or they divide it
4.feedforward         error     tensor divides the width of dense MLPs
4.hidden              error     tensor divides the hidden size
4.vocabulary          error     tensor divides the vocabulary as it is padded
4.context             error     twice the context degree divides the sequence
4.sequence            error     with sequence parallelism tensor divides a rank's part of the sequence
4.ulysses             error     the all-to-all degree divides a tensor rank's heads, and the context degree
4.experts             error     expert divides the experts
4.expert_feedforward  error     expert tensor divides an expert's width
5.states              error     weights, gradients and optimizer state of a rank fit into its memory
5.stage               error     everything that the fullest stage stores fits into its memory
6.layers              error     each block, the embedding, the head and the loss are on one virtual stage
6.shards              error     the ranks that share a copy of the state divide data * context
6.tied                error     gradients of both ends of a tied embedding are reduced before they are sharded
7.members             error     a group has the rank itself, no rank twice, one order everywhere, and all its members call it
7.match               error     the n-th operation of a group is the same on all its members: kind, type, count
7.pairs               error     each send has its receive, in order, of one type, count and tag
7.deadlock            error     every operation that is started can complete
8.redistribute        error     between layers of different degrees data is moved to the right owners
9.tensor              warning   tensor divides the ranks of a fast domain
9.expert              warning   an all-to-all of the plain dispatcher stays in a fast domain
9.context             warning   a ring stays in a fast domain where tensor * context fits into one
10.race               error     two accesses of a buffer, one of them a write, are ordered
10.reuse              error     a buffer that is sent is written only before and after the send
10.free               error     a buffer is freed, or allocated again, after its last use, and freed once
11.flop               error     FLOP that a file declares or a log sums up equal the model's, to 0.1 %
11.parameters         error     parameters that a file declares or a log sums up equal the model's exactly
11.bytes              error     bytes of each collective equal the plan's exactly
12.needs              error     the other choices that a choice needs are given
12.excludes           error     choices that exclude each other are not given together
12.effect             note      each choice has an effect, and the one that its name says
12.datatype           error     the device multiplies the type; fp16 has loss scaling
12.environment        error     the environment is what the plan needs; rank, world and local rank agree
13.reshard            error     a checkpoint of another layout is in a format that can be resharded
13.model              error     a checkpoint has the shapes of the model
14.waste              warning   no single change of the plan that can be launched and fits is predicted to shorten the step by the threshold of reckon check
15.file               warning   a file that reckon export writes launches the plan
