/* leaks.c - makes a leak fail its test: Criterion takes no notice of how a worker's process ends,
 * which is when LeakSanitizer speaks up. Linked into sanitized tests with
 * -Wl,--wrap=criterion_internal_test_main. */
#include <criterion/criterion.h>
#include <sanitizer/lsan_interface.h>

void __real_criterion_internal_test_main(void (*test)(void));
void __wrap_criterion_internal_test_main(void (*test)(void));

static void (*current)(void);

static void run_and_check(void)
{
    current();
    cr_assert_not(__lsan_do_recoverable_leak_check(), "the test leaks memory");
}

void __wrap_criterion_internal_test_main(void (*test)(void))
{
    current = test;
    __real_criterion_internal_test_main(run_and_check);
}
