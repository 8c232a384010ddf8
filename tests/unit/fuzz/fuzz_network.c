/* Device paths, answers of DHCP servers and URLs of any bytes: decoding ends within them. */
#include <stdlib.h>
#include "lib/firmware/boot_source.h"
#include "lib/text/url.h"
#include "tests/unit/fuzz/fuzz.h"

#define MAC_NODE  "\3\13\45\0\x52\x54\0\x12\x34\x56"
#define IPV4_NODE "\3\14\33\0\12\11\0\51\0\0\0\0\0\0\0\0\0\0\0\12\11\0\1\377\377\377\0"
#define ZEROS     "\0\0\0\0\0\0\0\0\0\0"

static const struct fuzz_text texts[] = {
    FUZZ_TEXT(MAC_NODE ZEROS ZEROS "\0\0\0\0\0\0\1" IPV4_NODE
                                   "\3\30\22\0http://h/x.efi\x7f\377\4\0"),
    FUZZ_TEXT("http://rack:token@10.9.0.1:80/reports/"),
    FUZZ_TEXT("tftp://10.9.0.1/a/b"),
};

static size_t packet(uint8_t *out)
{
    static const uint8_t options[] = {53, 1, 5, 54, 4, 10, 9, 0, 1, 67, 3, 'x', '/', 'y', 255};

    memset(out, 0, 240);
    memcpy(out + 240, options, sizeof options);
    return 240 + sizeof options;
}

size_t fuzz_seed(size_t index, uint8_t *out, size_t room)
{
    size_t n = sizeof texts / sizeof texts[0];

    if (index == n && room >= 300)
        return packet(out);
    if (index >= n || texts[index].n > room)
        return 0;
    memcpy(out, texts[index].bytes, texts[index].n);
    return texts[index].n;
}

static void decode_url(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);
    struct url url;

    memcpy(text, data, size);
    text[size] = '\0';
    if (url_parse(&url, text)) {
        FUZZ_CHECK(url.host >= text && url.host_n > 0 && url.host + url.host_n == url.path);
        FUZZ_CHECK(url.login >= text && url.login + url.login_n <= url.host);
        FUZZ_CHECK(*url.path == '/' || *url.path == '\0');
        FUZZ_CHECK(strlen(text) < URL_MOST);
    }
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct boot_path path;
    struct dhcp_boot boot;
    uint8_t gateway[4];
    char folder[DHCP_FILE_MOST];

    boot_path_decode(&path, data, size);
    FUZZ_CHECK(strlen(path.uri) < sizeof path.uri);
    if (dhcp_boot_decode(&boot, data, size)) {
        FUZZ_CHECK(boot.file[0] && strlen(boot.file) < sizeof boot.file);
        FUZZ_CHECK(boot_path_folder(folder, sizeof folder, boot.file));
    }
    (void)dhcp_gateway(gateway, data, size);
    decode_url(data, size);
    return 0;
}
