#include "json.h"

#include <stdio.h>
#include <stdlib.h>

void json_text(cJSON *object, const char *key, const char *text)
{
    cJSON_AddItemToObject(object, key, text ? cJSON_CreateString(text) : cJSON_CreateNull());
}

void json_count(cJSON *object, const char *key, uint64_t value)
{
    char digits[32];
    snprintf(digits, sizeof digits, "%llu", (unsigned long long)value);
    cJSON_AddRawToObject(object, key, digits);
}

cJSON *json_object(cJSON *object, const char *key)
{
    return cJSON_AddObjectToObject(object, key);
}

cJSON *json_array(cJSON *object, const char *key)
{
    return cJSON_AddArrayToObject(object, key);
}

cJSON *json_append_object(cJSON *array)
{
    cJSON *object = cJSON_CreateObject();
    cJSON_AddItemToArray(array, object);
    return object;
}

void json_append_text(cJSON *array, const char *text)
{
    cJSON_AddItemToArray(array, cJSON_CreateString(text));
}

void json_print(cJSON *document)
{
    char *text = cJSON_Print(document);
    if (text)
        puts(text);
    cJSON_free(text);
    cJSON_Delete(document);
}
