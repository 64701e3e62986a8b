/* Session options, run options and sessions. */
#include "stub.h"

#include <stdlib.h>
#include <string.h>

/* Begin the line of a call that concerns session options. */
static Line *begin_options(const char *function, const OrtSessionOptions *options) {
    Line *line = begin(function);
    put_number(line, "session_options", number_of(SESSION_OPTIONS, options));
    return line;
}

/* End a line, and return from the function around it where the call is to fail. */
#define END_OR_RETURN(line, function)                                                             \
    do {                                                                                          \
        OrtStatus *refused = refuse(function);                                                    \
        end(line, refused);                                                                    \
        if (refused != NULL) return refused;                                                      \
    } while (0)

OrtStatus *stub_CreateSessionOptions(OrtSessionOptions **out) {
    Line *line = begin("CreateSessionOptions");
    int number = new_number(SESSION_OPTIONS);
    put_number(line, "session_options", number);
    END_OR_RETURN(line, "CreateSessionOptions");
    OrtStatus *status = real->CreateSessionOptions(out);
    if (status == NULL) remember(SESSION_OPTIONS, *out, number, (Setup){0});
    return status;
}

OrtStatus *stub_CloneSessionOptions(const OrtSessionOptions *from, OrtSessionOptions **out) {
    Line *line = begin_options("CloneSessionOptions", from);
    int number = new_number(SESSION_OPTIONS);
    put_number(line, "clone", number);
    END_OR_RETURN(line, "CloneSessionOptions");
    OrtStatus *status = real->CloneSessionOptions(from, out);
    if (status == NULL)
        remember(SESSION_OPTIONS, *out, number, setup_of(SESSION_OPTIONS, from));
    return status;
}

void stub_ReleaseSessionOptions(OrtSessionOptions *options) {
    forget(SESSION_OPTIONS, options);
    real->ReleaseSessionOptions(options);
}

/* The library that computes has no arena on a GPU to shrink, and would refuse to try. */
OrtStatus *stub_AddRunConfigEntry(OrtRunOptions *options, const char *key, const char *value) {
    Line *line = begin("AddRunConfigEntry");
    put_string(line, "key", key);
    put_string(line, "value", value);
    END_OR_RETURN(line, "AddRunConfigEntry");
    if (strcmp(key, "gpu_graph_id") == 0) set_graph_id(options, value);
    if (strcmp(key, "memory.enable_memory_arena_shrinkage") != 0)
        return real->AddRunConfigEntry(options, key, value);
    char *on_host = calloc(strlen(value) + 1, 1), *copy = strdup(value), *rest = copy;
    if (on_host == NULL || copy == NULL) give_up("no memory");
    for (char *arena; (arena = strsep(&rest, ";")) != NULL;) {
        if (strncmp(arena, "gpu:", 4) == 0) continue;
        if (*on_host != '\0') strcat(on_host, ";");
        strcat(on_host, arena);
    }
    OrtStatus *status = *on_host ? real->AddRunConfigEntry(options, key, on_host) : NULL;
    free(on_host);
    free(copy);
    return status;
}

void stub_ReleaseRunOptions(OrtRunOptions *options) {
    forget_graph_id(options);
    real->ReleaseRunOptions(options);
}

/* A session in the making. On the CPU nothing is refused: that works on every machine. */
typedef struct Making {
    int number;
    Setup setup;
    const OrtSessionOptions *options; /* to make it with */
    OrtSessionOptions *clone;         /* those, where it has to tell of its nodes; else NULL */
} Making;

static OrtStatus *begin_session(Line *line, const char *function, const OrtSessionOptions *options,
                                Making *making) {
    making->number = new_number(SESSION);
    making->setup = setup_of(SESSION_OPTIONS, options);
    making->options = options;
    making->clone = NULL;
    put_number(line, "session", making->number);
    put_providers(line, making->setup.providers);
    OrtStatus *refused = making->setup.providers ? refuse(function) : NULL;
    end(line, refused);
    if (refused != NULL || !making->setup.graphs) return refused;
    refused = real->CloneSessionOptions(options, &making->clone);
    if (refused != NULL) return refused;
    making->options = making->clone;
    return real->AddSessionConfigEntry(making->clone, "session.record_ep_graph_assignment_info",
                                       "1");
}

static OrtStatus *made(OrtStatus *status, const Making *making, OrtSession **out) {
    if (making->clone != NULL) real->ReleaseSessionOptions(making->clone);
    if (status == NULL && making->setup.graphs) {
        status = check_nodes(*out, making->setup.providers);
        if (status != NULL) {
            real->ReleaseSession(*out);
            *out = NULL;
        }
    }
    if (status == NULL) remember(SESSION, *out, making->number, making->setup);
    return status;
}

OrtStatus *stub_CreateSession(const OrtEnv *environment, const ORTCHAR_T *path,
                              const OrtSessionOptions *options, OrtSession **out) {
    Line *line = begin_options("CreateSession", options);
    put_string(line, "path", path);
    Making making;
    OrtStatus *refused = begin_session(line, "CreateSession", options, &making);
    if (refused != NULL) return refused;
    return made(real->CreateSession(environment, path, making.options, out), &making, out);
}

OrtStatus *stub_CreateSessionFromArray(const OrtEnv *environment, const void *model, size_t size,
                                       const OrtSessionOptions *options, OrtSession **out) {
    Line *line = begin_options("CreateSessionFromArray", options);
    put_number(line, "bytes", (long long)size);
    Making making;
    OrtStatus *refused = begin_session(line, "CreateSessionFromArray", options, &making);
    if (refused != NULL) return refused;
    return made(real->CreateSessionFromArray(environment, model, size, making.options, out),
                &making, out);
}

void stub_ReleaseSession(OrtSession *session) {
    if (session != NULL) {
        Line *line = begin("ReleaseSession");
        put_number(line, "session", number_of(SESSION, session));
        end(line, NULL);
    }
    forget_graphs(session);
    forget(SESSION, session);
    real->ReleaseSession(session);
}

OrtStatus *stub_SessionEndProfiling(OrtSession *session, OrtAllocator *allocator, char **out) {
    int providers = providers_of(SESSION, session);
    Line *line = begin("SessionEndProfiling");
    put_number(line, "session", number_of(SESSION, session));
    OrtStatus *refused = providers ? refuse("SessionEndProfiling") : NULL;
    end(line, refused);
    if (refused != NULL) return refused;
    OrtStatus *status = real->SessionEndProfiling(session, allocator, out);
    if (status == NULL && providers && **out != '\0') rewrite_profile(*out, providers);
    return status;
}
