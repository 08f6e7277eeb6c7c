/* tokenizers.c - the length of the tokenizer, its added tokens counted, which training frameworks
 * pad themselves, each from the repository on Hugging Face and the file that its row names; of
 * types as the class that Megatron-LM or Pai-Megatron-Patch makes has it (vocab_size): Pai's
 * --extra-vocab-size brings those of Qwen 2 and 3 (421 and 293) and Llama 3 (256) to the published
 * widths, and that of DeepSeek-V3 (467 with two less) from the length below.
 */
#include "keys/tokenizers.h"

#include <stddef.h>
#include <string.h>
#include <strings.h>

/* clang-format off */
static const struct tokenizer types[] = {
#define ROW(name, length, source) {name, length, #length, source},
#include "tables/tokenizer-types.h"
#undef ROW
};

static const struct tokenizer names[] = {
#define ROW(name, length, source) {name, length, #length, source},
#include "tables/tokenizers.h"
#undef ROW
};
/* clang-format on */

const struct tokenizer *tokenizer_of_type(const char *type)
{
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (strcmp(types[i].name, type) == 0) return &types[i];
    return NULL;
}

bool tokenizer_is_whole(const char *type)
{
    static const char *const whole[] = {
        "OPTTokenizer",    "LLamaTokenizer",  "FalconTokenizer",     "BaichuanTokenizer",
        "QwenTokenizer",   "Qwen2Tokenizer",  "Qwen3Tokenizer",      "Qwen2VLTokenizer",
        "QwenVLTokenizer", "YiTokenizer",     "DeepSeekV2Tokenizer", "MistralTokenizer",
        "LLama2Tokenizer", "LLama3Tokenizer", "MixtralTokenizer",    NULL};
    for (int i = 0; whole[i]; i++)
        if (strcmp(whole[i], type) == 0) return true;
    return false;
}

const struct tokenizer *tokenizer_of_name(const char *path)
{
    const struct tokenizer *best = NULL;
    for (const char *at = path; *at; at++) {
        if (at > path && at[-1] != '/') continue; /* where a folder's name begins */
        for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
            const size_t n = strlen(names[i].name);
            if (strncasecmp(at, names[i].name, n) != 0) continue;
            if (!best || n > strlen(best->name)) best = &names[i];
        }
    }
    return best;
}
