#include "base/text.h"

void orr_sha256_init(orr_sha256 *s)
{
    sha256_init(&s->context);
}

void orr_sha256_add(orr_sha256 *s, const void *data, size_t n)
{
    sha256_update(&s->context, n, data);
}

void orr_sha256_hex(orr_sha256 *s, char hex[65])
{
    static const char digits[] = "0123456789abcdef";
    uint8_t digest[SHA256_DIGEST_SIZE];
    sha256_digest(&s->context, sizeof digest, digest);
    for (int i = 0; i < SHA256_DIGEST_SIZE; i++) {
        hex[2 * i] = digits[digest[i] >> 4];
        hex[2 * i + 1] = digits[digest[i] & 15];
    }
    hex[64] = '\0';
}
