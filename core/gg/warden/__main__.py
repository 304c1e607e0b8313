"""Start a warden: ``python -I -m gg.warden FD``, FD being its end of the host's socket pair."""

from __future__ import annotations

import socket
import sys

from gg.warden.main import Warden

if __name__ == "__main__":
    host = socket.socket(fileno=int(sys.argv[1]))
    host.set_inheritable(False)  # a compiler is started by exec, and must not hold the host's ear
    raise SystemExit(Warden(host).serve())
