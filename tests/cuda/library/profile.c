/* A profile as a session on the GPU would have written it. One event a line:
 *
 *   {"cat" : "Node","pid" :1,"tid" :1,"dur" :9,"ts" :5,"ph" : "X","name" :"a_kernel_time",
 *    "args" : {..., "op_name" : "Add", ..., "provider" : "CPUExecutionProvider", ...}},
 */
#include "stub.h"

#include <stdlib.h>
#include <string.h>

static const char NAME[] = "\"name\" :\"";
static const char ARGUMENTS[] = "_kernel_time\",\"args\" : {";
static const char OPERATOR[] = "\"op_name\" : \"";
static const char PROVIDER[] = "\"provider\" : \"";

/* The last place, for a node's name may hold anything, and was not escaped for a long time. */
static char *find_last(char *text, const char *what) {
    char *found = NULL;
    for (char *next = text; (next = strstr(next, what)) != NULL; next++) found = next;
    return found;
}

/* A copy of what is between a mark and the next quotation mark; NULL where the mark is not. */
static char *quoted(const char *text, const char *mark) {
    const char *start = strstr(text, mark);
    if (start == NULL) return NULL;
    start += strlen(mark);
    return strndup(start, strcspn(start, "\""));
}

/* Write the line with the provider that the node is said to be computed by. */
static void put_node(FILE *out, char *line, int providers) {
    char *name = strstr(line, NAME), *arguments = find_last(line, ARGUMENTS);
    char *operator_type = arguments ? quoted(arguments, OPERATOR) : NULL;
    char *provider = arguments ? strstr(arguments, PROVIDER) : NULL;
    if (name == NULL || name > arguments || operator_type == NULL || provider == NULL) {
        fputs(line, out); /* another kind of event */
        free(operator_type);
        return;
    }
    provider += strlen(PROVIDER);
    fwrite(line, 1, (size_t)(provider - line), out);
    fputs(provider_of_node(providers, operator_type), out);
    fputs(provider + strcspn(provider, "\""), out);
    free(operator_type);
}

/* At the end of a run, write its copies between host and GPU, each a node of its own that takes
 * no time: so none seems to be inside another kernel. */
static void put_copies(FILE *out, const char *line, long count) {
    long process, thread, duration, start;
    if (sscanf(line, "{\"cat\" : \"Session\",\"pid\" :%ld,\"tid\" :%ld,\"dur\" :%ld,\"ts\" :%ld",
               &process, &thread, &duration, &start) != 4)
        give_up("the profile has an unknown form: %s", line);
    for (long i = 0; i < count; i++) {
        fprintf(out,
                "{\"cat\" : \"Node\",\"pid\" :%ld,\"tid\" :%ld,\"dur\" :0,\"ts\" :%ld,"
                "\"ph\" : \"X\",%sMemcpy",
                process, thread, start + duration, NAME);
        if (i > 0) fprintf(out, "_token_%ld", i);
        fprintf(out, "%s%sMemcpy%s\",%sCUDAExecutionProvider\"}},\n", ARGUMENTS, OPERATOR,
                i % 2 == 0 ? "FromHost" : "ToHost", PROVIDER);
    }
}

void rewrite_profile(const char *path, int providers) {
    long copies = count_setting("STUB_COPIES", 0);
    char *new_path = NULL, *line = NULL;
    size_t size = 0;
    if (asprintf(&new_path, "%s.rewritten", path) < 0) give_up("no memory");
    FILE *in = fopen(path, "r"), *out = fopen(new_path, "w");
    if (in == NULL || out == NULL) give_up("%s cannot be rewritten", path);
    while (getline(&line, &size, in) >= 0) {
        if (strstr(line, "\"cat\" : \"Session\"") && strstr(line, "\"name\" :\"model_run\""))
            put_copies(out, line, copies);
        if (strncmp(line, "{\"cat\" : \"Node\"", strlen("{\"cat\" : \"Node\"")) == 0)
            put_node(out, line, providers);
        else
            fputs(line, out);
    }
    fclose(in);
    if (fclose(out) != 0 || rename(new_path, path) != 0) give_up("%s cannot be rewritten", path);
    free(line);
    free(new_path);
}
