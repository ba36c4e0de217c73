/* Sums of products as if in twice the precision of a double: a number is kept as high + low (Dekker
   1971; Ogita, Rump and Oishi, "Accurate sum and dot product", SIAM J. Sci. Comput. 26, 2005). Only for
   numbers far from overflow; an underflow loses less than 2^-1060. */
#ifndef SEPAL_EXACT_DOUBLE_DOUBLE_H
#define SEPAL_EXACT_DOUBLE_DOUBLE_H

struct double_double {
    double high, low;
};

/* *sum + *error = a + b exactly. */
static inline void two_sum(double a, double b, double *sum, double *error) {
    double whole = a + b, part = whole - a;
    *error = (a - (whole - part)) + (b - part);
    *sum = whole;
}

/* The error of a b, exactly. */
static inline double product_error(double a, double b, double product) {
    const double split = 134217729; /* 2^27 + 1 */
    double big = split * a, a_high = big - (big - a), a_low = a - a_high;
    big = split * b;
    double b_high = big - (big - b), b_low = b - b_high;
    return a_low * b_low - (((product - a_high * b_high) - a_low * b_high) - a_high * b_low);
}

static inline void double_double_add_product(struct double_double *s, double a, double b) {
    double product = a * b, error;
    two_sum(s->high, product, &s->high, &error);
    s->low += error + product_error(a, b, product);
}

static inline double double_double_value(struct double_double s) {
    return s.high + s.low;
}

#endif
