/* The calls, a JSON object a line, appended to the file that STUB_RECORD names. */
#include "stub.h"

#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <unistd.h>

struct Line {
    FILE *file;
    char *text;
    size_t size;
};

static void put_text(FILE *file, const char *text) {
    fputc('"', file);
    for (const unsigned char *byte = (const unsigned char *)text; *byte != '\0'; byte++) {
        if (*byte == '"' || *byte == '\\')
            fprintf(file, "\\%c", *byte);
        else if (*byte < ' ')
            fprintf(file, "\\u%04x", *byte);
        else
            fputc(*byte, file);
    }
    fputc('"', file);
}

static void put_key(Line *line, const char *key) {
    fputs(", ", line->file);
    put_text(line->file, key);
    fputs(": ", line->file);
}

Line *begin(const char *function) {
    Line *line = calloc(1, sizeof *line);
    if (line != NULL) line->file = open_memstream(&line->text, &line->size);
    if (line == NULL || line->file == NULL) give_up("no memory for a line of the record");
    fputs("{\"function\": ", line->file);
    put_text(line->file, function);
    put_number(line, "process", getpid());
    return line;
}

void put_number(Line *line, const char *key, long long value) {
    put_key(line, key);
    fprintf(line->file, "%lld", value);
}

void put_string(Line *line, const char *key, const char *value) {
    put_key(line, key);
    put_text(line->file, value);
}

void put_strings(Line *line, const char *key, const char *const *values, size_t count) {
    put_key(line, key);
    fputc('[', line->file);
    for (size_t i = 0; i < count; i++) {
        if (i > 0) fputs(", ", line->file);
        put_text(line->file, values[i]);
    }
    fputc(']', line->file);
}

void put_pairs(Line *line, const char *key, const char *const *keys, const char *const *values,
               size_t count) {
    put_key(line, key);
    fputc('{', line->file);
    for (size_t i = 0; i < count; i++) {
        if (i > 0) fputs(", ", line->file);
        put_text(line->file, keys[i]);
        fputs(": ", line->file);
        put_text(line->file, values[i]);
    }
    fputc('}', line->file);
}

void end(Line *line, const OrtStatus *refused) {
    if (refused != NULL) put_string(line, "refused", real->GetErrorMessage(refused));
    fputs("}\n", line->file);
    if (fclose(line->file) != 0) give_up("no memory for a line of the record");
    const char *path = setting("STUB_RECORD");
    if (path != NULL) {
        /* One write to a file opened for appending: lines of threads and processes stay whole. */
        int file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
        if (file < 0 || write(file, line->text, line->size) != (ssize_t)line->size)
            give_up("%s cannot be written", path);
        close(file);
    }
    free(line->text);
    free(line);
}

void misuse(Line *line, const char *format, ...) {
    char text[600];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    end(line, real->CreateStatus(FAIL, text));
    give_up("%s", text);
}
