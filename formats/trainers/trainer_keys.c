/* trainer_keys.c - the keys of Hugging Face's trainer and of the tools around it. */
#include "trainers/trainer_keys.h"

#include "keys/key_rows.h"

#include <stddef.h>

#define AT(member) offsetof(struct trainer, member)

/* clang-format off */

static const struct key trainer_rows[] = {
#include "tables/transformers-plan.h"
#include "tables/trl-plan.h"
#include "tables/training-scripts-plan.h"
#include "tables/accelerate-plan.h"
#include "tables/fsdp-plan.h"
#include "tables/trainer-plan.h"
#include "tables/accelerate.h"
#include "tables/fsdp.h"
#include "tables/trainer.h"
#include "tables/training-scripts.h"
#include "tables/transformers.h"
};

static const struct key accelerate_rows[] = {
#include "tables/transformers-plan.h"
#include "tables/trl-plan.h"
#include "tables/training-scripts-plan.h"
#include "tables/accelerate-plan.h"
#include "tables/fsdp-plan.h"
#include "tables/launched-plan.h"
#include "tables/accelerate.h"
#include "tables/fsdp.h"
#include "tables/training-scripts.h"
#include "tables/transformers.h"
};

static const struct key axolotl_rows[] = {
#include "tables/transformers-plan.h"
#include "tables/trl-plan.h"
#include "tables/fsdp-plan.h"
#include "tables/axolotl-plan.h"
#include "tables/axolotl.h"
#include "tables/fsdp.h"
#include "tables/transformers.h"
};

static const struct key llama_factory_rows[] = {
#include "tables/transformers-plan.h"
#include "tables/accelerate-plan.h"
#include "tables/fsdp-plan.h"
#include "tables/llama-factory-plan.h"
#include "tables/accelerate.h"
#include "tables/fsdp.h"
#include "tables/llama-factory.h"
#include "tables/transformers.h"
};

/* ms-swift 3 and 4: TrainingArguments and swift/llm/argument. */
static const struct key ms_swift_rows[] = {
#include "tables/transformers-plan.h"
#include "tables/fsdp-plan.h"
#include "tables/ms-swift-plan.h"
#include "tables/fsdp.h"
#include "tables/ms-swift.h"
#include "tables/transformers.h"
};

/* adapter_config.json of PEFT 0.10 to 0.17 (tuners/lora/config.py), of runs whose rest is --set. */
static const struct key peft_rows[] = {
#include "tables/transformers-plan.h"
#include "tables/peft-plan.h"
#include "tables/peft.h"
};
/* clang-format on */

const struct key_table trainer_keys = KEY_TABLE(trainer_rows);
const struct key_table accelerate_keys = KEY_TABLE(accelerate_rows);
const struct key_table axolotl_keys = KEY_TABLE(axolotl_rows);
const struct key_table llama_factory_keys = KEY_TABLE(llama_factory_rows);
const struct key_table ms_swift_keys = KEY_TABLE(ms_swift_rows);
const struct key_table peft_keys = KEY_TABLE(peft_rows);
