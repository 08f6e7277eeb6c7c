#include <reckon/program.h>

static bool is_collective(const struct rk_instruction *in)
{
    return in->what >= RK_DO_ALL_REDUCE && in->what <= RK_DO_BROADCAST;
}

static uint64_t mix(uint64_t digest, uint64_t number)
{
    digest = (digest ^ number) * UINT64_C(0x9e3779b97f4a7c15);
    return digest ^ digest >> 29;
}

uint64_t rk_program_digest(const struct rk_program *program, uint32_t group)
{
    const struct rk_group *own = &program->group[group];
    uint64_t digest = own->ranks;
    for (uint32_t i = 0; i < own->ranks; i++)
        digest = mix(digest, own->rank[i]);
    for (size_t i = 0; i < program->instructions; i++) {
        const struct rk_instruction *in = &program->instruction[i];
        if (!is_collective(in) || in->other != group) continue;
        digest = mix(mix(mix(digest, in->what), in->element), in->count);
    }
    return digest;
}

uint64_t rk_program_digest_messages(const struct rk_program *program, uint32_t rank, bool received)
{
    uint64_t digest = 1;
    for (size_t i = 0; i < program->instructions; i++) {
        const struct rk_instruction *in = &program->instruction[i];
        if (in->what != (received ? RK_DO_RECV : RK_DO_SEND) || in->other != rank) continue;
        digest = mix(mix(mix(digest, in->element), in->count), in->tag);
    }
    return digest;
}
