/* CUDA graphs. The first run with an id is captured, those after it replay what was captured: the
 * work of the same kernels at the same addresses. ONNX Runtime looks at nothing of what is bound
 * then, so a run that is bound to something else computes what nobody asked for, in silence. Here
 * it ends the process. As in ONNX Runtime every thread of a session has graphs of its own. */
#include "stub.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { WITHOUT_GRAPH = -1, DEFAULT_GRAPH = 0 };

struct Graph {
    int session; /* its number: another may come to lie where it was */
    int thread;
    int id;
    Bound *bound;
    size_t count;
    Graph *next;
};

typedef struct GraphId {
    const OrtRunOptions *options;
    char *text;
    struct GraphId *next;
} GraphId;

static Graph *graphs;
static GraphId *ids;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

/* Those that CUDA leaves to the CPU where they compute shapes, so that nothing is copied. */
static const char *const OF_SHAPES = "Cast,Concat,Gather,Shape,Size,Slice,Squeeze,Unsqueeze";
static const char *const WITH_SUBGRAPHS = "If,Loop,Scan";

static void forget_id(GraphId **link) {
    GraphId *found = *link;
    *link = found->next;
    free(found->text);
    free(found);
}

static GraphId **find_id(const OrtRunOptions *options) {
    GraphId **link = &ids;
    while (*link != NULL && (*link)->options != options) link = &(*link)->next;
    return link;
}

void set_graph_id(const OrtRunOptions *options, const char *text) {
    GraphId *made = malloc(sizeof *made);
    if (made == NULL) give_up("no memory");
    pthread_mutex_lock(&mutex);
    GraphId **before = find_id(options);
    if (*before != NULL) forget_id(before);
    *made = (GraphId){options, strdup(text), ids};
    ids = made;
    pthread_mutex_unlock(&mutex);
}

void forget_graph_id(const OrtRunOptions *options) {
    pthread_mutex_lock(&mutex);
    GraphId **link = find_id(options);
    if (*link != NULL) forget_id(link);
    pthread_mutex_unlock(&mutex);
}

static OrtStatus *graph_id(const OrtRunOptions *options, int *id) {
    char text[200] = "", *rest = text;
    *id = DEFAULT_GRAPH;
    pthread_mutex_lock(&mutex);
    const GraphId *found = *find_id(options);
    if (found != NULL) snprintf(text, sizeof text, "%s", found->text);
    pthread_mutex_unlock(&mutex);
    if (found == NULL) return NULL;
    *id = (int)strtol(text, &rest, 10);
    if (rest != text && *rest == '\0') return NULL;
    char message[300];
    snprintf(message, sizeof message, "Failed to parse the cuda graph annotation id: %s", text);
    return real->CreateStatus(FAIL, message);
}

static int thread_number(void) {
    static atomic_int count;
    static _Thread_local int own;
    if (own == 0) own = ++count;
    return own;
}

static OrtStatus *refuse_node(const char *reason) {
    char text[300];
    snprintf(text, sizeof text,
             "This session cannot use the graph capture feature as requested by the user %s "
             "CUDAExecutionProvider",
             reason);
    return real->CreateStatus(FAIL, text);
}

static OrtStatus *check_node(const OrtEpAssignedNode *node, int providers) {
    const char *operator_type = "";
    OrtStatus *status = real->EpAssignedNode_GetOperatorType(node, &operator_type);
    if (status != NULL) return status;
    if (is_listed(operator_type, WITH_SUBGRAPHS))
        return refuse_node("as the model has control flow nodes which can't be supported by");
    const char *provider = provider_of_node(providers, operator_type);
    if (strcmp(provider, "CPUExecutionProvider") == 0 && !is_listed(operator_type, OF_SHAPES))
        return refuse_node(" as all compute graph nodes have not been partitioned to the");
    return NULL;
}

OrtStatus *check_nodes(const OrtSession *session, int providers) {
    const OrtEpAssignedSubgraph *const *subgraphs = NULL;
    size_t subgraph_count = 0;
    if (offsetof(OrtApi, EpAssignedNode_GetOperatorType) >= real_size)
        give_up("graphs need ONNX Runtime 1.24 or later: it has to tell which nodes there are");
    if (count_setting("STUB_COPIES", 0) > 0)
        return refuse_node(" as all compute graph nodes have not been partitioned to the");
    OrtStatus *status =
        real->Session_GetEpGraphAssignmentInfo(session, &subgraphs, &subgraph_count);
    for (size_t i = 0; i < subgraph_count && status == NULL; i++) {
        const OrtEpAssignedNode *const *nodes = NULL;
        size_t count = 0;
        status = real->EpAssignedSubgraph_GetNodes(subgraphs[i], &nodes, &count);
        for (size_t j = 0; j < count && status == NULL; j++)
            status = check_node(nodes[j], providers);
    }
    return status;
}

