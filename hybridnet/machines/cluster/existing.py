# SPDX-License-Identifier: MIT
"""A Dask scheduler that somebody else runs: getting to it, and which of its workers become machines."""

from __future__ import annotations

from collections.abc import Sequence

from hybridnet.describe.topo.specs import natural
from hybridnet.describe.values import number, plain, shown, text
from hybridnet.errors import MachineError, UsageError
from hybridnet.machines.cluster.calls import present_workers
from hybridnet.machines.cluster.names import distinct
from hybridnet.machines.workers.dask_settings import QuietClient
from hybridnet.machines.workers.lean_dask import Client, Security

__all__ = ["client_of", "require_sound", "workers_of"]


def require_sound(
    address: str,
    security: Security | None,
    workers: Sequence[str] | None,
    names: Sequence[str] | None,
    timeout: float,
    grace_s: float,
) -> Security:
    """Refuse what cannot work, before anything begins; the arguments are those of `Cluster.connect`.

    Returns:
        The client's certificates.

    Raises:
        UsageError: an argument is wrong, the address is not of TLS, or there is no certificate to show it.
    """
    text(address, "scheduler")
    number(timeout, f"scheduler {plain(address)}: timeout", 0, 1e6)
    number(grace_s, f"scheduler {plain(address)}: grace_s", 5, 1e6)
    for given in (workers, names):
        if given is not None:
            distinct(given)
    if workers is not None and names is not None and len(workers) != len(names):
        raise UsageError(
            f"scheduler {plain(address)}: {len(workers)} workers and {len(names)} names; give one for each"
        )
    if security is not None and not isinstance(security, Security):
        raise UsageError(
            f"scheduler {plain(address)}: security {shown(security)} is not a Security; make one"
        )
    if not address.startswith("tls://"):
        raise UsageError(
            f"scheduler {address}: without TLS, whoever reaches it runs programs as root on its workers; "
            'start it and its workers with --tls-ca-file, --tls-cert and --tls-key, and write "tls://..."'
        )
    security = Security() if security is None else security
    if not security.get_tls_config_for_role("client")["cert"]:
        raise UsageError(
            f"scheduler {address}: no certificate for the client; give security=, or set "
            "distributed.comm.tls in Dask's configuration"
        )
    return security


def client_of(address: str, security: Security, timeout: float) -> Client:
    """A client of the scheduler.

    Raises:
        MachineError: it does not answer within `timeout` seconds.
    """
    try:
        return QuietClient(address, security=security, set_as_default=False, timeout=timeout)
    except (OSError, TimeoutError) as error:
        raise MachineError(f"scheduler {address} does not answer: {error}; is it running?") from None


def workers_of(
    client: Client, address: str, workers: Sequence[str] | None, names: Sequence[str] | None
) -> dict[str, str]:
    """The worker that each machine is beside, by the machine's name.

    Raises:
        MachineError: the scheduler lacks such workers, or has too few.
        UsageError: a worker whose own name is to be the machine's has one that a machine cannot have.
    """
    named = (str(info["name"]) for info in present_workers(client).values())
    present = sorted(named, key=natural)  # the scheduler lists them as they came
    wanted = list(workers or present)
    if names is not None and workers is None:
        if len(wanted) < len(names):
            raise MachineError(
                f"scheduler {address} has {len(wanted)} workers ({', '.join(wanted) or 'none'}), and "
                f"{len(names)} machines are needed; start more"
            )
        wanted = wanted[: len(names)]
    missing = [worker for worker in wanted if worker not in present]
    if missing or not wanted:
        raise MachineError(
            f"scheduler {address} has no worker {', '.join(missing) or 'at all'}; "
            f"it has: {', '.join(present) or 'none'}"
        )
    return dict(zip(distinct(names or wanted), wanted, strict=True))
