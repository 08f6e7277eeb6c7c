#include "study/digest.h"
#include "search/fingerprint.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

__extension__ typedef unsigned __int128 digest;

static digest digest_start(void)
{
    return (digest)0x6c62272e07bb0142 << 64 | 0x62b821756295c58d; /* offset basis [fnv] */
}

static void add_byte(digest *d, unsigned char byte)
{
    const digest prime = (digest)1 << 88 | 0x13b; /* [fnv] */
    *d = (*d ^ byte) * prime;
}

static void add_count(digest *d, uint64_t value)
{
    for (int i = 0; i < 8; i++)
        add_byte(d, (unsigned char)(value >> 8 * i));
}

static void add_text(digest *d, const char *text)
{
    add_count(d, strlen(text));
    for (; *text; text++)
        add_byte(d, (unsigned char)*text);
}

static void add_number(digest *d, double number)
{
    uint64_t bits;
    memcpy(&bits, &number, sizeof bits);
    add_count(d, bits);
}

/* ---- inputs ---- */

static void add_model(digest *d, const struct rk_model *m)
{
#define MODEL_COUNT(key, need, least, most, help) add_count(d, m->key);
#define MODEL_FLAG(key, preset, help)             add_count(d, m->key);
#define MODEL_CHOICE(key, type, names, help)      add_count(d, m->key);
#define MODEL_TEXT(key, size, help)               add_text(d, m->key);
#include <reckon/model.def>
}

static void digest_text(digest d, char key[STUDY_KEY])
{
    snprintf(key, STUDY_KEY, "%016llx%016llx", (unsigned long long)(d >> 64),
             (unsigned long long)d);
}

void digest_model(const struct rk_model *model, char key[STUDY_KEY])
{
    digest d = digest_start();
    add_model(&d, model);
    digest_text(d, key);
}

void digest_system(const struct rk_system *system, char key[STUDY_KEY])
{
    digest d = digest_start();
    uint64_t once = 0, again = UINT64_MAX; /* from two starts: as many bits as the digest has */
    fingerprint_system(&once, system);
    fingerprint_system(&again, system);
    add_count(&d, once);
    add_count(&d, again);
    digest_text(d, key);
}

void digest_machine(const struct rk_machine *machine, char key[STUDY_KEY])
{
    digest d = digest_start();
    char system[STUDY_KEY];
    for (int i = 0; i < machine->clusters; i++) {
        const struct rk_cluster *c = &machine->cluster[i];
        digest_system(&c->system, system);
        add_text(&d, system);
        add_text(&d, c->name);
        add_number(&d, c->price_USDph);
        for (int k = 0; k < i; k++) {
            const struct rk_cluster_link *link = &machine->link[i][k];
            add_number(&d, link->bandwidth_Bps);
            add_number(&d, link->latency_s);
            add_number(&d, link->cap_Bps);
            add_number(&d, link->price_USD);
        }
    }
    digest_text(d, key);
}

void digest_point(const struct study *study, struct study_point *point)
{
    digest d = digest_start();
    add_text(&d, study->model[point->model].key);
    add_text(&d, study->system[point->system].key);
    add_text(&d, study->axes[point->axes].text);
    add_count(&d, point->gpus);
    add_count(&d, point->max_batch);
    add_count(&d, point->sequence);
    add_count(&d, point->framework);
    add_count(&d, point->precision);
    add_count(&d, point->mode);
    add_count(&d, point->top);
    if (isfinite(point->usable_bytes)) add_count(&d, (uint64_t)point->usable_bytes);
    digest_text(d, point->key);
}

void digest_run(struct study_point *point, const char *run)
{
    digest d = digest_start();
    add_text(&d, point->key);
    add_text(&d, run);
    digest_text(d, point->key);
}

static void add_share(digest *d, const struct study_share *share)
{
    const double numbers[] = {
        share->tokens,     share->days,        share->gpu_hours,  share->cost,
        share->kW,         share->long_step_s, share->short_days, share->short_gpu_hours,
        share->short_cost, share->interval_s,  share->steps,      share->blocking_s,
        share->rate,       share->slowed};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        add_number(d, numbers[i]);
}

void digest_grid(const struct study *study, char key[STUDY_KEY])
{
    digest d = digest_start();
    add_count(&d, RK_MODEL_VERSION);
    add_text(&d, study->path);
    add_text(&d, study->title);
    for (size_t i = 0; i < study->figures; i++) {
        add_text(&d, study->figure[i].name);
        add_text(&d, study->figure[i].title);
    }
    for (size_t i = 0; i < study->models; i++)
        add_text(&d, study->model[i].name);
    for (size_t i = 0; i < study->systems; i++) {
        add_text(&d, study->system[i].name);
        add_text(&d, study->system[i].description);
    }
    for (size_t i = 0; i < study->points; i++) {
        const struct study_point *point = &study->point[i];
        add_text(&d, point->key);
        add_count(&d, (uint64_t)point->figure);
        add_count(&d, (uint64_t)point->model);
        add_count(&d, (uint64_t)point->system);
        if (study->has_run) add_share(&d, &point->run);
    }
    digest_text(d, key);
}
