/* encoder.h - many texts, or long ones, to token ids on many threads.
 *
 * Texts are queued, cut into parts where no piece reaches across (cut.h), and encoded together;
 * the ids come back in the order of the texts, the same for any number of threads. Memory is that
 * of what is queued.
 */
#ifndef RECKON_TOKENS_ENCODER_H
#define RECKON_TOKENS_ENCODER_H

#include "tokens/tokenizer.h"

struct encoder;

/* `threads` 0: one per processor. NULL: no memory. The tokenizer must outlive the encoder. */
struct encoder *encoder_open(const struct tokenizer *tokenizer, int threads);
void encoder_close(struct encoder *encoder); /* NULL is fine */

/* Queues a copy of `size` bytes more of the present document; `ends`: it ends after them. A
 * document may be queued in several pieces when each but the last ends at a place that cut_safe_end
 * found and encoder_can_cut says so. False: no memory. */
bool encoder_put(struct encoder *encoder, const char *text, size_t size, bool ends);

/* Can documents be cut at all? Not when an added token holds white space. */
bool encoder_can_cut(const struct encoder *encoder);

/* Bytes queued. */
size_t encoder_queued(const struct encoder *encoder);

/* Encodes what is queued: `take` gets the ids of each part in order, and whether the document ends
 * with it. False: no memory, or `take` said so. */
typedef bool (*encoder_taker)(void *context, const uint32_t *id, size_t count, bool ends);
bool encoder_flush(struct encoder *encoder, encoder_taker take, void *context);

#endif
