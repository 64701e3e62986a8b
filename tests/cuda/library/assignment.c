/* The nodes of each provider, as a session on the GPU tells it: those that the library has given
 * to the CPU, told apart by `provider_of_node`. */
#include "stub.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct OrtEpAssignedSubgraph {
    const char *provider;
    const OrtEpAssignedNode **nodes;
    size_t count;
};

enum { ON_GPU, ON_CPU, SUBGRAPHS };

typedef struct Assignment {
    const OrtSession *session;
    OrtEpAssignedSubgraph subgraphs[SUBGRAPHS];
    const OrtEpAssignedSubgraph *pointers[SUBGRAPHS];
    struct Assignment *next;
} Assignment;

static Assignment *assignments;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

/* Put a node of the library's into one of the two subgraphs. */
static OrtStatus *add(Assignment *made, const OrtEpAssignedNode *node, int providers) {
    const char *operator_type = "", *name = "";
    OrtStatus *status = real->EpAssignedNode_GetOperatorType(node, &operator_type);
    if (status == NULL) status = real->EpAssignedNode_GetName(node, &name);
    if (status != NULL) return status;
    const char *provider = provider_of_node(providers, operator_type, name);
    bool on_cpu = strcmp(provider, "CPUExecutionProvider") == 0;
    OrtEpAssignedSubgraph *subgraph = &made->subgraphs[on_cpu ? ON_CPU : ON_GPU];
    subgraph->provider = provider;
    subgraph->nodes =
        realloc(subgraph->nodes, (subgraph->count + 1) * sizeof(*subgraph->nodes));
    if (subgraph->nodes == NULL) give_up("no memory");
    subgraph->nodes[subgraph->count++] = node;
    return NULL;
}

static void release(Assignment *made) {
    for (int i = 0; i < SUBGRAPHS; i++) free(made->subgraphs[i].nodes);
    free(made);
}

static OrtStatus *make(const OrtSession *session, int providers, Assignment **out) {
    const OrtEpAssignedSubgraph *const *own = NULL;
    size_t own_count = 0;
    OrtStatus *status = real->Session_GetEpGraphAssignmentInfo(session, &own, &own_count);
    if (status != NULL) return status;
    Assignment *made = calloc(1, sizeof *made);
    if (made == NULL) give_up("no memory");
    made->session = session;
    for (size_t i = 0; i < own_count && status == NULL; i++) {
        const OrtEpAssignedNode *const *nodes = NULL;
        size_t count = 0;
        status = real->EpAssignedSubgraph_GetNodes(own[i], &nodes, &count);
        for (size_t j = 0; j < count && status == NULL; j++)
            status = add(made, nodes[j], providers);
    }
    if (status != NULL) {
        release(made);
        return status;
    }
    *out = made;
    return NULL;
}

OrtStatus *stub_Session_GetEpGraphAssignmentInfo(const OrtSession *session,
                                                 const OrtEpAssignedSubgraph *const **subgraphs,
                                                 size_t *count) {
    int providers = providers_of(SESSION, session);
    Line *line = begin("Session_GetEpGraphAssignmentInfo");
    put_number(line, "session", number_of(SESSION, session));
    OrtStatus *status = providers ? refuse("Session_GetEpGraphAssignmentInfo") : NULL;
    end(line, status);
    if (status != NULL) return status;
    if (providers == 0) return real->Session_GetEpGraphAssignmentInfo(session, subgraphs, count);
    pthread_mutex_lock(&mutex);
    Assignment *found = assignments;
    while (found != NULL && found->session != session) found = found->next;
    if (found == NULL) {
        status = make(session, providers, &found);
        if (found != NULL) {
            found->next = assignments;
            assignments = found;
        }
    }
    pthread_mutex_unlock(&mutex);
    if (status != NULL) return status;
    *count = 0;
    for (int i = 0; i < SUBGRAPHS; i++)
        if (found->subgraphs[i].count > 0) found->pointers[(*count)++] = &found->subgraphs[i];
    *subgraphs = found->pointers;
    return NULL;
}

void forget_assignment(const OrtSession *session) {
    pthread_mutex_lock(&mutex);
    Assignment **link = &assignments;
    while (*link != NULL && (*link)->session != session) link = &(*link)->next;
    Assignment *found = *link;
    if (found != NULL) *link = found->next;
    pthread_mutex_unlock(&mutex);
    if (found != NULL) release(found);
}

static bool is_ours(const OrtEpAssignedSubgraph *subgraph) {
    bool found = false;
    pthread_mutex_lock(&mutex);
    for (const Assignment *made = assignments; made != NULL && !found; made = made->next)
        for (int i = 0; i < SUBGRAPHS; i++) found = found || subgraph == &made->subgraphs[i];
    pthread_mutex_unlock(&mutex);
    return found;
}

OrtStatus *stub_EpAssignedSubgraph_GetEpName(const OrtEpAssignedSubgraph *subgraph,
                                             const char **out) {
    if (!is_ours(subgraph)) return real->EpAssignedSubgraph_GetEpName(subgraph, out);
    *out = subgraph->provider;
    return NULL;
}

OrtStatus *stub_EpAssignedSubgraph_GetNodes(const OrtEpAssignedSubgraph *subgraph,
                                            const OrtEpAssignedNode *const **nodes,
                                            size_t *count) {
    if (!is_ours(subgraph)) return real->EpAssignedSubgraph_GetNodes(subgraph, nodes, count);
    *nodes = subgraph->nodes;
    *count = subgraph->count;
    return NULL;
}
