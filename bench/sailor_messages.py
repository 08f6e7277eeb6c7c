#!/usr/bin/env python3
"""sailor_messages.py: what the messages of three runs of [strati2025sailor] on several kinds of GPU cost, by the order in
which DeepSpeed 0.16.5 (the artifact's) has them: behind its backward pass a stage sends the gradient and then receives the
next activation, before its own it receives the gradient and then sends the activation. Twice: each send waits until the
receiver is there and all is across, and each is taken over by buffers, so that only what has not arrived is waited for.

Seconds of a stage's passes as bench/sailor.sh predicts them, and of a message over the link of a 3090 node (16.8 MB at
0.1157 GB/s); the gradients' reduction as measured (`red_grads` of the plans' files). docs/clusters.md has the table."""

RUNS = {  # forward, backward, messages to the next stage; microbatches; gradients and step as measured
    "N2_D1": ((0.0706, 0.2591), (0.1283, 0.4026), (0.1451,), 128, 0.008, 119.839),
    "N6_D2": ((0.2829, 0.1513, 0.1424), (0.2743, 0.1771, 0.1764), (0.1451, 0.0008), 72, 5.464, 59.455),
    "N6_D3": ((0.4343, 0.2264), (0.4310, 0.2748), (0.1451,), 48, 8.894, 54.239),
}


def passes(stage, stages, microbatches):
    """1F1B: forwards that fill the pipeline, then one of each, then what is left."""
    ahead = min(stages - stage, microbatches)
    order = [("f", i) for i in range(ahead)]
    for i in range(microbatches):
        order.append(("b", i))
        if i + ahead < microbatches:
            order.append(("f", i + ahead))
    return order


def program(stage, stages, microbatches):
    order, last = [], None
    for kind, i in passes(stage, stages, microbatches) + [("end", None)]:
        if kind == "b" and stage < stages - 1:
            order.append(("receive", "gradient", stage, i))
        if last and last[0] == "f" and stage < stages - 1:
            order.append(("send", "activation", stage, last[1]))
        if last and last[0] == "b" and stage > 0:
            order.append(("send", "gradient", stage - 1, last[1]))
        if kind == "f" and stage > 0:
            order.append(("receive", "activation", stage - 1, i))
        if kind != "end":
            order.append((kind, None, stage, i))
        last = (kind, i)
    return order


def simulate(forward, backward, message, microbatches, buffered):
    stages = len(forward)
    programs = [program(s, stages, microbatches) for s in range(stages)]
    now, at, offered, done, free = [0.0] * stages, [0] * stages, {}, {}, {}
    moved = True
    while moved:
        moved = False
        for s in range(stages):
            while at[s] < len(programs[s]):
                what, kind, link, i = programs[s][at[s]]
                key = (kind, link, i)
                if what == "send" and buffered:
                    done[key] = free[kind, link] = max(now[s], free.get((kind, link), 0)) + message[link]
                elif what == "send":
                    if key not in offered:
                        offered[key], moved = now[s], True
                    if key not in done:
                        break
                    now[s] = done[key]
                elif what == "receive":
                    if key not in (done if buffered else offered):
                        break
                    if not buffered:
                        done[key] = max(now[s], offered[key]) + message[link]
                    now[s] = max(now[s], done[key])
                else:
                    now[s] += (forward if what == "f" else backward)[s]
                at[s] += 1
                moved = True
    assert all(at[s] == len(programs[s]) for s in range(stages)), "a deadlock"
    return max(now)


print("run waited_for_s off buffered_s off measured_s")
for run, (forward, backward, message, microbatches, gradients, measured) in RUNS.items():
    row = [run]
    for buffered in (False, True):
        step = simulate(forward, backward, message, microbatches, buffered) + gradients
        row += ["%.1f" % step, "%+.1f%%" % (100 * (step / measured - 1))]
    print(*row, measured)