static bool is_same(const Bound *one, const Bound *other) {
    const Tensor *a = &one->tensor, *b = &other->tensor;
    return one->is_output == other->is_output && strcmp(one->name, other->name) == 0 &&
           a->data == b->data && a->type == b->type && a->rank == b->rank &&
           memcmp(a->shape, b->shape, a->rank * sizeof *a->shape) == 0;
}

/* Where something is, in words: `address shape`. */
static const char *spell(const Bound *bound, char *text, size_t size) {
    size_t length = (size_t)snprintf(text, size, "%p [", bound->tensor.data);
    for (size_t i = 0; i < bound->tensor.rank && length < size; i++)
        length += (size_t)snprintf(text + length, size - length, "%s%" PRId64, i ? "," : "",
                                   bound->tensor.shape[i]);
    if (length < size) snprintf(text + length, size - length, "]");
    return text;
}

/* Hold what is bound now against what was bound at the capture. */
static void check_replay(Line *line, const Graph *graph, const Bound *bound, size_t count) {
    if (count != graph->count)
        misuse(line, "graph %d was captured with %zu inputs and outputs, and %zu are bound now",
               graph->id, graph->count, count);
    for (size_t i = 0; i < count; i++) {
        const Bound *then = NULL;
        for (size_t j = 0; j < count && then == NULL; j++)
            if (graph->bound[j].is_output == bound[i].is_output &&
                strcmp(graph->bound[j].name, bound[i].name) == 0)
                then = &graph->bound[j];
        if (then != NULL && is_same(then, &bound[i])) continue;
        char now_text[150], then_text[150] = "nothing";
        misuse(line, "%s '%s' is bound to %s, and was bound to %s when graph %d was captured",
               bound[i].is_output ? "output" : "input", bound[i].name,
               spell(&bound[i], now_text, sizeof now_text),
               then ? spell(then, then_text, sizeof then_text) : then_text, graph->id);
    }
}

/* What a graph captures must be in the GPU's memory, and stay there. */
static void check_capture(Line *line, int id, const Bound *bound, size_t count) {
    for (size_t i = 0; i < count; i++) {
        const char *side = bound[i].is_output ? "output" : "input";
        if (!bound[i].is_allocated)
            misuse(line, "%s '%s' is bound to no tensor: graph %d would write to the first one's "
                         "memory for ever", side, bound[i].name, id);
        if (bound[i].tensor.where.kind != GPU)
            misuse(line, "%s '%s' is not in the memory of the GPU, where graph %d needs it", side,
                   bound[i].name, id);
    }
}

static Graph *keep(int session, int id, const Bound *bound, size_t count) {
    Graph *graph = malloc(sizeof *graph);
    if (graph == NULL) give_up("no memory");
    *graph = (Graph){session, thread_number(), id, calloc(count + 1, sizeof *bound), count, NULL};
    if (graph->bound == NULL) give_up("no memory");
    for (size_t i = 0; i < count; i++) {
        graph->bound[i] = bound[i];
        graph->bound[i].name = strdup(bound[i].name);
    }
    return graph;
}

static void release(Graph *graph) {
    for (size_t i = 0; i < graph->count; i++) free((char *)graph->bound[i].name);
    free(graph->bound);
    free(graph);
}

OrtStatus *begin_graph(Line *line, const OrtSession *session, const OrtRunOptions *options,
                       const Bound *bound, size_t count, Graph **captured) {
    *captured = NULL;
    if (!setup_of(SESSION, session).graphs) return NULL;
    int id = 0, thread = thread_number(), number = number_of(SESSION, session);
    OrtStatus *status = graph_id(options, &id);
    if (status != NULL) return status;
    put_number(line, "graph", id);
    put_number(line, "thread", thread);
    if (id == WITHOUT_GRAPH) {
        put_string(line, "graph_run", "none");
        return NULL;
    }
    pthread_mutex_lock(&mutex);
    const Graph *graph = graphs;
    while (graph != NULL &&
           (graph->session != number || graph->thread != thread || graph->id != id))
        graph = graph->next;
    pthread_mutex_unlock(&mutex);
    put_string(line, "graph_run", graph ? "replay" : "capture");
    if (bound == NULL)
        misuse(line, "a run without a binding has new memory each time: graph %d needs the same",
               id);
    check_capture(line, id, bound, count);
    if (graph != NULL)
        check_replay(line, graph, bound, count);
    else
        *captured = keep(number, id, bound, count);
    return NULL;
}

void end_graph(Graph *captured, bool succeeded) {
    if (captured == NULL) return;
    if (!succeeded) {
        release(captured);
        return;
    }
    pthread_mutex_lock(&mutex);
    captured->next = graphs;
    graphs = captured;
    pthread_mutex_unlock(&mutex);
}

void forget_graphs(const OrtSession *session) {
    int number = number_of(SESSION, session);
    pthread_mutex_lock(&mutex);
    for (Graph **link = &graphs; *link != NULL;) {
        Graph *graph = *link;
        if (graph->session == number) {
            *link = graph->next;
            release(graph);
        } else {
            link = &graph->next;
        }
    }
    pthread_mutex_unlock(&mutex);
}
