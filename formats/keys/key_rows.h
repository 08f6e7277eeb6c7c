/* key_rows.h - rows of tables of keys (keys.h), each by what becomes of the key; AT(member) is the
 * offset in the struct of the file that has the table. */
#ifndef RECKON_KEYS_KEY_ROWS_H
#define RECKON_KEYS_KEY_ROWS_H

#define KEY_ROW(...)                                                                               \
    {                                                                                              \
        __VA_ARGS__, NULL                                                                          \
    }

#define NONE(path)            KEY_ROW(path, KEY_NONE, 0, NULL, NULL)
#define LATER(path)           KEY_ROW(path, KEY_LATER, 0, NULL, NULL)
#define SET(path)             KEY_ROW(path, KEY_SET, 0, NULL, NULL)
#define READ(path, use, name) KEY_ROW(path, use, AT(name), NULL, NULL)
#define VALUE(path, argument) KEY_ROW(path, KEY_VALUE, 0, NULL, argument)
#define ON(path, argument)    KEY_ROW(path, KEY_ON, 0, NULL, argument)
#define OFF(path, argument)   KEY_ROW(path, KEY_OFF, 0, NULL, argument)
#define MAP(path, words)      KEY_ROW(path, KEY_MAP, 0, words, NULL)

/* What is included from "tables/TOOL.h": data/formats/TOOL.csv, made into C by
 * tools/make_keys.c. */
#define FORMAT_KEY(name, effect, words, why, values, since, until, tools)                          \
    KEY_ROW(name, KEY_##effect, 0, words, why),
#define FORMAT_READ(name, use, member, words, preset)                                              \
    {name, KEY_##use, AT(member), words, NULL, preset},

#endif
