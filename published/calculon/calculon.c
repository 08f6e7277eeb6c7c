#include "calculon/calculon.h"
#include "base/stored.h"

#include <string.h>

static const char *const datatypes[] = {[RK_FLOAT8] = "float8",
                                        [RK_FLOAT16] = "float16",
                                        [RK_BFLOAT16] = "bfloat16",
                                        [RK_FLOAT32] = "float32",
                                        [RK_DATATYPES] = NULL};
static const char *const attentions[] = {
    [RK_ATTENTION_MULTIHEAD] = "multihead", [RK_ATTENTION_MULTIQUERY] = "multiquery", NULL};
static const char *const recomputes[] = {[RK_RECOMPUTE_FULL] = "full",
                                         [RK_RECOMPUTE_ATTENTION] = "attn_only",
                                         [RK_RECOMPUTE_NONE] = "none",
                                         [RK_RECOMPUTES] = NULL};
static const char *const tensor_comms[] = {[RK_COMM_ALL_REDUCE] = "ar",
                                           [RK_COMM_P2P_RS_AG] = "p2p_rs_ag",
                                           [RK_COMM_RS_AG] = "rs_ag",
                                           [RK_TENSOR_COMMS] = NULL};
static const char *const tensor_overlaps[] = {[RK_OVERLAP_NONE] = "none",
                                              [RK_OVERLAP_RING] = "ring",
                                              [RK_OVERLAP_PIPE] = "pipe",
                                              [RK_TENSOR_OVERLAPS] = NULL};

#define IN(member) offsetof(struct calculon_execution, member)
/* clang-format off */
const struct calculon_field calculon_fields[CALCULON_FIELDS] = {
    /* name                    type              member                           choices */
    { "num_procs",             CALCULON_COUNT,   IN(strategy.ranks),              NULL },
    { "tensor_par",            CALCULON_COUNT,   IN(strategy.tensor),             NULL },
    { "pipeline_par",          CALCULON_COUNT,   IN(strategy.pipeline),           NULL },
    { "data_par",              CALCULON_COUNT,   IN(strategy.data),               NULL },
    { "tensor_par_net",        CALCULON_TIER,    IN(strategy.tensor_network),     NULL },
    { "pipeline_par_net",      CALCULON_TIER,    IN(strategy.pipeline_network),   NULL },
    { "data_par_net",          CALCULON_TIER,    IN(strategy.data_network),       NULL },
    { "batch_size",            CALCULON_COUNT,   IN(strategy.batch),              NULL },
    { "microbatch_size",       CALCULON_COUNT,   IN(strategy.microbatch),         NULL },
    { "datatype",              CALCULON_CHOICE,  IN(strategy.datatype),           datatypes },
    { "fused_activation",      CALCULON_FLAG,    IN(strategy.fused_activation),   NULL },
    { "attention_type",        CALCULON_CHOICE,  IN(attention),                   attentions },
    { "activation_recompute",  CALCULON_CHOICE,  IN(strategy.recompute),          recomputes },
    { "pipeline_interleaving", CALCULON_COUNT,   IN(strategy.interleaving),       NULL },
    { "optimizer_sharding",    CALCULON_FLAG,    IN(strategy.optimizer_sharding), NULL },
    { "tensor_par_comm_type",  CALCULON_CHOICE,  IN(strategy.tensor_comm),        tensor_comms },
    { "tensor_par_overlap",    CALCULON_CHOICE,  IN(strategy.tensor_overlap),     tensor_overlaps },
    { "seq_par_ag_redo",       CALCULON_FLAG,    IN(strategy.redo_all_gather),    NULL },
    { "data_par_overlap",      CALCULON_FLAG,    IN(strategy.data_overlap),       NULL },
    { "weight_offload",        CALCULON_OFFLOAD, IN(strategy.weight_offload),     NULL },
    { "activations_offload",   CALCULON_OFFLOAD, IN(strategy.activation_offload), NULL },
    { "optimizer_offload",     CALCULON_OFFLOAD, IN(strategy.optimizer_offload),  NULL },
    { "training",              CALCULON_FLAG,    IN(strategy.training),           NULL },
};
/* clang-format on */
#undef IN

static enum stored stored_as(enum calculon_type type)
{
    return type == CALCULON_COUNT ? STORED_U64 : type == CALCULON_FLAG ? STORED_BOOL : STORED_INT;
}

uint64_t calculon_field_get(const struct calculon_execution *execution,
                            const struct calculon_field *field)
{
    const uint64_t value =
        stored_get((const char *)execution + field->offset, stored_as(field->type));
    return field->type == CALCULON_OFFLOAD ? value != 0 : value;
}

