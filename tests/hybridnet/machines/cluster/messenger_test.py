# SPDX-License-Identifier: MIT
"""What the head hears of its agents; tests/system/cluster_test.py has the rest."""

from __future__ import annotations

import asyncio
from pathlib import Path

from hybridnet.machines.cluster.messenger import Messenger
from hybridnet.machines.workers.lean_dask import Client
from hybridnet.system.journal import Journal


def test_a_worker_that_is_there_is_found_whatever_the_client_refreshes_meanwhile(tmp_path: Path) -> None:
    from distributed import LocalCluster

    with (
        LocalCluster(
            n_workers=1, processes=False, dashboard_address=None, local_directory=str(tmp_path)
        ) as cluster,
        Client(cluster, set_as_default=False) as client,
    ):
        messenger = Messenger(
            Journal(tmp_path, "a-run"), lambda: None, lambda address: None, lambda machine, said: None
        )
        messenger.use(client)
        stopped = False

        async def refresh() -> None:
            while not stopped:
                await client._update_scheduler_info()  # as its timer does every two seconds

        assert client.loop is not None
        refreshing = asyncio.run_coroutine_threadsafe(refresh(), client.loop.asyncio_loop)
        try:
            name = next(iter(cluster.workers))
            assert {messenger.find(name) for _ in range(100)} == {cluster.workers[name].address}
        finally:
            stopped = True
            refreshing.result(timeout=10)
