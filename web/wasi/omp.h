/* omp.h - of one thread: what the library asks of OpenMP. WebAssembly is compiled without it. */
#ifndef OMP_H
#define OMP_H

static inline int omp_get_max_threads(void)
{
    return 1;
}
static inline int omp_get_num_threads(void)
{
    return 1;
}
static inline int omp_get_thread_num(void)
{
    return 0;
}
static inline int omp_get_num_procs(void)
{
    return 1;
}

#endif
