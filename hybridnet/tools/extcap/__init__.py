# SPDX-License-Identifier: MIT
"""Interfaces of running networks in Wireshark, by its extcap interface: a program that Wireshark asks what there is,
and that writes what it captures into a pipe. See https://www.wireshark.org/docs/wsdg_html_chunked/ChCaptureExtcap.html

Whoever may read a run's files and processes may capture: the user who started it, and nobody else.
"""
