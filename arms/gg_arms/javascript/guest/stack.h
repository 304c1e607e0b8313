/* Included by the engine's sources: a function takes so many bytes of the shadow stack more than it needs. */
#define GG_STACK(bytes)        \
    volatile char gg_stack[bytes]; \
    __asm__ volatile("" : : "r"(gg_stack) : "memory")
