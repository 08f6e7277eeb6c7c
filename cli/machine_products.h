/* machine_products.h - how a machine file of reckon measure says what multiplied when it was
 * written. */
#ifndef RECKON_CLI_MACHINE_PRODUCTS_H
#define RECKON_CLI_MACHINE_PRODUCTS_H

#include <stdbool.h>
#include <stddef.h>

/* In front of the words of executor_products(). */
#define MEASURED_PRODUCTS "measured: products by "

/* Those words into `text`, of a system as --system takes it; false: none are there. */
bool machine_products(const char *system, char *text, size_t room);

#endif
