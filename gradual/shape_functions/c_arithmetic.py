"""The part of the C header that all shape functions share: integers with a flag whether they fit int64."""

ARITHMETIC = r"""#ifndef GRADUAL_SHAPE_FUNCTIONS
#define GRADUAL_SHAPE_FUNCTIONS

#include <stdint.h>

/* What a shape function returns, besides 0 and the number of the first need that does not hold, counted from 1. */
#define GRADUAL_OVERFLOW (-1)

/* The number in place of a size, bytes or an offset that is not known before the run. */
#define GRADUAL_ABSENT (-1)

typedef struct {
  const char *id;
  const char *message;
  const char *place;
  const char *blamed;
} gradual_need;

/* A buffer of the plan: where it begins in the arena, and its bytes. */
typedef struct {
  int64_t offset;
  int64_t bytes;
} gradual_buffer;

/* An integer, or one that does not fit int64. */
typedef struct {
  int64_t value;
  int fits;
} gradual_int;

/* A truth value, or one that hangs on an integer that does not fit. */
typedef struct {
  int holds;
  int fits;
} gradual_truth;

static inline gradual_int gradual_number(int64_t value) {
  gradual_int made = {value, 1};
  return made;
}

static inline gradual_int gradual_unfit(void) {
  gradual_int made = {0, 0};
  return made;
}

static inline gradual_truth gradual_is(int holds) {
  gradual_truth made = {holds, 1};
  return made;
}

static inline gradual_truth gradual_unsure(void) {
  gradual_truth made = {0, 0};
  return made;
}

static inline gradual_int gradual_sum(gradual_int a, gradual_int b) {
  if (!a.fits || !b.fits) return gradual_unfit();
  if (b.value > 0 ? a.value > INT64_MAX - b.value : a.value < INT64_MIN - b.value) return gradual_unfit();
  return gradual_number(a.value + b.value);
}

static inline gradual_int gradual_product(gradual_int a, gradual_int b) {
  int too_large;
  if (!a.fits || !b.fits) return gradual_unfit();
  if (a.value == 0 || b.value == 0) return gradual_number(0);
  if (a.value > 0) {
    too_large = b.value > 0 ? a.value > INT64_MAX / b.value : b.value < INT64_MIN / a.value;
  } else {
    too_large = b.value > 0 ? a.value < INT64_MIN / b.value : b.value < INT64_MAX / a.value;
  }
  return too_large ? gradual_unfit() : gradual_number(a.value * b.value);
}

/* The quotient by a divisor of at least 1, rounded down. */
static inline gradual_int gradual_quotient(gradual_int a, gradual_int b) {
  if (!a.fits || !b.fits) return gradual_unfit();
  return gradual_number(a.value / b.value - (a.value % b.value < 0));
}

static inline gradual_int gradual_max(gradual_int a, gradual_int b) {
  if (!a.fits || !b.fits) return gradual_unfit();
  return a.value > b.value ? a : b;
}

static inline gradual_int gradual_min(gradual_int a, gradual_int b) {
  if (!a.fits || !b.fits) return gradual_unfit();
  return a.value < b.value ? a : b;
}

static inline gradual_int gradual_choice(gradual_truth test, gradual_int then, gradual_int otherwise) {
  if (!test.fits) return gradual_unfit();
  return test.holds ? then : otherwise;
}

static inline gradual_truth gradual_equal(gradual_int a, gradual_int b) {
  return a.fits && b.fits ? gradual_is(a.value == b.value) : gradual_unsure();
}

static inline gradual_truth gradual_at_most(gradual_int a, gradual_int b) {
  return a.fits && b.fits ? gradual_is(a.value <= b.value) : gradual_unsure();
}

static inline gradual_truth gradual_not(gradual_truth a) {
  return a.fits ? gradual_is(!a.holds) : a;
}

static inline gradual_truth gradual_and(gradual_truth a, gradual_truth b) {
  if ((a.fits && !a.holds) || (b.fits && !b.holds)) return gradual_is(0);
  return a.fits && b.fits ? gradual_is(1) : gradual_unsure();
}

static inline gradual_truth gradual_or(gradual_truth a, gradual_truth b) {
  return gradual_not(gradual_and(gradual_not(a), gradual_not(b)));
}

/* The value, and whether everything that was taken before fits, too. */
static inline int64_t gradual_taken(gradual_int a, int *fits) {
  if (!a.fits) *fits = 0;
  return a.value;
}

#endif
"""
