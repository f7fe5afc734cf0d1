# SPDX-License-Identifier: MIT
"""How far switches keep to OpenFlow: Ryu's switch tester with generated cases."""
