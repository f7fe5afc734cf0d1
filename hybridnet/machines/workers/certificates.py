# SPDX-License-Identifier: MIT
"""The certificate of a run: whoever shows it belongs to the run, and the run speaks to nobody else.

It is made when the machines are, signs itself, and serves scheduler, workers and clients alike: each side of every
connection asks the other for it. It and its key live in memory. A machine gets them through its standard input; they
are never on a command line, in an environment, in a log or in a journal.

The key is one on the curve P-256, made in a fraction of a millisecond. `Security.temporary` of distributed makes an RSA
key of 2048 bits, which takes a tenth of a second, sometimes several.
"""

from __future__ import annotations

import datetime

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import NameOID

LIFETIME = datetime.timedelta(days=365)
CLOCKS_APART = datetime.timedelta(days=1)  # a machine whose clock is behind by less takes the certificate


def make_certificate(run: str) -> dict[str, str]:
    """A new certificate for `run`, and its key: what `hybridnet.machines.workers.security.security_of` takes."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, f"hybridnet run {run}")])
    now = datetime.datetime.now(datetime.UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - CLOCKS_APART)
        .not_valid_after(now + LIFETIME)
        .sign(key, hashes.SHA256())
    )
    return {
        "certificate": certificate.public_bytes(Encoding.PEM).decode(),
        "key": key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode(),
    }
