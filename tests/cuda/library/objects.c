/* What is known of objects that the library made: a number for the record, and where they
 * compute. */
#include "stub.h"

#include <pthread.h>
#include <stdlib.h>

typedef struct Object {
    Kind kind;
    const void *pointer;
    int number;
    Setup setup;
    struct Object *next;
} Object;

static Object *objects;
static int numbers[SESSION + 1];
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

/* Return where the object is linked in; where the list ends if it is not there. */
static Object **find(Kind kind, const void *pointer) {
    Object **link = &objects;
    while (*link != NULL && ((*link)->kind != kind || (*link)->pointer != pointer))
        link = &(*link)->next;
    return link;
}

int new_number(Kind kind) {
    pthread_mutex_lock(&mutex);
    int number = ++numbers[kind];
    pthread_mutex_unlock(&mutex);
    return number;
}

void remember(Kind kind, const void *pointer, int number, Setup setup) {
    Object *object = calloc(1, sizeof *object);
    if (object == NULL) give_up("no memory");
    pthread_mutex_lock(&mutex);
    *object = (Object){kind, pointer, number, setup, objects};
    objects = object;
    pthread_mutex_unlock(&mutex);
}

void add_provider(Kind kind, const void *pointer, Setup added) {
    pthread_mutex_lock(&mutex);
    Object *object = *find(kind, pointer);
    if (object != NULL) {
        added.providers |= object->setup.providers;
        added.graphs |= object->setup.graphs;
        object->setup = added;
    }
    pthread_mutex_unlock(&mutex);
    if (object == NULL) give_up("a provider was added to something unknown");
}

int number_of(Kind kind, const void *pointer) {
    pthread_mutex_lock(&mutex);
    const Object *object = *find(kind, pointer);
    int number = object ? object->number : 0;
    pthread_mutex_unlock(&mutex);
    return number;
}

Setup setup_of(Kind kind, const void *pointer) {
    pthread_mutex_lock(&mutex);
    const Object *object = *find(kind, pointer);
    Setup setup = object ? object->setup : (Setup){0};
    pthread_mutex_unlock(&mutex);
    return setup;
}

int providers_of(Kind kind, const void *pointer) { return setup_of(kind, pointer).providers; }

void forget(Kind kind, const void *pointer) {
    pthread_mutex_lock(&mutex);
    Object **link = find(kind, pointer), *object = *link;
    if (object != NULL) *link = object->next;
    pthread_mutex_unlock(&mutex);
    free(object);
}

void put_providers(Line *line, int providers) {
    const char *names[2];
    size_t count = 0;
    if (providers & TENSORRT) names[count++] = "TensorrtExecutionProvider";
    if (providers & CUDA) names[count++] = "CUDAExecutionProvider";
    put_strings(line, "providers", names, count);
}
