/* tokenizers.c - from the files that the models are published with on Hugging Face: the length of
 * the tokenizer, its added tokens counted (tokenizer.json), which training frameworks pad
 * themselves; of types as the class that Megatron-LM or Pai-Megatron-Patch makes has it
 * (vocab_size): Pai's --extra-vocab-size brings those of Qwen 2 and 3 (421 and 293) and Llama 3
 * (256) to the published widths, and that of DeepSeek-V3 (467 with two less) from the length below.
 */
#include "interop/tokenizers.h"

#include <stddef.h>
#include <string.h>
#include <strings.h>

/* clang-format off */
static const struct tokenizer types[] = {
    {"BertWordPieceCase", 28996, "28996"},
    {"BertWordPieceLowerCase", 30522, "30522"},
    {"GPT2BPETokenizer", 50257, "50257"},
    {"LLama2Tokenizer", 32000, "32000"},
    {"LLama3Tokenizer", 128000, "128000"},
    {"LLamaTokenizer", 32000, "32000"},
    {"Llama2Tokenizer", 32000, "32000"},
    {"Qwen2Tokenizer", 151643, "151643"},
    {"Qwen3Tokenizer", 151643, "151643"},
    {"TikTokenizer", 131072, "131072"},
};

static const struct tokenizer names[] = {
    {"bert-base-uncased", 30522, "30522"},
    {"bert-large-cased", 28996, "28996"},
    {"bert-large-uncased", 30522, "30522"},
    {"bloom", 250680, "250680"},
    {"deepseek-r1", 128815, "128815"},
    {"deepseek-v2", 100002, "100002"},
    {"deepseek-v3", 128815, "128815"},
    {"falcon-40b", 65024, "65024"},
    {"falcon-7b", 65024, "65024"},
    {"gemma-2", 256000, "256000"},
    {"gemma-3", 262145, "262145"},
    {"gemma-7b", 256000, "256000"},
    {"gpt-neox-20b", 50277, "50277"},
    {"gpt-oss", 200019, "200019"},
    {"gpt2", 50257, "50257"},
    {"llama-13b", 32000, "32000"},
    {"llama-2", 32000, "32000"},
    {"llama-3", 128256, "128256"},
    {"llama-4", 201135, "201135"},
    {"llama-7b", 32000, "32000"},
    {"llama2", 32000, "32000"},
    {"llama3", 128256, "128256"},
    {"meta-llama-3", 128256, "128256"},
    {"mistral-7b-v0.1", 32000, "32000"},
    {"mistral-7b-v0.3", 32768, "32768"},
    {"mixtral-8x7b", 32000, "32000"},
    {"phi-3-mini", 32011, "32011"},
    {"phi-4", 100352, "100352"},
    {"pythia", 50277, "50277"},
    {"qwen2-", 151646, "151646"},
    {"qwen2.5", 151665, "151665"},
    {"qwen3", 151669, "151669"},
    {"smollm-", 49152, "49152"},
    {"smollm2", 49152, "49152"},
    {"starcoder2", 49152, "49152"},
    {"t5-", 32100, "32100"},
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
