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
    {"BertWordPieceCase", 28996, "28996", "google-bert/bert-large-cased, vocab.txt"},
    {"BertWordPieceLowerCase", 30522, "30522", "google-bert/bert-base-uncased, vocab.txt"},
    {"GPT2BPETokenizer", 50257, "50257", "openai-community/gpt2, vocab.json"},
    {"LLama2Tokenizer", 32000, "32000", "meta-llama/Llama-2-7b-hf, tokenizer.model"},
    {"LLama3Tokenizer", 128000, "128000", "meta-llama/Meta-Llama-3-8B, tokenizer.json without added tokens"},
    {"LLamaTokenizer", 32000, "32000", "huggyllama/llama-7b, tokenizer.model"},
    {"Llama2Tokenizer", 32000, "32000", "meta-llama/Llama-2-7b-hf, tokenizer.model"},
    {"Qwen2Tokenizer", 151643, "151643", "Qwen/Qwen2-7B, vocab.json"},
    {"Qwen3Tokenizer", 151643, "151643", "Qwen/Qwen3-8B, vocab.json"},
    {"TikTokenizer", 131072, "131072", "Megatron-LM, the preset of CustomTikTokenizer: 2^17"},
};

static const struct tokenizer names[] = {
    {"bert-base-uncased", 30522, "30522", "google-bert/bert-base-uncased, vocab.txt"},
    {"bert-large-cased", 28996, "28996", "google-bert/bert-large-cased, vocab.txt"},
    {"bert-large-uncased", 30522, "30522", "google-bert/bert-large-uncased, vocab.txt"},
    {"bloom", 250680, "250680", "bigscience/bloom, tokenizer.json"},
    {"deepseek-r1", 128815, "128815", "deepseek-ai/DeepSeek-R1, tokenizer.json: 128000 and 815 added"},
    {"deepseek-v2", 100002, "100002", "deepseek-ai/DeepSeek-V2, tokenizer.json: 100000 and 2 added"},
    {"deepseek-v3", 128815, "128815", "deepseek-ai/DeepSeek-V3, tokenizer.json: 128000 and 815 added"},
    {"falcon-40b", 65024, "65024", "tiiuae/falcon-40b, tokenizer.json"},
    {"falcon-7b", 65024, "65024", "tiiuae/falcon-7b, tokenizer.json"},
    {"gemma-2", 256000, "256000", "google/gemma-2-9b, tokenizer.json"},
    {"gemma-3", 262145, "262145", "google/gemma-3-4b-pt, tokenizer.json: 262144 and 1 added"},
    {"gemma-7b", 256000, "256000", "google/gemma-7b, tokenizer.json"},
    {"gpt-neox-20b", 50277, "50277", "EleutherAI/gpt-neox-20b, tokenizer.json"},
    {"gpt-oss", 200019, "200019", "openai/gpt-oss-20b, tokenizer.json: 199998 and 21 added"},
    {"gpt2", 50257, "50257", "openai-community/gpt2, vocab.json"},
    {"llama-13b", 32000, "32000", "huggyllama/llama-13b, tokenizer.model"},
    {"llama-2", 32000, "32000", "meta-llama/Llama-2-7b-hf, tokenizer.model"},
    {"llama-3", 128256, "128256", "meta-llama/Llama-3.1-8B, tokenizer.json: 128000 and 256 added"},
    {"llama-4", 201135, "201135", "meta-llama/Llama-4-Scout-17B-16E, tokenizer.json: 200000 and 1135 added"},
    {"llama-7b", 32000, "32000", "huggyllama/llama-7b, tokenizer.model"},
    {"llama2", 32000, "32000", "meta-llama/Llama-2-7b-hf, tokenizer.model"},
    {"llama3", 128256, "128256", "meta-llama/Meta-Llama-3-8B, tokenizer.json: 128000 and 256 added"},
    {"meta-llama-3", 128256, "128256", "meta-llama/Meta-Llama-3-8B, tokenizer.json: 128000 and 256 added"},
    {"mistral-7b-v0.1", 32000, "32000", "mistralai/Mistral-7B-v0.1, tokenizer.model"},
    {"mistral-7b-v0.3", 32768, "32768", "mistralai/Mistral-7B-v0.3, tokenizer.model"},
    {"mixtral-8x7b", 32000, "32000", "mistralai/Mixtral-8x7B-v0.1, tokenizer.model"},
    {"phi-3-mini", 32011, "32011", "microsoft/Phi-3-mini-4k-instruct, tokenizer.json: 32000 and 11 added"},
    {"phi-4", 100352, "100352", "microsoft/phi-4, tokenizer.json"},
    {"pythia", 50277, "50277", "EleutherAI/pythia-6.9b, tokenizer.json"},
    {"qwen2-", 151646, "151646", "Qwen/Qwen2-7B, tokenizer.json: 151643 and 3 added"},
    {"qwen2.5", 151665, "151665", "Qwen/Qwen2.5-7B, tokenizer.json: 151643 and 22 added"},
    {"qwen3", 151669, "151669", "Qwen/Qwen3-8B, tokenizer.json: 151643 and 26 added"},
    {"smollm-", 49152, "49152", "HuggingFaceTB/SmolLM-135M, tokenizer.json"},
    {"smollm2", 49152, "49152", "HuggingFaceTB/SmolLM2-135M, tokenizer.json"},
    {"starcoder2", 49152, "49152", "bigcode/starcoder2-7b, tokenizer.json"},
    {"t5-", 32100, "32100", "google-t5/t5-base, spiece.model: 32000 and 100 added"},
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
