"""Imports of anything outside the checkout become stand-ins, so that a tool's own argument checks
run without torch, CUDA or GPUs; and the loop over what was written."""
import contextlib
import importlib.abc
import importlib.machinery
import io
import json
import sys
import traceback
import types
import typing


class BaseType(type(typing.Protocol)):
    def __getattr__(cls, name):
        if name.startswith("__") and name.endswith("__"):
            raise AttributeError(name)
        return Stub(f"{cls.__name__}.{name}")


class Base(metaclass=BaseType):
    """What classes of stand-ins are derived from."""

    def __init__(self, *args, **kwargs):
        pass

    __parameters__ = ()

    def __init_subclass__(cls, **kwargs):
        pass


class Stub:
    """Any attribute, call, item or comparison of it works and means nothing."""

    def __init__(self, name):
        self.__dict__["_name"] = name
        self.__dict__["_values"] = {}

    def __getattr__(self, name):
        if name.startswith("__") and name.endswith("__"):
            raise AttributeError(name)
        return self._values.setdefault(name, Stub(f"{self._name}.{name}"))

    def __call__(self, *args, **kwargs):
        only = args[0] if len(args) == 1 and not kwargs else None
        return only if callable(only) and not isinstance(only, Stub) else Stub(f"{self._name}()")

    def __mro_entries__(self, bases):
        return () if Base in bases else (Base,)

    def __instancecheck__(self, instance):
        return False

    def __subclasscheck__(self, subclass):
        return False

    def __getitem__(self, key):
        return Stub(f"{self._name}[]")

    def __iter__(self):
        return iter(())

    def __or__(self, other):
        return object

    __ror__ = __or__

    def __enter__(self):
        return self

    def __exit__(self, *args):
        return False

    def __repr__(self):
        return self._name

    def __hash__(self):
        return hash(self._name)

    def __eq__(self, other):
        return isinstance(other, Stub) and other._name == self._name

    def __lt__(self, other):
        return False

    __gt__ = __le__ = __ge__ = __lt__

    def _number(self, *other):
        return Stub(f"{self._name}+")

    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __neg__ = _number
    __truediv__ = __rtruediv__ = __floordiv__ = __mod__ = __pow__ = __rpow__ = _number


class StubModule(types.ModuleType):
    def __getattr__(self, name):
        if name.startswith("__") and name.endswith("__"):
            raise AttributeError(name)
        value = Stub(f"{self.__name__}.{name}")
        setattr(self, name, value)
        return value


class Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    def __init__(self, missing):
        self.missing = missing

    def find_spec(self, name, path=None, target=None):
        if not any(name == stub or name.startswith(stub + ".") for stub in self.missing):
            return None
        return importlib.machinery.ModuleSpec(name, self, is_package=True)

    def create_module(self, spec):
        module = StubModule(spec.name)
        module.__path__ = []
        module.__version__ = "2.9.0"
        return module

    def exec_module(self, module):
        pass


def packaging():
    """The real one, or pip's copy of it."""
    try:
        import packaging.version
    except ImportError:
        from pip._vendor import packaging
        from pip._vendor.packaging import version
        sys.modules["packaging"], sys.modules["packaging.version"] = packaging, version


def install(missing):
    packaging()
    sys.meta_path.insert(0, Finder(set(missing)))


@contextlib.contextmanager
def quiet():
    """What a tool prints is kept, and given."""
    text = io.StringIO()
    with contextlib.redirect_stdout(text), contextlib.redirect_stderr(text):
        yield text


def judge(check, accepted="accepted"):
    """Asks `check` of each run of standard input, one a line as JSON, which raises what is wrong;
    the exit status."""
    bad = total = 0
    for line in sys.stdin:
        run = json.loads(line)
        total += 1
        try:
            with quiet() as said:
                check(run)
        except (Exception, SystemExit) as error:  # what it says is the answer
            bad += 1
            where = traceback.extract_tb(error.__traceback__)[-1]
            last = said.getvalue().strip().split("\n")[-1] if isinstance(error, SystemExit) else error
            print(f"refused: {type(error).__name__}: {last} "
                  f"({where.filename.split('/')[-1]}:{where.lineno})\n"
                  f"{run.get('text') or ' '.join(run['words'])}")
    print(f"{total - bad} of {total} {accepted}")
    return 1 if bad else 0
