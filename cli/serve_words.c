/* serve_words.c - which choices of a plan a pass of inference has, and what others are told. */
#include "catalog/plan_fields.h"
#include "cli/serve.h"

#include <string.h>

/* Those that the predictor of inference reads, or refuses itself. A choice that is not here changes
 * nothing, and is refused by name: a new one of plan.def too. */
static const char *const has[] = {"gpus",
                                  "data",
                                  "tensor",
                                  "pipeline",
                                  "context",
                                  "expert",
                                  "expert_tensor",
                                  "order",
                                  "split",
                                  "stages",
                                  "first_layers",
                                  "last_layers",
                                  "precision",
                                  "embedding_counts",
                                  "head_counts",
                                  "messages_sharded",
                                  "sequence_chunks",
                                  "zero",
                                  "dispatcher",
                                  "imbalance",
                                  "natural_load",
                                  "expert_overlap",
                                  "grouped",
                                  "attention",
                                  "full_attention",
                                  "fused",
                                  "activation_fused",
                                  "cuda_graphs",
                                  "weight_element_bytes",
                                  "vocabulary_multiple"};

static const char sequences[] = "--batch N are the sequences";
static const char order[] = "a pass goes through the stages once";
static const char unsplit[] = "ranks have whole sequences";
static const char weights[] =
    "weights are gathered whole, overlapped with the layer before, if zero3";
static const char places[] = "all of it is in memory tier 0";
static const char experts[] = "experts take all tokens that come";
static const char loss[] = "there is no loss";
static const char network[] = "ranks use the tier that they are on";

/* What to say instead, where it is not that nothing is trained. */
static const struct {
    const char *key, *instead;
} other[] = {
    {"batch", sequences},
    {"microbatch", sequences},
    {"sequence", "--prompt N and --generate N are their tokens"},
    {"framework", "engines of inference are not frameworks of training"},
    {"chunks", order},
    {"schedule", order},
    {"microbatch_group", order},
    {"pipeline_blocking", "messages are exposed"},
    {"sequence_parallel", "a pass of decoding has no sequence to split"},
    {"regather", "a pass of decoding has no sequence to split"},
    {"tensor_overlap", "tensor ranks wait for their exchanges"},
    {"context_kind", unsplit},
    {"context_contiguous", unsplit},
    {"ulysses", unsplit},
    {"shard_ranks", weights},
    {"weight_overlap", weights},
    {"keep_gathered", weights},
    {"capacity_factor", experts},
    {"capacity_padded", experts},
    {"whole_logits", loss},
    {"loss_compiled", loss},
    {"loss_in_place", loss},
    {"loss_in_chunks", loss},
    {"transformer_engine", "engines of inference have layers of their own"},
    {"weights_fp8", "weight-bytes=1 says so"},
    {"activation_offload", places},
    {"weight_offload", places},
    {"tensor_network", network},
    {"pipeline_network", network},
    {"data_network", network},
};

static bool is_had(const char *key)
{
    for (size_t i = 0; i < sizeof has / sizeof *has; i++)
        if (strcmp(has[i], key) == 0) return true;
    return false;
}

static const char *instead_of(const char *key)
{
    for (size_t i = 0; i < sizeof other / sizeof *other; i++)
        if (strcmp(other[i].key, key) == 0) return other[i].instead;
    return "nothing is trained";
}

enum rk_status serve_check_words(const struct plan_draft *draft, struct rk_error *error)
{
    for (int i = 0; plan_fields[i].key; i++) {
        const char *key = plan_fields[i].key;
        if (draft->given[i] && plan_fields[i].word && !is_had(key))
            return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                           "the plan says %s, which reckon serve has no use for (%s): leave it out",
                           key, instead_of(key));
    }
    return RK_OK;
}
