# SPDX-License-Identifier: MIT
"""Two nodes joined by one 10 Gbit/s link, for hybridnet over SSH.

Instructions:
Where this profile was made from hybridnet's repository, both nodes install hybridnet when they boot and then write
/local/setup.done; otherwise copy the repository to /local/repository on both and run its cloudlab/setup there. Then
follow docs/cloudlab.md on node-0.
"""

# CloudLab runs this with its own geni-lib and an older Python; the geni-lib on PyPI does not import on Python 3.11.
import geni.portal as portal
import geni.rspec.pg as pg

# Plain values only: write_rspec.py reads them from this file, so that the experiment is said once.
NODES = ["node-0", "node-1"]  # hybridnet's m1 and m2
ADDRESSES = ["10.10.1.1", "10.10.1.2"]  # on the link; the control network carries SSH and Dask only
NETMASK = "255.255.255.0"
LINK = "link-0"
LINK_KBPS = 10000000
# A distribution kernel: Open vSwitch's own datapath is a module there.
DISK_IMAGE = "urn:publicid:IDN+emulab.net+image+emulab-ops//DEBIAN12-64-STD"
HARDWARE_TYPE = "c220g5"  # two sockets of 10 cores, and a 10 Gbit/s interface for experiments
SETUP_COMMAND = "test ! -x /local/repository/cloudlab/setup || sudo /local/repository/cloudlab/setup"

context = portal.Context()
context.defineParameter(
    "hardware",
    "Hardware type of both nodes",
    portal.ParameterType.NODETYPE,
    HARDWARE_TYPE,
    longDescription="Any type with a 10 Gbit/s experiment interface.",
)
parameters = context.bindParameters()
request = context.makeRequestRSpec()

link = request.Link(LINK)
link.bandwidth = LINK_KBPS
for name, address in zip(NODES, ADDRESSES):  # noqa: B905  # CloudLab's Python has no strict=
    node = request.RawPC(name)
    node.hardware_type = parameters.hardware
    node.disk_image = DISK_IMAGE
    interface = node.addInterface("if-" + name)
    interface.addAddress(pg.IPv4Address(address, NETMASK))
    link.addInterface(interface)
    node.addService(pg.Execute(shell="bash", command=SETUP_COMMAND))

context.printRequestRSpec(request)
