"""The Python guest: an application for componentize-py that runs one program in CPython and reports how it ended.

This package runs inside the sandbox, on the guest's own CPython, and is snapshotted after it has been imported. `app`
is where it starts. It is copied under the name `gg_guest` for the build, so its modules import each other relatively.
"""
