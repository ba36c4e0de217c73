// The library from C++: objects that free themselves, errors as exceptions, arrays of the standard library.
#include "sepal/sepal.h"

#include <cstdio>
#include <memory>
#include <stdexcept>
#include <vector>

template <class T, void (*release)(T *)> struct Release {
    void operator()(T *object) const { release(object); }
};
using Context = std::unique_ptr<sepal_ctx, Release<sepal_ctx, sepal_ctx_free>>;
using Data = std::unique_ptr<sepal_data, Release<sepal_data, sepal_data_free>>;
using Model = std::unique_ptr<sepal_model, Release<sepal_model, sepal_model_free>>;

static void must(const Context &ctx, sepal_status status) {
    if (status != SEPAL_OK) throw std::runtime_error(sepal_ctx_error(ctx.get()));
}

static Context make_context() {
    sepal_ctx *ctx = nullptr;
    if (sepal_ctx_new(&ctx) != SEPAL_OK) throw std::bad_alloc();
    return Context(ctx);
}

// The vectors are lent: they must outlive the data.
static Data make_data(const Context &ctx, const std::vector<double> &x,
                      const std::vector<int64_t> &y) {
    sepal_input input = {};
    input.size = sizeof input;
    input.rows = y.size();
    input.columns = x.size() / y.size();
    input.values = x.data();
    input.label_numbers = y.data();
    input.borrow = 1;
    sepal_data *data = nullptr;
    must(ctx, sepal_data_from(&data, ctx.get(), &input));
    return Data(data);
}

int main() try {
    const std::vector<double> x = {0.1, 0.2, 0.3, 0.1, 0.9, 0.8, 0.7, 0.9};
    const std::vector<int64_t> y = {-1, -1, 1, 1};
    Context ctx = make_context();
    Data data = make_data(ctx, x, y);
    sepal_model *fitted = nullptr;
    must(ctx, sepal_model_fit(&fitted, nullptr, ctx.get(), "lda(shrinkage=0.1)", data.get(), nullptr));
    Model model(fitted);
    std::vector<int32_t> answers(y.size());
    must(ctx, sepal_model_predict(answers.data(), ctx.get(), model.get(), data.get()));
    for (int32_t answer : answers)
        std::printf("%s\n", sepal_model_class(model.get(), static_cast<std::size_t>(answer)));
    try {
        must(ctx, sepal_model_fit_check(ctx.get(), "banana", nullptr));
    } catch (const std::runtime_error &error) {
        std::printf("%.40s...\n", error.what());
    }
    return 0;
} catch (const std::exception &error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
}
