/* What other programs call the same thing: scikit-learn, LIBLINEAR, glmnet, R. Whoever knows a name from
   there is told the one of here. The only such list; a new name is a line. */
#include "core/text.h"

#include <string.h>

struct synonym {
    const char *word; /* in small letters, without '-' and '_' */
    const char *here; /* a part of a spec; of parameters the names, "a|b", the first that fits */
};

static const struct synonym stages[] = {
    {"bernoullinb", "naive-bayes(kind=bernoulli)"},
    {"complementnb", "naive-bayes(kind=complement)"},
    {"elasticnet", "logistic(penalty=elasticnet, ratio=0.5)"},
    {"gaussiannb", "naive-bayes(kind=gaussian)"},
    {"hinge", "svm(loss=hinge)"},
    {"lasso", "logistic(penalty=l1)"},
    {"lineardiscriminantanalysis", "lda"},
    {"linearregression", "least-squares"},
    {"linearsvc", "svm"},
    {"linearsvm", "svm"},
    {"logisticregression", "logistic"},
    {"logit", "logistic"},
    {"logreg", "logistic"},
    {"lr", "logistic"},
    {"maxent", "logistic"},
    {"minmaxscaler", "minmax"},
    {"multinomialnb", "naive-bayes"},
    {"nb", "naive-bayes"},
    {"nearestcentroid", "mean-difference"},
    {"normalize", "standardize"},
    {"ols", "least-squares"},
    {"onevsall", "ovr"},
    {"onevsone", "ovo"},
    {"onevsrest", "ovr"},
    {"polynomialfeatures", "poly"},
    {"qda", "gaussian"},
    {"quadraticdiscriminantanalysis", "gaussian"},
    {"rbfsampler", "fourier"},
    {"ridge", "least-squares(l2=1)"},
    {"ridgeclassifier", "least-squares(l2=1)"},
    {"scale", "standardize"},
    {"scaler", "standardize"},
    {"standardscaler", "standardize"},
    {"svc", "svm"},
    {"zscore", "standardize"},
    {0},
};

/* What is no part of a spec here. */
static const struct synonym elsewhere[] = {
    {"imputer", "missing values are a matter of reading: " OPTION "missing mean"},
    {"labelencoder", "labels may be any text, and need no encoding"},
    {"onehot", "text columns are one-hot encoded without being asked (" OPTION
               "categorical for columns of numbers)"},
    {"onehotencoder", "text columns are one-hot encoded without being asked (" OPTION
                      "categorical for columns of numbers)"},
    {"sgd", "it is a solver here: logistic or svm with " OPTION "solver sgd"},
    {"sgdclassifier", "it is a solver here: logistic or svm with " OPTION "solver sgd"},
    {"simpleimputer", "missing values are a matter of reading: " OPTION "missing mean"},
    {0},
};

/* Options, too: whether it is one of both depends on the names that there are. */
static const struct synonym parameters[] = {
    {"algorithm", "method"},
    {"alpha", "l2|smoothing"},
    {"batchsize", "batch"},
    {"classprior", "priors"},
    {"classweights", "class-weight"},
    {"estimator", "method"},
    {"eta0", "eta"},
    {"fitintercept", "bias"},
    {"gamma", "width"},
    {"interactiononly", "interactions"},
    {"intercept", "bias"},
    {"l1ratio", "ratio"},
    {"label", "target"},
    {"lambda", "l2"},
    {"learner", "method"},
    {"learningrate", "eta"},
    {"maxepochs", "epochs|max-iter"},
    {"model", "method"},
    {"ncomponents", "axes|centres|features"},
    {"niter", "epochs"},
    {"njobs", "threads"},
    {"nthreads", "threads"},
    {"out", "output"},
    {"prior", "priors"},
    {"randomstate", "seed"},
    {"regularization", "C|l2"},
    {"sampleweight", "weight"},
    {"save", "output"},
    {"sep", "delimiter"},
    {"separator", "delimiter"},
    {"stepsize", "eta"},
    {"testsize", "holdout"},
    {"topn", "top"},
    {0},
};

static bool is_synonym(const char *word, const char *given) {
    for (; *given; given++) {
        if (*given == '-' || *given == '_') continue;
        char letter = *given >= 'A' && *given <= 'Z' ? (char)(*given - 'A' + 'a') : *given;
        if (letter != *word++) return false;
    }
    return *word == '\0';
}

static const char *find_synonym(const struct synonym *table, const char *given) {
    for (; table->word; table++)
        if (is_synonym(table->word, given)) return table->here;
    return NULL;
}

const char *synonym_of_stage(const char *given) {
    return find_synonym(stages, given);
}

const char *synonym_elsewhere(const char *given) {
    return find_synonym(elsewhere, given);
}

const char *synonym_of_parameter(const char *given, const char *const *names, size_t n) {
    const char *here = find_synonym(parameters, given);
    for (size_t length; here; here = here[length] ? here + length + 1 : NULL) {
        length = strcspn(here, "|");
        for (size_t i = 0; i < n; i++)
            if (strlen(names[i]) == length && strncmp(names[i], here, length) == 0) return names[i];
    }
    return NULL;
}
