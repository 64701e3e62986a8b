/* Runs, and what is bound for them. A session "on the GPU" computes on the host, so its tensors on
 * the GPU are seen there for the time of a run.
 *
 * A binding of the library's serves to hold the values: it shares their memory as a real one does.
 * It holds the outputs, and a second one the inputs, under the name of outputs, for the library
 * would not know how to copy an input to the GPU. */
#include "stub.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

typedef struct Name {
    char *text;
    struct Name *next;
} Name;

typedef struct Binding {
    OrtIoBinding *outputs; /* which the caller knows */
    OrtIoBinding *inputs;
    const OrtSession *session;
    Name *on_gpu; /* outputs that the next run allocates on the GPU */
    struct Binding *next;
} Binding;

/* Values with their names. */
typedef struct Values {
    size_t count;
    char **names;
    OrtValue **values;
} Values;

static Binding *bindings;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

/* NULL for a binding of a session on the CPU. */
static Binding *find(const OrtIoBinding *pointer) {
    pthread_mutex_lock(&mutex);
    Binding *binding = bindings;
    while (binding != NULL && binding->outputs != pointer) binding = binding->next;
    pthread_mutex_unlock(&mutex);
    return binding;
}

OrtStatus *stub_CreateIoBinding(OrtSession *session, OrtIoBinding **out) {
    OrtStatus *status = real->CreateIoBinding(session, out);
    if (status != NULL || providers_of(SESSION, session) == 0) return status;
    Binding *binding = calloc(1, sizeof *binding);
    if (binding == NULL) give_up("no memory");
    binding->outputs = *out;
    binding->session = session;
    status = real->CreateIoBinding(session, &binding->inputs);
    if (status != NULL) give_up("%s", real->GetErrorMessage(status));
    pthread_mutex_lock(&mutex);
    binding->next = bindings;
    bindings = binding;
    pthread_mutex_unlock(&mutex);
    return NULL;
}

/* Whether the output was among those that the next run allocates on the GPU. */
static bool take_from_gpu(Binding *binding, const char *name) {
    Name **link = &binding->on_gpu;
    while (*link != NULL && strcmp((*link)->text, name) != 0) link = &(*link)->next;
    Name *found = *link;
    if (found == NULL) return false;
    *link = found->next;
    free(found->text);
    free(found);
    return true;
}

static void put_on_gpu(Binding *binding, const char *name) {
    Name *made = malloc(sizeof *made);
    if (made == NULL) give_up("no memory");
    *made = (Name){strdup(name), binding->on_gpu};
    binding->on_gpu = made;
}

static void forget_outputs(Binding *binding) {
    while (binding->on_gpu != NULL) take_from_gpu(binding, binding->on_gpu->text);
}

void stub_ReleaseIoBinding(OrtIoBinding *pointer) {
    pthread_mutex_lock(&mutex);
    Binding **link = &bindings;
    while (*link != NULL && (*link)->outputs != pointer) link = &(*link)->next;
    Binding *binding = *link;
    if (binding != NULL) *link = binding->next;
    pthread_mutex_unlock(&mutex);
    if (binding != NULL) {
        forget_outputs(binding);
        real->ReleaseIoBinding(binding->inputs);
        free(binding);
    }
    real->ReleaseIoBinding(pointer);
}

/* A line for something that is bound; `data` is the address that the session will use. */
static OrtStatus *record_bound(const char *function, const Binding *binding, const char *name,
                               const Where *from, const void *data) {
    Line *line = begin(function);
    put_number(line, "session", number_of(SESSION, binding->session));
    put_string(line, "name", name);
    put_string(line, "memory", from->name ? from->name : "Cpu");
    put_number(line, "address", (long long)(uintptr_t)data);
    OrtStatus *refused = refuse(function);
    end(line, refused);
    return refused;
}

/* An input of the host's is copied here, and the run sees the copy; of the GPU's it is borrowed. */
OrtStatus *stub_BindInput(OrtIoBinding *pointer, const char *name, const OrtValue *value) {
    Binding *binding = find(pointer);
    if (binding == NULL) return real->BindInput(pointer, name, value);
    Tensor given, used;
    OrtValue *new_copy = NULL;
    OrtStatus *status = look_at(value, &given);
    if (status != NULL) return status;
    used = given;
    if (given.type != 0 && given.where.kind != GPU) {
        status = copy_to_gpu(value, setup_of(SESSION, binding->session).device, &new_copy);
        if (status == NULL) status = look_at(new_copy, &used);
    }
    if (status == NULL)
        status = record_bound("BindInput", binding, name, &given.where, used.data);
    if (status == NULL)
        status = real->BindOutput(binding->inputs, name, new_copy ? new_copy : value);
    if (new_copy != NULL) real->ReleaseValue(new_copy);
    return status;
}

OrtStatus *stub_BindOutput(OrtIoBinding *pointer, const char *name, const OrtValue *value) {
    Binding *binding = find(pointer);
    if (binding == NULL) return real->BindOutput(pointer, name, value);
    Tensor given;
    OrtStatus *status = look_at(value, &given);
    if (status == NULL)
        status = record_bound("BindOutput", binding, name, &given.where, given.data);
    return status ? status : real->BindOutput(pointer, name, value);
}

