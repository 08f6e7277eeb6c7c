/* megatron_options.h - what an import of Megatron-LM's arguments is told. */
#ifndef RECKON_MEGATRON_MEGATRON_OPTIONS_H
#define RECKON_MEGATRON_MEGATRON_OPTIONS_H

#include "keys/notes.h"
#include <reckon/check.h>
#include <reckon/model.h>
#include <reckon/plan.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct megatron_options {
    const char *const *sets; /* "NAME=VALUE": variables of the script */
    size_t set_count;
    uint64_t gpus;              /* 0: as the launcher says */
    uint64_t machine;           /* GPUs where neither says how many; 0: not known */
    uint64_t vocabulary;        /* 0: as the arguments say */
    int version;                /* minor of Megatron Core; 0: any in which all arguments exist */
    int variant;                /* of the commands that train, from 1 on; 0: there is only one */
    const char *const *ignored; /* "a,b": names of arguments that are passed over */
    size_t ignored_count;
    const char *deepspeed; /* text of DeepSpeed's configuration; NULL: as the script says */
    bool collect;          /* for reckon check: continues after errors. All that a rule has a name
                              for is in the notes, and former names are refused */
    bool core;             /* with it: what only Megatron-LM's relatives know is unknown */
};

enum { MEGATRON_MOST_FLAGS = 256 };

struct megatron_import {
    struct rk_model model;
    struct rk_plan plan;
    int since, until; /* versions of core that know all the arguments that were read */
    const char *tool; /* whose arguments they are: "Megatron-LM", "Megatron-DeepSpeed" */
    bool complete;    /* model and plan are filled in, whatever is wrong with them */
    bool fsdp;        /* one of Megatron-LM's three kinds of FSDP */
    uint64_t group;   /* microbatches of a virtual stage in a row; 0: as many as stages */
    struct {
        int line, column;
    } place[MEGATRON_MOST_FLAGS]; /* where each argument was given, by its row; line 0: nowhere */
    char connections[16];         /* CUDA_DEVICE_MAX_CONNECTIONS, where the script says it */
    struct notes notes;
    int plan_notes; /* the first of them are about model and plan, the rest about the training loop
                     */
};

/* Names the argument that a finding about a key of the plan is about, and where it stands. */
void megatron_place(const struct megatron_import *import, struct rk_finding *finding);

#endif
