/* Trees of named facts: making nodes and finding them again. */
#include "core/tree.h"

#include <math.h>
#include <string.h>

static char *copy_text(struct tree_maker *make, struct slice text) {
    if (make->failed) return NULL;
    char *copy = arena_text(make->ctx, make->arena, text.length > 0 ? text.bytes : "", text.length);
    make->failed = copy == NULL;
    return copy;
}

static struct tree *tree_add(struct tree_maker *make, struct tree *parent, const char *key,
                             enum tree_kind kind) {
    char *copy = key != NULL ? copy_text(make, (struct slice){key, strlen(key)}) : NULL;
    struct tree *node = make->failed ? NULL : arena_zero(make->ctx, make->arena, 1, sizeof *node);
    if (node == NULL) {
        make->failed = true;
        make->spare = (struct tree){.kind = kind};
        return &make->spare;
    }
    node->kind = kind;
    node->key = copy;
    if (parent != NULL) tree_adopt(parent, node);
    return node;
}

void tree_adopt(struct tree *parent, struct tree *child) {
    child->next = NULL;
    if (parent->last != NULL) {
        parent->last->next = child;
    } else {
        parent->first = child;
    }
    parent->last = child;
    parent->count++;
}

void tree_copy(struct tree_maker *make, struct tree *parent, const char *key,
               const struct tree *node) {
    struct tree *copy = tree_add(make, parent, key, node->kind);
    if (node->kind == TREE_BOOL) copy->truth = node->truth;
    if (node->kind == TREE_NUMBER) copy->number = node->number;
    if (node->kind == TREE_TEXT)
        copy->text = (struct slice){copy_text(make, node->text), node->text.length};
    for (const struct tree *child = node->first; child && !make->failed; child = child->next)
        tree_copy(make, copy, child->key, child);
}

void tree_replace(struct tree_maker *make, struct tree *object, const char *key,
                  const struct tree *node) {
    struct tree *old = object->first, copy = {.kind = TREE_OBJECT};
    while (old && strcmp(old->key, key) != 0) old = old->next;
    tree_copy(make, &copy, key, node); /* first, since `node` may be `object` itself */
    if (make->failed) return;
    if (!old) {
        tree_adopt(object, copy.first);
        return;
    }
    struct tree *next = old->next;
    *old = *copy.first;
    old->next = next;
}

struct tree *tree_object(struct tree_maker *make, struct tree *parent, const char *key) {
    return tree_add(make, parent, key, TREE_OBJECT);
}

struct tree *tree_array(struct tree_maker *make, struct tree *parent, const char *key) {
    return tree_add(make, parent, key, TREE_ARRAY);
}

void tree_null(struct tree_maker *make, struct tree *parent, const char *key) {
    (void)tree_add(make, parent, key, TREE_NULL);
}

void tree_bool(struct tree_maker *make, struct tree *parent, const char *key, bool truth) {
    tree_add(make, parent, key, TREE_BOOL)->truth = truth;
}

void tree_number(struct tree_maker *make, struct tree *parent, const char *key, double number) {
    if (isfinite(number)) {
        tree_add(make, parent, key, TREE_NUMBER)->number = number;
    } else {
        tree_null(make, parent, key);
    }
}

void tree_text(struct tree_maker *make, struct tree *parent, const char *key, const char *text) {
    tree_slice(make, parent, key, (struct slice){text, strlen(text)});
}

void tree_slice(struct tree_maker *make, struct tree *parent, const char *key, struct slice text) {
    char *copy = copy_text(make, text);
    tree_add(make, parent, key, TREE_TEXT)->text = (struct slice){copy, copy ? text.length : 0};
}

void tree_numbers(struct tree_maker *make, struct tree *parent, const char *key,
                  const double *numbers, size_t n) {
    struct tree *list = tree_array(make, parent, key);
    for (size_t i = 0; i < n; i++) tree_number(make, list, NULL, numbers[i]);
}

void tree_texts(struct tree_maker *make, struct tree *parent, const char *key,
                const char *const *texts, size_t n) {
    struct tree *list = tree_array(make, parent, key);
    for (size_t i = 0; i < n; i++) tree_text(make, list, NULL, texts[i]);
}

static const struct tree *find_member(const struct tree *object, struct slice key) {
    if (object == NULL || object->kind != TREE_OBJECT) return NULL;
    for (const struct tree *child = object->first; child != NULL; child = child->next) {
        if (slice_is(key, child->key)) return child;
    }
    return NULL;
}

const struct tree *tree_find(const struct tree *object, const char *key) {
    return find_member(object, (struct slice){key, strlen(key)});
}

/* The element of an array that a decimal number names; NULL: there is none. */
static const struct tree *find_element(const struct tree *array, struct slice number) {
    size_t wanted = 0, at = 0;
    for (size_t i = 0; i < number.length; i++) {
        if (number.bytes[i] < '0' || number.bytes[i] > '9' || wanted > array->count) return NULL;
        wanted = 10 * wanted + (size_t)(number.bytes[i] - '0');
    }
    const struct tree *element = number.length ? array->first : NULL;
    while (element && at++ < wanted) element = element->next;
    return element;
}

/* How much of a path names the next step: up to a dot, or the longest key that is there, as keys may have
   dots of their own. */
static size_t step_length(const struct tree *at, const char *dotted) {
    size_t length = strcspn(dotted, ".");
    for (const struct tree *child = at->kind == TREE_OBJECT ? at->first : NULL; child;
         child = child->next) {
        size_t key = strlen(child->key);
        bool is_next =
            strncmp(dotted, child->key, key) == 0 && (dotted[key] == '.' || dotted[key] == '\0');
        if (is_next && key > length) length = key;
    }
    return length;
}

const struct tree *tree_path(const struct tree *root, const char *dotted) {
    const struct tree *at = root;
    for (;;) {
        /* the longest key that may be there is what is left of the path, and nearly always that is one */
        const struct tree *last = at->kind == TREE_OBJECT
                                      ? find_member(at, (struct slice){dotted, strlen(dotted)})
                                      : NULL;
        if (last) return last;
        size_t length = step_length(at, dotted);
        struct slice part = {dotted, length};
        at = at->kind == TREE_ARRAY ? find_element(at, part) : find_member(at, part);
        if (at == NULL || dotted[length] == '\0') return at;
        dotted += length + 1;
    }
}