void calculon_field_set(struct calculon_execution *execution, const struct calculon_field *field,
                        uint64_t value)
{
    stored_set((char *)execution + field->offset, stored_as(field->type),
               field->type == CALCULON_OFFLOAD ? value != 0 : value);
}

#define IN(member) offsetof(struct rk_estimate, member)
/* clang-format off */
const struct calculon_statistic calculon_statistics[CALCULON_STATISTICS] = {
    /* name                                 figure                               integer */
    { "block_fw_flops",                     IN(block_forward_flop),              true },
    { "block_fw_flops_time",                IN(block_forward_flop_s),            false },
    { "block_fw_mem_accessed",              IN(block_forward_access_bytes),      true },
    { "block_fw_mem_time",                  IN(block_forward_access_s),          false },
    { "block_fw_time",                      IN(block_forward_s),                 false },
    { "baseblock_fw_tp_time",               IN(base_forward_comm_link_s),        false },
    { "edgeblock_fw_tp_time",               IN(edge_forward_comm_link_s),        false },
    { "baseblock_fw_tp_time_exposed",       IN(base_forward_comm_exposed_s),     false },
    { "edgeblock_fw_tp_time_exposed",       IN(edge_forward_comm_exposed_s),     false },
    { "block_re_flops",                     IN(block_recompute_flop),            true },
    { "block_re_flops_time",                IN(block_recompute_flop_s),          false },
    { "block_re_mem_accessed",              IN(block_recompute_access_bytes),    true },
    { "block_re_mem_time",                  IN(block_recompute_access_s),        false },
    { "block_re_time",                      IN(block_recompute_s),               false },
    { "baseblock_recomm_time",              IN(base_redo_comm_link_s),           false },
    { "edgeblock_recomm_time",              IN(edge_redo_comm_link_s),           false },
    { "baseblock_recomm_time_exposed",      IN(base_redo_comm_exposed_s),        false },
    { "edgeblock_recomm_time_exposed",      IN(edge_redo_comm_exposed_s),        false },
    { "block_agrad_flops",                  IN(block_agrad_flop),                true },
    { "block_agrad_flops_time",             IN(block_agrad_flop_s),              false },
    { "block_agrad_mem_accessed",           IN(block_agrad_access_bytes),        true },
    { "block_agrad_mem_time",               IN(block_agrad_access_s),            false },
    { "block_agrad_time",                   IN(block_agrad_s),                   false },
    { "baseblock_agrad_tp_time",            IN(base_backward_comm_link_s),       false },
    { "edgeblock_agrad_tp_time",            IN(edge_backward_comm_link_s),       false },
    { "baseblock_agrad_tp_time_exposed",    IN(base_backward_comm_exposed_s),    false },
    { "edgeblock_agrad_tp_time_exposed",    IN(edge_backward_comm_exposed_s),    false },
    { "block_wgrad_flops",                  IN(block_wgrad_flop),                true },
    { "block_wgrad_flops_time",             IN(block_wgrad_flop_s),              false },
    { "block_wgrad_mem_accessed",           IN(block_wgrad_access_bytes),        true },
    { "block_wgrad_mem_time",               IN(block_wgrad_access_s),            false },
    { "block_wgrad_time",                   IN(block_wgrad_s),                   false },
    { "block_optim_flops",                  IN(block_optimizer_flop),            false },
    { "block_optim_flops_time",             IN(block_optimizer_flop_s),          false },
    { "block_optim_mem_accessed",           IN(block_optimizer_access_bytes),    false },
    { "block_optim_mem_time",               IN(block_optimizer_access_s),        false },
    { "block_optim_time",                   IN(block_optimizer_s),               false },
    { "baseblock_fw_tp_size",               IN(base_forward_comm_bytes),         true },
    { "edgeblock_fw_tp_size",               IN(edge_forward_comm_bytes),         true },
    { "baseblock_bw_tp_size",               IN(base_backward_comm_bytes),        true },
    { "edgeblock_bw_tp_size",               IN(edge_backward_comm_bytes),        true },
    { "baseblock_recomm_size",              IN(base_redo_comm_bytes),            true },
    { "edgeblock_recomm_size",              IN(edge_redo_comm_bytes),            true },
    { "block_fw_pp_size",                   IN(block_pipeline_forward_bytes),    true },
    { "block_bw_pp_size",                   IN(block_pipeline_backward_bytes),   true },
    { "block_dp_size",                      IN(block_data_bytes),                true },
    { "tp_bw_overlap_req",                  IN(tensor_required_Bps),             false },
    { "dp_bw_overlap_req_chunk",            IN(data_chunk_required_Bps),         false },
    { "dp_bw_overlap_req_tail",             IN(data_tail_required_Bps),          false },
    { "block_weight_space",                 IN(block_weight_bytes),              true },
    { "block_act_working_space",            IN(block_working_bytes),             true },
    { "block_act_storage_space",            IN(block_stored_bytes),              true },
    { "block_act_checkpoint_size",          IN(block_checkpoint_bytes),          true },
    { "block_weight_grad_space",            IN(block_weight_grad_bytes),         false },
    { "block_weight_grad_space_no_sharding",IN(block_weight_grad_full_bytes),    true },
    { "block_act_grad_space",               IN(block_activation_grad_bytes),     true },
    { "block_optimizer_space",              IN(block_optimizer_bytes),           false },
    { "weight_space_with_offload",          IN(weight_min_bytes),                true },
    { "act_space_with_offload",             IN(activation_min_bytes),            true },
    { "act_checkpoint_size_with_offload",   IN(checkpoint_min_bytes),            true },
    { "act_grad_space_with_offload",        IN(activation_grad_min_bytes),       true },
    { "weight_grad_space_with_offload",     IN(weight_grad_min_bytes),           false },
    { "optimizer_space_with_offload",       IN(optimizer_min_bytes),             false },
    { "weight_space",                       IN(weight_bytes),                    true },
    { "act_space",                          IN(activation_bytes),                true },
    { "act_checkpoint_size",                IN(checkpoint_bytes),                true },
    { "act_grad_space",                     IN(activation_grad_bytes),           true },
    { "weight_grad_space",                  IN(weight_grad_bytes),               false },
    { "optimizer_space",                    IN(optimizer_bytes),                 false },
    { "fw_time",                            IN(forward_s),                       false },
    { "bw_time",                            IN(backward_s),                      false },
    { "optim_step_time",                    IN(optimizer_s),                     false },
    { "recompute_time",                     IN(recompute_s),                     false },
    { "recomm_link_time",                   IN(recompute_comm_link_s),           false },
    { "recomm_exposed_time",                IN(recompute_comm_exposed_s),        false },
    { "bubble_time",                        IN(bubble_s),                        false },
    { "tp_comm_link_time",                  IN(tensor_comm_link_s),              false },
    { "pp_comm_link_time",                  IN(pipeline_comm_link_s),            false },
    { "dp_comm_link_time",                  IN(data_comm_link_s),                false },
    { "tp_comm_exposed_time",               IN(tensor_comm_exposed_s),           false },
    { "pp_comm_exposed_time",               IN(pipeline_comm_exposed_s),         false },
    { "dp_comm_exposed_time",               IN(data_comm_exposed_s),             false },
    { "fw_offload_exposed_time",            IN(forward_offload_exposed_s),       false },
    { "bw_offload_exposed_time",            IN(backward_offload_exposed_s),      false },
    { "total_time",                         IN(step_s),                          false },
    { "act_offload_bw_req",                 IN(activation_required_Bps),         false },
    { "weight_offload_bw_req",              IN(weight_required_Bps),             false },
    { "optim_offload_bw_req",               IN(optimizer_required_Bps),          false },
    { "offload_mem_bw_req",                 IN(offload_required_Bps),            false },
    { "proc_mem_tier1_cap_req",             IN(hbm_bytes),                       false },
    { "proc_mem_tier2_cap_req",             IN(offload_bytes),                   false },
    { "useful_flops",                       IN(useful_flop),                     false },
    { "compute_efficiency",                 IN(compute_efficiency),              false },
    { "system_efficiency",                  IN(system_efficiency),               false },
    { "total_efficiency",                   IN(mfu),                             false },
    { "sample_rate",                        IN(samples_per_s),                   false },
};
/* clang-format on */

double calculon_statistic_value(const struct rk_estimate *estimate,
                                const struct calculon_statistic *statistic)
{
    double value;
    memcpy(&value, (const char *)estimate + statistic->offset, sizeof value);
    return value;
}

/* Equation 2 of [narayanan2021], with the vocabulary of Megatron-LM. */
double calculon_parameters(const struct rk_model *model)
{
    const double vocabulary = 51200;
    const double h = (double)model->hidden, f = (double)model->feedforward;
    const double attention = (double)model->heads * (double)model->head_dim;
    const double matrices = 2 * h * f + 4 * h * attention;
    const double biases = h + f + 3 * attention + h;
    const double norms = 2 * 2 * h;

    return (double)model->layers * (matrices + biases + norms) +
           (vocabulary + (double)model->sequence) * h;
}
