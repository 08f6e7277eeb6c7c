#include "trainers/fsdp_units.h"

#include "keys/flat.h"

#include <stdint.h>
#include <string.h>

/* Parts of a layer that are modules of their own, by their names in torchtitan's blocks. */
static const struct {
    unsigned part;
    const char *modules;
} modules[] = {
    {1u << RK_PART_CORE_ATTENTION, "\"attention.inner_attention\""},
    {1u << RK_PART_NORM, "\"attention_norm\", \"ffn_norm\""},
    {1u << RK_PART_MLP, "\"feed_forward\""},
    {1u << RK_PART_EXPERTS, "\"moe\""},
};
enum { MODULES = sizeof modules / sizeof *modules };

static unsigned sayable(unsigned parts)
{
    unsigned said = 0;
    for (int i = 0; i < MODULES; i++)
        said |= parts & modules[i].part;
    return said;
}

/* A layer as its unit runs it; degrees, kernels and precision are those of `all`. */
static struct rk_local unit_of(const struct rk_local *local, const struct rk_local *all)
{
    struct rk_local unit = *all;
    unit.zero = local->zero == 3 ? 3 : 2;
    unit.keep_gathered = local->zero == 3 && local->keep_gathered;
    unit.recompute = local->recompute;
    unit.recompute_parts = local->recompute == RK_SELECTIVE ? sayable(local->recompute_parts) : 0;
    if (unit.recompute == RK_SELECTIVE && !unit.recompute_parts) unit.recompute = RK_KEEP;
    memset(unit.share, 0, sizeof unit.share);
    return unit;
}

static struct rk_plan run_of(const struct rk_model *model, const struct rk_plan *plan)
{
    const struct rk_plan flat = flat_plan(model, plan);
    struct rk_plan run = *plan;
    run.microbatch = flat.microbatch;
    struct rk_layout layout = *rk_plan_layout(plan);
    for (int i = 0; i < layout.others; i++)
        layout.other[i] = unit_of(&layout.other[i], &flat.local);
    run.layout = rk_layout_keep(&layout);
    run.local = unit_of(&plan->local, &flat.local);
    return run;
}

static void put_unit(FILE *file, uint64_t first, uint64_t layers, const struct rk_local *unit)
{
    fprintf(file, "    (%ju, %ju, %s, [", (uintmax_t)first, (uintmax_t)layers,
            unit->zero == 3 && !unit->keep_gathered ? "True" : "False");
    if (unit->recompute == RK_WHOLE) fputs("\"\"", file);
    const char *before = "";
    for (int i = 0; unit->recompute == RK_SELECTIVE && i < MODULES; i++)
        if (unit->recompute_parts & modules[i].part) {
            fprintf(file, "%s%s", before, modules[i].modules);
            before = ", ";
        }
    fputs("]),\n", file);
}

static void put_units(FILE *file, const struct rk_model *model, const struct rk_plan *run)
{
    const struct rk_layout *layout = rk_plan_layout(run);
    uint64_t first = 0;
    if (!layout->segments && run->recompute_layers) { /* the first layers of each stage */
        for (uint64_t stage = 0; stage < run->pipeline * run->chunks; stage++) {
            const uint64_t layers = rk_plan_split(run, model, stage);
            const uint64_t again = layers < run->recompute_layers ? layers : run->recompute_layers;
            struct rk_local keep = run->local;
            keep.recompute = RK_KEEP;
            if (again) put_unit(file, first, again, &run->local);
            if (again < layers) put_unit(file, first + again, layers - again, &keep);
            first += layers;
        }
        return;
    }
    if (!layout->segments) put_unit(file, 0, model->layers, &run->local);
    for (int i = 0; i < layout->segments; i++) {
        const struct rk_segment *segment = &layout->segment[i];
        put_unit(file, first, segment->layers,
                 segment->local ? &layout->other[segment->local - 1] : &run->local);
        first += segment->layers;
    }
}

static const char functions[] =
    "\n"
    "\n"
    "def blocks_of(model):\n"
    "    \"\"\"Blocks by their number in the whole model; a stage of a pipeline has some of "
    "them.\"\"\"\n"
    "    layers = model.layers\n"
    "    if hasattr(layers, \"items\"):\n"
    "        return {int(name): (layers, name, block) for name, block in layers.items()}\n"
    "    return {i: (layers, i, block) for i, block in enumerate(layers)}\n"
    "\n"
    "\n"
    "def wrap(owner, name, block, again):\n"
    "    for path in again:\n"
    "        if path == \"\":\n"
    "            block = owner[name] = checkpoint_wrapper(block)\n"
    "            continue\n"
    "        *outer, last = path.split(\".\")\n"
    "        part = block\n"
    "        for step in outer:\n"
    "            part = getattr(part, step)\n"
    "        setattr(part, last, checkpoint_wrapper(getattr(part, last)))\n"
    "    return block\n"
    "\n"
    "\n"
    "def apply(model, **fsdp):\n"
    "    \"\"\"fsdp: what fully_shard takes, such as mesh= and mp_policy=.\"\"\"\n"
    "    blocks = blocks_of(model)\n"
    "    for first, layers, reshard, again in UNITS:\n"
    "        for i in range(first, first + layers):\n"
    "            if i in blocks:\n"
    "                block = wrap(*blocks[i], again)\n"
    "                fully_shard(block, reshard_after_forward=reshard, **fsdp)\n"
    "    fully_shard(model, reshard_after_forward=ENDS, **fsdp)\n"
    "    return model\n";

enum rk_status fsdp_units_write(FILE *file, const struct rk_model *model,
                                const struct rk_plan *plan, struct notes *notes,
                                struct rk_error *error)
{
    const struct rk_plan run = run_of(model, plan);
    if (rk_plan_data(plan) * plan->context < 2)
        return rk_fail(error, RK_UNSUPPORTED, NULL, 0, 0,
                       "one data rank: there is nothing to shard; give more gpus or smaller "
                       "degrees");
    fprintf(
        file,
        "# The layers of %s as units of FSDP2, for training code whose model has its blocks in\n"
        "# model.layers (torchtitan): from fsdp_units import apply; apply(model, mesh=mesh)\n"
        "from torch.distributed.algorithms._checkpoint.checkpoint_wrapper import "
        "checkpoint_wrapper\n"
        "from torch.distributed.fsdp import fully_shard\n"
        "\n"
        "# first layer, layers, weights are freed after forward (ZeRO-3; else ZeRO-2),\n"
        "# what is recomputed: \"\" is the whole layer\n"
        "UNITS = [\n",
        model->id);
    put_units(file, model, &run);
    fprintf(file, "]\nENDS = %s  # embedding, last norm and head\n",
            run.zero == 3 ? "True" : "False");
    fputs(functions, file);
    layers_compare(model, plan, &run, "units of FSDP", notes);
    return RK_OK;
}
