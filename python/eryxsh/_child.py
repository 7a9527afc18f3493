"""What the process of ``isolation="process"`` runs: the native module alone, without the package.

Started by ``_isolation.py`` as ``python -I -S _child.py EXTENSION LIBRARY FINGERPRINT GENERATION MEMORY PARENT``,
with the control socket as descriptor 0.
"""

import sys
from importlib.machinery import ExtensionFileLoader, ModuleSpec


def main() -> None:
    """Load the library and answer requests until the host has gone."""
    extension, library, fingerprint, generation, memory, parent = sys.argv[1:]
    loader = ExtensionFileLoader("eryxsh._ext", extension)
    native = loader.create_module(ModuleSpec("eryxsh._ext", loader, origin=extension))
    loader.exec_module(native)
    native.far_main(library, fingerprint, int(generation), int(memory), int(parent), (), None)


if __name__ == "__main__":
    main()
