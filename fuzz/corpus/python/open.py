def f() -> A.Config:
    return A.Config(x=[[[[[[[["