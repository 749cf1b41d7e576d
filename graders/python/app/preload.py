"""Modules that graders may import.

There is no file of the standard library in a grade: what is not in the
snapshot does not exist. So all of it is brought in that means something in a
grader, and PyYAML, the one other module that public graders import.
"""

import importlib
import pkgutil
import sys

# They open windows, install things, print poems, or are about other platforms.
LEFT_OUT = {
    "antigravity",
    "ensurepip",
    "idlelib",
    "pip",
    "pydoc_data",
    "this",
    "tkinter",
    "turtle",
    "turtledemo",
    "venv",
    "lib2to3",
    "test",
    "__main__",
}

# Packages whose modules are imported by name at run time.
WHOLE = (
    "collections",
    "concurrent.futures",
    "ctypes",
    "email",
    "email.mime",
    "encodings",
    "html",
    "http",
    "importlib",
    "importlib.metadata",
    "importlib.resources",
    "json",
    "logging",
    "os",
    "pathlib",
    "re",
    "string",
    "sysconfig",
    "tomllib",
    "unittest",
    "urllib",
    "wsgiref",
    "xml",
    "xml.dom",
    "xml.etree",
    "xml.parsers",
    "xml.sax",
    "xmlrpc",
    "zipfile",
    "zoneinfo",
    "yaml",
)


def everything() -> None:
    """Imports all of it, in an order that is the same on every machine."""
    for name in sorted(sys.stdlib_module_names - LEFT_OUT):
        bring_in(name)
    for package in WHOLE:
        bring_in(package)
        module = sys.modules.get(package)
        path = getattr(module, "__path__", None)
        if path is not None:
            for name in sorted(found.name for found in pkgutil.iter_modules(path)):
                if name not in ("__main__", "mbcs", "oem"):
                    bring_in(f"{package}.{name}")


def bring_in(name: str) -> None:
    """Imports a module that may be for other platforms."""
    try:
        importlib.import_module(name)
    except (ImportError, AttributeError, OSError):
        pass
