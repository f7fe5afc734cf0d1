# SPDX-License-Identifier: MIT
"""How the head and the agents of a run know each other."""

from __future__ import annotations

from hybridnet.machines.workers.lean_dask import Security


def security_of(pem: dict[str, str]) -> Security:
    """What Dask is told about a certificate: show it in every role, and speak only to those who show it too.

    Args:
        pem: ``certificate`` and ``key``, and the ``authority`` that signed it, by default itself; PEM, or files of it.
    """
    certificate, key = pem["certificate"], pem["key"]
    return Security(
        require_encryption=True,
        tls_ca_file=pem.get("authority", certificate),
        tls_scheduler_cert=certificate,
        tls_scheduler_key=key,
        tls_worker_cert=certificate,
        tls_worker_key=key,
        tls_client_cert=certificate,
        tls_client_key=key,
    )
