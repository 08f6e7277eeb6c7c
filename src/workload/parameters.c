/* parameters.c - how many parameters a transformer has.
 *
 *     block = attention + MLP + two LayerNorms
 *     attention = h*(queries + keys + values) + a*d*h, MLP = 2*h*f, a LayerNorm = 2*h
 *     a linear layer with n outputs has n biases
 */
#include <reckon/model.h>

struct linear {
    uint64_t inputs, outputs;
};

static uint64_t linear_parameters(struct linear linear, bool biases)
{
    return linear.inputs * linear.outputs + (biases ? linear.outputs : 0);
}

static uint64_t block_parameters(const struct rk_model *model)
{
    const uint64_t queries = model->heads * model->head_dim;
    const uint64_t shared = model->attention == RK_ATTENTION_MULTIQUERY ? model->head_dim : queries;
    const struct linear linears[] = {
        {model->hidden, queries},            /* query */
        {model->hidden, shared},             /* key */
        {model->hidden, shared},             /* value */
        {queries, model->hidden},            /* projection */
        {model->hidden, model->feedforward}, /* up */
        {model->feedforward, model->hidden}, /* down */
    };
    uint64_t sum = 2 * 2 * model->hidden;
    for (unsigned i = 0; i < sizeof linears / sizeof linears[0]; i++)
        sum += linear_parameters(linears[i], model->biases);
    return sum;
}

uint64_t rk_model_parameters(const struct rk_model *model)
{
    uint64_t sum = model->layers * block_parameters(model) + 2 * model->hidden;
    if (model->embedding_norm) sum += 2 * model->hidden;
    if (!model->count_embeddings) return sum;
    sum += (model->tied_embeddings ? 1 : 2) * model->vocabulary * model->hidden;
    if (model->position == RK_POSITION_LEARNED) sum += model->sequence * model->hidden;
    return sum;
}
