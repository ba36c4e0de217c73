/* Temperature scaling (Guo, Pleiss, Sun and Weinberger 2017): the softmax of the scores divided by one T > 0,
   of two classes the logistic function, with the least log-loss. That is convex in 1/T, whose slope is brought
   to 0 by Newton's method between bounds that close in. */
#include "linear/calibration.h"
#include "linear/decide.h"

#include <math.h>

struct tempered {
    const struct calibration_rows *rows;
    size_t classes, stride; /* stride 1: the log-odds of two classes */
    double reach; /* the largest difference of scores of a row, by which all are divided */
};

/* What one row adds to the first two derivatives by 1/T: the mean score less that of its class, and the
   variance of the scores. */
static void tempered_row(double out[2], const struct tempered *all, size_t i, double inverse) {
    const double *s = all->rows->inputs + i * all->stride;
    size_t target = (size_t)all->rows->label[i];
    if (all->stride == 1) {
        double u = s[0] / all->reach, p = logistic(inverse * u), q = logistic(-inverse * u);
        out[0] = target == 1 ? -q * u : p * u;
        out[1] = p * q * u * u;
        return;
    }
    double largest = s[0], sum = 0, mean = 0, square = 0;
    for (size_t k = 1; k < all->classes; k++) largest = fmax(largest, s[k]);
    for (size_t k = 0; k < all->classes; k++) {
        double below = (s[k] - largest) / all->reach, p = exp(inverse * below);
        sum += p;
        mean += p * below;
        square += p * below * below;
    }
    mean /= sum;
    out[0] = mean - (s[target] - largest) / all->reach;
    out[1] = square / sum - mean * mean;
}

static void tempered_slopes(double out[2], const struct tempered *all, double inverse) {
    out[0] = out[1] = 0;
    for (size_t i = 0; i < all->rows->n; i++) {
        double row[2], weight = calibration_weight(all->rows, i);
        tempered_row(row, all, i, inverse);
        out[0] += weight * row[0];
        out[1] += weight * row[1];
    }
}

static double tempered_reach(const struct tempered *all) {
    double reach = 0;
    for (size_t i = 0; i < all->rows->n; i++) {
        const double *s = all->rows->inputs + i * all->stride;
        double least = all->stride == 1 ? 0 : s[0], most = s[0];
        for (size_t k = 1; k < all->stride; k++) {
            least = fmin(least, s[k]);
            most = fmax(most, s[k]);
        }
        reach = fmax(reach, fabs(most - least));
    }
    return reach;
}

double calibration_fit_temperature(const struct calibration_rows *rows, size_t classes) {
    enum { STEPS_MOST = 200 };
    static const double DIGITS = 1e-15, SMALLEST = 1e-290;
    struct tempered all = {rows, classes, classes == 2 ? 1 : classes, 0};
    double reach = all.reach = tempered_reach(&all), slopes[2];
    if (!(reach > SMALLEST) || !isfinite(reach)) return 1; /* no class is told from another */
    /* as far as scikit-learn looks, exp(-10) to exp(10), and further where scores are large or small; it takes
       -s and s for two classes, which doubles theirs */
    double unit = classes == 2 ? 2 : 1;
    double low = unit * exp(-10) * fmin(reach, 1), high = unit * exp(10) * fmax(reach, 1);
    tempered_slopes(slopes, &all, low);
    if (slopes[0] >= 0) return reach / low;
    tempered_slopes(slopes, &all, high);
    if (slopes[0] <= 0) return reach / high;
    double inverse = 1; /* reach / T */
    for (int step = 0; step < STEPS_MOST && high - low > DIGITS * low; step++) {
        tempered_slopes(slopes, &all, inverse);
        *(slopes[0] > 0 ? &high : &low) = inverse;
        double next = inverse - slopes[0] / slopes[1];
        if (fabs(next - inverse) <= DIGITS * inverse) break;
        inverse = next > low && next < high ? next : sqrt(low * high);
    }
    return reach / inverse;
}
