def f() -> A.Config:
    return f()
