// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/http/certificate.h"

#include <memory>

#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509v3.h>

namespace {

template <auto free>
struct Freed {
    template <typename T>
    void operator()(T *object) const
    {
        free(object);
    }
};

QByteArray contentOf(BIO *memory)
{
    char *data = nullptr;
    const long size = BIO_get_mem_data(memory, &data);
    return {data, static_cast<qsizetype>(size)};
}

void addExtension(X509 *certificate, int id, const char *value)
{
    X509V3_CTX context;
    X509V3_set_ctx_nodb(&context);
    X509V3_set_ctx(&context, certificate, certificate, nullptr, nullptr, 0);
    const std::unique_ptr<X509_EXTENSION, Freed<X509_EXTENSION_free>> extension(
        X509V3_EXT_conf_nid(nullptr, &context, id, value));
    X509_add_ext(certificate, extension.get(), -1);
}

} // namespace

SelfSigned makeSelfSigned(const char *commonName)
{
    const std::unique_ptr<EVP_PKEY, Freed<EVP_PKEY_free>> key(EVP_EC_gen("P-256"));
    const std::unique_ptr<X509, Freed<X509_free>> certificate(X509_new());
    X509_set_version(certificate.get(), 2);
    quint32 serial = 0;
    RAND_bytes(reinterpret_cast<unsigned char *>(&serial), sizeof serial);
    ASN1_INTEGER_set(X509_get_serialNumber(certificate.get()), static_cast<long>(serial >> 1));
    X509_gmtime_adj(X509_getm_notBefore(certificate.get()), -60);
    X509_gmtime_adj(X509_getm_notAfter(certificate.get()), 3600);
    X509_set_pubkey(certificate.get(), key.get());
    X509_NAME *name = X509_get_subject_name(certificate.get());
    X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC, reinterpret_cast<const unsigned char *>(commonName),
                               -1, -1, 0);
    X509_set_issuer_name(certificate.get(), name);
    addExtension(certificate.get(), NID_subject_alt_name, "IP:127.0.0.1,DNS:localhost");
    addExtension(certificate.get(), NID_basic_constraints, "critical,CA:TRUE");
    X509_sign(certificate.get(), key.get(), EVP_sha256());

    const std::unique_ptr<BIO, Freed<BIO_free_all>> certificateText(BIO_new(BIO_s_mem()));
    PEM_write_bio_X509(certificateText.get(), certificate.get());
    const std::unique_ptr<BIO, Freed<BIO_free_all>> keyText(BIO_new(BIO_s_mem()));
    PEM_write_bio_PrivateKey(keyText.get(), key.get(), nullptr, nullptr, 0, nullptr, nullptr);
    return {contentOf(certificateText.get()), contentOf(keyText.get())};
}
