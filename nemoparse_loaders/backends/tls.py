"""Which certificates are trusted: the system's, and those that the environment names."""

from __future__ import annotations

import logging
import os
import ssl

logger = logging.getLogger(__name__)

# What users of requests and curl have set for their company's certificate authority.
_BUNDLES = ("REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE")


def trusting_context() -> ssl.SSLContext:
    """A context that verifies servers and proxies.

    It trusts what OpenSSL trusts, which SSL_CERT_FILE and SSL_CERT_DIR change, and what REQUESTS_CA_BUNDLE
    and CURL_CA_BUNDLE name on top of it. The environment is read anew for each context: aiohttp's own one is
    made when it is imported, and does not see what is set after that. Blocks on files.
    """
    context = ssl.create_default_context()
    context.set_alpn_protocols(("http/1.1",))
    for name in _BUNDLES:
        path = os.environ.get(name)
        if not path:
            continue
        try:
            if os.path.isdir(path):
                context.load_verify_locations(capath=path)
            else:
                context.load_verify_locations(cafile=path)
        except OSError as error:
            # Also ssl.SSLError. Left over settings are common and often do no harm.
            logger.warning("%s names no usable certificates (%s): going on without it", name, error)
    return context
