/* Inside kernels/ only: one step of dual coordinate descent for the classes of a group, a lane each,
   without a branch, so that every set can turn it into vectors. One source, one order of operations:
   one result.

   A lane has a margin m, a dual variable a and the curvature q of the penalty along it. The step
   goes to the largest value of the dual, where -neg_conjugate'(a) + m + q (a - before) = 0. What it adds up
   beside are the losses, and the Fenchel-Young terms loss(m) - neg_conjugate(a) + a m, whose sum over all
   rows is the duality gap. */
#ifndef SEPAL_KERNELS_OVR_LANES_H
#define SEPAL_KERNELS_OVR_LANES_H

#include "kernels/kernels.h"

#include <string.h>

static inline float lanes_clip(float x, float least, float most) {
    x = x < least ? least : x;
    return x > most ? most : x;
}

/* What the step of a lane does to the scores' weights; whether it does anything. */
static inline int lanes_move(struct lanes_step *step, size_t l, float a) {
    float change = step->side[l] * step->scale[l] * (a - step->a[l]);
    step->a[l] = a;
    step->change[l] = change;
    return change != 0;
}

/* `squared` is a constant where this is called, as is the number of lanes. */
static inline bool lanes_hinge_step(struct lanes_step *step, size_t lanes, bool squared) {
    int moved = 0;
    for (size_t l = 0; l < lanes; l++) {
        float m = step->side[l] * step->score[l], q = step->scale[l] * step->norm, a = step->a[l];
        float violation = 1 - m, slack = violation > 0 ? violation : 0, excess = slack - violation;
        float half = slack - 0.5F * a, gap = squared ? half * half : (1 - a) * slack;
        step->gap[l] += step->scale[l] * (gap + a * excess);
        step->loss[l] += step->scale[l] * ((squared ? slack * slack : slack) + 0.5F * a * m);
        float curvature = q > 1e-30F ? q : 1e-30F; /* rows of zeros have none */
        float best = squared ? (violation + q * a) / (q + 0.5F)
                             : lanes_clip(a + violation / curvature, 0, 1);
        moved |= lanes_move(step, l, squared && !(best > 0) ? 0 : best);
    }
    return moved != 0;
}

/* exp(-z) for z >= 0, and 1e-37 where it would be less. */
static inline float lanes_exp_of_minus(float z) {
    const float log2e = 1.44269504F, shift = 12582912.0F; /* 1.5 * 2^23 */
    const float ln2_high = 0.693359375F, ln2_low = -2.12194440e-4F;
    float x = z > 85 ? -85 : -z;
    float shifted = x * log2e + shift, k = shifted - shift;
    float r = (x - k * ln2_high) - k * ln2_low;
    float sum = 1.0F / 5040;
    sum = sum * r + 1.0F / 720;
    sum = sum * r + 1.0F / 120;
    sum = sum * r + 1.0F / 24;
    sum = sum * r + 1.0F / 6;
    sum = sum * r + 1.0F / 2;
    sum = sum * r + 1;
    sum = sum * r + 1;
    int32_t power;
    memcpy(&power, &shifted, sizeof power);
    power = (int32_t)((uint32_t)power << 23) + ((int32_t)127 << 23);
    float scale;
    memcpy(&scale, &power, sizeof scale);
    return sum * scale;
}

/* log(1 + e) for e in [0, 1]: 2 artanh(s), s = e / (2 + e) at most 1/3. */
static inline float lanes_log_of_one_plus(float e) {
    float s = e / (2 + e), q = s * s, sum = 1.0F / 13;
    sum = sum * q + 1.0F / 11;
    sum = sum * q + 1.0F / 9;
    sum = sum * q + 1.0F / 7;
    sum = sum * q + 1.0F / 5;
    sum = sum * q + 1.0F / 3;
    sum = sum * q + 1;
    return 2 * s * sum;
}

/* The root's a from a place where it is p and Newton's step is `step`, to the third order of that: both the
   curvature of a and what it does to the step count. `inverse`: 1 / (1 + q curvature). */
