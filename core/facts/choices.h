/* choices.h - the choices of a run, by name, to tell whether any compared run made the same ones.
 *
 * Every member of a plan that is not at its default, and every property of a model that a file need
 * not say, from the tables that make up plan files and model files: a new one is named as soon as
 * it has a row there. The generation of the accelerator is one of them.
 */
#ifndef RECKON_FACTS_CHOICES_H
#define RECKON_FACTS_CHOICES_H

#include <reckon/model.h>
#include <reckon/plan.h>

/* As many as there are members of plans and models, with each memory tier of those that are shares
 * of tiers: test_facts_error_bar counts them. */
enum { CHOICE_TEXT = 56, MOST_CHOICES = 384 };

/* "seq-chunks", "schedule zero-bubble", "offload-activations to memory tier 2", "model
 * encoder_sequence", "generation Hopper". Returns how many. */
int choices_of(const struct rk_model *model, const struct rk_plan *plan, const char *generation,
               char names[MOST_CHOICES][CHOICE_TEXT]);

#endif
