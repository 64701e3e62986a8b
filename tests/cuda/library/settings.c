/* What the stub is told, by environment variables. */
#include "stub.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

void give_up(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    fputs("stub of ONNX Runtime: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    /* Nothing of the process may go on, and a test must not take this for a refusal. */
    abort();
}

const char *setting(const char *name) { return getenv(name); }

long count_setting(const char *name, long otherwise) {
    const char *text = setting(name);
    if (text == NULL) return otherwise;
    char *rest = NULL;
    long value = strtol(text, &rest, 10);
    if (rest == text || *rest != '\0' || value < 0)
        give_up("%s must be a whole number, not '%s'", name, text);
    return value;
}

bool is_listed(const char *word, const char *list) {
    size_t length = strlen(word);
    for (const char *item = list; *item != '\0';) {
        size_t size = strcspn(item, ",");
        if (size == length && strncmp(item, word, size) == 0) return true;
        if (size == 1 && *item == '*') return true;
        item += size;
        if (*item == ',') item++;
    }
    return false;
}

bool is_built_with(const char *provider) {
    const char *list = setting("STUB_PROVIDERS");
    return is_listed(provider, list ? list : "TensorrtExecutionProvider,CUDAExecutionProvider");
}