OrtStatus *stub_BindOutputToDevice(OrtIoBinding *pointer, const char *name,
                                   const OrtMemoryInfo *memory) {
    Binding *binding = find(pointer);
    if (binding == NULL) return real->BindOutputToDevice(pointer, name, memory);
    Where where;
    OrtStatus *status = find_memory(memory, &where);
    if (status == NULL) status = record_bound("BindOutputToDevice", binding, name, &where, NULL);
    if (status == NULL) status = real->BindOutputToDevice(pointer, name, memory);
    if (status != NULL) return status;
    take_from_gpu(binding, name);
    if (where.kind == GPU) put_on_gpu(binding, name);
    return NULL;
}

void stub_ClearBoundInputs(OrtIoBinding *pointer) {
    const Binding *binding = find(pointer);
    if (binding != NULL)
        real->ClearBoundOutputs(binding->inputs);
    else
        real->ClearBoundInputs(pointer);
}

void stub_ClearBoundOutputs(OrtIoBinding *pointer) {
    Binding *binding = find(pointer);
    if (binding != NULL) forget_outputs(binding);
    real->ClearBoundOutputs(pointer);
}

static OrtAllocator *host_allocator(void) {
    OrtAllocator *allocator = NULL;
    OrtStatus *status = real->GetAllocatorWithDefaultOptions(&allocator);
    if (status != NULL) give_up("%s", real->GetErrorMessage(status));
    return allocator;
}

static void free_array(void *array) {
    OrtStatus *status = array ? real->AllocatorFree(host_allocator(), array) : NULL;
    if (status != NULL) give_up("%s", real->GetErrorMessage(status));
}

/* What a binding of the library's holds as outputs. */
static OrtStatus *read_values(const OrtIoBinding *from, Values *values) {
    *values = (Values){0, NULL, NULL};
    char *text = NULL;
    size_t *lengths = NULL, count = 0;
    OrtStatus *status =
        real->GetBoundOutputNames(from, host_allocator(), &text, &lengths, &count);
    if (status != NULL) return status;
    values->names = calloc(count + 1, sizeof *values->names);
    if (values->names == NULL) give_up("no memory");
    const char *next = text;
    for (size_t i = 0; i < count; next += lengths[i++])
        values->names[i] = strndup(next, lengths[i]);
    free_array(text);
    free_array(lengths);
    values->count = count;
    return real->GetBoundOutputValues(from, host_allocator(), &values->values, &values->count);
}

static void release_values(Values *values) {
    for (size_t i = 0; i < values->count; i++) {
        if (values->values != NULL) real->ReleaseValue(values->values[i]);
        free(values->names[i]);
    }
    free(values->names);
    free_array(values->values);
}

static OrtValue **see_all_on_host(OrtValue *const *values, size_t count, OrtStatus **status) {
    OrtValue **views = calloc(count + 1, sizeof *views);
    if (views == NULL) give_up("no memory");
    for (size_t i = 0; i < count && *status == NULL; i++)
        if (values[i] != NULL) *status = see_on_host(values[i], &views[i]);
    return views;
}

static void release_all(OrtValue **values, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (values[i] != NULL) real->ReleaseValue(values[i]);
    free(values);
}

/* Compute on the host. Outputs that are NULL are made, of a run that fails none. */
static OrtStatus *compute(OrtSession *session, const OrtRunOptions *options,
                          const char *const *input_names, const OrtValue *const *inputs,
                          size_t input_count, const char *const *output_names, size_t output_count,
                          OrtValue **outputs, const bool *is_given) {
    OrtStatus *status = NULL;
    OrtValue **in = see_all_on_host((OrtValue *const *)inputs, input_count, &status);
    OrtValue **out = see_all_on_host(outputs, output_count, &status);
    const OrtValue **seen_in = calloc(input_count + 1, sizeof *seen_in);
    OrtValue **seen_out = calloc(output_count + 1, sizeof *seen_out);
    if (seen_in == NULL || seen_out == NULL) give_up("no memory");
    for (size_t i = 0; i < input_count; i++) seen_in[i] = in[i] ? in[i] : inputs[i];
    for (size_t i = 0; i < output_count; i++) seen_out[i] = out[i] ? out[i] : outputs[i];
    if (status == NULL)
        status = real->Run(session, options, input_names, seen_in, input_count, output_names,
                           output_count, seen_out);
    if (status == NULL) status = spoil(seen_out, is_given, output_count);
    for (size_t i = 0; i < output_count; i++) {
        if (outputs[i] != NULL || seen_out[i] == NULL) continue;
        if (status == NULL)
            outputs[i] = seen_out[i];
        else
            real->ReleaseValue(seen_out[i]);
    }
    release_all(in, input_count);
    release_all(out, output_count);
    free(seen_in);
    free(seen_out);
    return status;
}

