"""setuptools' build backend, plus Go and a C compiler from PyPI on machines that have none (PEP 517, PEP 660)."""

import toolchain
from setuptools import build_meta as _setuptools
from setuptools.build_meta import *  # noqa: F403  (the hooks that need no change)


def get_requires_for_build_wheel(config_settings=None):
    toolchain.refuse_unsupported()
    return _setuptools.get_requires_for_build_wheel(config_settings) + toolchain.missing()


def get_requires_for_build_editable(config_settings=None):
    toolchain.refuse_unsupported()
    return _setuptools.get_requires_for_build_editable(config_settings) + toolchain.missing()


def get_requires_for_build_sdist(config_settings=None):
    # the modules are vendored into the sdist, which takes Go but no C compiler
    return _setuptools.get_requires_for_build_sdist(config_settings) + toolchain.missing_go()
