"""Makes the wheel: what pip calls (PEP 517). It builds the target reckon_python and packs it with the
catalog; nothing is fetched. With RECKON_BUILD set to a build folder, that build is packed. With
RECKON_PORTABLE=1 (`./dev wheel`) the wheel has the library and the executable of cmake/wheel.cmake,
which need nothing but glibc 2.28 or later."""
import base64
import hashlib
import os
import platform
import re
import subprocess
import sysconfig
import zipfile
from pathlib import Path

SOURCE = Path(__file__).resolve().parent.parent
# The time of all files in the wheel, so that two builds give equal bytes: the first that zip has.
TIME = (1980, 1, 1, 0, 0, 0)
PORTABLE = os.environ.get("RECKON_PORTABLE") == "1"
# Debian's packages of what a portable wheel has inside, whose licenses go with it.
LINKED = ("libexpat1-dev", "libjansson-dev", "libsqlite3-dev", "liburing-dev", "libyaml-dev", "libzstd-dev",
          "zlib1g-dev")
# Begins the executable without importing the module, which would take longer than an answer.
ENTRY = """import os
import sys


def main():
    program = os.path.join(os.path.dirname(__file__), "reckon", "reckon")
    os.execv(program, [program, *sys.argv[1:]])
"""


def _version():
    return re.search(r"project\(reckon VERSION (\S+)", (SOURCE / "CMakeLists.txt").read_text())[1]


def _build():
    """The folder of the built module."""
    given = os.environ.get("RECKON_BUILD")
    folder = Path(given) if given else SOURCE / "build-python"
    if not given:
        off = [f"-DRECKON_{part}=OFF" for part in ("TESTS", "BENCH", "RUN", "MPI")]
        subprocess.run(
            ["cmake", "-G", "Ninja", "-S", str(SOURCE), "-B", str(folder),
             "-DCMAKE_BUILD_TYPE=Release", *off],
            check=True,
        )
    subprocess.run(["cmake", "--build", str(folder), "--target", "reckon_python"], check=True)
    return folder


def _portable(folder, info):
    """What takes the place of the library, and the executable with what begins it."""
    parts = folder / "wheel"
    if not (parts / "libreckon.so").exists():
        raise SystemExit("RECKON_PORTABLE: cmake/wheel.cmake says what is missing for a portable wheel")
    files = {f"reckon/{name}": (parts / name).read_bytes() for name in ("libreckon.so", "reckon")}
    files["_reckon_program.py"] = ENTRY.encode()
    files[f"{info}/entry_points.txt"] = b"[console_scripts]\nreckon = _reckon_program:main\n"
    for package in LINKED:
        license = Path("/usr/share/doc", package, "copyright")
        if license.exists():
            files[f"{info}/licenses/{package}"] = license.read_bytes()
    return files


def _files(info):
    """Name in the wheel and bytes of each file."""
    folder = _build()
    found = [path for path in (folder / "python" / "reckon").iterdir() if path.is_file()]
    files = {f"reckon/{path.name}": path.read_bytes() for path in found}
    if PORTABLE:
        files.update(_portable(folder, info))
    data = SOURCE / "data"
    for path in sorted(data.rglob("*")):
        if "formats" in path.relative_to(data).parts:  # compiled in
            continue
        if path.suffix in (".json", ".csv", ".txt") and path.is_file():
            files[f"reckon/data/{path.relative_to(data).as_posix()}"] = path.read_bytes()
    return files


def _metadata():
    return (
        f"Metadata-Version: 2.1\nName: reckon\nVersion: {_version()}\n"
        "Summary: Predict the time and memory of LLM training plans, and search for the best one\n"
        "Requires-Python: >=3.9\n"
    )


def _tag():
    if PORTABLE:
        return f"py3-none-manylinux_2_28_{platform.machine()}"
    return "py3-none-" + re.sub(r"[-.]", "_", sysconfig.get_platform())


def _row(name, data):
    digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
    return f"{name},sha256={digest},{len(data)}\n"


def prepare_metadata_for_build_wheel(metadata_directory, config_settings=None):
    info = Path(metadata_directory, f"reckon-{_version()}.dist-info")
    info.mkdir()
    (info / "METADATA").write_text(_metadata())
    return info.name


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    info = f"reckon-{_version()}.dist-info"
    files = _files(info)
    files[f"{info}/METADATA"] = _metadata().encode()
    files[f"{info}/WHEEL"] = (
        f"Wheel-Version: 1.0\nGenerator: reckon\nRoot-Is-Purelib: false\nTag: {_tag()}\n"
    ).encode()
    files[f"{info}/licenses/LICENSE"] = (SOURCE / "LICENSE").read_bytes()
    rows = "".join(_row(name, data) for name, data in sorted(files.items()))
    files[f"{info}/RECORD"] = (rows + f"{info}/RECORD,,\n").encode()
    name = f"reckon-{_version()}-{_tag()}.whl"
    with zipfile.ZipFile(Path(wheel_directory, name), "w", zipfile.ZIP_DEFLATED) as wheel:
        for path, data in sorted(files.items()):
            entry = zipfile.ZipInfo(path, TIME)
            entry.external_attr = (0o100755 if path == "reckon/reckon" else 0o100644) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            wheel.writestr(entry, data)
    return name