static Line *begin_run(const char *function, const OrtSession *session, int providers) {
    Line *line = begin(function);
    put_number(line, "session", number_of(SESSION, session));
    put_providers(line, providers);
    return line;
}

OrtStatus *stub_Run(OrtSession *session, const OrtRunOptions *options,
                    const char *const *input_names, const OrtValue *const *inputs,
                    size_t input_count, const char *const *output_names, size_t output_count,
                    OrtValue **outputs) {
    int providers = providers_of(SESSION, session);
    Graph *captured = NULL;
    Line *line = begin_run("Run", session, providers);
    put_strings(line, "outputs", output_names, output_count);
    OrtStatus *status = providers ? refuse("Run") : NULL;
    if (status == NULL) status = begin_graph(line, session, options, NULL, 0, &captured);
    end(line, status);
    if (status != NULL) return status;
    if (providers == 0)
        return real->Run(session, options, input_names, inputs, input_count, output_names,
                         output_count, outputs);
    bool *is_given = calloc(output_count + 1, sizeof *is_given);
    if (is_given == NULL) give_up("no memory");
    for (size_t i = 0; i < output_count; i++) is_given[i] = outputs[i] != NULL;
    status = compute(session, options, input_names, inputs, input_count, output_names,
                     output_count, outputs, is_given);
    free(is_given);
    return status;
}

/* Describe what is bound, for a graph. */
static OrtStatus *describe(const Values *values, bool are_outputs, Bound *bound) {
    OrtStatus *status = NULL;
    for (size_t i = 0; i < values->count && status == NULL; i++) {
        int has_value = 0;
        bound[i] = (Bound){.name = values->names[i], .is_output = are_outputs};
        status = real->HasValue(values->values[i], &has_value);
        bound[i].is_allocated = has_value != 0;
        if (status == NULL && has_value)
            status = look_at(values->values[i], &bound[i].tensor);
    }
    return status;
}

/* Put the outputs that a run has made where they were asked for; there they stay bound. */
static OrtStatus *put_outputs(Binding *binding, const Values *outputs, OrtValue **made) {
    int device = setup_of(SESSION, binding->session).device;
    OrtStatus *status = NULL;
    for (size_t i = 0; i < outputs->count && status == NULL; i++) {
        if (made[i] == outputs->values[i]) continue;
        OrtValue *on_gpu = NULL;
        if (take_from_gpu(binding, outputs->names[i]))
            status = copy_to_gpu(made[i], device, &on_gpu);
        if (status == NULL)
            status = real->BindOutput(binding->outputs, outputs->names[i],
                                      on_gpu ? on_gpu : made[i]);
        if (on_gpu != NULL) real->ReleaseValue(on_gpu);
    }
    return status;
}

static OrtStatus *run_bound(Line *line, OrtSession *session, const OrtRunOptions *options,
                            Binding *binding) {
    Values inputs, outputs;
    Graph *captured = NULL;
    OrtStatus *status = read_values(binding->inputs, &inputs);
    if (status == NULL) status = read_values(binding->outputs, &outputs);
    if (status != NULL) give_up("%s", real->GetErrorMessage(status));
    size_t count = inputs.count + outputs.count;
    Bound *bound = calloc(count + 1, sizeof *bound);
    OrtValue **made = calloc(outputs.count + 1, sizeof *made);
    bool *is_given = calloc(outputs.count + 1, sizeof *is_given);
    if (bound == NULL || made == NULL || is_given == NULL) give_up("no memory");
    status = describe(&inputs, false, bound);
    if (status == NULL) status = describe(&outputs, true, bound + inputs.count);
    for (size_t i = 0; i < outputs.count; i++)
        made[i] = bound[inputs.count + i].is_allocated ? outputs.values[i] : NULL;
    if (status == NULL) status = begin_graph(line, session, options, bound, count, &captured);
    end(line, status);
    /* What a binding allocates cannot be made shorter than the model says either. */
    memset(is_given, true, outputs.count * sizeof *is_given);
    if (status == NULL)
        status = compute(session, options, (const char *const *)inputs.names,
                         (const OrtValue *const *)inputs.values, inputs.count,
                         (const char *const *)outputs.names, outputs.count, made, is_given);
    end_graph(captured, status == NULL);
    if (status == NULL) status = put_outputs(binding, &outputs, made);
    for (size_t i = 0; i < outputs.count; i++)
        if (made[i] != NULL && made[i] != outputs.values[i]) real->ReleaseValue(made[i]);
    free(bound);
    free(made);
    free(is_given);
    release_values(&inputs);
    release_values(&outputs);
    return status;
}

OrtStatus *stub_RunWithBinding(OrtSession *session, const OrtRunOptions *options,
                               const OrtIoBinding *pointer) {
    int providers = providers_of(SESSION, session);
    Binding *binding = find(pointer);
    Line *line = begin_run("RunWithBinding", session, providers);
    OrtStatus *refused = providers ? refuse("RunWithBinding") : NULL;
    if (refused == NULL && binding != NULL) return run_bound(line, session, options, binding);
    end(line, refused);
    return refused ? refused : real->RunWithBinding(session, options, pointer);
}
