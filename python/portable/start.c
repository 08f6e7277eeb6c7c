/* start.c - how the executable begins with glibc up to 2.33 as with later ones: since 2.34 the
 * start files leave it to glibc to run an executable's constructors, which earlier ones do by a
 * function that they are given.
 */
#if defined __x86_64__
__asm__(".symver old_start, __libc_start_main@GLIBC_2.2.5");
#else
__asm__(".symver old_start, __libc_start_main@GLIBC_2.17");
#endif

typedef int main_function(int, char **, char **);
typedef void constructor(int, char **, char **);

extern int old_start(main_function *program, int argc, char **argv, constructor *init,
                     void (*fini)(void), void (*rtld_fini)(void), void *stack_end);
extern constructor *__init_array_start[], *__init_array_end[]; /* the linker's */

static void construct(int argc, char **argv, char **variables)
{
    for (constructor **each = __init_array_start; each < __init_array_end; each++)
        (*each)(argc, argv, variables);
}

int __wrap___libc_start_main(main_function *program, int argc, char **argv, constructor *init,
                             void (*fini)(void), void (*rtld_fini)(void), void *stack_end);
int __wrap___libc_start_main(main_function *program, int argc, char **argv, constructor *init,
                             void (*fini)(void), void (*rtld_fini)(void), void *stack_end)
{
    (void)init;
    return old_start(program, argc, argv, construct, fini, rtld_fini, stack_end);
}