static inline float lanes_series(float p, float curvature, float step, float inverse) {
    return p - curvature * step * (1 - (0.5F - p) * step * inverse);
}

/* The best a is 1 / (1 + e^z) where z = m + q (a - before). As a function of z the difference of both
   sides rises and changes its curvature once, at 0, so that Newton steps that stay on the root's side of 0 converge
   from anywhere (they are monotone from the second on). The last step, shorter than `close`, is taken
   by the series. */
static inline bool lanes_logistic_step(struct lanes_step *step, size_t lanes) {
    enum { STEPS = 40 };
    const float close = 0.03F;
    float z[OVR_LANES], m[OVR_LANES], q[OVR_LANES], best[OVR_LANES];
    float low[OVR_LANES], high[OVR_LANES];
    int moved = 0, far = 0;
    for (size_t l = 0; l < lanes; l++) {
        float margin = step->side[l] * step->score[l], q_ii = step->scale[l] * step->norm;
        float a = step->a[l], size = margin < 0 ? -margin : margin;
        float e = lanes_exp_of_minus(size), sigmoid = 1 / (1 + e),
              p = (margin < 0 ? 1 : e) * sigmoid;
        float curvature = e * sigmoid * sigmoid, middle = 0.5F * (a + p), apart = p - a;
        float flat = middle * (1 - middle) + 1e-30F, inverse = 1 / (1 + q_ii * curvature);
        float move = q_ii * apart * inverse;
        float value = lanes_log_of_one_plus(e) + (margin < 0 ? size : 0);
        step->gap[l] += step->scale[l] * (0.5F * apart * apart / flat);
        step->loss[l] += step->scale[l] * (value + 0.5F * a * margin);
        best[l] = lanes_series(p, curvature, move, inverse);
        m[l] = margin;
        q[l] = q_ii;
        float at_0 = margin + q_ii * (0.5F - a); /* above 0: so is the root */
        low[l] = at_0 > 0 ? 0 : -1e30F;
        high[l] = at_0 > 0 ? 1e30F : 0;
        z[l] = lanes_clip(margin + move, low[l], high[l]);
        far |= (move > close) | (move < -close);
    }
    for (int round = 0; far && round < STEPS; round++) {
        far = 0;
        for (size_t l = 0; l < lanes; l++) {
            float size = z[l] < 0 ? -z[l] : z[l], e = lanes_exp_of_minus(size),
                  sigmoid = 1 / (1 + e);
            float p = (z[l] < 0 ? 1 : e) * sigmoid, curvature = e * sigmoid * sigmoid;
            float inverse = 1 / (1 + q[l] * curvature);
            float move = (m[l] + q[l] * (p - step->a[l]) - z[l]) * inverse;
            best[l] = lanes_series(p, curvature, move, inverse);
            z[l] = lanes_clip(z[l] + move, low[l], high[l]);
            far |= (move > close) | (move < -close);
        }
    }
    for (size_t l = 0; l < lanes; l++) moved |= lanes_move(step, l, lanes_clip(best[l], 0, 1));
    return moved != 0;
}

/* The compiler knows the number of lanes in each branch, and makes vectors of them. */
static inline bool lanes_squared_hinge(struct lanes_step *step, size_t lanes) {
    return lanes == OVR_LANES_HALF ? lanes_hinge_step(step, OVR_LANES_HALF, true)
                                   : lanes_hinge_step(step, OVR_LANES, true);
}

static inline bool lanes_hinge(struct lanes_step *step, size_t lanes) {
    return lanes == OVR_LANES_HALF ? lanes_hinge_step(step, OVR_LANES_HALF, false)
                                   : lanes_hinge_step(step, OVR_LANES, false);
}

static inline bool lanes_logistic(struct lanes_step *step, size_t lanes) {
    return lanes == OVR_LANES_HALF ? lanes_logistic_step(step, OVR_LANES_HALF)
                                   : lanes_logistic_step(step, OVR_LANES);
}

#endif
