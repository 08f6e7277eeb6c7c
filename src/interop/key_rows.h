/* key_rows.h - rows of tables of keys (keys.h), each by what becomes of the key; AT(member) is the
 * offset in the struct of the file that has the table. */
#ifndef RECKON_INTEROP_KEY_ROWS_H
#define RECKON_INTEROP_KEY_ROWS_H

#define NONE(path)                                                                                 \
    {                                                                                              \
        path, KEY_NONE, 0, NULL, NULL                                                              \
    }
#define READ(path, use, name)                                                                      \
    {                                                                                              \
        path, use, AT(name), NULL, NULL                                                            \
    }
#define VALUE(path, argument)                                                                      \
    {                                                                                              \
        path, KEY_VALUE, 0, NULL, argument                                                         \
    }
#define ON(path, argument)                                                                         \
    {                                                                                              \
        path, KEY_ON, 0, NULL, argument                                                            \
    }
#define OFF(path, argument)                                                                        \
    {                                                                                              \
        path, KEY_OFF, 0, NULL, argument                                                           \
    }
#define MAP(path, words)                                                                           \
    {                                                                                              \
        path, KEY_MAP, 0, words, NULL                                                              \
    }
#define BAD(path, why)                                                                             \
    {                                                                                              \
        path, KEY_NOT_COVERED, 0, NULL, why                                                        \
    }
#define WARN(path, why)                                                                            \
    {                                                                                              \
        path, KEY_NOT_FOLLOWED, 0, NULL, why                                                       \
    }

#endif
