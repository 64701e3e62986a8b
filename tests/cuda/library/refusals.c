/* Calls that are to fail. STUB_FAIL has a rule a line: `FUNCTION CALL CODE TEXT`. CALL says which
 * of the function's calls fails, counted from 1, or 0 for all. In the text \n is a line's end and
 * \\ a backslash. */
#include "stub.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

typedef struct Rule {
    char *function;
    char *text;
    long call;
    long calls;
    int code;
    struct Rule *next;
} Rule;

static Rule *rules;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;

/* Read a text in place. */
static char *unescape(char *text) {
    char *to = text;
    for (const char *from = text; *from != '\0'; from++) {
        if (*from != '\\') {
            *to++ = *from;
            continue;
        }
        from++;
        if (*from != 'n' && *from != '\\') give_up("STUB_FAIL: a text has a lone backslash");
        *to++ = *from == 'n' ? '\n' : '\\';
    }
    *to = '\0';
    return text;
}

static void read_rules(void) {
    const char *setting_text = setting("STUB_FAIL");
    if (setting_text == NULL) return;
    char *text = strdup(setting_text), *rest = text;
    Rule **last = &rules;
    for (char *line; (line = strsep(&rest, "\n")) != NULL;) {
        Rule *rule = calloc(1, sizeof *rule);
        int length = 0;
        if (sscanf(line, "%ms %ld %d %n", &rule->function, &rule->call, &rule->code, &length) < 3 ||
            length == 0 || line[length] == '\0' || rule->code <= 0)
            give_up("STUB_FAIL: '%s' is not FUNCTION CALL CODE TEXT", line);
        rule->text = unescape(strdup(line + length));
        *last = rule;
        last = &rule->next;
    }
    free(text);
}

OrtStatus *refuse(const char *function) {
    pthread_once(&once, read_rules);
    const Rule *found = NULL;
    pthread_mutex_lock(&mutex);
    for (Rule *rule = rules; rule != NULL; rule = rule->next) {
        if (strcmp(rule->function, function) != 0) continue;
        rule->calls++;
        if (found == NULL && (rule->call == 0 || rule->call == rule->calls)) found = rule;
    }
    pthread_mutex_unlock(&mutex);
    return found ? real->CreateStatus(found->code, found->text) : NULL;
}
