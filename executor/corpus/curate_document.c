#include "corpus/curate_document.h"
#include "base/hash.h"
#include "corpus/jsonl.h"

#include <zlib.h>

void curate_scratch_release(struct curate_scratch *scratch)
{
    terms_release(&scratch->terms);
    quality_scratch_release(&scratch->quality);
    bytes_release(&scratch->set);
    bytes_release(&scratch->pieces);
    bytes_release(&scratch->packed);
}

static bool wanted(const struct curate_rules *rules, int language)
{
    return rules->keep_all || (language != LANGUAGE_UNKNOWN && rules->keep[language]);
}

static bool judge_quality(const struct curate_rules *rules, struct curate_scratch *scratch,
                          struct curate_document *d)
{
    double measure[QUALITY_MEASURES];
    if (!rules->options->quality) return true;
    if (!quality_measure(d->text.data, d->text.size, &scratch->terms, &scratch->quality, measure))
        return false;
    d->reason = quality_judge(measure, quality_unspaced(&scratch->terms));
    return true;
}

/* By how much zlib, at its usual level, packs it: lists and templates nearly vanish, noise does not
 * pack at all; [shliazhko2022] cuts both ends. */
static bool judge_compression(const struct curate_rules *rules, struct curate_scratch *scratch,
                              struct curate_document *d)
{
    const struct curate_options *o = rules->options;
    if (!(o->most > 0)) return true;
    uLongf size = compressBound((uLong)d->text.size);
    scratch->packed.size = 0;
    if (!bytes_reserve(&scratch->packed, size)) return false;
    if (compress((Bytef *)scratch->packed.data, &size, (const Bytef *)d->text.data,
                 (uLong)d->text.size) != Z_OK)
        return false;
    const double left = (double)size / (double)d->text.size;
    if (left < o->least) d->reason = REASON_REPETITIVE;
    if (left > o->most) d->reason = REASON_NOISE;
    return true;
}

static bool fill_keys(const struct curate_rules *rules, struct curate_scratch *scratch,
                      struct store_row *row)
{
    if (rules->options->threshold > 1) return true;
    if (!minhash_set(&scratch->terms, &scratch->set)) return false;
    minhash_keys((const uint64_t *)(const void *)scratch->set.data,
                 scratch->set.size / sizeof(uint64_t), row->key);
    return true;
}

bool curate_judge(const struct curate_rules *rules, struct curate_scratch *scratch, const char *raw,
                  struct curate_document *d)
{
    struct store_row *row = &d->row;
    if (d->reason != REASON_NONE) return true;
    if (!clean_text(raw, d->size, &d->text, &d->counts)) return false;
    row->size = (uint32_t)d->text.size;
    if (d->text.size == 0) {
        d->reason = REASON_EMPTY;
        return true;
    }
    row->language = (int16_t)languages_guess(rules->languages, d->text.data, d->text.size);
    if (!wanted(rules, row->language)) {
        d->reason = REASON_LANGUAGE;
        return true;
    }
    if (!terms_of(d->text.data, d->text.size, &scratch->terms)) return false;
    if (!judge_quality(rules, scratch, d)) return false;
    if (d->reason == REASON_NONE && !judge_compression(rules, scratch, d)) return false;
    if (d->reason != REASON_NONE) return true;
    row->hash = hash_bytes(d->text.data, d->text.size);
    return fill_keys(rules, scratch, row);
}

static bool put_line(const struct curate_rules *rules, const struct store_row *row,
                     const char *text, size_t size, struct bytes *lines, struct bytes *ends)
{
    const struct jsonl_line line = {.text = text,
                                    .size = size,
                                    .source = rules->options->input[row->source],
                                    .record = row->record,
                                    .language = languages_code(rules->languages, row->language)};
    return jsonl_put(&line, lines) && bytes_add(ends, &lines->size, sizeof lines->size);
}

bool curate_lines(const struct curate_rules *rules, struct curate_scratch *scratch,
                  const struct store_row *row, const char *text, struct bytes *lines,
                  struct bytes *ends, long *cuts)
{
    lines->size = ends->size = scratch->pieces.size = 0;
    *cuts = 0;
    if (rules->passages->count) {
        if (!terms_of(text, row->size, &scratch->terms)) return false;
        *cuts = passages_cut(rules->passages, text, row->size, &scratch->terms, &scratch->pieces);
        if (*cuts < 0) return false;
    }
    if (*cuts == 0) return put_line(rules, row, text, row->size, lines, ends);
    const struct passage_piece *piece =
        (const struct passage_piece *)(const void *)scratch->pieces.data;
    for (size_t i = 0; i < scratch->pieces.size / sizeof *piece; i++)
        if (!put_line(rules, row, text + piece[i].from, piece[i].size, lines, ends)) return false;
    return true;
}
