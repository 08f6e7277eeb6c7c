#include "catalog/rates.h"

#include "text/fields.h"

#include <string.h>

/* ---- reading ---- */

static const struct field above_zero = {.type = FIELD_NUMBER, .above_min = true, .max = 1e12};

static enum rk_status load_row(const struct place *row, double *number, size_t numbers,
                               struct rk_error *error)
{
    enum rk_status status = place_need_array(row, numbers, numbers, error);
    for (size_t i = 0; status == RK_OK && i < numbers; i++) {
        const struct place place = place_element(row, i);
        status = field_load(&place, &above_zero, &number[i], error);
    }
    return status;
}

/* A row's place in the grid: the next row, or the first one of the next head dimension. */
static bool take_row(struct rk_attention_rates *r, const double *row, int *at)
{
    const bool next = !r->dims || row[0] > r->dim[r->dims - 1];
    if (next && (r->dims == RK_RATE_DIMS || (r->dims > 1 && *at != r->keys))) return false;
    if (next) {
        if (r->dims) r->keys = *at;
        r->dim[r->dims++] = row[0];
        *at = 0;
    }
    if (row[0] != r->dim[r->dims - 1] || *at == RK_RATE_KEYS) return false;
    if (r->dims == 1 && *at && row[1] <= r->key[*at - 1]) return false;
    if (r->dims > 1 && (*at == r->keys || row[1] != r->key[*at])) return false;
    r->key[*at] = row[1];
    r->rate_FLOPps[0][r->dims - 1][*at] = row[2] * 1e9;
    r->rate_FLOPps[1][r->dims - 1][(*at)++] = row[3] * 1e9;
    return true;
}

enum rk_status attention_rates_load(const struct place *place, void *rates, struct rk_error *error)
{
    struct rk_attention_rates *r = rates;
    int at = 0;
    memset(r, 0, sizeof *r);
    enum rk_status status = place_need_array(place, 1, RK_RATE_DIMS * RK_RATE_KEYS, error);
    for (size_t i = 0; status == RK_OK && i < json_array_size(place->value); i++) {
        double row[4];
        const struct place element = place_element(place, i);
        status = load_row(&element, row, 4, error);
        if (status == RK_OK && !take_row(r, row, &at))
            status = place_fail(&element, error,
                                "rows ascend by head dimension (%d at most), then by keys (%d at "
                                "most), and each head dimension has the same keys",
                                RK_RATE_DIMS, RK_RATE_KEYS);
    }
    if (status == RK_OK && r->dims > 1 && at != r->keys)
        return place_fail(place, error, "the last head dimension has %d rows, the others %d", at,
                          r->keys);
    if (r->dims == 1) r->keys = at;
    return status;
}

enum rk_status stream_rates_load(const struct place *place, void *rates, struct rk_error *error)
{
    struct rk_stream_rates *r = rates;
    memset(r, 0, sizeof *r);
    enum rk_status status = place_need_array(place, 1, RK_RATE_SIZES, error);
    for (size_t i = 0; status == RK_OK && i < json_array_size(place->value); i++) {
        double row[2];
        const struct place element = place_element(place, i);
        status = load_row(&element, row, 2, error);
        if (status == RK_OK && i && row[0] * 1e6 <= r->bytes[i - 1])
            status = place_fail(&element, error, "rows ascend by their size");
        if (status != RK_OK) break;
        r->bytes[i] = row[0] * 1e6;
        r->rate_Bps[i] = row[1] * 1e9;
        r->sizes = (int)i + 1;
    }
    return status;
}

static const char *const exchange_names[] = {
#define LINK_EXCHANGE(name, help) #name,
#include <reckon/system.def>
    NULL};

enum rk_status exchange_rates_load(const struct place *place, void *rates, struct rk_error *error)
{
    struct rk_stream_rates *r = rates;
    enum rk_status status = place_need_object(place, error);
    if (status == RK_OK) status = place_need_keys(place, exchange_names, error);
    for (int i = 0; status == RK_OK && i < RK_EXCHANGES; i++) {
        struct place one;
        if (!place_member(place, exchange_names[i], &one))
            return place_fail(place, error, "\"%s\" is missing: all exchanges or none",
                              exchange_names[i]);
        status = stream_rates_load(&one, &r[i], error);
    }
    return status;
}

static const char *const kernel_names[] = {
#define KERNEL_ELEMENT(name, help) #name,
#include <reckon/system.def>
    NULL};

enum rk_status element_times_load(const struct place *place, void *times, struct rk_error *error)
{
    static const struct field forward = {.type = FIELD_NUMBER, .unit = "ns", .above_min = true},
                              backward = {.type = FIELD_NUMBER, .unit = "ns"};
    double(*t)[2] = times;
    enum rk_status status = place_need_object(place, error);
    if (status == RK_OK) status = place_need_keys(place, kernel_names, error);
    for (int i = 1; status == RK_OK && i < RK_KERNELS; i++) {
        struct place row;
        t[i][0] = t[i][1] = 0;
        if (!place_member(place, kernel_names[i - 1], &row)) continue;
        status = place_need_array(&row, 2, 2, error);
        for (size_t back = 0; status == RK_OK && back < 2; back++) {
            const struct place one = place_element(&row, back);
            status = field_load(&one, back ? &backward : &forward, &t[i][back], error);
        }
    }
    return status;
}

/* ---- writing ---- */

static json_t *appended(json_t *list, json_t *row)
{
    if (json_array_append_new(list, row) == 0) return list;
    json_decref(list);
    return NULL;
}

json_t *attention_rates_json(const struct rk_attention_rates *r)
{
    json_t *list = json_array();
    for (int d = 0; d < r->dims; d++)
        for (int k = 0; list && k < r->keys; k++)
            list = appended(list,
                            json_pack("[ffff]", r->dim[d], r->key[k], r->rate_FLOPps[0][d][k] / 1e9,
                                      r->rate_FLOPps[1][d][k] / 1e9));
    return list;
}

json_t *stream_rates_json(const struct rk_stream_rates *r)
{
    json_t *list = json_array();
    for (int i = 0; list && i < r->sizes; i++)
        list = appended(list, json_pack("[ff]", r->bytes[i] / 1e6, r->rate_Bps[i] / 1e9));
    return list;
}

json_t *exchange_rates_json(const struct rk_stream_rates *rates)
{
    json_t *object = json_object();
    for (int i = 0; object && i < RK_EXCHANGES; i++) {
        if (json_object_set_new(object, exchange_names[i], stream_rates_json(&rates[i])) == 0)
            continue;
        json_decref(object);
        return NULL;
    }
    return object;
}

json_t *element_times_json(const double times_s[RK_KERNELS][2])
{
    json_t *object = json_object();
    for (int i = 1; object && i < RK_KERNELS; i++) {
        if (!(times_s[i][0] > 0)) continue;
        json_t *row = json_pack("[ff]", times_s[i][0] * 1e9, times_s[i][1] * 1e9);
        if (json_object_set_new(object, kernel_names[i - 1], row) == 0) continue;
        json_decref(object);
        return NULL;
    }
    return object;
}
