/* curate_options.h - what a corpus is made of, and how. */
#ifndef RECKON_CORPUS_CURATE_OPTIONS_H
#define RECKON_CORPUS_CURATE_OPTIONS_H

#include "corpus/reader.h"

enum curate_split { SPLIT_TRAIN, SPLIT_VALIDATION, SPLIT_TEST, SPLITS };

struct curate_options {
    const char *const *input; /* (inputs) earlier files win over later ones with the same text */
    int inputs;
    const char *const *evaluation; /* (evaluations) files of texts to keep out */
    int evaluations;
    const char *folder;    /* of the output; made when it is not there */
    const char *table;     /* folder of languages_load */
    const char *languages; /* to keep, "de,en"; NULL: all */
    struct reader_options reader;
    bool quality;        /* apply quality_rules */
    double least, most;  /* share of a text that zlib leaves, else it goes; 0, 0: not looked at */
    double threshold;    /* Jaccard similarity of near duplicates; above 1: exact ones only */
    double part[SPLITS]; /* of the documents; that of SPLIT_TRAIN is the rest */
    uint64_t seed;
    int threads; /* 0: one per processor */
};

#endif
